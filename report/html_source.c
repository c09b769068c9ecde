// Writes the lists of instructions and source lines for the page. Rows are sorted by style alone: a
// row has its rank by each column, and the chosen radio button selects the rank that orders them.
#include "support/svg.h"
#include "report/source_view.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Columns by which rows can be ordered. In the order of the program, rows have no rank.
enum { BY_SLOTS, BY_ISSUED, BY_LINES, BY_DRAM, RANKS };

struct source_page {
    const struct site_listing *listing;
    struct source_files files;
    struct arena *arena;
    FILE *to;
    const struct listing_kernel *kernel;
    const char *id;              // of the kernel
    uint64_t slots, most[RANKS]; // of the kernel; maximum of each column
};

static const char style[] =
    "<style>\n"
    ":root{--heat:light-dark(#fbd9c4,#5b3019)}\n"
    ".src table{display:block;font-size:.85em;min-width:66em}.src tbody{display:flex;"
    "flex-direction:column}\n"
    ".src tr{display:grid;grid-template-columns:4em minmax(18em,1fr) 5em 5.6em 15em 5.6em 4.4em "
    "6.4em "
    "4.6em 4.6em 5em;scroll-margin:4em;border-bottom:1px solid var(--line)}.src "
    "tr:target{outline:2px "
    "solid var(--accent)}\n"
    ".src th,.src td{border:0;padding:.08em "
    ".5em;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;"
    "min-height:1.6em}.src th{font-weight:600}\n"
    ".src .code{text-align:left;white-space:pre;tab-size:4;font-family:ui-monospace,monospace}"
    "details.src td.code{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    ".src .why{text-align:left}.src [style*=\"--h:\"]{background:linear-gradient(90deg,var(--heat) "
    "calc(var(--h)*1%),transparent 0)}\n"
    ".src label{margin-right:1em;white-space:nowrap}.src .head{order:-1}\n"
    ".src:has(.by0:checked) tr{order:var(--a,99999)}.src:has(.by1:checked) tr{order:var(--b,99999)}"
    ".src:has(.by2:checked) tr{order:var(--c,99999)}.src:has(.by3:checked) tr{order:var(--d,99999)}"
    ".src tr.head.head{order:-1}\n"
    "@media(max-width:600px){.src table{min-width:34em}.src tr{grid-template-columns:3.6em "
    "minmax(13em,1fr) 5em 12em}.src th:nth-child(n+6),.src td:nth-child(n+6),.src "
    "th:nth-child(4),.src td:nth-child(4){display:none}}\n"
    "</style>\n";

// Rows

static uint64_t value_of(const struct listing_counts *counts, const struct source_row *row,
                         uint32_t rank)
{
    switch (rank) {
    case BY_SLOTS: return row->slots;
    case BY_ISSUED: return row->issued;
    case BY_LINES: return counts->core.transactions;
    default: return row->dram;
    }
}

// A row of one of the lists, with its values by column and its ranks, from 1.
struct ranked_row {
    struct listing_counts counts;
    struct source_row row;
    uint32_t rank[RANKS];
};

struct ranking {
    const struct ranked_row *rows;
    uint32_t by;
};

static int by_value(const void *left, const void *right, void *context)
{
    const struct ranking *r = context;
    uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
    uint64_t a = value_of(&r->rows[i].counts, &r->rows[i].row, r->by),
             b = value_of(&r->rows[k].counts, &r->rows[k].row, r->by);
    return a != b ? (a < b) - (a > b) : (i > k) - (i < k);
}

static void rank_rows(struct source_page *p, struct ranked_row *rows, uint32_t count)
{
    uint32_t *order = ARENA_ARRAY(p->arena, uint32_t, count + 1);
    for (uint32_t by = 0; by < RANKS; by++) {
        struct ranking ranking = {rows, by};
        for (uint32_t i = 0; i < count; i++)
            order[i] = i;
        qsort_r(order, count, sizeof *order, by_value, &ranking);
        for (uint32_t i = 0; i < count; i++)
            rows[order[i]].rank[by] = i + 1;
        p->most[by] = count ? value_of(&rows[order[0]].counts, &rows[order[0]].row, by) : 0;
    }
}

// Writes a cell whose background shows its part of the column's maximum.
static void write_heat(const struct source_page *p, uint64_t value, uint64_t most, const char *text)
{
    double heat = SOURCE_PERCENT(value, most);
    if (heat >= 1)
        fprintf(p->to, "<td style=\"--h:%.0f\">%s</td>", heat, text);
    else
        fprintf(p->to, "<td>%s</td>", text);
}

static const char *count_text(const struct source_page *p, uint64_t value)
{
    return value ? arena_printf(p->arena, "%" PRIu64, value) : "";
}

static void write_reasons(const struct source_page *p, const struct source_row *row)
{
    fputs("<td class=\"why\">", p->to);
    for (uint32_t i = 0; i < SOURCE_REASONS && row->reasons[i].name; i++)
        if (SOURCE_PERCENT(row->reasons[i].cycles, row->slots) >= 1)
            fprintf(p->to, "%s%s %.0f %%", i ? ", " : "", row->reasons[i].name,
                    SOURCE_PERCENT(row->reasons[i].cycles, row->slots));
    fputs("</td>", p->to);
}

static const char *access_text(const struct source_page *p, const struct source_row *row)
{
    if (!isnan(row->lines))
        return arena_printf(p->arena, "%.1f of %.1f", row->lines, row->ideal);
    return isnan(row->banks) ? "" : arena_printf(p->arena, "%.1f of %.1f c", row->banks, row->best);
}

static void write_rate(const struct source_page *p, double rate)
{
    fprintf(p->to, "<td>%s</td>", isnan(rate) ? "" : arena_printf(p->arena, "%.0f %%", 100 * rate));
}

static void write_numbers(const struct source_page *p, const struct listing_counts *counts,
                          const struct source_row *row)
{
    write_heat(p, row->slots, p->most[BY_SLOTS],
               arena_printf(p->arena, "%.1f %%", SOURCE_PERCENT(row->slots, p->slots)));
    write_heat(p, row->issued, p->most[BY_ISSUED], count_text(p, row->issued));
    write_reasons(p, row);
    fprintf(p->to, "<td>%s</td><td>%s</td>", count_text(p, row->warps),
            row->warps ? arena_printf(p->arena, "%.1f", (double)row->lanes / (double)row->warps)
                       : "");
    write_heat(p, counts->core.transactions, p->most[BY_LINES], access_text(p, row));
    write_rate(p, row->l1);
    write_rate(p, row->llc);
    write_heat(p, row->dram, p->most[BY_DRAM], count_text(p, row->dram));
}

static void write_head(const struct source_page *p, const char *what)
{
    fprintf(p->to,
            "<table><tbody>\n<tr class=\"head\"><th>line</th><th class=\"code\">%s</th>"
            "<th>share</th><th>issued</th><th class=\"why\">waits for</th><th>warps</th>"
            "<th>lanes</th><th>lines</th><th>L1</th><th>LLC</th><th>DRAM</th></tr>\n",
            what);
}

static void open_row(const struct source_page *p, const struct ranked_row *row, const char *id)
{
    fputs("<tr", p->to);
    if (id)
        fprintf(p->to, " id=\"%s\"", id);
    if (row && row->row.slots)
        fprintf(p->to, " style=\"--a:%u;--b:%u;--c:%u;--d:%u\"", row->rank[0], row->rank[1],
                row->rank[2], row->rank[3]);
    fputc('>', p->to);
}

static void write_code(const struct source_page *p, struct file_text text)
{
    fputs("<td class=\"code\">", p->to);
    svg_escaped(p->to, arena_strndup(p->arena, text.text, text.length));
    fputs("</td>", p->to);
}

// Writes the rest of a row: numbers, or nothing for a line without instructions.
static void close_row(const struct source_page *p, const struct ranked_row *row)
{
    if (row && row->row.slots)
        write_numbers(p, &row->counts, &row->row);
    fputs("</tr>\n", p->to);
}

// Lists

// The number of a file among those of the kernel, for links.
static uint32_t file_number(const struct listing_kernel *kernel, const char *file)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < kernel->lines.n; i++) {
        const char *other = kernel->lines.v[i].file;
        if (other && !strcmp(other, file))
            break;
        number += !i || !other || !kernel->lines.v[i - 1].file ||
                  strcmp(other, kernel->lines.v[i - 1].file) != 0;
    }
    return number;
}

