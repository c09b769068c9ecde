// Memory stacks [002 §2, §5]: the memory behind the slices of the L2, and that of the SMs in the
// stacks.
//
//     slice ─▶ queue for a stack ─▶ TX ─▶ vault queue ─▶ vault ─▶ RX ─▶ slice
//     SM    ─▶ queue for a stack ─▶ switch or cross link ─▶ vault queue ─▶ vault ─▶ back
//
// All slices reach all stacks. A packet leaves its queue when the link is free and its vault has
// room, so that packets on a link never wait for a vault. Replies wait only for their link.
// Packets of offloaded blocks use TX and RX, too, and no vault.
//
// Times are clocks of the links. A vault is a DRAM channel of the section `dram`; it runs at
// dram.clock.
#pragma once
#include "runtime-sim/dram/dram_map.h"
#include "runtime-sim/gpu/scheme/scheme.h"
#include "runtime-sim/schemes/stacks/stack_link.h"
#include "runtime-sim/schemes/stacks/tlb.h"

// The registration: stacks as the memory of a machine, also of one without offloading.
extern const struct scheme_ops memory_stacks;

struct stack_config {
#define CONFIG_DEF "runtime-sim/schemes/stacks/stack.def"
#include "runtime-sim/base/config_fields.inc"
};

struct stack_stats {
#define STATS_DEF "runtime-sim/schemes/stacks/stack_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum { STACKS_MOST = 8, STACK_JOBS_NONE = UINT32_MAX };

enum stack_job_kind { JOB_SLICE, JOB_SM, JOB_PACKET, JOB_WALK };

// A request in flight to a vault or back, or a packet of an offloaded block.
struct stack_job {
    struct memsys_piece piece;  // JOB_SLICE; `entry` of JOB_SM
    uint64_t ready;             // the clock at which it can continue
    struct dram_place at[2];    // DRAM requests
    uint8_t kind;               // enum stack_job_kind
    uint8_t stack, from;        // of the vault or of the packet; slice, or stack of the SM
    uint8_t count, asked, left; // DRAM requests: all, taken by the vault, without a reply
    bool write;
    uint32_t flits, back; // there and back; JOB_PACKET: `flits` only
    uint32_t listed;      // JOB_PACKET to the GPU: flits of `flits` for its list of lines
    uint32_t vault;
    uint32_t packet; // JOB_PACKET: the owner's number; JOB_WALK: the walk
    uint32_t next;   // in a list
};

struct stack_list {
    uint32_t first, last, count;
};

// Requests come from links and from SMs; both have room of their own.
enum { VAULT_LINKS, VAULT_SMS, VAULT_SIDES };

static inline uint32_t stack_side(const struct stack_job *job)
{
    return job->kind == JOB_SM || job->kind == JOB_WALK ? VAULT_SMS : VAULT_LINKS;
}

struct stack_vault {
    struct dram_channel channel;
    struct stack_list waiting[VAULT_SIDES];
    uint32_t reserved[VAULT_SIDES]; // in flight, or waiting
    uint32_t turn;
};

struct stack {
    struct stack_link tx, rx, cross[STACKS_MOST];          // to other stacks
    struct stack_list tx_wire, rx_wire, rx_queue, packets; // on a link; for RX; packets for TX
    struct stack_list to_cross[STACKS_MOST], cross_wire[STACKS_MOST]; // replies to SMs; arriving
    struct stack_list sm[STACKS_MOST]; // requests of the own SM, by the stack that they are for
    struct stack_list inside;          // replies of the own vaults to the own SM
    struct stack_list late;            // served by a vault, but not by the owner
    struct stack_list arrived;         // packets
    struct tlb tlb;                    // of the own SM
    uint32_t untranslated;             // requests of the own SM that wait for walks
    struct stack_vault *vaults;
    uint64_t busy;   // set of the vaults with requests
    uint32_t turn;   // of slices and packets, for TX
    uint32_t sm_end; // endpoint; MEMSYS_NONE: none
    struct stack_stats stats;
};

struct stack_port {
    struct stacks *of;
    uint32_t number;
    struct stack_list to[STACKS_MOST], to_cpu, done;
};

struct stacks {
    const struct stack_config *config;
    const struct memsys_config *memsys_config;
    struct memsys *memsys; // NULL: without SMs
    struct arena *arena;
    struct memsys_backend backend;
    struct dram_config vault; // of a vault, with the internal bandwidth
    struct dram_map dram_map;
    struct partition_range slices; // mapping of addresses to slices
    struct partition_map map;      // of addresses to stacks
    uint64_t ratio;                // clocks of the links in a clock of the vaults
    uint32_t count, vaults;
    struct stack *stacks;
    struct stack_port *ports;
    uint32_t port_count;
    struct stack_list at_gpu; // packets that have arrived
    // While `from_cpu` the slices' data are in the memory of the CPU, behind a link of its own.
    bool from_cpu;
    struct stack_link pcie;
    struct stack_list cpu; // requests there
    uint32_t cpu_turn;     // of slices
    struct stack_job *jobs;
    uint32_t job_count, unused, used;
    uint64_t due, ticked;      // next clock with work; the first one that was not ticked
    bool all_local;            // SMs find every line in their own stack
    struct stack_trace *trace; // NULL: no trace
    struct stack_stats total;
};

extern const struct stat_key stack_stat_keys[];
extern const uint32_t stack_stat_key_count;

// Returns the first fault as a sentence without a full stop, or NULL.
const char *stacks_check(struct arena *arena, const struct stack_config *config,
                         const struct memsys_config *memsys);
struct stacks *stacks_new(struct arena *arena, const struct stack_config *config,
                          const struct memsys_config *memsys);

static inline uint32_t stacks_of(const struct stacks *stacks, uint64_t address)
{
    return partition_of(&stacks->map, address);
}

// Returns the flits of a packet of this many bytes, its header included.
static inline uint32_t stack_flits(const struct stacks *stacks, uint64_t bytes)
{
    uint64_t flit = stacks->config->flit_bytes;
    return (uint32_t)divide_up(bytes, flit);
}

// Requests of the SM in a stack: `past` of its endpoint.
struct stack_sm {
    struct stacks *stacks;
    uint32_t stack;
};
bool stacks_can_send(void *sm, const struct memsys_request *request);
void stacks_send(void *sm, uint32_t entry, const struct memsys_request *request);

// Packets of blocks between the GPU and a stack. In the tick of a scheme, `now`: the first clock at
// or after the cycle.
void stacks_send_packet(struct stacks *stacks, uint64_t now, uint32_t stack, uint32_t packet,
                        uint32_t flits);
// `listed` of the flits are for the list of lines that the block has written.
void stacks_send_back(struct stacks *stacks, uint64_t now, uint32_t stack, uint32_t packet,
                      uint32_t flits, uint32_t listed);
// Returns false if none has arrived.
bool stacks_take_packet(struct stacks *stacks, uint32_t stack, uint32_t *packet);
bool stacks_take_back(struct stacks *stacks, uint32_t *packet);
bool stacks_have_arrivals(const struct stacks *stacks);

// Counts energy up to this clock, and all stacks together.
void stacks_settle(struct stacks *stacks, uint64_t now);

// Shared by the files of the stacks

// A read of a walk has arrived at its SM.
void stack_end_read(struct stacks *stacks, uint32_t job, uint64_t now);

void stack_push(struct stacks *stacks, struct stack_list *list, uint32_t job);
uint32_t stack_pop(struct stacks *stacks, struct stack_list *list);
uint32_t stack_new_job(struct stacks *stacks);
void stack_free_job(struct stacks *stacks, uint32_t job);
// Sets the vault, its DRAM requests and the sizes of packets from the address and the bytes.
void stack_aim(struct stacks *stacks, struct stack_job *job, uint64_t address, struct mask bytes);
bool stack_has_room(const struct stacks *stacks, const struct stack_job *job);
void stack_reserve(struct stacks *stacks, const struct stack_job *job);
// The clock; all links and vaults.
void stack_tick(struct stacks *stacks, uint64_t now);
// Executes a clock of the vaults.
void stack_tick_vaults(struct stacks *stacks, struct stack *stack, uint64_t now);
uint64_t stack_vaults_next(const struct stacks *stacks, const struct stack *stack, uint64_t now);
