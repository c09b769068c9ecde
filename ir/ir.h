// The program: modules, functions, basic blocks, instructions, registers, and an SSA overlay of
// versions and phis; registers keep their names from the source. Everything has a dense id and is
// allocated in the module's arena. Ids of instructions, blocks, registers, operands, versions, phis
// and loops count from 0 within their function.
#pragma once
#include "frontend/tree.h"

#define IR_NONE UINT32_MAX

// A variable, parameter, function or texture that an operand can name.
struct ir_symbol {
    uint32_t name;     // name id
    uint32_t node;     // node of its declarator or function
    uint32_t function; // function that declares it (parameters, local variables), or IR_NONE
    uint32_t size;     // size of one element in bytes times `count`; 0 if unknown
    uint32_t align;
    uint16_t type;      // isa_word
    uint16_t space;     // isa_word: W_global … W_param; W_func for functions
    uint32_t parameter; // position in the parameter list, or IR_NONE
    bool is_entry;
};

struct ir_register {
    uint32_t name;         // name id
    uint32_t decl;         // node of its declarator
    uint32_t scope;        // node of the scope that declares it
    uint16_t type;         // isa_word; W_UNKNOWN if it is not declared
    uint16_t bits : 15;    // width of one lane; 1 for predicates
    uint16_t repeated : 1; // another register of the function has the same name
};

enum ir_operand_kind {
    OPERAND_REGISTER,  // index: register
    OPERAND_SPECIAL,   // index: isa_special (%tid, %laneid …); member: W_x … or W_UNKNOWN
    OPERAND_IMMEDIATE, // value: bits; the node's kind is integer or float
    OPERAND_SYMBOL,    // index: symbol
    OPERAND_LABEL,     // index: block
    OPERAND_TARGETS,   // index: node of the directive with the branch targets
    OPERAND_SINK,      // _
    OPERAND_UNKNOWN,   // an undeclared name, or an unsupported expression
};

enum ir_role {
    ROLE_DEF,
    ROLE_USE,     // reads a register, special register or symbol, plus `value`
    ROLE_ADDRESS, // base of an address in brackets; value: constant offset in bytes
    ROLE_GUARD,
    ROLE_KEEP,  // a guarded or partial definition may keep the old value of this register
    ROLE_LABEL, // branch target or called function
};

struct ir_operand {
    uint8_t kind;
    uint8_t role;
    uint8_t slot;        // index in the instruction's operand list; elements of a vector share one
    uint8_t negated : 1; // !p, -a
    uint8_t part : 1; // only a part of the register: a half or a byte (video instructions: a.b0);
                      // or, if read, its sum with a constant (a + 4: `value`)
    uint32_t index;
    uint32_t node;   // syntax node; IR_NONE for implicit operands
    uint16_t member; // isa_word of name.x, or W_UNKNOWN
    int64_t value;
};

enum ir_inst_flag {
    INST_GUARDED = 1,
    INST_GUARD_NEGATED = 2,
    INST_ORDERED = 4, // volatile, relaxed, acquire, release, mmio … access
    INST_OPAQUE = 8,  // unknown effect: may access anything
    INST_TERMINATOR = 16,
};

struct ir_inst {
    uint32_t node;
    uint32_t operands; // first operand id
    uint16_t operand_count;
    uint16_t op;    // isa_op or OP_OPAQUE
    uint16_t type;  // first type modifier, or W_UNKNOWN
    uint16_t type2; // second type modifier; cvt.type.type2, set.type.type2: destination, source
    uint16_t space; // ld, st, atom, cvta …: isa_word; W_UNKNOWN: generic
    uint8_t class;  // isa_class
    uint8_t flags;
    uint8_t vector; // elements: 1, 2, 4, 8
    uint32_t block;
};

struct ir_block {
    uint32_t first, end; // instructions; may be empty
    uint32_t label;      // node of its first label, or IR_NONE
    uint32_t idom,
        ipdom;                 // IR_NONE: entry, or unreachable; ipdom = block count: the virtual
                               // exit
    uint32_t loop;             // innermost loop, or IR_NONE
    uint32_t rpo;              // index in reverse post-order, IR_NONE if unreachable
    uint32_t succ, succ_count; // into function->edges
    uint32_t pred, pred_count;
    uint32_t phi, phi_count;                     // phis of a block are consecutive
    uint32_t dom_in, dom_out, pdom_in, pdom_out; // entry and exit numbers in the dominator trees
};

