// Writes the list of instructions and source lines as text.
#include "report/source_view.h"
#include <inttypes.h>
#include <string.h>

struct annotation {
    const struct site_listing *listing;
    struct source_files files;
    struct arena *arena;
    FILE *to;
    uint64_t slots; // of the kernel
};

static void write_head(const struct annotation *a, const char *title)
{
    fprintf(a->to, "\n  %s\n   share    issued  %-28s %9s %5s %11s %5s %5s %8s\n", title,
            "waits for", "warps", "lanes", "lines/ideal", "L1", "LLC", "DRAM");
}

static void write_hits(const struct annotation *a, double rate)
{
    if (isnan(rate))
        fprintf(a->to, " %5s", "");
    else
        fprintf(a->to, " %4.0f%%", 100 * rate);
}

// Writes the lines of an access or, of one to shared memory, its cycles, with their ideal number.
static void write_access(const struct annotation *a, const struct source_row *row)
{
    bool shared = isnan(row->lines) && !isnan(row->banks);
    if (isnan(row->lines) && isnan(row->banks))
        fprintf(a->to, " %11s", "");
    else
        fprintf(a->to, " %5.1f%s%5.1f", shared ? row->banks : row->lines, shared ? "c" : " ",
                shared ? row->best : row->ideal);
}

static void write_row(const struct annotation *a, const struct source_row *row)
{
    const char *reasons = "";
    for (uint32_t i = 0; i < SOURCE_REASONS && row->reasons[i].name; i++)
        if (SOURCE_PERCENT(row->reasons[i].cycles, row->slots) >= 1)
            reasons = arena_printf(a->arena, "%s%s%s %.0f%%", reasons, *reasons ? ", " : "",
                                   row->reasons[i].name,
                                   SOURCE_PERCENT(row->reasons[i].cycles, row->slots));
    if (!row->slots) {
        fprintf(a->to, "%92s", "");
        return;
    }
    fprintf(a->to, "  %5.1f%% %9" PRIu64 "  %-28s %9" PRIu64, SOURCE_PERCENT(row->slots, a->slots),
            row->issued, reasons, row->warps);
    if (row->warps)
        fprintf(a->to, " %5.1f", (double)row->lanes / (double)row->warps);
    else
        fprintf(a->to, " %5s", "");
    write_access(a, row);
    write_hits(a, row->l1);
    write_hits(a, row->llc);
    if (row->dram)
        fprintf(a->to, " %8" PRIu64, row->dram);
    else
        fprintf(a->to, " %8s", "");
}

static void write_line(struct annotation *a, const char *file, uint32_t number)
{
    const struct source *source = source_find(&a->files, file);
    struct file_text text = source ? source_text(source, number) : (struct file_text){"", 0};
    fprintf(a->to, "  %5u  %.*s\n", number, (int)text.length, text.text);
}

static void write_inst(const struct annotation *a, const struct listing_inst *inst)
{
    fprintf(a->to, "  %5u  %s%s%s%s%s\n", listing_position(a->listing, inst).line,
            inst->chain ? arena_printf(a->arena, "[chain %u] ", inst->chain - 1) : "",
            inst->block ? arena_printf(a->arena, "[block %u] ", inst->block - 1) : "",
            source_statement(a->listing, inst, a->arena), inst->loc ? " // " : "",
            inst->loc ? source_place(inst->loc, a->arena) : "");
}

static void write_top(struct annotation *a, const struct listing_kernel *kernel)
{
    struct source_top top[SOURCE_TOP];
    uint32_t count = source_find_top(a->listing, kernel, top);
    write_head(a, "top ten: lines of the source, or instructions without one");
    for (uint32_t i = 0; i < count; i++) {
        write_row(a, &top[i].row);
        if (top[i].line)
            write_line(a, top[i].line->file, top[i].line->number);
        else
            write_inst(a, top[i].inst);
    }
}

