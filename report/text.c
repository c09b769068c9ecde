// Writes the report as text.
#include "report/sim_report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KERNELS = 8, LABEL = 26, NAME_WIDTH = 40 };

struct sim_page {
    const struct sim_view *view;
    struct arena *arena;
    FILE *to;
};

static const char *change(struct arena *arena, double now, double before)
{
    const char *text = sim_change(arena, now, before);
    return *text ? arena_printf(arena, " (%s)", text) : "";
}

// Shares

struct ranked {
    const struct sim_part *part;
    double share;
};

static int by_share(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x->part < y->part ? -1 : x->part > y->part;
}

static void write_head(const struct sim_page *p, const char *title)
{
    fprintf(p->to, "\n  %s\n", title);
}

// Writes the components of at least half a percent, largest first unless `in_order`.
static void write_parts(const struct sim_page *p, const char *title, const sim_parts *parts,
                        const sim_parts *beside, bool in_order, const char *unit)
{
    double all = sim_parts_sum(parts);
    struct ranked *ranked = ARENA_ARRAY(p->arena, struct ranked, parts->n + 1);
    if (all <= 0)
        return;
    for (uint32_t i = 0; i < parts->n; i++)
        ranked[i] = (struct ranked){&parts->v[i], parts->v[i].value / all};
    if (!in_order)
        qsort(ranked, parts->n, sizeof *ranked, by_share);
    write_head(p, title);
    for (uint32_t i = 0; i < parts->n; i++) {
        const struct sim_part *part = ranked[i].part;
        double before = beside ? sim_part_share(beside, part->name) : NAN;
        if (ranked[i].share < 0.005 && !(before >= 0.005))
            continue;
        fprintf(p->to, "    %5.1f %%", 100 * ranked[i].share);
        if (beside)
            fprintf(p->to, " %9s",
                    isnan(before) ? "(none)" : arena_printf(p->arena, "(%.1f %%)", 100 * before));
        if (*unit)
            fprintf(p->to, "  %6.1f %s", part->value, unit);
        fprintf(p->to, "  %-*s %s\n", in_order ? 22 : 14, part->name, part->text);
    }
}

// Resources

static const char *share_text(struct arena *arena, double share)
{
    return isnan(share) ? "" : arena_printf(arena, "%.1f %%", 100 * share);
}

static const struct sim_resource *same_resource(const struct sim_kernel *kernel, const char *name)
{
    for (uint32_t i = 0; kernel && i < kernel->resources.n; i++)
        if (!strcmp(kernel->resources.v[i].name, name))
            return &kernel->resources.v[i];
    return NULL;
}

static void write_resources(const struct sim_page *p, const struct sim_kernel *kernel,
                            const struct sim_kernel *beside)
{
    if (!kernel->resources.n)
        return;
    write_head(p, arena_printf(p->arena, "%-*s %9s %9s  %-12s %8s %8s%s", LABEL,
                               "resources, per clock", "used", "peak", "", "share", "busiest",
                               beside ? "   beside" : ""));
    for (uint32_t i = 0; i < kernel->resources.n; i++) {
        const struct sim_resource *r = &kernel->resources.v[i];
        const struct sim_resource *other = same_resource(beside, r->name);
        fprintf(p->to, "    %-*s %9.4g %9.4g  %-12s %8s", LABEL - 2, r->name, r->used, r->peak,
                r->unit, share_text(p->arena, r->used / r->peak));
        if (other || !isnan(r->busiest))
            fprintf(p->to, " %8s", share_text(p->arena, r->busiest));
        if (other)
            fprintf(p->to, " %8s", share_text(p->arena, other->used / other->peak));
        putc('\n', p->to);
    }
}

// Offloading

static void write_row(const struct sim_page *p, const struct sim_number *row, double before)
{
    bool is_count = !*row->unit;
    if (row->value == 0 && !(before > 0) && is_count)
        return;
    fprintf(p->to, "      %-30s %12s%s%s", row->name,
            is_count ? sim_count(p->arena, row->value) : arena_printf(p->arena, "%.1f", row->value),
            is_count ? "" : " ", row->unit);
    if (!isnan(before))
        fprintf(p->to, " (beside: %.4g)", before);
    putc('\n', p->to);
}