static const char *line_id(const struct source_page *p, const char *file, uint32_t line)
{
    return arena_printf(p->arena, "%s-s%u-%u", p->id, file_number(p->kernel, file), line);
}

const char *sim_source_id(struct arena *arena, const char *kernel, uint32_t line)
{
    return arena_printf(arena, "%s-p%u", kernel, line);
}

static void write_orders(const struct source_page *p, const char *list)
{
    static const char *const names[] = {"cycles", "issued", "lines of memory", "DRAM"};
    fprintf(p->to,
            "<p class=\"quiet\">Ordered by <label><input type=\"radio\" name=\"%s\" checked/> "
            "line</label>",
            list);
    for (uint32_t i = 0; i < RANKS; i++)
        fprintf(p->to, "<label><input type=\"radio\" name=\"%s\" class=\"by%u\"/> %s</label>", list,
                i, names[i]);
    fputs("</p>\n<div class=\"wide\">", p->to);
}

static void write_plain(const struct source_page *p, const struct source *source, uint32_t line)
{
    open_row(p, NULL, NULL);
    fprintf(p->to, "<td>%u</td>", line);
    write_code(p, source_text(source, line));
    close_row(p, NULL);
}

// Writes the lines from the first to the last one with counts, with some before and after.
static void write_file(struct source_page *p, uint32_t first, uint32_t end)
{
    enum { MORE = 2, GAP = 40 }; // lines before, after; longest range without counts
    const struct listing_line *lines = p->kernel->lines.v;
    const struct source *source = source_find(&p->files, lines[first].file);
    struct ranked_row *rows = ARENA_ARRAY(p->arena, struct ranked_row, end - first);
    uint32_t last = source ? source_lines(source)->at.n : 0, shown = 0;
    for (uint32_t i = first; i < end; i++)
        rows[i - first] =
            (struct ranked_row){lines[i].counts, source_row(p->listing, &lines[i].counts), {0}};
    rank_rows(p, rows, end - first);
    fputs("<details class=\"src\" open><summary>", p->to);
    svg_escaped(p->to, lines[first].file);
    fprintf(p->to, "%s</summary>\n", source ? "" : ", which was not found");
    write_orders(p, line_id(p, lines[first].file, 0));
    write_head(p, "source");
    for (uint32_t i = first; i < end; i++) {
        uint32_t number = lines[i].number, from = shown + 1;
        if (number > from + MORE && (!shown || number - from > GAP))
            from = number - MORE;
        for (; source && from < number && from <= last; from++)
            write_plain(p, source, from);
        open_row(p, &rows[i - first], line_id(p, lines[i].file, number));
        fprintf(p->to, "<td>%u</td>", number);
        write_code(p, source ? source_text(source, number) : (struct file_text){"", 0});
        close_row(p, &rows[i - first]);
        shown = number;
    }
    for (uint32_t i = 0; source && i < MORE && shown < last; i++)
        write_plain(p, source, ++shown);
    fputs("</tbody></table></div></details>\n", p->to);
}

