#include "backend/report/report.h"
#include "backend/tables/places.h"
#include "backend/tables/summary.h"
#include "support/demangle.h"
#include "support/number.h"
#include "support/sink.h"
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { INDENT = 11 };

enum style { PLAIN, BOLD, GOOD, MAYBE, DIM };
static const char *const colours[] = {"", "\033[1m", "\033[32m", "\033[33m", "\033[2m"};

struct report_page {
    struct sink to;
    struct arena *arena;
    struct report_style style;
    const struct tables *tables;
    const char *kernel; // being printed
    uint32_t column;    // characters in the current line
    uint32_t indent;    // of continuation lines
};

static void end_line(struct report_page *page)
{
    if (page->column)
        sink_char(&page->to, '\n');
    page->column = 0;
}

static void put_blanks(struct report_page *page, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sink_char(&page->to, ' ');
}

static void begin_line(struct report_page *page, uint32_t blanks, uint32_t indent)
{
    end_line(page);
    put_blanks(page, blanks);
    page->column = blanks;
    page->indent = indent;
}

static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

static void put_bytes(struct report_page *page, const char *text, size_t length)
{
    bool odd = false;
    for (size_t i = 0; i < length; i++)
        odd |= is_control(text[i]);
    if (!odd)
        sink_bytes(&page->to, text, length);
    for (size_t i = 0; i < length && odd; i++)
        sink_char(&page->to, is_control(text[i]) ? '?' : text[i]);
    page->column += (uint32_t)length;
}

// Writes one word with a suffix directly after it. Breaks the line first if it would be too long.
static void put_word(struct report_page *page, const char *word, size_t length, const char *suffix)
{
    if (page->style.width && page->column > page->indent &&
        page->column + 1 + length + strlen(suffix) > page->style.width)
        begin_line(page, page->indent, page->indent);
    else if (page->column > page->indent)
        put_bytes(page, " ", 1);
    put_bytes(page, word, length);
    put_bytes(page, suffix, strlen(suffix));
}

// Writes words with single blanks between them. Breaks the line where it gets too long.
static void put(struct report_page *page, const char *text)
{
    while (*text) {
        size_t length = (size_t)(strchrnul(text, ' ') - text);
        if (length)
            put_word(page, text, length, "");
        text += length + (text[length] == ' ');
    }
}

static void put_styled(struct report_page *page, enum style style, const char *text)
{
    if (page->style.colour)
        sink_text(&page->to, colours[style]);
    put(page, text);
    if (page->style.colour && style != PLAIN)
        sink_text(&page->to, "\033[0m");
}

// Writes short formatted text: numbers and fixed words.
__attribute__((format(printf, 2, 3))) static void putf(struct report_page *page, const char *format,
                                                       ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    format_text(text, sizeof text, format, args);
    va_end(args);
    put(page, text);
}