static void write_expected(const struct sim_page *p, const struct sim_kernel *kernel,
                           const struct sim_item *item)
{
    double hops = sim_number(kernel, "hops of a packet"), saved = sim_row(item, "saved");
    bool by_hops = !strcmp(item->expected_in, "flits per hop") && hops > 0;
    fprintf(p->to, "      %-30s %12.4g %s", "expected to save", item->expected, item->expected_in);
    if (by_hops)
        fprintf(p->to, ": %.1f flit hops at %.1f hops", item->expected * hops, hops);
    if (by_hops && saved < 0 && item->expected > 0)
        fputs("; it costs instead", p->to);
    putc('\n', p->to);
}

static void write_item(const struct sim_page *p, const struct sim_kernel *kernel,
                       const struct sim_kernel *beside, const struct sim_item *item)
{
    const struct sim_item *other = sim_same_item(beside, item);
    fprintf(p->to, "    %s %u of %s, line %u%s%s%s%s%s\n", item->kind, item->id, item->function,
            item->line, item->source ? " (" : "", item->source ? item->source : "",
            item->source ? ")" : "", item->text ? ": " : "", item->text ? item->text : "");
    write_expected(p, kernel, item);
    for (uint32_t i = 0; i < item->rows.n; i++)
        write_row(p, &item->rows.v[i], sim_row(other, item->rows.v[i].name));
}

static void write_items(const struct sim_page *p, const struct sim_kernel *kernel,
                        const struct sim_kernel *beside)
{
    if (!kernel->items.n)
        return;
    double loads = sim_number(kernel, "latency of loads");
    write_head(p, arena_printf(p->arena, "offloading by %s%s", p->view->report->policy,
                               isnan(loads)
                                   ? ""
                                   : arena_printf(p->arena, "; a load takes %.0f cycles on average",
                                                  loads)));
    for (uint32_t i = 0; i < kernel->items.n; i++)
        write_item(p, kernel, beside, &kernel->items.v[i]);
}

// Kernels

static void write_numbers(const struct sim_page *p, const struct sim_kernel *kernel,
                          const struct sim_kernel *beside)
{
    fputs("\n  ", p->to);
    for (uint32_t i = 0, width = 0; i < kernel->numbers.n; i++) {
        const struct sim_number *n = &kernel->numbers.v[i];
        bool is_rate = strstr(n->name, "rate");
        const char *value = is_rate             ? arena_printf(p->arena, "%.1f %%", 100 * n->value)
                            : n->value >= 10000 ? sim_count(p->arena, n->value)
                                                : arena_printf(p->arena, "%.4g", n->value);
        double before = sim_number(beside, n->name);
        const char *by = is_rate && !isnan(before)
                             ? arena_printf(p->arena, " (from %.1f %%)", 100 * before)
                             : change(p->arena, n->value, before);
        const char *text = arena_printf(p->arena, "%s %s%s", n->name, value, by);
        bool breaks = width + strlen(text) > 76;
        fprintf(p->to, "%s%s", !i ? "" : breaks ? ",\n  " : ", ", text);
        width = (breaks ? 0 : width) + (uint32_t)strlen(text) + 2;
    }
    putc('\n', p->to);
}

// Writes a line for each phase: its cycles, and what limits it for at least a tenth of them.
static void write_phases(const struct sim_page *p, const struct sim_kernel *kernel)
{
    double all = 0;
    for (uint32_t i = 0; i < kernel->phases.n; i++)
        all += kernel->phases.v[i].cycles;
    if (all > 0)
        write_head(p, "phases, and what limits them");
    for (uint32_t i = 0; i < kernel->phases.n; i++) {
        const struct sim_phase *phase = &kernel->phases.v[i];
        fprintf(p->to, "    %5.1f %%  %-7s %12s cycles:", 100 * phase->cycles / all, phase->name,
                sim_count(p->arena, phase->cycles));
        for (uint32_t k = 0; k < phase->limits.n; k++) {
            const struct sim_limit *limit = &phase->limits.v[k];
            double share = limit->cycles / phase->cycles;
            if (!k || share >= 0.1)
                fprintf(p->to, "%s %s %.0f %%", k ? "," : "", limit->name, 100 * share);
        }
        putc('\n', p->to);
    }
}

