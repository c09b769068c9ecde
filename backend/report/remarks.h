// Remarks: the verdict of every load, store and block that was considered. A passed one has the
// offloaded candidate and its saving; a missed one has one rule, a sentence, and the place that
// caused it; one of an analysis has the memory that an access touches. Text, the documents of
// --diagnostics and the HTML report have the same remarks.
#pragma once
#include "passes/base/plan.h"
#include "support/prefix_map.h"

struct remark_note {
    const char *text;
    uint32_t begin, end; // in the source
};

// Places in the CUDA source of an instruction: first the place itself, then, for inlined code, the
// calls from the inside out.
struct remark_origin {
    const char *file, *text;
    uint32_t line, column; // column 0: unknown
};

struct remark {
    bool passed;
    bool analysis; // the result of an analysis, neither passed nor missed
    const char
        *rule; // "chain", "block", "mapped", "access", or the id of a row of passes/base/rules.def
    const char *text; // one sentence without a full stop
    uint32_t function;
    const char *name;    // the function's
    uint32_t begin, end; // in the source: the instruction, or the block's first one
    enum candidate_kind kind;
    uint32_t item; // passed: its place among its function's chains or blocks, as in the tables
    VEC(struct remark_note) notes;
    VEC(struct remark_origin) origins;
};

struct remarks {
    VEC(struct remark) list; // by function, then place
};

enum { REMARKS_PASSED = 1, REMARKS_MISSED = 2, REMARKS_ANALYSIS = 4 };

// `which`: bits REMARKS_…. `functions`: only these, by index; NULL: all.
void remarks_collect(struct remarks *remarks, struct arena *arena, const struct ir_module *module,
                     const struct plan *plan, unsigned which, const bool *functions);

// Adds the lines that each access of global and local memory touches, and those of a load that hit
// in L1. Computes analyses that were not requested yet.
void remarks_add_accesses(struct remarks *remarks, struct arena *arena,
                          const struct ir_module *module, struct plan *plan,
                          const struct pass_options *options, const bool *functions);

// Shows the files of the CUDA source with other prefixes.
void remarks_map_files(struct remarks *remarks, struct arena *arena,
                       const struct prefix_map *prefixes);

// Rules of remarks, those of rejections last: 0 … remark_rule_count() - 1.
uint32_t remark_rule_count(void);
struct plan_rule_info remark_rule(uint32_t index);
// Returns the rule's place among them.
uint32_t remark_rule_find(const char *id);