// Writes one of `count` items of a list with commas.
static void put_item(struct report_page *page, const char *text, uint32_t place, uint32_t count)
{
    put_word(page, text, strlen(text), place + 1 < count ? "," : "");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// Starts a line with a label. The text after it starts in column INDENT.
__attribute__((format(printf, 2, 3))) static void label(struct report_page *page,
                                                        const char *format, ...)
{
    char text[40];
    va_list args;
    va_start(args, format);
    format_text(text, sizeof text, format, args);
    va_end(args);
    begin_line(page, 2, INDENT);
    uint32_t end = 2 + (uint32_t)strlen(text);
    sink_text(&page->to, text);
    put_blanks(page, end < INDENT ? INDENT - end : 0);
    page->column = end < INDENT ? INDENT : end;
}

static void more_line(struct report_page *page)
{
    begin_line(page, INDENT, INDENT);
}

// Returns the place in the CUDA source, if it is known and shown first; else NULL.
static const struct table_location *source_of(const struct report_page *page, uint32_t line,
                                              uint32_t column)
{
    const struct table_location *place =
        page->tables->by_source ? tables_location_at(page->tables, line, column) : NULL;
    return place && place->source_line ? place : NULL;
}

// Writes file:line of the CUDA source.
static void put_source(struct report_page *page, const struct table_location *place)
{
    char line[NUMBER_TEXT + 1] = ":";
    line[1 + number_uint(line + 1, place->source_line)] = 0;
    put_word(page, place->source_file, strlen(place->source_file), line);
}

// Writes file:line, or file:first..last, after the place in the CUDA source if that is shown.
static void put_location(struct report_page *page, uint32_t first, uint32_t last)
{
    char lines[2 * NUMBER_TEXT] = ":";
    const struct table_location *source = source_of(page, first, 0);
    if (source) {
        put_source(page, source);
        put(page, "|");
    }
    size_t at = 1 + number_uint(lines + 1, first);
    if (first != last) {
        memcpy(lines + at, "..", 2);
        at += 2 + number_uint(lines + at + 2, last);
    }
    lines[at] = 0;
    put_word(page, page->tables->source.file, strlen(page->tables->source.file), lines);
}

// Writes the label of an instruction: line:column, or its place in the CUDA source.
static void location_label(struct report_page *page, uint32_t line, uint32_t column)
{
    const struct table_location *source = source_of(page, line, column);
    if (!source) {
        label(page, "%u:%u", line, column);
        return;
    }
    begin_line(page, 2, INDENT);
    put_source(page, source);
    if (page->column < INDENT) {
        put_blanks(page, INDENT - page->column);
        page->column = INDENT;
    }
    putf(page, "| %u:%u", line, column);
}

// Chains

// Prints the values that a simulated machine measured for a chain or block.
static void print_outcome(struct report_page *page, const struct table_outcome *one)
{
    more_line(page);
    putf(page, "measured by %s on %s:", page->tables->outcomes.policy,
         page->tables->outcomes.machine ? page->tables->outcomes.machine : "?");
    for (uint32_t i = 0; i < one->measured.n; i++) {
        const struct table_value *value = &one->measured.v[i];
        if (value->value != 0)
            putf(page, "%s %.4g%s%s%s", value->name, value->value, *value->unit ? " " : "",
                 value->unit, i + 1 < one->measured.n ? "," : "");
    }
}

static void print_outcomes(struct report_page *page, enum candidate_kind kind, uint32_t line,
                           uint32_t end_line)
{
    const struct table_outcomes *outcomes = &page->tables->outcomes;
    for (uint32_t i = 0; i < outcomes->list.n; i++) {
        const struct table_outcome *one = &outcomes->list.v[i];
        if (one->kind == kind && one->line == line &&
            (kind == CANDIDATE_CHAIN || one->end_line == end_line) &&
            !strcmp(one->kernel, page->kernel))
            print_outcome(page, one);
    }
}

static void print_chain(struct report_page *page, const struct table_chain *chain)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < chain->instructions.n; i++) {
        uint32_t line = chain->instructions.v[i].line;
        first = line < first ? line : first;
        last = line > last ? line : last;
    }
    label(page, "chain %u", chain->id);
    putf(page, "pattern %u,", chain->pattern);
    put_styled(page, GOOD, chain_patterns[chain->pattern].form);
    putf(page, "| response %s, %u flit%s | saves %u flit%s per warp and hop, %.4g expected",
         table_response_names[chain->response], chain->response_flits,
         plural(chain->response_flits), chain->saving, plural(chain->saving),
         chain->expected_saving);
    more_line(page);
    put_location(page, first, last);
    more_line(page);
    for (uint32_t i = 0; i < chain->instructions.n; i++)
        put_item(page, chain->instructions.v[i].opcode, i, chain->instructions.n);
    print_outcomes(page, CANDIDATE_CHAIN, chain->instructions.v[0].line, 0);
    end_line(page);
}

// Blocks

static void print_live(struct report_page *page, const char *what, const char *const *names,
                       uint32_t count)
{
    more_line(page);
    putf(page, "%s %u%s", what, count, count ? ":" : "");
    for (uint32_t i = 0; i < count; i++)
        put_item(page, names[i], i, count);
}

static void print_verdict(struct report_page *page, const struct table_kernel *kernel,
                          const struct table_block *block)
{
    if (block->passed_over)
        put_styled(page, DIM, "passed over");
    else if (!block->estimate.candidate)
        put_styled(page, DIM, "not a candidate");
    else
        put_styled(page, block->has_condition ? MAYBE : GOOD, "candidate");
    const struct table_block *around =
        table_block_chosen(block) ? table_block_around(kernel, block) : NULL;
    if (block->has_condition) {
        put(page, block->passed_over ? "| condition" : "if");
        put(page, block->condition);
        putf(page, ">= %llu", (unsigned long long)block->threshold);
    }
    if (around)
        putf(page, "| if the condition of block %u is false", around->id);
}

static void print_threshold(struct report_page *page, const char *channel, uint64_t threshold,
                            const char *comma)
{
    if (threshold)
        putf(page, "%s from %llu%s", channel, (unsigned long long)threshold, comma);
    else
        putf(page, "%s never%s", channel, comma);
}

