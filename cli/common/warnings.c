#include "cli/common/warnings.h"
#include "support/listing.h"
#include <string.h>

// Prefixes between -W and the name of a rule, longest first.
static const struct prefix {
    const char *text;
    enum warning_setting shown, error;
} prefixes[] = {
    {"no-error=", SETTING_NONE, SETTING_NO},
    {"error=", SETTING_YES, SETTING_YES},
    {"no-", SETTING_NO, SETTING_NONE},
    {"", SETTING_YES, SETTING_NONE},
};

static const struct prefix *prefix_of(const char *argument)
{
    const struct prefix *prefix = prefixes;
    while (strncmp(argument, prefix->text, strlen(prefix->text)))
        prefix++;
    return prefix;
}

// Reads an argument that concerns all warnings. Returns false for any other. All warnings are on,
// so -Wall changes nothing.
static bool select_group(struct warnings *warnings, const char *argument)
{
    bool error = !strcmp(argument, "error");
    if (error || !strcmp(argument, "no-error")) {
        warnings->all_errors = error ? SETTING_YES : SETTING_NO;
        return true;
    }
    return !*argument || !strcmp(argument, "all") || !strcmp(argument, "extra");
}

static const char *unknown(struct arena *arena, const char *argument, const struct prefix *prefix)
{
    const char *name = argument + strlen(prefix->text);
    // Only a warning can be turned off.
    bool warnings_only = prefix->shown == SETTING_NO || prefix->error == SETTING_NO;
    const char *nearest = diag_rule_nearest(name, strlen(name), warnings_only);
    if (!nearest)
        return arena_printf(
            arena, "unknown warning '-W%s'; 'ptxoffload --help=warnings' lists them", argument);
    return arena_printf(arena, "unknown warning '-W%s'; did you mean '-W%s%s'?", argument,
                        prefix->text, nearest);
}

void warnings_select(struct warnings *warnings, struct arena *arena, const char *argument)
{
    if (select_group(warnings, argument))
        return;
    const struct prefix *prefix = prefix_of(argument);
    const char *name = argument + strlen(prefix->text), *fault = NULL;
    int rule = diag_rule_find(name, strlen(name));
    if (rule < 0)
        fault = unknown(arena, argument, prefix);
    else if (diag_rules[rule].min == DIAG_ERROR &&
             (prefix->shown == SETTING_NO || prefix->error == SETTING_NO))
        fault =
            arena_printf(arena, "'-W%s' has no effect: '%s' is always an error", argument, name);
    if (fault) {
        vec_push(arena, &warnings->faults, fault);
        return;
    }
    if (prefix->shown)
        warnings->of[rule].shown = (uint8_t)prefix->shown;
    if (prefix->error)
        warnings->of[rule].error = (uint8_t)prefix->error;
}

bool warnings_apply(const struct warnings *warnings, struct diag *diag)
{
    if (diag->severity != DIAG_WARNING)
        return true;
    int rule = diag_rule_find(diag->id, strlen(diag->id));
    unsigned shown = rule < 0 ? SETTING_NONE : warnings->of[rule].shown;
    unsigned error = rule < 0 ? SETTING_NONE : warnings->of[rule].error;
    if (warnings->quiet || shown == SETTING_NO)
        return false;
    if (error == SETTING_NONE)
        error = warnings->all_errors;
    if (error == SETTING_YES) {
        diag->severity = DIAG_ERROR;
        diag->raised = true;
    }
    return true;
}

static void print_rules(FILE *to, enum severity min)
{
    enum { LONGEST = 20 };
    for (int i = 0; i < DIAG_RULES; i++)
        if (diag_rules[i].min == min)
            listing_row(to, listing_column(LONGEST), diag_rules[i].id, diag_rules[i].text);
}

void warnings_help(FILE *to)
{
    fputs("Warnings, all enabled: -Wno-NAME disables one, -Werror=NAME makes it an error\n\n", to);
    print_rules(to, DIAG_WARNING);
    fputs("\nErrors, which cannot be disabled\n\n", to);
    print_rules(to, DIAG_ERROR);
}
