#include "passes/base/plan.h"

#define MAP_RULE(name, id, text)                                                                   \
    _Static_assert((int)RULE_MAP_##name >= (int)RULE_COUNT - MAP_RULES,                            \
                   "rules of maps are the last rows");
#define PLAN_RULE(...)
#include "passes/base/rules.def"

const struct plan_rule_info plan_rules[RULE_COUNT] = {
#define PLAN_RULE(name, id, text, sentences) {id, text},
#include "passes/base/rules.def"
};