// The first line is for one iteration, or for all of them if their number is constant.
static void print_estimate(struct report_page *page, enum block_kind kind,
                           const struct table_estimate *estimate)
{
    static const char *const saves[] = {"nothing", "TX", "RX", "TX and RX"};
    more_line(page);
    putf(page, "BW_TX %+.10g, BW_RX %+.10g, sum %+.10g", estimate->bw_tx, estimate->bw_rx,
         estimate->bw_tx + estimate->bw_rx);
    putf(page, "| cost model %s", table_cost_names[estimate->cost]);
    if (kind != BLOCK_LOOP) {
        putf(page, "| saves %s", saves[estimate->saves & 3]);
        return;
    }
    more_line(page);
    putf(page, "at the threshold TX %+.10g, RX %+.10g, saves %s | iterations:", estimate->at_tx,
         estimate->at_rx, saves[estimate->saves & 3]);
    print_threshold(page, "TX", estimate->threshold_tx, ",");
    print_threshold(page, "RX", estimate->threshold_rx, "");
}

static void put_words(struct report_page *page, const char *const *words, unsigned set)
{
    for (unsigned i = 0; words[i]; i++)
        if (set >> i & 1)
            put_word(page, words[i], strlen(words[i]), set >> i > 1 ? "," : "");
}

static void print_block(struct report_page *page, const struct table_kernel *kernel,
                        const struct table_block *block)
{
    label(page, "block %u", block->id);
    putf(page, "%s |", table_block_names[block->kind]);
    print_verdict(page, kernel, block);
    more_line(page);
    put_location(page, block->begin_line, block->end_line);
    putf(page, "| %u load%s, %u store%s", block->loads, plural(block->loads), block->stores,
         plural(block->stores));
    if (block->measured) {
        put(page, "| measured:");
        put_words(page, table_measured_names, block->measured);
    }
    print_live(page, "live-in ", block->live_in.v, block->live_in.n);
    print_live(page, "live-out", block->live_out.v, block->live_out.n);
    print_estimate(page, block->kind, &block->estimate);
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        print_estimate(page, block->kind, &block->alternatives.v[i]);
    print_outcomes(page, CANDIDATE_BLOCK, block->begin_line, block->end_line);
    end_line(page);
}

// Maps

static void print_map(struct report_page *page, const struct table_map *map)
{
    label(page, "map");
    putf(page, "%s |", map->form);
    putf(page, "%u token%s in %u cycle%s, %u cop%s |", map->tokens, plural(map->tokens),
         map->cycles, plural(map->cycles), map->copies, map->copies == 1 ? "y" : "ies");
    putf(page, "%u core%s, %u unit%s, %u lane%s |", map->cores, plural(map->cores), map->lsus,
         plural(map->lsus), map->lanes, plural(map->lanes));
    putf(page, "%u condition%s on the launch", map->conditions, plural(map->conditions));
    more_line(page);
    put(page, "limited by");
    put(page, map->limit);
    end_line(page);
}

// Rejected candidates

static void print_rejection(struct report_page *page, const struct table_rejection *rejection)
{
    location_label(page, rejection->line, rejection->column);
    putf(page, "%s |", table_candidate_names[rejection->kind]);
    put(page, rejection->text);
    putf(page, "[%s]", plan_rules[rejection->rule].id);
    if (rejection->because_line)
        putf(page, "because of line %u", rejection->because_line);
    end_line(page);
}

// Prints the rejections of the kernel as a whole (`whole`) or those of its candidates.
static void print_rejections(struct report_page *page, const struct table_kernel *kernel,
                             bool whole)
{
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        if ((kernel->rejected.v[i].kind >= CANDIDATE_KERNEL) == whole)
            print_rejection(page, &kernel->rejected.v[i]);
}

// Measured numbers

static void print_cache(struct report_page *page, const char *name, uint64_t served,
                        uint64_t accesses)
{
    if (accesses)
        putf(page, "| %s served %.3g %% of %llu lines", name,
             100.0 * (double)served / (double)accesses, (unsigned long long)accesses);
}