static void write_files(struct source_page *p)
{
    const struct listing_line *lines = p->kernel->lines.v;
    for (uint32_t i = 0, end; i < p->kernel->lines.n; i = end) {
        for (end = i + 1; end < p->kernel->lines.n && lines[i].file && lines[end].file &&
                          !strcmp(lines[end].file, lines[i].file);)
            end++;
        if (lines[i].file)
            write_file(p, i, end);
    }
}

static void write_statement(const struct source_page *p, const struct listing_inst *inst)
{
    fputs("<td class=\"code\">", p->to);
    svg_escaped(p->to, source_statement(p->listing, inst, p->arena));
    if (inst->chain)
        fprintf(p->to, " <small>chain %u</small>", inst->chain - 1);
    if (inst->block)
        fprintf(p->to, " <small>block %u</small>", inst->block - 1);
    if (inst->loc && inst->loc->file) {
        fprintf(p->to, " <small><a href=\"#%s\">", line_id(p, inst->loc->file, inst->loc->line));
        svg_escaped(p->to, source_place(inst->loc, p->arena));
        fputs("</a></small>", p->to);
    }
    fputs("</td>", p->to);
}

static void write_program(struct source_page *p, bool open)
{
    const struct listing_inst *insts = p->kernel->insts.v;
    uint32_t count = p->kernel->insts.n, last = 0;
    struct ranked_row *rows = ARENA_ARRAY(p->arena, struct ranked_row, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        rows[i].counts = listing_counts(p->listing, insts[i].site);
        rows[i].row = source_row(p->listing, &rows[i].counts);
    }
    rank_rows(p, rows, count);
    fprintf(p->to, "<details class=\"src\"%s><summary>PTX, %u instructions</summary>\n",
            open ? " open" : "", count);
    write_orders(p, arena_printf(p->arena, "%s-p", p->id));
    write_head(p, "PTX");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t line = listing_position(p->listing, &insts[i]).line;
        open_row(p, &rows[i], line != last ? sim_source_id(p->arena, p->id, line) : NULL);
        fprintf(p->to, "<td>%u</td>", line);
        write_statement(p, &insts[i]);
        close_row(p, &rows[i]);
        last = line;
    }
    fputs("</tbody></table></div></details>\n", p->to);
}