struct ir_loop {
    uint32_t header;
    uint32_t parent;      // enclosing loop, or IR_NONE
    uint32_t depth;       // 1 for an outermost loop
    uint32_t first, last; // range of its blocks, including those of inner loops; other blocks may
                          // lie between
    uint32_t block_count; // number of its blocks
    uint32_t latch_count;
    uint32_t latch;       // one of the latches
    uint32_t number;      // inner loops have the numbers that follow
    uint32_t inner_count; // number of inner loops, including this one
};

enum ir_version_kind {
    VERSION_ENTRY, // not defined in the function: parameter of a .func, or never written
    VERSION_INST,  // index: instruction
    VERSION_PHI,   // index: phi
};

struct ir_version {
    uint32_t reg;
    uint8_t kind;
    uint32_t index;
    uint32_t operand;        // defining operand of a VERSION_INST
    uint32_t use, use_count; // into function->uses
};

struct ir_phi {
    uint32_t block, reg, version;
    uint32_t args; // into function->phi_args: one version per predecessor, in the order of `pred`
};

// A range of consecutive blocks.
struct block_range {
    uint32_t first, last;
};

// A possible target of an indirect branch.
struct ir_target {
    uint32_t inst, block;
};

// A use is an operand id, or a phi with this bit set.
#define USE_PHI UINT32_C(0x80000000)

struct ir_function {
    uint32_t node, name, symbol;
    bool is_entry;
    bool has_body;
    bool irreducible; // a retreating edge enters a cycle at a block other than its header
    bool incomplete;  // the body has syntax errors or indirect branches without targets; it must
                      // not be changed
    uint32_t returns, params;          // NODE_RETURNS and NODE_PARAMS, or IR_NONE
    VEC(struct ir_register) registers; // register 0 is the carry flag (CC)
    VEC(uint32_t) scopes;              // nodes of the body and its inner scopes, ascending
    VEC(struct ir_inst) insts;
    VEC(struct ir_operand) operands;
    VEC(uint32_t) operand_inst; // instruction of each operand
    VEC(uint32_t)
    operand_version;             // SSA version that a register operand reads or defines, or IR_NONE
    VEC(struct ir_block) blocks; // block 0 is the entry
    VEC(uint32_t) edges;
    VEC(uint32_t) rpo;             // reachable blocks in reverse post-order
    VEC(struct ir_target) targets; // targets of brx.idx, by instruction
    VEC(struct ir_loop) loops;     // outer loops before inner ones
    VEC(struct ir_version) versions;
    VEC(struct ir_phi) phis;
    VEC(uint32_t) phi_args;
    VEC(uint32_t) uses;
    VEC(struct block_range)
    live;                  // where registers are live on entry: block ranges by register,
                           // ascending
    VEC(uint32_t) live_at; // registers + 1 entries, indices into `live`
};

struct ir_module {
    struct arena *arena;
    struct tree *tree;
    VEC(struct ir_symbol) symbols;
    VEC(struct ir_function)
    functions;            // every .entry and .func, with or without a body, in source
                          // order
    uint16_t version;     // PTX version × 10 (75 for 7.5), 0 if not given
    uint8_t address_bits; // 32 or 64
};

// Builds the IR of every function, with all analyses. Reports faults of the program (undeclared
// names, unknown labels …) to `diags` and builds the IR nevertheless.
void ir_build(struct ir_module *module, struct arena *arena, struct tree *tree,
              struct diags *diags);

// Builds as ir_build does, with the flow analyses on up to `threads` threads.
void ir_build_parallel(struct ir_module *module, struct arena *arena, struct tree *tree,
                       struct diags *diags, uint32_t threads);

// The steps of ir_build without flow analyses, for processing functions one after another.
// ir_build_items reads the module's items that were added to the tree since the last call; it
// returns false if the module declares families of registers outside functions. ir_build_function
// builds a function. ir_build_drop frees it except for its head.
struct ir_builder;
struct ir_builder *ir_build_begin(struct ir_module *module, struct arena *arena, struct tree *tree,
                                  struct diags *diags);
bool ir_build_items(struct ir_builder *builder);
struct ir_function *ir_build_function(struct ir_builder *builder, uint32_t function);
void ir_build_drop(struct ir_builder *builder, struct ir_function *fn);
void ir_build_end(struct ir_builder *builder);

// Checks every structure against its definition. Prints all faults to `to` (may be NULL), with
// function and instruction. Returns their number.
uint32_t ir_validate(const struct ir_module *module, FILE *to);
// Checks one function. May be called from several threads, each with its own `memory`.
uint32_t ir_validate_function(const struct ir_module *module, uint32_t function,
                              struct memory *memory, FILE *to);

// Prints PTX with the overlay in comments. Reading the output back gives the same overlay.
void ir_print(const struct ir_module *module, FILE *to);
// Prints one graph per function in the Graphviz language.
void ir_print_dot(const struct ir_module *module, FILE *to);

