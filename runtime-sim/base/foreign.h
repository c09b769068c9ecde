// Configurations of other simulators, translated to settings of our keys.
//
// A format has a table with one row per option (gpgpusim.def, booksim.def):
//
//     COPY(name, key, text)        the value is that of our key
//     FLAG(name, key, text)        0 or 1 is false or true of our key
//     RULE(name, absent, text)     a function of the format computes keys from it; `absent`: value
//     if
//                                  the option is missing, NULL: none, FOREIGN_NEEDED: an error
//     ONLY(name, value, text)      other values are refused, for the reason `text`
//     IGNORED(name, text)          without effect, for the reason `text`; a final * matches any
//     rest ASSUMED(key, value, text)    no option states this key
//
// An option without a row is an error, as an unknown key is. Of options with the same name the last
// applies. A key of the section `noc` is one of each network.
#pragma once
#include "runtime-sim/base/config.h"

enum foreign_kind {
    FOREIGN_COPY,
    FOREIGN_FLAG,
    FOREIGN_RULE,
    FOREIGN_ONLY,
    FOREIGN_IGNORED,
    FOREIGN_ASSUMED,
};

extern const char foreign_needed[];
#define FOREIGN_NEEDED foreign_needed

struct foreign_row {
    const char *name;
    enum foreign_kind kind;
    const char *value; // of COPY and FLAG the key; of RULE `absent`; of ONLY and ASSUMED the value
    const char *text;
};

// An option of a file. Ranges are of its name, or of its value if it has one.
struct foreign_option {
    const char *name, *value;
    uint32_t begin, end;
    const struct foreign_row *row; // NULL: unknown
    bool overridden;               // a later option has its name
};

struct foreign_setting {
    const char *section, *key, *value;
    const struct foreign_option *option; // NULL: assumed, or the value of a missing option
    const char *text;                    // reason of an assumed one
};

struct foreign;

struct foreign_format {
    const char *name; // of the simulator
    const struct foreign_row *rows;
    uint32_t row_count;
    // Returns true if a text that begins with this line, without blanks and comments before it, is
    // in the format.
    bool (*is)(const char *line);
    void (*scan)(struct foreign *f);      // adds the options of the text
    void (*translate)(struct foreign *f); // applies the format's rules
};

struct foreign {
    struct arena *arena;
    const struct foreign_format *format;
    const struct source *source;
    struct diags *diags;
    bool is_part; // another file names it
    VEC(struct foreign_option) options;
    VEC(struct foreign_setting) settings;
    VEC(const struct foreign_option *) files; // that options name, relative to this one
};

// The formats of gpgpusim.config and of BookSim's network files.
extern const struct foreign_format foreign_gpgpusim, foreign_booksim;

// Returns the format of a text, or NULL for one of ours.
const struct foreign_format *foreign_format_of(const char *text);
// Translates a text; `is_part`: another file names it. Returns NULL after errors.
const struct foreign *foreign_read(struct arena *arena, const struct foreign_format *format,
                                   const struct source *source, struct diags *diags, bool is_part);
// Prints what became of each option, as lines of comments.
void foreign_print(const struct foreign *f, FILE *to);

// For formats. Options are found by a name that has a row.

void foreign_add(struct foreign *f, const char *name, const char *value, uint32_t begin,
                 uint32_t end);
// Returns the option, or NULL if the file lacks it.
const struct foreign_option *foreign_find(const struct foreign *f, const char *name);
// Returns the option's value, or that of a missing one; NULL if it has none.
const char *foreign_word(struct foreign *f, const char *name);
// Reads a value of up to `most` whole numbers, separated by one of `between`. Returns their number;
// 0 without a value, and after reporting a value of another form or of fewer than `least`.
uint32_t foreign_numbers(struct foreign *f, const char *name, const char *between, uint32_t least,
                         uint32_t most, uint32_t *to);
// Returns a value of one whole number; 0 for other values.
uint32_t foreign_number(struct foreign *f, const char *name);
// Reports that the option's value cannot be used.
void foreign_refuse(struct foreign *f, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Sets `section.key` for the option, or for its absence.
void foreign_put(struct foreign *f, const char *name, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// Sets the keys of the ASSUMED rows whose keys have no setting yet.
void foreign_assume(struct foreign *f);
