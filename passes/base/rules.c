#include "passes/base/plan.h"

const struct plan_rule_info plan_rules[RULE_COUNT] = {
#define PLAN_RULE(name, id, text) {id, text},
#include "passes/base/rules.def"
#undef PLAN_RULE
};
