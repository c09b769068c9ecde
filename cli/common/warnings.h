// Which warnings are shown, and which are errors: -w, -Wname, -Werror=name.
#pragma once
#include "support/diag.h"
#include "support/vec.h"

enum warning_setting { SETTING_NONE, SETTING_YES, SETTING_NO };

struct warnings {
    int quiet;                       // -w: no warnings, whatever the other options
    enum warning_setting all_errors; // -Werror
    struct {
        uint8_t shown, error; // enum warning_setting
    } of[DIAG_RULES];
    VEC(const char *) faults; // faults of the options, as sentences
};

// Reads `-W` with the text after it ("undeclared", "no-error=undeclared"). Unknown names are kept
// in `faults`: they give a warning, so that a command line may be older or newer than the program.
void warnings_select(struct warnings *warnings, struct arena *arena, const char *argument);

// Returns false if the diagnostic is not to be shown. May change a warning to an error. Requires
// that it is not a note.
bool warnings_apply(const struct warnings *warnings, struct diag *diag);

// Prints --help=warnings.
void warnings_help(FILE *to);
