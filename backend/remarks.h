// Remarks: what became of every load, store and block that was considered. A passed one says what
// is offloaded and what that saves; a missed one has one rule, a sentence, and the place that
// caused it; one of an analysis says what memory an access touches. As text, in the documents of
// --diagnostics and in the HTML report they are the same.
#pragma once
#include "passes/base/plan.h"

struct remark_note {
    const char *text;
    uint32_t begin, end; // in the source
};

// Where the CUDA source has what an instruction was made from: first the place itself, then, of
// code that was inlined, the calls from the inside out.
struct remark_origin {
    const char *file, *text;
    uint32_t line, column; // column 0: not known
};

struct remark {
    bool passed;
    bool analysis;    // neither offloaded nor not: what was found
    const char *rule; // "chain", "block", "access", or the id of a row of passes/base/rules.def
    const char *text; // one sentence without a full stop
    uint32_t function;
    const char *name;    // the function's
    uint32_t begin, end; // in the source: the instruction, or the block's first one
    enum candidate_kind kind;
    uint32_t item; // passed: which of its function's chains or blocks, as in the tables
    VEC(struct remark_note) notes;
    VEC(struct remark_origin) origins;
};

struct remarks {
    VEC(struct remark) list; // by function, then place
};

enum { REMARKS_PASSED = 1, REMARKS_MISSED = 2, REMARKS_ANALYSIS = 4 };

// `which`: bits REMARKS_…. `functions`: those to speak of, by index; NULL: all.
void remarks_collect(struct remarks *remarks, struct arena *arena, const struct ir_module *module,
                     const struct plan *plan, unsigned which, const bool *functions);

// Adds to them what lines each access of global and local memory touches, and which of these a load
// finds in a first-level cache. Analyses that nobody has asked for yet are made.
void remarks_add_accesses(struct remarks *remarks, struct arena *arena,
                          const struct ir_module *module, struct plan *plan,
                          const struct pass_options *options, const bool *functions);

// The rules that remarks name, those of rejections last: 0 … remark_rule_count() - 1.
uint32_t remark_rule_count(void);
struct plan_rule_info remark_rule(uint32_t index);
// The rule's place among them.
uint32_t remark_rule_find(const char *id);
