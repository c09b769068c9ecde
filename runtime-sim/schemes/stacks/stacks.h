// Memory stacks [002 §2, §5]: the memory of the L2 slices, and of the SMs in the stacks.
//
//     slice ─▶ queue for a stack ─▶ TX ─▶ vault queue ─▶ vault ─▶ RX ─▶ slice
//     SM    ─▶ queue for a stack ─▶ switch or cross link ─▶ vault queue ─▶ vault ─▶ back
//
// All slices reach all stacks. A packet leaves its queue when the link is free and its vault has
// room, so packets on a link never wait for a vault. Replies wait only for their link. Packets of
// offloaded blocks also use TX and RX, but no vault.
//
// Times are in clocks of the links. A vault is a DRAM channel of the section `dram` and runs at
// dram.clock.
#pragma once
#include "runtime-sim/base/trace.h"
#include "runtime-sim/dram/dram_map.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/stacks/stack_link.h"
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

// Address translation of the SM in a stack [002 §4.4.1]: a TLB after its L1, and walks through page
// tables, which are distributed over the memory of all stacks.
//
// A walk reads one table per level, one after the other. Requests wait until the walk for their
// page has ended. Page tables do not change, so there are no shootdowns.

enum { TLB_NONE = UINT32_MAX };

struct tlb_entry {
    uint64_t page; // UINT64_MAX: free
    uint64_t used;
};

// A walk, and the list of requests that wait for it.
struct tlb_walk {
    uint64_t page;
    uint32_t level;       // level that is being read: 0, 1, …
    uint32_t first, last; // requests, by the owner's numbers
    bool active;
};

struct tlb {
    uint64_t page_bytes;
    struct tlb_entry *entries;
    uint32_t count, levels; // number of entries; reads per walk
    uint64_t uses;
    struct tlb_walk *walks;
    uint32_t walk_count;
};

// Initialises an empty TLB. Other functions require at least one entry.
void tlb_init(struct tlb *tlb, struct arena *arena, uint32_t entries, uint32_t page_bytes,
              uint32_t levels);
// Returns the page of an address.
static inline uint64_t tlb_page(const struct tlb *tlb, uint64_t address)
{
    return address / tlb->page_bytes;
}
// Returns true if the TLB has the page, which becomes the most recently used.
bool tlb_has(struct tlb *tlb, uint64_t page);
// Returns the walk for a page, or TLB_NONE.
uint32_t tlb_walk_of(const struct tlb *tlb, uint64_t page);
// Begins a walk at its first read. Returns its number.
uint32_t tlb_begin(struct tlb *tlb, struct arena *arena, uint64_t page);
// Returns the address of the page table entry that a walk reads.
uint64_t tlb_table(const struct tlb *tlb, uint32_t walk);
// Ends a read of the walk. Returns true if another one follows. Otherwise the walk has ended, and
// the TLB has the page.
bool tlb_step(struct tlb *tlb, uint32_t walk);

// Stacks as the memory of a machine, with or without offloading.
extern const struct scheme_ops memory_stacks;

struct stack_config {
#define CONFIG_DEF "runtime-sim/schemes/stacks/stack.def"
#include "runtime-sim/base/config_fields.inc"
};

