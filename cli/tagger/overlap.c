// --overlap: lists which copies of a kernel's arrays may overlap it by full/empty bits, and the
// gain that the times of [001 Table 2] predict.
#include "cli/tagger/run.h"
#include "passes/analysis/reuse/overlap.h"
#include <inttypes.h>

// Microseconds that the driver needs for a launch and for a copy [001 Table 2].
static const double launch_us = 3, copy_us = 6;

static void print_location(const struct tagger_invocation *run, const struct facts *facts,
                           uint32_t inst, FILE *to)
{
    if (inst != IR_NONE)
        fprintf(to, " [line %u]", ir_position(&run->tagging.module, facts->fn, inst).line);
}

// Prints one of the two copies of an array. Returns true if it may overlap.
static bool print_copy(const struct tagger_invocation *run, const struct facts *facts,
                       const struct overlap_array *array, bool to_device, FILE *to)
{
    const char *why;
    bool may = (to_device ? overlap_may_start : overlap_may_finish)(array, &why);
    if (to_device ? !array->reads : !array->writes)
        return false;
    fprintf(to, "    copy to the %s %s: %s", to_device ? "device" : "host",
            may         ? "may overlap"
            : to_device ? "must end before the kernel starts"
                        : "must wait for the kernel's end",
            why);
    print_location(run, facts, to_device && may ? array->read : array->write, to);
    fputc('\n', to);
    return may;
}

static void print_gain(uint32_t starts, uint32_t finishes, uint32_t fixed, FILE *to)
{
    if (!starts && !finishes) {
        fputs("  no copy may overlap the kernel\n", to);
        return;
    }
    fprintf(to, "  pattern: %s; predicted gain over copies and kernel in one stream: ",
            starts && finishes && !fixed ? "full overlap"
            : starts && !finishes        ? "overlap-start"
            : finishes && !starts        ? "overlap-finish"
                                         : "overlap-start, and overlap-finish of some results");
    fprintf(to, "%g us of the driver", (starts ? launch_us : 0) + finishes * copy_us);
    if (starts)
        fputs(", and the kernel's time during the copies to the device", to);
    if (finishes)
        fputs(starts ? ", and the transfer of the results during them"
                     : ", and the transfer of the results during the kernel",
              to);
    fputc('\n', to);
}

static void print_kernel(struct tagger_invocation *run, const struct pass_options *options,
                         uint32_t function, FILE *to)
{
    struct facts *facts = facts_of(&run->tagging.plan, &run->tagging.module, options, function);
    const struct name *name = tree_name(run->tagging.module.tree, facts->fn->name);
    struct overlaps overlaps;
    uint32_t starts = 0, finishes = 0, fixed = 0;
    overlap_find(&overlaps, facts);
    fprintf(to, "kernel %.*s\n", (int)name->length, name->text);
    for (uint32_t i = 0; i < overlaps.arrays.n; i++) {
        const struct overlap_array *array = &overlaps.arrays.v[i];
        const struct ir_symbol *symbol = &run->tagging.module.symbols.v[array->symbol];
        const struct name *parameter = tree_name(run->tagging.module.tree, symbol->name);
        fprintf(to, "  parameter %u, %.*s\n", symbol->parameter, (int)parameter->length,
                parameter->text);
        starts += print_copy(run, facts, array, true, to);
        bool finish = print_copy(run, facts, array, false, to);
        finishes += finish;
        fixed += array->writes && !finish;
    }
    if (overlaps.unknown != IR_NONE) {
        fputs("  some accesses have unknown pointers: their arrays are not listed", to);
        print_location(run, facts, overlaps.unknown, to);
        fputc('\n', to);
    }
    print_gain(starts, finishes, fixed, to);
}

int tag_overlap(struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    const struct pass_options options = {.cost = arguments_cost(arguments),
                                         .fma = arguments_fma(arguments),
                                         .block = arguments->block,
                                         .restrict_parameters = arguments->restrict_parameters};
    FILE *to = frame_open(&run->frame, "-");
    if (!to)
        return BAD_INPUT;
    if (!tag_read(run, &run->input))
        return BAD_INPUT;
    run->tagging.plan = (struct plan){.arena = &run->arena};
    for (uint32_t i = 0; i < run->tagging.module.functions.n; i++)
        if (run->tagging.module.functions.v[i].is_entry &&
            run->tagging.module.functions.v[i].has_body)
            print_kernel(run, &options, i, to);
    return frame_commit(&run->frame, DONE);
}
