#include "cli/tagger/arguments.h"
#include "cli/common/common_options.h"
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 }; // of --threads

static const char *const emit_names[] = {
    [PRODUCT_PTX] = "ptx",
    [PRODUCT_META] = "meta",
    [PRODUCT_ELF] = "elf",
    [PRODUCT_IR] = "ir",
    [PRODUCT_DOT] = "dot",
    [PRODUCT_MAP] = "map",
    NULL,
};
static const char *const tag_names[] = {
    [TAGS_PRAGMA] = "pragma",
    [TAGS_COMMENT] = "comment",
    [TAGS_PAPER] = "paper",
    [TAGS_NONE] = "none",
    [TAGS_PRAGMA_FULL] = "full",
    [TAGS_COMMENT_FULL] = "full-comment",
    NULL,
};
static const char *const cost_names[] = {[COST_TOM] = "tom", [COST_REFINED] = "refined", NULL};
static const char *const fma_names[] = {
    [FMA_FUSED] = "fused", [FMA_SPLIT] = "split", [FMA_SAVING] = "saving", NULL};
static const char *const help_names[] = {"warnings", NULL};

static const char *parse_remarks_filter(struct arena *arena, void *into, const char *argument)
{
    regex_t expression;
    char why[128];
    int error = regcomp(&expression, argument, REG_EXTENDED | REG_NOSUB);
    if (error) {
        regerror(error, &expression, why, sizeof why);
        return arena_printf(arena, "cannot be '%s': %s", argument, why);
    }
    regfree(&expression);
    ((struct arguments *)into)->remarks_filter = argument;
    return NULL;
}

// Reads X,Y,Z, the threads of a block; a missing number is 1.
static const char *parse_block(struct arena *arena, void *into, const char *argument)
{
    uint32_t n[3] = {1, 1, 1};
    const char *at = argument;
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(at, "0123456789");
        n[i] = digits && digits < 5 ? (uint32_t)atoi(at) : 0;
        at += digits;
        if (*at != ',')
            break;
        at += i < 2;
    }
    if (*at || !n[0] || !n[1] || !n[2] || (uint64_t)n[0] * n[1] * n[2] > 1024)
        return arena_printf(arena, "cannot be '%s': expected X, X,Y or X,Y,Z, up to 1024 threads",
                            argument);
    ((struct arguments *)into)->block = (struct block_shape){n[0], n[1], n[2]};
    return NULL;
}

// Reads a decimal number; strtod would also read other forms.
static const char *parse_min_saving(struct arena *arena, void *into, const char *argument)
{
    char *end;
    double *flits = ARENA_NEW(arena, double);
    *flits = strtod(argument, &end) + 0.0; // no negative zero
    if (!*argument || *end || argument[strspn(argument, "+-.0123456789eE")] || !isfinite(*flits))
        return arena_printf(arena, "cannot be '%s': expected a number of flits, such as 4 or -0.5",
                            argument);
    ((struct arguments *)into)->min_saving = flits;
    return NULL;
}

// Reads a list with commas, without repetitions.
static const char *parse_candidates(struct arena *arena, void *into, const char *argument)
{
    static const char *const names[] = {
        [BLOCK_LOOP] = "loops", [BLOCK_BASIC] = "blocks", [BLOCK_REGION] = "regions"};
    unsigned found = 0;
    for (const char *at = argument;; at += *at == ',') {
        size_t length = strcspn(at, ",");
        int kind = 0;
        while (kind < BLOCK_KINDS &&
               (strlen(names[kind]) != length || memcmp(names[kind], at, length)))
            kind++;
        if (kind == BLOCK_KINDS || found >> kind & 1)
            return arena_printf(
                arena,
                "cannot be '%s': expected a comma-separated list of loops, blocks and "
                "regions",
                argument);
        found |= 1U << kind;
        at += length;
        if (!*at)
            break;
    }
    ((struct arguments *)into)->kinds = found;
    return NULL;
}

static const char *parse_pass(struct arena *arena, const char *name, const struct pass **pass)
{
    *pass = pass_find(name);
    if (*pass)
        return NULL;
    return arena_printf(arena, "names the unknown pass '%s': --print-passes lists all", name);
}

static const char *parse_print_after(struct arena *arena, void *into, const char *argument)
{
    return parse_pass(arena, argument, &((struct arguments *)into)->print_after);
}

static const char *parse_stop_after(struct arena *arena, void *into, const char *argument)
{
    return parse_pass(arena, argument, &((struct arguments *)into)->stop_after);
}

static const char *parse_quoted_target(struct arena *arena, void *into, const char *argument)
{
    const char *quoted = depfile_quote(arena, argument), *fault = depfile_fault(quoted);
    if (fault)
        return arena_printf(arena, "no rule for make can name it: %s", fault);
    vec_push(arena, &((struct arguments *)into)->depfile.names.list, quoted);
    return NULL;
}

#define OPTIONS_OF struct arguments

