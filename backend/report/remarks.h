// Remarks: the verdict of every load, store and block that was considered. A passed remark has the
// offloaded candidate and its saving; a missed one has a rule, a sentence, and the place that
// caused it; one of an analysis has the memory that an access touches. The text report, the
// documents of --diagnostics and the HTML report have the same remarks.
#pragma once
#include "passes/base/plan.h"
#include "support/file.h"

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

// Collects the remarks of the plan, sorted. `which`: bits REMARKS_PASSED and REMARKS_MISSED.
// `functions`: true for the functions to include, by index; NULL: all.
void remarks_collect(struct remarks *remarks, struct arena *arena, const struct ir_module *module,
                     const struct plan *plan, unsigned which, const bool *functions);

// Adds remarks of the analyses: the lines that each access to global or local memory touches, and
// how many lines of a load hit in the L1. Computes the analyses that are missing.
void remarks_add_accesses(struct remarks *remarks, struct arena *arena,
                          const struct ir_module *module, struct plan *plan,
                          const struct pass_options *options, const bool *functions);

// Changes the prefixes of the CUDA source's file names.
void remarks_map_files(struct remarks *remarks, struct arena *arena,
                       const struct prefix_map *prefixes);

// Return the number of rules of remarks, and the rule at an index. Rules of rejections come last.
uint32_t remark_rule_count(void);
struct plan_rule_info remark_rule(uint32_t index);
// Returns the index of the rule with this id. Requires that it exists.
uint32_t remark_rule_find(const char *id);
