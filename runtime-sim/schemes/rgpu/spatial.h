// State of the spatial mode.
#pragma once
#include "passes/maps/map_code.h"
#include "passes/maps/map_place.h"
#include "passes/maps/map_scope.h"
#include "runtime-sim/schemes/rgpu/rgpu.h"
#include "runtime-sim/schemes/rgpu/written.h"

struct spatial_stats {
#define STATS_DEF "runtime-sim/schemes/rgpu/spatial_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// A map of a launch

// The instruction of a core: its codes, and the places of its operands and its result.
struct spatial_function {
    const struct code *codes;
    uint32_t count, result, operands[MAP_OPERANDS];
};

// A register that gets tokens at the end.
struct spatial_register {
    uint32_t offset, bytes; // in the frame
};

// A map and a kernel.
struct spatial_binding {
    const struct map *map;
    uint32_t function; // of the kernel
    int64_t copies;    // that are asked for; 0: as many as fit
    const char *fault; // NULL: the map fits the kernel and the machine
    struct map_placement placement;
    struct map_code code;
    struct program program;             // of the cores
    struct spatial_function *functions; // of each node
    struct spatial_register *registers; // of each result
    uint32_t enter, leave; // codes of the kernel: behind the barrier; at which it continues
    uint32_t frame_bytes;
};

struct spatial_launch {
    uint32_t id;
    const char *fault;
    struct spatial_binding *binding;
    struct run_number *params;
    uint32_t shape[6]; // of the launch before the map changes it: grid, block
};

// An array: the copies of a map in a core

struct spatial_fifo {
    uint32_t from, to; // units
    uint32_t operand;  // of the receiver
    uint32_t entries;
    uint32_t initial; // tokens at the begin
    bool is_address, by_lane;
    uint64_t pushed, popped; // tokens
    uint32_t *words;         // by token modulo entries
    uint64_t *arrives;       // cycle from which the token is there
    uint64_t *freed;         // cycle in which the place was emptied
};

enum { SPATIAL_NONE = UINT32_MAX };

// Reasons why a unit does not fire in a cycle.
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

// Bytes of a line that are to be written.
struct spatial_line {
    uint64_t line;
    struct mask bytes;
    uint8_t data[128];
};

// A core or a load-store unit with its instruction.
struct spatial_unit {
    const struct map_node *node;
    uint32_t number, copy;            // of the node
    uint32_t fifos[MAP_OPERANDS + 1]; // by operand, then the predicate; SPATIAL_NONE
    uint32_t words[MAP_OPERANDS];     // constants; the operands while it fires
    uint32_t first_out, out_count;    // into array->outs
    uint32_t latency, interval;
    uint64_t fired, count, first, last; // firings; cycles of the first and the last one
    uint64_t busy;                      // the next firing is not before this cycle
    uint8_t cause;                      // enum spatial_cause
    bool off;                           // its predicate is false in this firing
    uint32_t result;
    // In a load-store unit
    uint64_t base, address; // of its instruction, of its head
    bool waits, no_access;
    bool missed;      // its head was not found at once
    uint64_t scanned; // tokens that the prefetcher has seen
    uint64_t scanned_line;
    uint64_t seen_line;  // the last one that the head has found in the L1
    uint64_t wait_line;  // of a waiting load's last reply
    uint32_t wait_words; // set of its words that may be used
    bool wait_sent;
    struct spatial_line *collected; // bytes to be stored, the oldest line first
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
    uint32_t *outs; // FIFOs that each unit fills
    bool *fires;
    uint64_t evaluated; // the cycle after the last evaluation
    uint8_t *frame;     // of the cores' instructions
    uint32_t turn;      // load-store unit that gets a port first
};

// A word of memory that is read before the mode begins: an initial token or a constant.
struct spatial_word {
    uint64_t address;
    const struct scalar *type;
    uint32_t *to;
    uint32_t add;
};

// Memory of a core in the mode

// The L1: tags and lines that are coming.
struct spatial_lines {
    uint32_t sets, ways, coming, most;
    uint64_t *line, *used; // by set · ways + way; line UINT64_MAX: free
    uint8_t *state;        // enum spatial_line_state
    bool *prefetched;      // by a prefetcher, and not used since
    bool *fresh;           // it has arrived, and no cycle was evaluated since: it stays
    uint32_t fresh_count;
    uint64_t uses;
};
enum spatial_line_state { LINE_ABSENT, LINE_COMING, LINE_PRESENT };

struct spatial_store {
    bool used;
    uint8_t kind;                // enum memsys_kind
    const struct map_node *node; // of a reduction
    struct spatial_line line;
};

enum spatial_phase {
    SPATIAL_OFF,     // the CTA is before or behind the mode
    SPATIAL_FETCHES, // words of memory for initial tokens
    SPATIAL_LOADS,   // configuration registers and initial tokens
    SPATIAL_RUNS,
    SPATIAL_DRAINS, // stores
};

struct spatial_core {
    struct spatial_machine *of;
    struct core *core;
    struct spatial_stats stats;
    // The CTA
    bool known;
    uint32_t launch, linear; // the CTA that the state is for
    const struct image *image;
    bool entered;         // it has been in the mode
    uint32_t place, slot; // of the CTA; one of its slots, which is woken
    uint8_t phase;
    const struct spatial_launch *launched;
    const struct spatial_binding *binding;
    struct arena *arena;
    struct spatial_array *array; // of the last binding
    struct map_scope scope;
    int64_t activations;
    uint64_t until;               // end of the loading
    struct spatial_word *fetches; // words of memory that the activation begins with
    uint32_t fetch_count, fetched;
    uint64_t *addresses; // of the initial tokens of a FIFO
    uint64_t begun;      // core cycle of the activation's first cycle
    uint64_t next;       // cycle of the mode that is evaluated next
    uint64_t drained_from;
    uint64_t result; // words of results that are written
    // Memory
    struct spatial_lines lines;
    struct spatial_store *stores;
    uint32_t store_count;
    uint32_t store_reserved;         // in this cycle, for units that fire and store at once
    struct memsys_request *requests; // to be sent: a ring
    uint32_t request_head, request_count, request_room;
    uint64_t *waiting; // of each unit: the word's address of its waiting load
    uint32_t *granted; // of each unit: words that the reply may use
};

struct spatial_machine {
    const struct spatial_config *config;
    struct map_hardware hardware;
    struct machine *machine;
    uint8_t client;              // first requester: loads, stores, waiting loads
    struct spatial_core **cores; // of the ordinary kind
    struct spatial_written written;
    VEC(struct spatial_binding *) bindings;
    VEC(struct spatial_launch *) launches;
    VEC(struct spatial_automatic *) automatic; // by kernel
    struct spatial_stats launched;             // of launches and their maps
    struct spatial_stats total;
    uint8_t message; // of waiting loads as printed
};
enum { SPATIAL_LOADS_BY, SPATIAL_STORES_BY, SPATIAL_WAITS_BY, SPATIAL_CLIENTS };
enum { SPATIAL_STALL }; // numbers of stalls

// automatic.c
struct spatial_automatic;
// Returns the map that is compiled for a launch, or NULL if it is refused, if the launch does not
// fulfil its conditions, or if it is not expected to be faster. Sets *copies to their number. What
// was decided is noted.
const struct map *spatial_compile(struct spatial_machine *m, const struct launch *launch,
                                  int64_t *copies);
void spatial_write_notes(const struct spatial_machine *m, FILE *to);

// bind.c: a launch with a map; a fault is in `fault`. `copies`: of a map that gives no number; 0:
// as many as fit.
struct spatial_launch *spatial_bind(struct spatial_machine *m, const struct launch *launch,
                                    int64_t copies);
// Sets to->params, of a launch of the map's kernel. Returns NULL, or the fault as a sentence.
const char *spatial_params(struct spatial_machine *m, const struct launch *launch,
                           const struct map *map, struct spatial_launch *to);
// Returns the one of a launch that spatial_bind has seen.
const struct spatial_launch *spatial_launch_of(const struct spatial_machine *m,
                                               const struct launch *launch);

// group.c: values of a group. Each returns NULL, or the fault as a sentence.
const char *spatial_group(struct spatial_core *c, const struct launch *launch, uint32_t group);
// Makes the array of the next activation, with its initial tokens but for those of memory.
const char *spatial_activate(struct spatial_core *c);
// Returns the cycles of the core that the configuration takes. `first`: of the group.
uint64_t spatial_loading(const struct spatial_core *c, bool first);
// Reads a word of c->fetches, whose line is in the L1.
const char *spatial_take_word(struct spatial_core *c, uint32_t number);

// compute.c: sets unit->result from its words.
void spatial_compute(const struct spatial_array *array, struct spatial_unit *unit);

// array.c: evaluates a cycle. Returns the next cycle in which the array may change by itself, or
// UINT64_MAX.
uint64_t spatial_cycle(struct spatial_core *c, uint64_t now);
// Returns true if nothing fires any more.
bool spatial_is_quiet(const struct spatial_array *array);
// Returns NULL, or the fault: a node that has not ended, tokens that are left.
const char *spatial_leftover(struct spatial_core *c);
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
// Finds out whether the head of a unit can be done in this cycle. Returns the cause.
enum spatial_cause spatial_look(struct spatial_core *c, struct spatial_unit *unit, uint64_t now);
// Makes the access of the head: loads, stores or reduces.
void spatial_access(struct spatial_core *c, struct spatial_unit *unit);
// The prefetcher of a unit scans one address. Returns true if it has looked at one.
bool spatial_prefetch(struct spatial_core *c, struct spatial_unit *unit, uint64_t now);
// Requests a line for initial tokens. Returns false if there is no room.
bool spatial_fetch(struct spatial_core *c, uint64_t line);
// Returns a value of a type in memory, extended to a word.
uint32_t spatial_value(const struct scalar *type, const uint8_t *from);
// Returns memory of `bytes` bytes at a global address, or NULL.
uint8_t *spatial_memory(const struct spatial_core *c, uint64_t address, uint32_t bytes);
// Ends the run with a fault of the program.
void spatial_fault(struct spatial_core *c, const char *text);

// lines.c
void spatial_lines_init(struct spatial_lines *lines, struct arena *arena,
                        const struct spatial_config *config, uint32_t line_bytes);
uint32_t spatial_lines_find(const struct spatial_lines *lines, uint64_t line);
// Takes a place for a line that is requested. Returns SPATIAL_NONE if all are
// in use.
// *unused: a prefetched line that was never used was evicted.
uint32_t spatial_lines_take(struct spatial_lines *lines, uint64_t line, bool *unused);
// The line of this place has arrived.
void spatial_lines_arrive(struct spatial_lines *lines, uint32_t place);
// All heads have looked at the lines that have arrived. Returns true if there are such lines.
bool spatial_lines_seen(struct spatial_lines *lines);
// Forgets all lines but those that are coming. Returns the number of unused prefetched ones.
uint32_t spatial_lines_forget(struct spatial_lines *lines);

// stores.c
// Returns true if the unit's head can be stored or reduced now.
bool spatial_can_store(struct spatial_core *c, struct spatial_unit *unit);
void spatial_store(struct spatial_core *c, struct spatial_unit *unit);
// Sends all lines that a unit has collected. Returns false if there is no room yet.
bool spatial_flush(struct spatial_core *c, struct spatial_unit *unit);
// Returns true if the unit has collected some of these bytes, and sends their line if there is
// room.
bool spatial_send_collected(struct spatial_core *c, struct spatial_unit *unit, uint64_t line,
                            struct mask bytes);
// Stores bytes that no unit collects. Returns false if there is no room yet.
bool spatial_write(struct spatial_core *c, uint64_t address, const uint8_t *bytes, uint32_t count);
bool spatial_has_stores(const struct spatial_core *c);
// Returns true if a store to these bytes was not acknowledged yet.
bool spatial_is_storing(const struct spatial_core *c, uint64_t line, struct mask bytes);
// A request is served: writes or reduces.
void spatial_serve_store(struct spatial_core *c, const struct memsys_request *request);
// Queues a request. Requires room.
void spatial_queue(struct spatial_core *c, const struct memsys_request *request);

// mode.c
extern const struct scheme_issue spatial_issue;
bool spatial_send(struct core *core, void *own, uint64_t now);
void spatial_answer(struct core *core, void *own, uint64_t now, const struct memsys_request *reply);