struct stack_stats {
#define STATS_DEF "runtime-sim/schemes/stacks/stack_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum { STACKS_MAX = 8, STACK_JOBS_NONE = UINT32_MAX };

enum stack_job_kind { JOB_SLICE, JOB_SM, JOB_PACKET, JOB_WALK };

// A request in flight to a vault or back, or a packet of an offloaded block.
struct stack_job {
    struct memsys_piece piece;     // JOB_SLICE; JOB_SM uses only `entry`
    uint64_t ready;                // clock in which it can continue
    struct dram_coordinates at[2]; // DRAM requests
    uint8_t kind;                  // enum stack_job_kind
    uint8_t stack, from;           // stack of the vault or packet; source slice, or stack of the SM
    uint8_t count, asked, left;    // DRAM requests: all, accepted by the vault, without a reply
    bool write;
    uint32_t flits, back; // flits there and back; JOB_PACKET: both are those of the packet
    uint32_t listed;      // JOB_PACKET to the GPU: part of `flits` for its list of lines
    uint32_t vault;
    uint32_t packet; // JOB_PACKET: number given by the owner; JOB_WALK: the walk
    uint32_t next;   // next job in a list
};

struct stack_list {
    uint32_t first, last, count;
};

// Sides of a vault's queue: requests from links and from SMs have separate room.
enum { VAULT_LINKS, VAULT_SMS, VAULT_SIDES };

// Returns the side from which a job enters its vault.
static inline uint32_t stack_side(const struct stack_job *job)
{
    return job->kind == JOB_SM || job->kind == JOB_WALK ? VAULT_SMS : VAULT_LINKS;
}

struct stack_vault {
    struct dram_channel channel;
    struct stack_list waiting[VAULT_SIDES];
    uint32_t reserved[VAULT_SIDES]; // room for requests in flight or waiting
    uint32_t turn;                  // side that is preferred next
};

struct stack {
    struct stack_link tx, rx, cross[STACKS_MAX]; // cross: to other stacks
    // Jobs on TX, on RX, waiting for RX; packets of blocks waiting for TX.
    struct stack_list tx_wire, rx_wire, rx_queue, packets;
    // By the other stack: replies to its SM that wait for the link; jobs on the link.
    struct stack_list to_cross[STACKS_MAX], cross_wire[STACKS_MAX];
    struct stack_list sm[STACKS_MAX]; // requests of the own SM, by target stack
    struct stack_list inside;         // replies of the own vaults to the own SM
    struct stack_list late;           // served by a vault, but not yet by the owner
    struct stack_list arrived;        // packets of blocks that have arrived
    struct tlb tlb;                   // TLB of the own SM
    uint32_t untranslated;            // requests of the own SM that wait for walks
    struct stack_vault *vaults;
    uint64_t busy;   // set of vaults with requests
    uint32_t turn;   // source that is preferred next for TX: a slice, or the packets
    uint32_t sm_end; // endpoint of the SM; MEMSYS_NONE: no SM
    struct stack_stats stats;
};

// A slice's port: its requests by stack and to the CPU, and those that are done.
struct stack_port {
    struct stacks *of;
    uint32_t number;
    struct stack_list to[STACKS_MAX], to_cpu, done;
};

struct stacks {
    const struct stack_config *config;
    const struct memsys_config *memsys_config;
    struct memsys *memsys; // NULL: without SMs
    struct arena *arena;
    struct memsys_backend backend;
    struct dram_config vault; // configuration of a vault, with the internal bandwidth
    struct dram_map dram_map;
    struct partition_range slices; // mapping of addresses to slices
    struct partition_map map;      // mapping of addresses to stacks
    uint64_t ratio;                // link clocks per vault clock
    uint32_t count, vaults;        // stacks; vaults of a stack
    struct stack *stacks;
    struct stack_port *ports;
    uint32_t port_count;
    struct stack_list at_gpu; // packets that have arrived at the GPU
    // While `from_cpu` is set, the slices' data are in the CPU's memory, which has its own link.
    bool from_cpu;
    struct stack_link pcie;
    struct stack_list cpu; // requests on this link
    uint32_t cpu_turn;     // slice that is preferred next
    struct stack_job *jobs;
    uint32_t job_count, unused, used;
    uint64_t due, ticked;      // next clock with work; first clock that was not ticked
    bool all_local;            // SMs find every line in their own stack
    struct stack_trace *trace; // NULL: no trace
    struct stack_stats total;
};

extern const struct stat_key stack_stat_keys[];
extern const uint32_t stack_stat_key_count;

// Returns the first fault as a sentence without a full stop, or NULL.
const char *stacks_check(struct arena *arena, const struct stack_config *config,
                         const struct memsys_config *memsys);
// Returns idle stacks without SMs. The configurations must stay valid.
struct stacks *stacks_new(struct arena *arena, const struct stack_config *config,
                          const struct memsys_config *memsys);

// Returns the stack of an address.
static inline uint32_t stacks_of(const struct stacks *stacks, uint64_t address)
{
    return partition_of(&stacks->map, address);
}

// Returns the flits of a packet of this many bytes, including its header.
static inline uint32_t stack_flits(const struct stacks *stacks, uint64_t bytes)
{
    uint64_t flit = stacks->config->flit_bytes;
    return (uint32_t)divide_up(bytes, flit);
}

// Context of stacks_can_send and stacks_send, which implement struct memsys_past for the SM in a
// stack.
struct stack_sm {
    struct stacks *stacks;
    uint32_t stack;
};
// Returns true if the SM's queue has room.
bool stacks_can_send(void *sm, const struct memsys_request *request);
// Enqueues a request of the SM, after address translation. `entry` is for its reply.
void stacks_send(void *sm, uint32_t entry, const struct memsys_request *request);

// Send packets of blocks from the GPU to a stack (stacks_send_packet), or back. `packet` is a
// number of the caller. In a scheme's tick, `now` is the first clock at or after the cycle.
void stacks_send_packet(struct stacks *stacks, uint64_t now, uint32_t stack, uint32_t packet,
                        uint32_t flits);
// `listed` of the flits are for the list of lines that the block has written.
void stacks_send_back(struct stacks *stacks, uint64_t now, uint32_t stack, uint32_t packet,
                      uint32_t flits, uint32_t listed);
// Pop a packet that has arrived at a stack (stacks_pop_arrived) or at the GPU. Return false if no
// packet has arrived.
bool stacks_pop_arrived(struct stacks *stacks, uint32_t stack, uint32_t *packet);
bool stacks_pop_returned(struct stacks *stacks, uint32_t *packet);
// Returns true if a packet of a block has arrived anywhere.
bool stacks_have_arrivals(const struct stacks *stacks);

// Counts energy events up to this clock, and sums the statistics of all stacks.
void stacks_settle(struct stacks *stacks, uint64_t now);

// Shared by the files of the stacks

// Continues a walk, or ends it, after the reply to one of its reads has arrived at the SM.
void stack_end_read(struct stacks *stacks, uint32_t job, uint64_t now);

// stack_push appends a job to a list. stack_pop removes and returns the first job of a list, which
// must not be empty.
void stack_push(struct stacks *stacks, struct stack_list *list, uint32_t job);
uint32_t stack_pop(struct stacks *stacks, struct stack_list *list);
// Return a new job, whose members are 0, and free one. A new job may move the array of jobs.
uint32_t stack_new_job(struct stacks *stacks);
void stack_free_job(struct stacks *stacks, uint32_t job);
// Sets the vault, its DRAM requests and the sizes of packets from the address and the bytes of the
// line that are accessed.
void stack_aim(struct stacks *stacks, struct stack_job *job, uint64_t address, struct mask bytes);
// stack_has_room returns true if the job's vault has room, which stack_reserve reserves.
bool stack_has_room(const struct stacks *stacks, const struct stack_job *job);
void stack_reserve(struct stacks *stacks, const struct stack_job *job);
// Evaluates a clock of all links and vaults.
void stack_tick(struct stacks *stacks, uint64_t now);
// Evaluates a clock of the vaults. stack_vaults_next returns the next link clock in which they have
// work, or UINT64_MAX.
void stack_tick_vaults(struct stacks *stacks, struct stack *stack, uint64_t now);
uint64_t stack_vaults_next(const struct stacks *stacks, const struct stack *stack, uint64_t now);

// Traces packets on the links of the stacks. Each stack has a process, with rows for TX, RX and the
// links to other stacks. Another process is for the link to the CPU, while a mapping is learnt.

// Rows of a stack's process. STACK_CROSS + i is the link to stack i.
enum stack_row { STACK_TX = 1, STACK_RX, STACK_CROSS };

// Starts the trace. Processes are numbered from *process on, which is advanced. `core_clock` is in
// MHz.
struct stack_trace *stack_trace_begin(struct stacks *stacks, struct arena *arena, struct trace *to,
                                      uint64_t core_clock, uint32_t *process);
// Writes the span of the packet of a job that has just been sent on a link. `stack` is the process;
// the number of stacks stands for the link to the CPU.
void stack_trace_packet(struct stack_trace *trace, uint32_t stack, uint32_t row,
                        const struct stack_link *link, const struct stack_job *job, uint32_t flits);
// Ends the trace.
void stack_trace_end(struct stack_trace *trace);
