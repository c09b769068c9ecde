// Blocks that the hardware may offload, from the metadata of a program [002 §3.1, §4.2].
#pragma once
#include "backend/tables/tables.h"
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/schemes/tom/decide.h"
#include "support/vec.h"

// Conditions of blocks: the number of iterations as an expression of registers and parameters
// (passes/analysis/trip/trip.h has the grammar), compiled to operations of a stack machine.

enum { CONDITION_DEPTH = 32 };

enum condition_kind {
    CONDITION_NUMBER,    // value
    CONDITION_REGISTER,  // place, bits: set by condition_name
    CONDITION_PARAMETER, // place, bits: set by condition_name
    CONDITION_SUM,
    CONDITION_DIFFERENCE,
    CONDITION_PRODUCT,
    CONDITION_QUOTIENT,
    CONDITION_NEGATIVE,
    CONDITION_FUNCTION, // place: index in the table of functions
};

struct condition_op {
    enum condition_kind kind;
    uint32_t place, bits;
    int64_t value;
};

struct condition {
    VEC(struct condition_op) ops;
};

// Sets kind, place and bits for a name. Returns false if the name is unknown.
typedef bool condition_name(void *context, const char *name, size_t length,
                            struct condition_op *to);
// Returns the value of a register or parameter.
typedef int64_t condition_read(void *context, const struct condition_op *op);

// Compiles an expression. Returns false if the text is not one, or contains an unknown name.
bool condition_compile(struct condition *to, struct arena *arena, const char *text,
                       condition_name *name, void *context);
// Returns the value of a compiled condition.
int64_t condition_value(const struct condition *condition, condition_read *read, void *context);

enum { TOM_NONE = UINT32_MAX };

// A live-in of a packet.
struct tom_live_in {
    uint32_t place; // index in the block's registers; UINT32_MAX: a special register
    bool varies;    // a special register that differs between lanes
    uint32_t bytes; // size for all lanes
};

// An access that may be the first one of an instance.
struct tom_access {
    uint32_t inst;
    uint32_t base;  // address register, as an index in `registers`; UINT32_MAX: no register
    int64_t offset; // added to the register
};

struct tom_block {
    uint32_t function, id; // program function; id in the metadata
    uint32_t number;       // 1000 · index of its kernel in the metadata + id
    const char *kernel;
    enum tom_placement placed;
    bool loops; // a loop: a warp reaches its start in each iteration
    // A block that is within another one is the alternative to it. TOM_NONE: there is no such
    // block.
    uint32_t around;           // the innermost block around it, by place in the table
    uint32_t same;             // the outermost block within it that has the same first instruction
    bool alternates;           // there are blocks within it
    uint32_t begin, end;       // first and last instruction
    VEC(struct tom_access) at; // accesses to global memory, in the order of instructions
    unsigned saves;            // set of enum tom_saves
    bool has_condition;
    struct condition condition;
    uint64_t threshold;
    uint64_t threshold_tx, threshold_rx; // iterations from which the channel saves; 0: never
    uint32_t bytes_in, bytes_out;        // packet sizes: live-ins of all lanes; live-outs
    VEC(struct tom_live_in) in;
    uint32_t instructions, accesses;     // static instructions; accesses to global memory
    uint32_t parameter_bytes;            // kernel parameters that it reads
    uint32_t lane_registers;             // 32-bit registers per lane that it needs in a stack
    double saving;                       // words at the threshold
    double words;                        // words of an iteration, on the channel with more traffic
    VEC(struct warp_register) registers; // all registers that its code and its condition name
    VEC(struct warp_register) out;       // live-outs
    uint32_t values, out_values;         // bytes of the values of `registers` and of `out`
};

// Returns the value of the register in a lane; of a predicate its bit.
uint64_t warp_lane_value(const struct warp *warp, const struct warp_register *reg, uint32_t lane);
// Returns the value of the block's condition for the lanes of the mask: the iterations of a warp at
// its start.
int64_t block_iterations(const struct tom_block *block, const struct warp *warp, uint32_t mask,
                         enum tom_lane which);

struct static_map;
struct tom_rehearsal;

struct tom_table {
    VEC(struct tom_block) blocks;
    struct tom_rehearsal *rehearsal; // results of the untimed run
    struct static_map *differences;  // TOM_STATIC: address differences of each block's accesses
    uint32_t left_out;               // number of candidates that the table does not contain
    enum cost_model cost;            // model that decided
    bool tagged;                     // it is that of the tagger
    enum tom_lane lane;              // tom.condition
    VEC(const char *) reasons;       // for which they are left out
};

// Builds the table from a program's metadata. Returns false if it adds faults to `diags`.
bool tom_table_build(struct tom_table *table, struct arena *arena, const struct tables *tables,
                     const struct program *program, const struct tom_config *config,
                     struct diags *diags);

// Alternatives. A warp at the start of a block whose condition is false may still offload blocks
// within it. `declined` is the innermost block around the warp's instruction whose condition was
// false, or TOM_NONE; those around this one were declined, too.

// Returns the block that a warp of this function at instruction `inst`, where block `number` or a
// block around it begins, has not yet declined, or TOM_NONE.
uint32_t tom_block_to_ask(const struct tom_table *table, uint32_t number, uint32_t declined);
// Returns the innermost declined block that contains the instruction, or TOM_NONE.
uint32_t tom_block_declined(const struct tom_table *table, uint32_t declined, uint32_t function,
                            uint32_t inst);

// Bits of a block's metadata [002 §6.6]: two PCs, two register vectors, tag, condition.
enum { TOM_ENTRY_BITS = 2 * 32 + 2 * 64 + 2 + 64 };

// Registers of a block's warp in a stack [002 §6.4]. An offloaded block needs fewer than its
// kernel, since only registers that the block names are sent to the stack.

// Returns an estimate of the 32-bit registers per lane: the maximum that the block names and that
// are live at once. Requires block->begin and block->end.
uint32_t block_registers(struct arena *scratch, const struct ir_function *fn,
                         const struct tom_block *block);
