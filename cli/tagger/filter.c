#include "cli/tagger/filter.h"
#include <regex.h>

const bool *filter_functions(struct arena *arena, const struct ir_module *module,
                             const char *expression)
{
    uint32_t count = module->functions.n;
    bool *chosen = ARENA_ARRAY(arena, bool, count + 1);
    const char **names = ARENA_ARRAY(arena, const char *, count + 1);
    regex_t compiled;
    for (uint32_t i = 0; i < count; i++) {
        const struct name *name = tree_name(module->tree, module->functions.v[i].name);
        names[i] = arena_strndup(arena, name->text, name->length);
    }
    // Nothing is taken from the arena in between, or what regcomp takes might be lost.
    if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB))
        return chosen;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = !regexec(&compiled, names[i], 0, NULL, 0);
    regfree(&compiled);
    return chosen;
}
