// Legal orders of the instructions of a basic block: dependences, and chains as units that no other
// instruction may split.
//
// The order of the whole function is kept; initially it is that of the text. A chain is legal if
// its members can be made adjacent: instructions between them move before the first member if a
// later member needs them, otherwise after the last. Accepted chains stay together, so all of them
// are legal at once. Time is linear in the instructions between the first and the last member.
#pragma once
#include "passes/analysis/affine/address.h"
#include "passes/base/plan.h"
#include "passes/analysis/statement.h"

// An access of an instruction to memory.
struct order_access {
    struct address address;
    uint32_t next; // index of the next one of the same instruction + 1, or 0
};

struct order {
    struct facts *facts;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct arena *arena;
    struct statement *statements;
    uint32_t *segment; // per instruction: its segment, which it does not leave
    uint32_t *after; // per instruction: first one after the last declaration, within the body, of a
                     // register that it names; or 0
    uint32_t *at;    // place → instruction
    uint32_t *place; // instruction → place
    uint32_t *unit;  // instruction → number of its chain from 1, or 0
    uint32_t units;
    uint32_t *access; // instruction → index of its first one in `accesses` + 1, or 0
    VEC(struct order_access) accesses;
    // state of one attempt
    uint32_t round;
    uint32_t *read,
        *written;        // per register: last round in which a late instruction reads, writes it
    uint32_t *mark;      // per instruction: 2 × round if a member, 2 × round + 1 if needed
    VEC(uint32_t) late;  // memory instructions among members and needed instructions
    VEC(uint32_t) moved; // buffer
};

// Reason why instructions cannot be moved next to each other.
struct obstacle {
    enum plan_rule rule; // ALIAS_STORE, BARRIER, OPAQUE, ORDER
    uint32_t inst;       // the obstacle, or IR_NONE
    uint32_t member;     // member that it must not change places with, or IR_NONE
};

// Starts with the order of the text.
void order_init(struct order *order, struct arena *arena, struct facts *facts);

// Makes the last member of a chain across blocks, which completes the loads before it in `members`,
// count as an access to their addresses, so that no store which may write there passes it.
void order_hold(struct order *order, const uint32_t *members, uint32_t count);

// Returns true if the members can be made adjacent in the given order. Requires that the members
// are in one basic block and in no unit yet.
bool order_allows(struct order *order, const uint32_t *members, uint32_t count,
                  struct obstacle *why);
// Makes the members a unit. Requires that order_allows has just returned true.
void order_join(struct order *order, const uint32_t *members, uint32_t count);

// Returns the reason why a load cannot complete after a later instruction, registers aside:
// ALIAS_STORE, BARRIER or OPAQUE; otherwise RULE_COUNT. Branches are no reason.
enum plan_rule order_crossing(const struct order *order, uint32_t load, uint32_t inst);

// Save and restore `count` places from `first` on, around joins of chains whose members are all in
// these places. `saved` has room for 2 × count numbers.
void order_save(const struct order *order, uint32_t first, uint32_t count, uint32_t *saved);
void order_restore(struct order *order, uint32_t first, uint32_t count, const uint32_t *saved);

// Returns true if the later instruction must stay after the earlier one.
bool order_depends(const struct order *order, uint32_t earlier, uint32_t later);
