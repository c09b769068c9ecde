// The options that several commands share, with the rows that read them.
#pragma once
#include "cli/common/options.h"
#include "cli/common/warnings.h"
#include "frontend/container.h"
#include "support/file.h"

enum { REPORT_TEXT, REPORT_JSON, REPORT_HTML, REPORT_FORMATS };
enum { DIAGNOSTICS_TEXT, DIAGNOSTICS_JSON, DIAGNOSTICS_SARIF };
enum locations { LOCATIONS_PTX, LOCATIONS_SOURCE };
enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };
enum { USUAL_MEMORY = 8 };          // GiB: the default limit
#define ALL_ERRORS_USUAL UINT64_MAX // --max-errors is not given

// The first member of the options of each command.
struct common_options {
    const char *input;              // NULL: none
    struct container_choice choice; // --module and --arch
    struct format_request reports[REPORT_FORMATS];
    struct format_request diagnostics;
    struct warnings warnings;
    struct prefix_map prefixes; // for names of files in outputs
    uint64_t max_errors;        // 0: all
    size_t max_memory;          // bytes; 0: no limit
    int locations;              // enum locations
    int verbose, quiet, colour;
    int version;
    struct topic_request help;
};

// Groups of options, for structures that begin with struct common_options.
extern const struct option diagnostics_options[], module_options[], message_options[];

// The row of --help. `topics` is "" or "[=A|B]"; `names` has their names.
#define HELP_OPTION(topics, names, text)                                                           \
    {                                                                                              \
        "--help", topics, .kind = OPTION_TOPIC, .offset = offsetof(struct common_options, help),   \
                          .choices = (names), .joined = true, .brief = "-h", .help = (text)        \
    }
// The row of --report, with this help.
#define REPORT_OPTION(text)                                                                        \
    {                                                                                              \
        "--report", "text|json|html[:FILE]",                                                       \
            .kind = OPTION_FORMAT, .offset = offsetof(struct common_options, reports),             \
            .value = true, .choices = report_names, .file = OPTION_WRITES, .help = (text)          \
    }
extern const char *const report_names[];

// Sets the defaults, before the options are read.
void common_options_default(struct common_options *options);
// Returns false after reporting, in the line, that another output shares the stream of a
// --diagnostics document.
bool common_options_check(struct command_line *line, const struct common_options *options);
