// In which order the instructions of a basic block may stand: what depends on what, and chains as
// units that nothing stands inside of.
//
// An order is kept for the whole function; at first it is that of the text. A chain is legal if its
// members can be brought next to each other: what stands between and is needed by a later member
// goes before the first, all else behind the last. Accepted chains stay together from then on, so
// that chains are legal together and not only each for itself. The time is linear in the
// instructions between the first and the last member.
#pragma once
#include "passes/analysis/address.h"
#include "passes/base/plan.h"
#include "passes/analysis/statement.h"

struct order {
    struct facts *facts;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct arena *arena;
    struct statement *statements;
    uint32_t *segment; // per instruction: none leaves its segment
    uint32_t *after; // per instruction: the first one behind the last declaration, in the middle of
                     // the body, of a register that it names; or 0
    uint32_t *at;    // place → instruction
    uint32_t *place; // instruction → place
    uint32_t *unit;  // instruction → number of its chain from 1, or 0
    uint32_t units;
    uint32_t *access; // instruction → place in `accesses` + 1, or 0
    VEC(struct address) accesses;
    // of one attempt
    uint32_t round;
    uint32_t *read, *written; // per register: the round in which something late reads, writes it
    uint32_t *mark;           // per instruction: 2 × round: member; 2 × round + 1: needed
    VEC(uint32_t) late;       // memory instructions among members and needed ones
    VEC(uint32_t) moved;      // buffer
};

// Why instructions cannot be brought next to each other.
struct obstacle {
    enum plan_rule rule; // ALIAS_STORE, BARRIER, OPAQUE, ORDER
    uint32_t inst;       // what stands in the way, or IR_NONE
    uint32_t member;     // the member that it must not change places with, or IR_NONE
};

void order_init(struct order *order, struct arena *arena, struct facts *facts);

// True if the members can stand next to each other in the order given. The members are in one basic
// block, in no unit yet.
bool order_allows(struct order *order, const uint32_t *members, uint32_t count,
                  struct obstacle *why);
// Makes the members a unit; order_allows has just said yes.
void order_join(struct order *order, const uint32_t *members, uint32_t count);

// What keeps a load from being done behind an instruction that comes after it, apart from
// registers: ALIAS_STORE, BARRIER, OPAQUE or RULE_COUNT for nothing. Branches keep nothing.
enum plan_rule order_crossing(const struct order *order, uint32_t load, uint32_t inst);

// The places from `first` on, `count` of them, to come back to after chains were joined that have
// all their members there. `saved` has room for them.
void order_save(const struct order *order, uint32_t first, uint32_t count, uint32_t *saved);
void order_restore(struct order *order, uint32_t first, uint32_t count, const uint32_t *saved);

// True if the later instruction has to stay behind the earlier one.
bool order_depends(const struct order *order, uint32_t earlier, uint32_t later);