static const struct option output_options[] = {
    {"-o", "OUT", TEXT(output), .file = OPTION_WRITES,
     .help = "write the PTX to this file; '-' is standard output; into a\n"
             "folder, write a file for each module of IN, named after IN,\n"
             "its number and its architecture"},
    {"--metadata", "FILE", TEXT(metadata), .file = OPTION_WRITES,
     .help = "write the decisions as JSON"},
    REPORT_OPTION("write a report, to standard output without :FILE; html is\n"
                  "one page for a browser, with the PTX, the reasons and the\n"
                  "flow graphs"),
    {"--emit", "ptx,meta,elf,ir,dot,map", SET(emit, emit_names), .file = OPTION_WRITES,
     .help = "write one or more of these, each to OUT with its suffix\n"
             "replaced: the PTX (.ptx), the metadata (.json), both as an\n"
             "object for programs to map (.elf), PTX with the analyses in\n"
             "comments (.ir), flow graphs for Graphviz (.dot), maps of\n"
             "the kernels for spatial cores (.map.yaml)"},
    {"--tags", "pragma|comment|full|full-comment|paper|none", ONE_OF(tags, tag_names),
     .help = "tags in the PTX: what the simulator needs, as directives\n"
             "(default, except for PTX before 2.0) or as comments; all\n"
             "metadata, as directives or comments; as printed in the paper\n"
             "(for readers only); or none"},
    {"--strip", NULL, FLAG(strip, 1), .help = "remove the tags of IN, without analysis"},
    {"--format", NULL, FLAG(format, 1),
     .help = "write IN in canonical form, without analysis: one statement\n"
             "per line, indented, with its comments"},
    {0},
};

static const struct option depfile_options[] = {
    {"-MD", NULL, FLAG(depfile.wanted, 1), .file = OPTION_WRITES,
     .help = "write a rule for make or ninja with the inputs of OUT; its\n"
             "file is OUT with the suffix .d"},
    {"-MF", "FILE", TEXT(depfile.path), .file = OPTION_WRITES,
     .help = "write the rule to this file"},
    {"-MT", "TARGET", LIST(depfile.names),
     .help = "the target of the rule, verbatim; may be repeated"},
    {"-MQ", "TARGET", CALL(parse_quoted_target), .help = "as -MT, but quoted for make"},
    {"-MP", NULL, FLAG(depfile.phony, 1),
     .help = "add an empty rule for every input except the first, so that\n"
             "make continues if it is missing"},
    {0},
};

static const struct option input_options[] = {
    {"--list", NULL, FLAG(list, 1),
     .help = "list the modules of a program, object, library, fatbin or\n"
             "cubin (with --report=json as JSON), and exit"},
    {0},
};

static const struct option analysis_options[] = {
    {"--no-reorder", NULL, FLAG(reorder, 0),
     .help = "move no instruction; with --tags=none OUT equals IN byte for\n"
             "byte"},
    {"--cost", "tom|refined", ONE_OF(cost, cost_names),
     .help = "cost model of candidate blocks: that of the TOM paper, or\n"
             "(default) a refined one that uses the analyses of lines,\n"
             "sizes, reuse and uniform values; the metadata have both"},
    {"--candidates", "LIST", CALL(parse_candidates),
     .help = "comma-separated kinds of candidate blocks: loops, blocks\n"
             "(straight-line code), regions (one entry and one exit);\n"
             "default: all"},
    {"--block", "X[,Y[,Z]]", CALL(parse_block),
     .help = "shape of the thread blocks, for kernels without .reqntid"},
    {"--restrict", NULL, FLAG(restrict_parameters, 1),
     .help = "assume that different pointer parameters of a kernel\n"
             "point to different memory"},
    {"--maps", NULL, FLAG(maps, 1),
     .help = "compile kernels to maps for spatial cores, for reports, remarks\n"
             "and metadata; --emit=map writes the maps alone"},
    {"--min-saving", "FLITS", CALL(parse_min_saving),
     .help = "reject chains with a smaller expected saving per warp and\n"
             "hop; may be negative or a fraction"},
    {"--machine", "NAME|FILE", TEXT(machine), .file = OPTION_READS,
     .help = "costs for this machine (as --config of ptxoffload-sim): sizes\n"
             "of flits, headers, sectors and shared memory; values of\n"
             "--capability replace them"},
    {"--capability", "FILE", TEXT(capability_path), .file = OPTION_READS,
     .help = "how the unit near the data differs from the paper's: types,\n"
             "operations, packets, vectors"},
    {"--profile", "FILE", TEXT(profile_path), .file = OPTION_READS,
     .help = "decide with numbers measured for IN by ptxoffload-sim\n"
             "--profile-out=FILE; the report lists the changes"},
    {"--fma", "fused|split|saving", ONE_OF(fma, fma_names),
     .help = "keep fused multiply-adds (the default), or divide those whose\n"
             "multiplication can be offloaded, which changes rounding;\n"
             "saving: only in chains with an expected saving"},
    {"--no-verify", NULL, FLAG(verify, 0), .help = "do not prove that OUT is equivalent to IN"},
    {0},
};

