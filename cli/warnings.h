// Which warnings are wanted, and which of them are errors: -w, -Wname, -Werror=name.
#pragma once
#include "support/diag_rules.h"
#include "support/vec.h"

enum warning_setting { SETTING_NONE, SETTING_YES, SETTING_NO };

struct warnings {
    int quiet;                       // -w: none at all, whatever else is said
    enum warning_setting all_errors; // -Werror
    struct {
        uint8_t shown, error; // enum warning_setting
    } of[DIAG_RULES];
    VEC(const char *) faults; // what is wrong with the options: a sentence for each
};

// `-W` with what stands behind it ("undeclared", "no-error=undeclared"). What names no rule is kept
// in `faults`: that is a warning, so that a command line may be older or newer than the program.
void warnings_take(struct warnings *warnings, struct arena *arena, const char *argument);

// False if the diagnostic, which is no note, is not to be shown. A warning may become an error.
bool warnings_judge(const struct warnings *warnings, struct diag *diag);

// What --help=warnings prints.
void warnings_help(FILE *to);