// Writes a paragraph in lines of at most WIDTH characters.
static void write_wrapped(const struct sim_page *p, const char *text)
{
    enum { WIDTH = 78, INDENT = 4 };
    for (size_t column = 0; *text; text += *text == ' ') {
        size_t length = strcspn(text, " ");
        bool breaks = column && column + 1 + length > WIDTH;
        fprintf(p->to, "%*s%.*s",
                !column  ? INDENT
                : breaks ? 0
                         : 1,
                "", breaks ? 0 : (int)length, text);
        if (breaks) {
            fprintf(p->to, "\n%*s%.*s", INDENT + 2, "", (int)length, text);
            column = INDENT + 2;
        } else {
            column += column ? 1 : INDENT;
        }
        column += length;
        text += length;
    }
    putc('\n', p->to);
}

static void write_explanation(const struct sim_page *p, const struct sim_kernel *kernel)
{
    sim_sentences sentences = {0};
    if (!p->view->explains)
        return;
    sim_explain(kernel, p->arena, &sentences);
    write_head(p, "bottleneck");
    for (uint32_t i = 0; i < sentences.n; i++)
        write_wrapped(p, sentences.v[i]);
}

static void write_kernel(const struct sim_page *p, const struct sim_kernel *kernel)
{
    const struct sim_kernel *beside = sim_same(p->view->beside, kernel->name);
    if (kernel == &p->view->report->total && p->view->beside)
        beside = &p->view->beside->total;
    fprintf(p->to, "\n%s\n", kernel->shown);
    if (strcmp(kernel->shown, kernel->name) != 0)
        fprintf(p->to, "  %s\n", kernel->name);
    fprintf(p->to, "  %s%s\n", sim_cycles(p->arena, kernel),
            beside ? change(p->arena, kernel->cycles, beside->cycles) : "");
    double rest = kernel == &p->view->report->total ? sim_idle_cycles(p->view->report) : 0;
    if (rest > 0)
        fprintf(p->to, "  in %s of these cycles no kernel ran: copies, and the time of the host\n",
                sim_count(p->arena, rest));
    if (kernel->together)
        fputs("  some of them overlapped others: their further counts are in the total only\n",
              p->to);
    if (kernel->room)
        fprintf(p->to, "  %s\n", kernel->room);
    write_numbers(p, kernel, beside);
    sim_parts stalls = sim_resident(p->arena, kernel), other = sim_resident(p->arena, beside);
    double empty = sim_part_share(&kernel->stalls, "empty");
    if (!isnan(empty))
        write_parts(p,
                    arena_printf(p->arena, "warps in their slots (%.1f %% of the slots are empty)",
                                 100 * empty),
                    &stalls, beside ? &other : NULL, false, "");
    write_parts(p, "lines of loads, by the level that served them", &kernel->served,
                beside ? &beside->served : NULL, true, "");
    write_parts(p, "latency of reads that leave the core", &kernel->stages,
                beside ? &beside->stages : NULL, true, "cycles");
    write_resources(p, kernel, beside);
    write_items(p, kernel, beside);
    write_phases(p, kernel);
    write_explanation(p, kernel);
}

static int by_cycles(const void *a, const void *b)
{
    const struct sim_kernel *const *x = a, *const *y = b;
    if ((*x)->cycles != (*y)->cycles)
        return (*x)->cycles < (*y)->cycles ? 1 : -1;
    return *x < *y ? -1 : *x > *y;
}