static const struct option other_options[] = {
    {"--check", NULL, FLAG(check, 1), .help = "report errors in IN; write nothing"},
    {"--overlap", NULL, FLAG(overlap, 1),
     .help = "list for each kernel which copies of its arrays may overlap\n"
             "it by full/empty bits, and why; write nothing"},
    {"--placement", "CONFIG", TEXT(placement), .file = OPTION_READS,
     .help = "list for each chain where this machine (as --config of\n"
             "ptxoffload-sim) would compute its instances and the flits\n"
             "that they take, and propose places of arrays by which\n"
             "operands lie in one partition; with --report=json as JSON"},
    {"--compare", "OUT", TEXT(compare), .file = OPTION_READS,
     .help = "prove that OUT is equivalent to IN: the same instructions\n"
             "(with --fma=split, some divided) in an order that keeps all\n"
             "dependences; or report the first difference; write nothing"},
    {"--beside", "BEFORE", TEXT(beside), .file = OPTION_READS,
     .help = "report the differences from BEFORE, which --report=json or\n"
             "--metadata wrote; IN may then be such a file, too"},
    {"--fragment", NULL, FLAG(fragment, 1),
     .help = "IN is a part of a module or body, without .version and\n"
             ".target; with --check only"},
    {"--remarks", NULL, FLAG(remarks_passed, 1),
     .help = "report offloaded chains and blocks with their savings"},
    {"--remarks-missed", NULL, FLAG(remarks_missed, 1),
     .help = "report rejected candidates with their reasons"},
    {"--remarks-analysis", NULL, FLAG(remarks_analysis, 1),
     .help = "report the lines of memory that each access touches"},
    {"--remarks-filter", "KERNEL", CALL(parse_remarks_filter),
     .help = "report only functions whose name matches KERNEL, an extended\n"
             "regular expression"},
    {"--threads", "N", NUMBER(threads, 1, MAX_THREADS),
     .help = "threads of the host for the analysis (default: one for\n"
             "each processor, at most 4); the results are the same"},
    HELP_OPTION("[=warnings]", help_names, "print this, or all errors and warnings by name"),
    {0},
};

static const struct option inside_options[] = {
    {"--print-passes", NULL, FLAG(print_passes, 1), .help = "list the stages and passes in order"},
    {"--print-after", "PASS", CALL(parse_print_after),
     .help = "print the program and the plan after this pass, on standard\nerror"},
    {"--stop-after", "PASS", CALL(parse_stop_after), .help = "stop after this pass"},
    {"--time-passes", NULL, FLAG(time_passes, 1),
     .help = "print the CPU time of each step, on standard error"},
    {"--validate", NULL, FLAG(validate, 1),
     .help = "check the IR after each pass; debug builds always do"},
    {0},
};

static const struct option_group groups[] = {
    {"Output", output_options},     {"Input", input_options},
    {"", module_options},           {"Dependencies", depfile_options},
    {"Analysis", analysis_options}, {"Diagnostics", diagnostics_options},
    {"Messages", other_options},    {"", message_options},
    {"Debugging", inside_options},  {0},
};

static const struct option_example examples[] = {
    {"in.ptx -o out.ptx --report=html:in.html", "tag a text, and explain it on a page"},
    {"in.ptx", "report only what can be offloaded"},
    {"a.out --list", "list the modules of a program"},
    {"a.out --module=2 -o module.ptx --metadata=module.json", "tag a module of it"},
    {"in.ptx --remarks-missed --remarks-filter=scale",
     "explain why candidates of a kernel are rejected"},
    {"after.json --beside=before.json --report=html:changes.html",
     "show the effects of a change, from two reports"},
    {"in.ptx --check", "check for errors"},
    {0},
};

const struct command ptxoffload_command = {
    .name = "ptxoffload",
    .purpose = "find and tag instructions of PTX that can run near their data",
    .examples = examples,
    .usage = "IN [-o OUT] [OPTION]...",
    .about = "Finds instructions in PTX that can be executed near their data, tags them, and\n"
             "reports the decisions. IN is a PTX text, or a program, object or library with\n"
             "PTX in it; '-' is PTX text from standard input. Without -o and --metadata it\n"
             "only writes a report.\n",
    .groups = groups,
    .more = "An option's argument may also follow it: --metadata FILE. OUT may be IN.\n"
            "@FILE is replaced by the arguments in FILE, quoted as for gcc. If OUT is a folder,\n"
            "the FILEs of --metadata and --report are folders as well.\n"
            "If OUT or FILE is standard output, the report goes to standard error.\n"
            "\n"
            "Exit code: 0 success, 1 bad input or a file that cannot be read or written,\n"
            "2 bad usage. Files are written atomically.\n",
};