// Writes the lines of a file with counts, and up to MORE lines before and after each.
static void write_file(struct annotation *a, const struct listing_kernel *kernel, uint32_t first,
                       uint32_t end)
{
    enum { MORE = 3 };
    const char *file = kernel->lines.v[first].file;
    const struct source *source = source_find(&a->files, file);
    uint32_t last = source ? source_lines(source)->at.n : 0, shown = 0;
    write_head(a, source ? file : arena_printf(a->arena, "%s (not found)", file));
    for (uint32_t i = first; i < end; i++) {
        const struct listing_line *line = &kernel->lines.v[i];
        struct source_row row = source_row(a->listing, &line->counts), none = {0};
        uint32_t from = shown + 1;
        if (from + MORE < line->number) {
            from = line->number - MORE;
            if (shown)
                fprintf(a->to, "%92s      …\n", "");
        }
        for (; source && from < line->number && from <= last; from++) {
            write_row(a, &none);
            write_line(a, file, from);
        }
        write_row(a, &row);
        write_line(a, file, line->number);
        uint32_t next = i + 1 < end ? kernel->lines.v[i + 1].number : UINT32_MAX;
        for (shown = line->number;
             source && shown + 1 < next && shown < line->number + MORE && shown < last;) {
            write_row(a, &none);
            write_line(a, file, ++shown);
        }
    }
}

static void write_files(struct annotation *a, const struct listing_kernel *kernel)
{
    for (uint32_t i = 0, end; i < kernel->lines.n; i = end) {
        const char *file = kernel->lines.v[i].file;
        for (end = i + 1; end < kernel->lines.n && file && kernel->lines.v[end].file &&
                          !strcmp(kernel->lines.v[end].file, file);)
            end++;
        if (file)
            write_file(a, kernel, i, end);
    }
}

static void write_program(struct annotation *a, const struct listing_kernel *kernel)
{
    uint32_t function = UINT32_MAX;
    for (uint32_t i = 0; i < kernel->insts.n; i++) {
        const struct listing_inst *inst = &kernel->insts.v[i];
        struct listing_counts counts = listing_counts(a->listing, inst->site);
        struct source_row row = source_row(a->listing, &counts);
        if (inst->function != function)
            write_head(
                a, arena_printf(a->arena, "PTX of %s",
                                kernel_name(a->listing->program, a->arena,
                                            &a->listing->program->functions.v[inst->function])));
        function = inst->function;
        write_row(a, &row);
        write_inst(a, inst);
    }
}

static void write_rest(const struct annotation *a)
{
    struct listing_counts rest = listing_counts(a->listing, 0);
    fprintf(a->to,
            "\nnot of an instruction: %" PRIu64 " slot cycles without a warp; by fetches of code, "
            "write-backs and copies %" PRIu64 " reads and %" PRIu64 " writes of the LLC, %" PRIu64
            " reads and %" PRIu64 " writes of the DRAM\n",
            rest.core.stall_empty, rest.memory.llc_reads, rest.memory.llc_writes,
            rest.memory.dram_reads, rest.memory.dram_writes);
}

void sim_annotate(const struct site_listing *listing, const char *program, struct arena *arena,
                  FILE *to)
{
    struct annotation a = {.listing = listing,
                           .files = {.arena = arena, .program = program},
                           .arena = arena,
                           .to = to};
    for (uint32_t i = 0; i < listing->kernels.n; i++) {
        const struct listing_kernel *kernel = &listing->kernels.v[i];
        a.slots = source_slots(listing, kernel);
        if (!a.slots)
            continue;
        fprintf(to, "%s%s: %" PRIu64 " slot cycles with a warp in %" PRIu64 " launch%s\n",
                i ? "\n" : "", sim_shown_name(arena, kernel->kernel->name), a.slots,
                kernel->kernel->launches, kernel->kernel->launches == 1 ? "" : "es");
        write_top(&a, kernel);
        write_files(&a, kernel);
        write_program(&a, kernel);
    }
    write_rest(&a);
}
