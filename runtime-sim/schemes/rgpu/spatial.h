// State of the spatial mode.
#pragma once
#include "passes/maps/map_code.h"
#include "passes/maps/map_place.h"
#include "passes/maps/map_scope.h"
#include "runtime-sim/cache/mask.h"
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "support/vec.h"

// Words of global memory that were written in this launch. Waiting loads wait for them under
// spatial.wait: full.

enum { WRITTEN_WORDS = 1024 }; // words of a page

struct written_page {
    uint64_t page;
    uint64_t bits[WRITTEN_WORDS / 64];
};

struct spatial_written {
    struct arena *arena;
    VEC(struct written_page *) pages; // hash table with open addressing, by page
    uint32_t used;
};

// Initialises an empty set.
void written_init(struct spatial_written *written, struct arena *arena);
// Empties the set. Its memory is kept.
void written_reset(struct spatial_written *written);
// Adds the words of these bytes of the line at `address`.
void written_mark(struct spatial_written *written, uint64_t address, struct mask bytes,
                  uint32_t line_bytes);
// Returns true if the word that contains the address was written.
bool written_has(const struct spatial_written *written, uint64_t address);
// Returns which of the 32 words from an address on were written, as a set.
uint32_t written_words(const struct spatial_written *written, uint64_t address);