// Returns the operands of an instruction.
static inline const struct ir_operand *ir_operands(const struct ir_function *fn, uint32_t inst)
{
    return vec_from(&fn->operands, fn->insts.v[inst].operands);
}

// Return the successors and predecessors of a block.
static inline const uint32_t *ir_succs(const struct ir_function *fn, uint32_t block)
{
    return vec_from(&fn->edges, fn->blocks.v[block].succ);
}

static inline const uint32_t *ir_preds(const struct ir_function *fn, uint32_t block)
{
    return vec_from(&fn->edges, fn->blocks.v[block].pred);
}

// Returns the uses of a version: operand ids, or phis with USE_PHI.
static inline const uint32_t *ir_uses(const struct ir_function *fn, uint32_t version)
{
    return vec_from(&fn->uses, fn->versions.v[version].use);
}

// Return true if the value that the register has on entry to the block, or on exit, may still be
// read.
bool ir_live_in(const struct ir_function *fn, uint32_t block, uint32_t reg);
bool ir_live_out(const struct ir_function *fn, uint32_t block, uint32_t reg);
// The registers that are live on entry to each block, ascending: those of block i are reg[at[i]] to
// reg[at[i + 1] - 1]. The size can reach registers × blocks.
struct ir_live_lists {
    uint32_t *at, *reg;
};
// Computes the lists. Allocates in `arena`.
struct ir_live_lists ir_live_lists(const struct ir_function *fn, struct arena *arena);
// Returns true if the block belongs to the loop or to one of its inner loops.
bool ir_in_loop(const struct ir_function *fn, uint32_t loop, uint32_t block);
// Loops over the blocks of a loop, including those of inner loops, in ascending order.
#define IR_LOOP_EACH(block, fn, loop)                                                              \
    for (uint32_t block = (fn)->loops.v[loop].first; block <= (fn)->loops.v[loop].last; block++)   \
        if (ir_in_loop(fn, loop, block))

// Returns the block of the phi or instruction that defines a version; 0 for VERSION_ENTRY.
uint32_t ir_version_block(const struct ir_function *fn, uint32_t version);
// Returns the version of the register that the instruction defines, or IR_NONE.
uint32_t ir_made_version(const struct ir_function *fn, uint32_t inst, uint32_t reg);
// Return true if block `a` dominates, or post-dominates, block `b`.
bool ir_dominates(const struct ir_function *fn, uint32_t a, uint32_t b);
bool ir_post_dominates(const struct ir_function *fn, uint32_t a, uint32_t b);

// Returns the number of the scope that declares the register: 0 for the body and the parameters;
// inner scopes follow in the order of their opening braces.
uint32_t ir_register_scope(const struct ir_function *fn, uint32_t reg);
// Returns a name that identifies the register within its function: its source name, or `name@scope`
// if several registers have that name. Requires a register other than the carry flag.
const char *ir_register_name(const struct ir_module *module, const struct ir_function *fn,
                             uint32_t reg, struct arena *arena);
// Returns the register with such a name, or IR_NONE if it does not exist or is ambiguous.
uint32_t ir_find_register(const struct ir_module *module, const struct ir_function *fn,
                          const char *name, size_t length);
// Returns the id of the n-th operand with this role, or IR_NONE; n counts from 0.
uint32_t ir_find_operand(const struct ir_function *fn, uint32_t inst, enum ir_role role,
                         uint32_t n);
// Returns the version that the instruction's only definition defines, or IR_NONE if it has no
// definition or several.
uint32_t ir_defined(const struct ir_function *fn, uint32_t inst);
// Returns true if the instruction copies the bits of a whole register to another one of the same
// size: `mov.b32 %r1, %f1;`. The types of the registers may differ.
bool ir_is_copy(const struct ir_function *fn, uint32_t inst);
// Returns true if the instruction reads a part of a register, or the sum of a register and a
// constant.
bool ir_reads_part(const struct ir_function *fn, uint32_t inst);
// Returns true if the instruction has the modifier.
bool ir_has_modifier(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                     uint16_t word);
// Returns the width of a type (isa_word) in bits.
uint16_t ir_type_bits(uint16_t type);
// Returns true for a variable that is declared .extern.
bool ir_is_extern(const struct ir_module *module, const struct ir_symbol *symbol);
// Return true for .sN; for .sN, .uN and .bN, N up to 64.
bool ir_type_is_signed(uint16_t type);
bool ir_type_is_integer(uint16_t type);
// Returns the source position of an instruction.
struct source_position ir_position(const struct ir_module *module, const struct ir_function *fn,
                                   uint32_t inst);