// Entries

static struct source_page begin(const struct sim_report *report, struct arena *arena, FILE *to)
{
    return (struct source_page){.listing = report->listing,
                                .files = {.arena = arena, .program = report->program_path},
                                .arena = arena,
                                .to = to};
}

void sim_source_kernel(const struct sim_report *report, uint32_t kernel, const char *id,
                       struct arena *arena, FILE *to)
{
    if (!report->listing || !report->listing->kernels.v[kernel].insts.n)
        return;
    struct source_page p = begin(report, arena, to);
    p.kernel = &report->listing->kernels.v[kernel];
    p.id = id;
    p.slots = source_slots(p.listing, p.kernel);
    fprintf(to, "<h3 id=\"%s-source\">Slot cycles by line</h3>\n", id);
    write_files(&p);
    write_program(&p, !p.kernel->lines.v[p.kernel->lines.n - 1].file);
}

static void write_top_row(struct source_page *p, const struct source_top *top)
{
    uint32_t number = (uint32_t)(top->kernel - p->listing->kernels.v);
    const struct source *source = top->line ? source_find(&p->files, top->line->file) : NULL;
    struct listing_counts counts =
        top->line ? top->line->counts : listing_counts(p->listing, top->inst->site);
    uint32_t line = top->line ? top->line->number : listing_position(p->listing, top->inst).line;
    p->kernel = top->kernel;
    p->id = arena_printf(p->arena, "k%u", number);
    fprintf(p->to, "<tr><td><a href=\"#%s\">%u</a></td><td class=\"code\">",
            top->line ? line_id(p, top->line->file, line) : sim_source_id(p->arena, p->id, line),
            line);
    if (top->line) {
        struct file_text text = source ? source_text(source, line) : (struct file_text){"", 0};
        while (text.length && source_is_blank(*text.text))
            text.text++, text.length--;
        svg_escaped(p->to,
                    source ? arena_strndup(p->arena, text.text, text.length) : top->line->file);
    } else {
        svg_escaped(p->to, source_statement(p->listing, top->inst, p->arena));
    }
    if (p->listing->kernels.n > 1) {
        fputs(" <small>", p->to);
        svg_escaped(p->to, sim_shown_name(p->arena, top->kernel->kernel->name));
        fputs("</small>", p->to);
    }
    fputs("</td>", p->to);
    write_numbers(p, &counts, &top->row);
    fputs("</tr>\n", p->to);
}

void sim_source_top(const struct sim_report *report, struct arena *arena, FILE *to)
{
    struct source_top top[SOURCE_TOP];
    uint32_t count = report->listing ? source_find_top(report->listing, NULL, top) : 0;
    if (!count)
        return;
    struct source_page p = begin(report, arena, to);
    fputs(style, to);
    for (uint32_t i = 0; i < p.listing->kernels.n; i++)
        p.slots += source_slots(p.listing, &p.listing->kernels.v[i]);
    for (uint32_t i = 0; i < count; i++) {
        struct listing_counts counts =
            top[i].line ? top[i].line->counts : listing_counts(p.listing, top[i].inst->site);
        for (uint32_t by = 0; by < RANKS; by++) {
            uint64_t value = value_of(&counts, &top[i].row, by);
            p.most[by] = value > p.most[by] ? value : p.most[by];
        }
    }
    fprintf(to, "<h2 id=\"busiest\">The %s with most slot cycles</h2>\n",
            top[0].line ? "lines" : "instructions");
    fputs("<p class=\"quiet\">The share is that of all slot cycles with a warp, issued or waiting. "
          "Lines of memory are those of an access, of those that would hold its bytes; with c, "
          "cycles "
          "of shared memory, of those without bank conflicts.</p>\n",
          to);
    fputs("<div class=\"src wide\">\n", to);
    write_head(&p, top[0].line ? "source" : "PTX");
    for (uint32_t i = 0; i < count; i++)
        write_top_row(&p, &top[i]);
    fputs("</tbody></table></div>\n", to);
}