struct spatial_stats {
#define STATS_DEF "runtime-sim/schemes/rgpu/spatial_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// A map of a launch

// The instruction of a core: its codes, and the frame slots of its operands and its result.
struct spatial_function {
    const struct code *codes;
    uint32_t count, result, operands[MAP_OPERANDS];
};

// A register of the kernel that gets the tokens of a result.
struct spatial_register {
    uint32_t offset, bytes; // in the frame
};

// A map that is bound to a kernel.
struct spatial_binding {
    const struct map *map;
    uint32_t function; // program function of the kernel
    int64_t copies;    // requested number; 0: as many as fit
    const char *fault; // NULL: the map fits the kernel and the machine
    struct map_placement placement;
    struct map_code code;
    struct program program;             // instructions of the cores
    struct spatial_function *functions; // by node
    struct spatial_register *registers; // by result
    uint32_t enter, leave; // kernel codes: after the barrier; where the kernel continues
    uint32_t frame_bytes;
};

struct spatial_launch {
    uint32_t id;
    const char *fault; // NULL: no fault
    struct spatial_binding *binding;
    struct host_number *params;
    uint32_t shape[6]; // grid and block of the launch before the map changes them
};

// An array: the copies of a map in a core

struct spatial_fifo {
    uint32_t from, to; // units
    uint32_t operand;  // operand of the receiver
    uint32_t depth;    // entries of the FIFO itself
    uint32_t entries;  // with the stages of the sender's pipeline in which results may wait
    uint32_t initial;  // number of initial tokens
    bool is_address, by_lane;
    uint64_t pushed, popped; // tokens
    uint32_t *words;         // by token modulo entries
    uint64_t *arrives;       // first cycle in which the token is present
    uint64_t *freed;         // cycle in which the entry was emptied
};

enum { SPATIAL_NONE = UINT32_MAX };

// State of a unit in a cycle: it fires, or the reason for which it does not.
enum spatial_cause {
    SPATIAL_FIRES,
    SPATIAL_ENDED,
    SPATIAL_INPUT,
    SPATIAL_UNIT,
    SPATIAL_SPACE,
    SPATIAL_LINE,
    SPATIAL_WAITS,
    SPATIAL_PORT,
    SPATIAL_STORE,
};

// Bytes of a line to be written.
struct spatial_line {
    uint64_t line;
    struct mask bytes;
    uint8_t data[128];
};

// A core or a load-store unit with its instruction.
struct spatial_unit {
    const struct map_node *node;
    uint32_t number, copy;            // node and copy of the map
    uint32_t fifos[MAP_OPERANDS + 1]; // by operand, then the predicate; or SPATIAL_NONE
    uint32_t words[MAP_OPERANDS];     // constants, and operands while it fires
    uint32_t first_out, out_count;    // its FIFOs in array->outs
    uint32_t latency, interval;
    uint64_t fired, count, first, last; // firings, their limit, cycles of the first and last one
    uint64_t busy;                      // earliest cycle of the next firing
    uint8_t cause;                      // enum spatial_cause
    bool off;                           // the predicate is false in this firing
    uint32_t result;
    // Load-store units only.
    uint64_t base, address; // base address of the node; address of the head
    bool waits, no_access;
    bool missed;      // the head's line was not in the L1 at its first cycle
    uint64_t scanned; // number of tokens that the prefetcher has scanned
    uint64_t scanned_line;
    uint64_t seen_line;  // last line that the head has found in the L1
    uint64_t wait_line;  // line of a waiting load's last reply
    uint32_t wait_words; // set of words in this line that may be used
    bool wait_sent;
    struct spatial_line *collected; // bytes to be stored, oldest line first
    uint32_t collected_count;
};

struct spatial_array {
    const struct spatial_config *config;
    struct map_hardware hardware;
    const struct spatial_binding *binding;
    struct spatial_unit *units;
    uint32_t unit_count;
    struct spatial_fifo *fifos;
    uint32_t fifo_count;
    uint32_t *outs; // FIFOs in the order of the units that fill them
    bool *fires;
    uint64_t evaluated; // cycle after the last evaluation
    uint8_t *frame;     // frame of the cores' instructions
    uint32_t turn;      // unit that gets a port first
};

// A word of memory that is read before an activation begins: an initial token or a constant.
struct spatial_word {
    uint64_t address;
    const struct scalar *type;
    uint32_t *to;
    uint32_t add;
};

// Memory of a core in the mode

// Tags of the L1, and lines in flight.
struct spatial_lines {
    uint32_t sets, ways, coming, max; // most: maximum of `coming`
    uint64_t *line, *used;            // by set · ways + way
    uint8_t *state;                   // enum spatial_line_state
    bool *prefetched;                 // requested by a prefetcher and not used yet
    bool *fresh; // arrived since the last evaluated cycle, so must not be evicted
    uint32_t fresh_count;
    uint64_t uses;
};
enum spatial_line_state { LINE_ABSENT, LINE_COMING, LINE_PRESENT };

struct spatial_store {
    bool used;
    uint8_t kind;                // enum memsys_kind
    const struct map_node *node; // node of a reduction, or NULL
    struct spatial_line line;
};

enum spatial_phase {
    SPATIAL_OFF,     // the CTA has not entered the mode, or has left it
    SPATIAL_FETCHES, // fetches words of memory for initial tokens and constants
    SPATIAL_LOADS,   // loads configuration registers and initial tokens
    SPATIAL_RUNS,
    SPATIAL_DRAINS, // waits for stores
};

struct spatial_core {
    struct spatial_machine *of;
    struct core *core;
    struct spatial_stats stats;
    // The CTA.
    bool known;              // there is a CTA
    uint32_t launch, linear; // launch and linear number of the CTA
    const struct image *image;
    bool entered;         // the CTA has entered the mode
    uint32_t place, slot; // place of the CTA; one of its slots, which is woken
    uint8_t phase;
    const struct spatial_launch *launched;
    const struct spatial_binding *binding;
    struct arena *arena;
    struct spatial_array *array; // array of the last binding
    struct map_scope scope;
    int64_t activations;
    uint64_t until;               // core cycle in which loading ends
    struct spatial_word *fetches; // words of memory with which the activation begins
    uint32_t fetch_count, fetched;
    uint64_t *addresses; // addresses of a FIFO's initial tokens
    uint64_t begun;      // core cycle of the activation's first cycle
    uint64_t next;       // next cycle of the mode to be evaluated
    uint64_t drained_from;
    uint64_t result; // number of result words written to memory
    // Memory.
    struct spatial_lines lines;
    struct spatial_store *stores;
    uint32_t store_count;
    uint32_t store_reserved;         // by units that fire and store immediately in this cycle
    struct memsys_request *requests; // ring of requests to be sent
    uint32_t request_head, request_count, request_room;
    uint64_t *waiting; // by unit: address of the word that its waiting load needs
    uint32_t *granted; // by unit: set of words that the reply permits
};

struct spatial_machine {
    const struct spatial_config *config;
    struct map_hardware hardware;
    struct machine *machine;
    uint8_t requester;           // first requester number, for SPATIAL_LOADS_BY
    struct spatial_core **cores; // ordinary cores
    struct spatial_written written;
    VEC(struct spatial_binding *) bindings;
    VEC(struct spatial_launch *) launches;
    VEC(struct spatial_automatic *) automatic; // by kernel
    struct spatial_stats launched;             // statistics of launches and their maps
    struct spatial_stats total;
    uint8_t message; // message class of waiting loads under SPATIAL_HIT
};
// Requesters: loads, stores, and waiting loads.
enum { SPATIAL_LOADS_BY, SPATIAL_STORES_BY, SPATIAL_WAITS_BY, SPATIAL_REQUESTERS };
enum { SPATIAL_STALL }; // numbers of stalls

// automatic.c
struct spatial_automatic;
// Returns the map that is compiled for a launch, or NULL if it is refused, if the launch does not
// fulfil its conditions, or if it is not expected to be faster. Sets *copies to the number of
// copies. Adds a note about the decision.
const struct map *spatial_compile(struct spatial_machine *m, const struct launch *launch,
                                  int64_t *copies);
// Writes the notes as lines.
void spatial_write_notes(const struct spatial_machine *m, FILE *to);

// bind.c
// Binds the launch's map to its kernel. A fault is in `fault` of the result. `copies` is used if
// the map gives no number; 0: as many as fit.
struct spatial_launch *spatial_bind(struct spatial_machine *m, const struct launch *launch,
                                    int64_t copies);
// Sets to->params for a launch of the map's kernel. Returns NULL, or the fault as a sentence.
const char *spatial_params(struct spatial_machine *m, const struct launch *launch,
                           const struct map *map, struct spatial_launch *to);
// Returns the result of spatial_bind for a launch.
const struct spatial_launch *spatial_launch_of(const struct spatial_machine *m,
                                               const struct launch *launch);

// group.c: functions that return a string return NULL, or the fault as a sentence.
// Prepares array, names and the number of activations of a group.
const char *spatial_group(struct spatial_core *c, const struct launch *launch, uint32_t group);
// Sets the array up for the next activation. Initial tokens and constants in memory are listed in
// c->fetches.
const char *spatial_activate(struct spatial_core *c);
// Returns the core cycles to load initial tokens and, for the `first` activation of a group,
// configuration registers.
uint64_t spatial_loading(const struct spatial_core *c, bool first);
// Reads a word of c->fetches. Requires its line in the L1.
const char *spatial_load_word(struct spatial_core *c, uint32_t number);

// group.c
// Sets unit->result from its words.
void spatial_compute(const struct spatial_array *array, struct spatial_unit *unit);

// array.c
// Evaluates a cycle. Returns the next cycle in which the array may change without a reply, or
// UINT64_MAX.
uint64_t spatial_cycle(struct spatial_core *c, uint64_t now);
// Returns true if no unit waits for a reply. If spatial_cycle has returned UINT64_MAX, no unit will
// fire any more.
bool spatial_is_quiet(const struct spatial_array *array);
// Returns NULL, or the fault: a node that has not ended, or tokens that are left.
const char *spatial_leftover(struct spatial_core *c);
// Return the number of tokens of a FIFO (fifo_count), its first token (fifo_head), and true if this
// token has arrived (fifo_has).
static inline uint64_t fifo_count(const struct spatial_fifo *fifo)
{
    return fifo->pushed - fifo->popped;
}
static inline uint32_t fifo_head(const struct spatial_fifo *fifo)
{
    return fifo->words[fifo->popped % fifo->entries];
}
static inline bool fifo_has(const struct spatial_fifo *fifo, uint64_t now)
{
    return fifo->pushed != fifo->popped && fifo->arrives[fifo->popped % fifo->entries] <= now;
}

// lsu.c
// Returns SPATIAL_FIRES if the head of a unit can access memory in this cycle, or the reason for
// which it cannot. Requests the line, or the word of a waiting load, if needed.
enum spatial_cause spatial_look(struct spatial_core *c, struct spatial_unit *unit, uint64_t now);
// Performs the access of the head: a load, a store or a reduction.
void spatial_access(struct spatial_core *c, struct spatial_unit *unit);
// Scans one address by the prefetcher of a unit. Returns true if it has scanned one.
bool spatial_prefetch(struct spatial_core *c, struct spatial_unit *unit, uint64_t now);
// Requests a line for initial tokens, unless it is present or in flight. Returns false if there is
// no room.
bool spatial_fetch(struct spatial_core *c, uint64_t line);
// Returns a value in memory of this type, extended to a word.
uint32_t spatial_value(const struct scalar *type, const uint8_t *from);
// Returns memory of `bytes` bytes at a global address, or NULL.
uint8_t *spatial_memory(const struct spatial_core *c, uint64_t address, uint32_t bytes);
// Ends the run with a fault of the program.
void spatial_fault(struct spatial_core *c, const char *text);

// lines.c
// Initialises an empty L1.
void spatial_lines_init(struct spatial_lines *lines, struct arena *arena,
                        const struct spatial_config *config, uint32_t line_bytes);
// Returns the index of a line that is present or in flight, or SPATIAL_NONE.
uint32_t spatial_lines_find(const struct spatial_lines *lines, uint64_t line);
// Allocates an entry for a requested line. Returns its index, or SPATIAL_NONE if all ways or MSHRs
// are in use. Sets *unused if a prefetched line was evicted before it was used.
uint32_t spatial_lines_allocate(struct spatial_lines *lines, uint64_t line, bool *unused);
// Marks the line of an entry as present.
void spatial_lines_arrive(struct spatial_lines *lines, uint32_t place);
// Permits the eviction of lines that have arrived, after all heads have checked them. Returns true
// if there were such lines.
bool spatial_lines_seen(struct spatial_lines *lines);
// Removes all lines except those in flight. Returns the number of prefetched lines not used.
uint32_t spatial_lines_forget(struct spatial_lines *lines);

// stores.c
// Returns true if the unit's head can be stored or reduced now, and reserves room for it.
bool spatial_can_store(struct spatial_core *c, struct spatial_unit *unit);
// Stores or reduces the unit's second operand. Requires spatial_can_store.
void spatial_store(struct spatial_core *c, struct spatial_unit *unit);
// Sends all lines that a unit has collected. Returns false if there is no room yet.
bool spatial_flush(struct spatial_core *c, struct spatial_unit *unit);
// Returns true if the unit has collected some of these bytes, and sends their line if there is
// room.
bool spatial_send_collected(struct spatial_core *c, struct spatial_unit *unit, uint64_t line,
                            struct mask bytes);
// Stores bytes without collecting them. Returns false if there is no room yet.
bool spatial_write(struct spatial_core *c, uint64_t address, const uint8_t *bytes, uint32_t count);
// Returns true if stores are in flight.
bool spatial_has_stores(const struct spatial_core *c);
// Returns true if a store to these bytes was not acknowledged yet.
bool spatial_is_storing(const struct spatial_core *c, uint64_t line, struct mask bytes);
// Writes or reduces the values of a served request.
void spatial_serve_store(struct spatial_core *c, const struct memsys_request *request);
// Queues a request to be sent. Requires room.
void spatial_queue(struct spatial_core *c, const struct memsys_request *request);

// mode.c
extern const struct scheme_issue spatial_issue;
// Implement `send` and `accept_reply` of struct scheme_memory.
bool spatial_send(struct core *core, void *own, uint64_t now);
void spatial_accept_reply(struct core *core, void *own, uint64_t now,
                          const struct memsys_request *reply);