static void print_measurement(struct report_page *page, const struct table_measurement *one)
{
    bool loop = one->kind == MEASURED_LOOP;
    location_label(page, one->line, one->column);
    put(page, table_measurement_names[one->kind]);
    if (loop)
        putf(page, "to line %u", one->end_line);
    putf(page, "| %.4g %s%s", one->mean, loop ? "iteration" : "line", one->mean == 1 ? "" : "s");
    if (one->min == one->max)
        putf(page, "in each of");
    else
        putf(page, "on average, %llu to %llu, in", (unsigned long long)one->min,
             (unsigned long long)one->max);
    putf(page, "%llu %s", (unsigned long long)one->times,
         loop              ? one->times == 1 ? "entry" : "entries"
         : one->times == 1 ? "access"
                           : "accesses");
    print_cache(page, "L1", one->l1_served, one->l1_accesses);
    print_cache(page, "LLC", one->llc_served, one->llc_accesses);
    put(page, "| analysis:");
    put(page, one->analysis);
    if (one->decides)
        put_styled(page, MAYBE, "| the measured number decides");
    end_line(page);
}

// Prints the kernel's measurements, which start at `*next`, and advances `*next` past them.
static void print_measurements(struct report_page *page, const struct table_kernel *kernel,
                               uint32_t *next)
{
    const struct tables *tables = page->tables;
    if (!tables->compared)
        return;
    begin_line(page, 2, INDENT);
    uint32_t first = *next;
    for (; *next < tables->measurements.n; ++*next) {
        const struct table_measurement *one = &tables->measurements.v[*next];
        if (strcmp(one->kernel, kernel->name) != 0)
            break;
        if (*next == first)
            put(page, "measured");
        print_measurement(page, one);
    }
    if (*next == first)
        put(page, "measured: no access was executed");
    end_line(page);
}

// Sums

static double share(uint32_t part, uint32_t whole)
{
    return whole ? 100.0 * part / whole : 0.0;
}

static void print_summary(struct report_page *page, const struct summary *sum)
{
    putf(page, "%u chain%s | %u of %u load%s (%.0f %%) and", sum->chains, plural(sum->chains),
         sum->loads_tagged, sum->loads, plural(sum->loads), share(sum->loads_tagged, sum->loads));
    putf(page, "%u of %u instruction%s (%.0f %%) tagged |", sum->instructions_tagged,
         sum->instructions, plural(sum->instructions),
         share(sum->instructions_tagged, sum->instructions));
    putf(page, "%u of %u block%s selected", sum->chosen, sum->blocks, plural(sum->blocks));
    if (sum->conditional)
        putf(page, "(%u under a condition)", sum->conditional);
    putf(page, "| %u rejected", sum->rejected);
    end_line(page);
}