static void write_kernels(const struct sim_page *p)
{
    const struct sim_report *report = p->view->report;
    const struct sim_kernel **sorted =
        ARENA_ARRAY(p->arena, const struct sim_kernel *, report->kernels.n + 1);
    uint32_t timed = 0;
    for (uint32_t i = 0; i < report->kernels.n; i++)
        if (report->kernels.v[i].timed)
            sorted[timed++] = &report->kernels.v[i];
    qsort(sorted, timed, sizeof *sorted, by_cycles);
    for (uint32_t i = 0; i < timed && i < MAX_KERNELS; i++)
        write_kernel(p, sorted[i]);
    if (timed > MAX_KERNELS)
        fprintf(p->to, "\n%u more kernels with fewer cycles: --report=html:FILE has them\n",
                timed - MAX_KERNELS);
    bool together = false;
    for (uint32_t i = 0; i < timed; i++)
        together |= sorted[i]->together != 0;
    if (timed != 1 || together)
        write_kernel(p, &report->total);
}

static void write_list(const struct sim_page *p)
{
    const struct sim_report *report = p->view->report;
    int width = (int)strlen("kernel");
    for (uint32_t i = 0; i < report->kernels.n; i++) {
        int length = (int)strlen(report->kernels.v[i].shown);
        width = length > width ? length : width;
    }
    width = width < NAME_WIDTH ? width : NAME_WIDTH;
    fprintf(p->to, "%-*s %9s", width, "kernel", "launches");
    if (report->has_time)
        fprintf(p->to, " %12s", "cycles");
    fprintf(p->to, " %18s %20s", "warp instructions", "thread instructions");
    fputs(report->has_time ? "       IPC\n" : "\n", p->to);
    for (uint32_t i = 0; i <= report->kernels.n; i++) {
        const struct sim_kernel *k = i < report->kernels.n ? &report->kernels.v[i] : &report->total;
        if (i == report->kernels.n && i == 1)
            break;
        bool is_long = (int)strlen(k->shown) > width;
        fprintf(p->to, "%-*.*s%s %9" PRIu64, width - is_long, width - is_long, k->shown,
                is_long ? "…" : "", k->launches);
        const char *cycles = k->timed ? arena_printf(p->arena, "%.0f", k->cycles) : "-";
        if (report->has_time)
            fprintf(p->to, " %12s", cycles);
        fprintf(p->to, " %18.0f %20.0f", k->warp_instructions, k->thread_instructions);
        double ipc = sim_number(k, "IPC");
        if (report->has_time)
            fprintf(p->to, " %9s", isnan(ipc) ? "-" : arena_printf(p->arena, "%.2f", ipc));
        putc('\n', p->to);
    }
}

static void write_checks(const struct sim_page *p)
{
    const struct sim_report *report = p->view->report;
    if (report->passed + report->failed)
        fprintf(p->to, "%u of %u expectations hold\n", report->passed,
                report->passed + report->failed);
    if (report->checks_reported)
        fprintf(p->to, "%u reports of --check\n", report->checks_reported);
}

void sim_report_text(const struct sim_view *view, FILE *to)
{
    const struct sim_report *report = view->report;
    struct arena arena;
    arena_init(&arena, report->arena->memory);
    struct sim_page page = {view, &arena, to};
    if (report->has_time)
        fprintf(to, "%s on %s, policy %s\n", report->run_file ? report->run_file : report->program,
                report->machine, report->policy);
    if (view->beside)
        fprintf(to,
                "beside %s: %s on %s, policy %s; changes and values of the other run are in "
                "brackets\n",
                view->beside_name, view->beside->program, view->beside->machine,
                view->beside->policy);
    if (strcmp(report->outcome, "done") != 0)
        fprintf(to, "outcome: %s\n", report->outcome);
    if (report->has_time)
        putc('\n', to);
    if (report->total.launches)
        write_list(&page);
    else
        fputs("no kernel was launched\n", to);
    if (report->has_time && report->total.launches)
        write_kernels(&page);
    if (report->has_time || report->passed + report->failed)
        putc('\n', to);
    write_checks(&page);
    if (report->has_time && report->kernel_cpu_seconds > 0)
        fprintf(to, "%.2f CPU seconds, %.2f of them in kernels: %s cycles per second\n",
                report->cpu_seconds, report->kernel_cpu_seconds,
                sim_count(&arena, report->total.cycles / report->kernel_cpu_seconds));
    arena_free(&arena);
}