static void print_kernel(struct report_page *page, const struct table_kernel *kernel,
                         uint32_t *measurement)
{
    struct summary sum = summary_of(kernel);
    struct demangled cxx;
    page->kernel = kernel->name;
    begin_line(page, 0, 0);
    put(page, "kernel");
    put_styled(page, BOLD, kernel->name);
    if (demangle(&cxx, page->arena, kernel->name)) {
        put(page, "|");
        put(page, cxx.text);
    }
    end_line(page);
    print_rejections(page, kernel, true);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        print_chain(page, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        print_block(page, kernel, &kernel->blocks.v[i]);
    for (uint32_t i = 0; i < kernel->maps.n; i++)
        print_map(page, &kernel->maps.v[i]);
    print_measurements(page, kernel, measurement);
    if (sum.rejected) {
        begin_line(page, 2, INDENT);
        sink_text(&page->to, "rejected");
        page->column = INDENT + 2;
    }
    print_rejections(page, kernel, false);
    label(page, "summary");
    print_summary(page, &sum);
    sink_char(&page->to, '\n');
}

// Changes by a profile

static void print_change(struct report_page *page, const struct table_change *change)
{
    begin_line(page, 2, 2);
    put(page, table_candidate_names[change->kind]);
    put(page, "of");
    put(page, change->kernel);
    page->indent = INDENT;
    put(page, "|");
    put_location(page, change->line, change->end_line);
    put(page, "| before:");
    put_styled(page, DIM, change->before);
    put(page, "| now:");
    put_styled(page, BOLD, change->after);
    more_line(page);
    put(page, change->reason);
    end_line(page);
}

static void print_changes(struct report_page *page)
{
    const struct tables *tables = page->tables;
    begin_line(page, 0, 0);
    putf(page, "changed by the profile: %u verdict%s", tables->changes.n,
         plural(tables->changes.n));
    end_line(page);
    for (uint32_t i = 0; i < tables->changes.n; i++)
        print_change(page, &tables->changes.v[i]);
    sink_char(&page->to, '\n');
}

// The summary of all kernels

static void print_reasons(struct report_page *page, enum summary_kind kind)
{
    enum { SHOWN = 5 };
    struct summary_reasons reasons = summary_reasons(page->tables, kind);
    uint32_t shown = 0, n = reasons.n > SHOWN ? SHOWN : reasons.n;
    if (!reasons.n)
        return;
    more_line(page);
    putf(page, "%u rejected:", reasons.candidates);
    for (uint32_t i = 0; i < n; i++) {
        const struct summary_reason *reason = &reasons.v[i];
        putf(page, "%u %s%s", reason->count, plan_rules[reason->rule].id,
             i + 1 < reasons.n ? "," : "");
        shown += reason->count;
    }
    if (shown < reasons.candidates)
        putf(page, "%u by %u other rule%s", reasons.candidates - shown, reasons.n - n,
             plural(reasons.n - n));
}

// Writes a sum, rounded to a whole number from 1000 on.
static void put_sum(struct report_page *page, double value, const char *unit)
{
    putf(page, fabs(value) >= 1000 ? "%.0f %s" : "%.4g %s", value, unit);
}

static void print_chains_summary(struct report_page *page, const struct summary *sum)
{
    label(page, "chains");
    putf(page, "%u | %u of %u load%s (%.0f %%) and", sum->chains, sum->loads_tagged, sum->loads,
         plural(sum->loads), share(sum->loads_tagged, sum->loads));
    putf(page, "%u of %u instruction%s (%.0f %%) tagged", sum->instructions_tagged,
         sum->instructions, plural(sum->instructions),
         share(sum->instructions_tagged, sum->instructions));
    if (sum->chains) {
        putf(page, "| save %llu flit%s per warp and hop,", (unsigned long long)sum->flits,
             plural(sum->flits));
        put_sum(page, sum->expected, "expected");
    }
    if (sum->no_queue)
        putf(page, "| %u kernel%s without room for the service queue", sum->no_queue,
             plural(sum->no_queue));
    print_reasons(page, SUMMARY_CHAINS);
}

static void print_blocks_summary(struct report_page *page, const struct summary *sum)
{
    label(page, "blocks");
    putf(page, "%u of %u selected", sum->chosen, sum->blocks);
    if (sum->conditional)
        putf(page, "(%u under a condition)", sum->conditional);
    if (sum->chosen) {
        put(page, "| save");
        put_sum(page, sum->words, "words per warp");
    }
    print_reasons(page, SUMMARY_BLOCKS);
}

static void print_total(struct report_page *page)
{
    const struct tables *tables = page->tables;
    struct summary total = summary_total(tables);
    put_styled(page, BOLD, "summary");
    putf(page, "of %u kernel%s", tables->kernels.n, plural(tables->kernels.n));
    print_chains_summary(page, &total);
    print_blocks_summary(page, &total);
    if (total.maps || summary_reasons(tables, SUMMARY_MAPS).n) {
        label(page, "maps");
        putf(page, "%u", total.maps);
        print_reasons(page, SUMMARY_MAPS);
    }
    end_line(page);
    sink_char(&page->to, '\n');
}

static void print_header(struct report_page *page)
{
    const struct tables *tables = page->tables;
    char min[NUMBER_TEXT];
    put_styled(page, BOLD, tables->source.file);
    if (strcmp(tables->output.file, "<none>")) {
        put(page, "->");
        put(page, tables->output.file);
    }
    begin_line(page, 0, 0);
    putf(page, "cost model %s | multiply-adds %s | order %s",
         table_cost_names[tables->options.cost], table_fma_names[tables->options.fma],
         tables->options.reorder ? "changed for chains" : "kept");
    if (tables->capability && *tables->capability)
        putf(page, "| near the data: %s", tables->capability);
    if (tables->options.min_saving) {
        number_shortest(min, *tables->options.min_saving);
        putf(page, "| chains with an expected saving of at least %s flits", min);
    }
    if (tables->profile && *tables->profile)
        putf(page, "| profile %.12s", tables->profile);
    end_line(page);
    sink_char(&page->to, '\n');
}

void report_text(const struct tables *tables, struct arena *arena, FILE *to,
                 struct report_style style)
{
    struct report_page page = {.arena = arena, .style = style, .tables = tables};
    sink_init(&page.to, to);
    print_header(&page);
    print_total(&page);
    uint32_t measurement = 0;
    for (uint32_t i = 0; i < tables->kernels.n; i++)
        print_kernel(&page, &tables->kernels.v[i], &measurement);
    if (tables->compared)
        print_changes(&page);
    sink_flush(&page.to);
}
