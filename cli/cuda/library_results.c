// The files and reports of a process, written at its end.
#include "cli/cuda/library.h"
#include "runtime-sim/host/host_log.h"
#include "runtime-sim/run/listing.h"
#include "runtime-sim/run/result.h"
#include <string.h>

static bool write_json(struct library_gpu *gpu)
{
    const struct library *library = gpu->library;
    struct result result = {
        .session = &gpu->session,
        .timed = library_timed(gpu),
        .listing = library->arguments.sim.annotate ? gpu->listing : NULL,
        .outcome = library->outcome,
        .host = result_host_now(),
    };
    FILE *to = library_output(gpu, library->arguments.sim.json);
    if (to)
        result_write(&result, to);
    return to;
}

static FILE *open_report(void *context, const char *path)
{
    return library_output(context, path);
}

static struct sim_facts facts_of(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    const char *name = library->module->source.name;
    if (library->gpu_count > 1)
        name = arena_printf(&library->cuda->arena, "%s, device %u", name, gpu->session.gpu);
    return (struct sim_facts){.session = &gpu->session,
                              .timed = library_timed(gpu),
                              .listing = gpu->listing,
                              .program = name,
                              .outcome = result_outcome(library->outcome, library_timed(gpu)),
                              .cpu_seconds = result_host_now().cpu_seconds};
}

static FILE *open_errors(void *context, const char *path)
{
    (void)context, (void)path;
    return stderr;
}

// Opens an output. Standard output belongs to the program, so standard error takes its place.
static FILE *open_text(struct library_gpu *gpu, const char *path)
{
    return path && strcmp(path, "-") ? library_output(gpu, path) : path ? stderr : NULL;
}

static bool write_annotation(struct library_gpu *gpu)
{
    const struct library *library = gpu->library;
    const char *path = library->arguments.sim.annotate;
    FILE *to = open_text(gpu, path);
    if (to && gpu->listing)
        sim_annotate(gpu->listing, facts_of(gpu).program, &library->cuda->arena, to);
    return to || !path;
}

static bool write_advice(struct library *library)
{
    const char *path = library->arguments.sim.overlap;
    FILE *to = open_text(library->gpus, path);
    if (to)
        host_advise(&library->cuda->host, to);
    return to || !path;
}

// Prints the report with -v, else the summary, to standard error, because standard output belongs
// to the program.
static void write_page(struct library_gpu *gpu)
{
    struct library *library = gpu->library;
    struct sim_facts facts = facts_of(gpu);
    struct sim_arguments none = {.config = starter_machine(&library->arguments, gpu->session.gpu)};
    struct sim_reports page = gpu->reports;
    page.arguments = &none;
    if (library->arguments.sim.common.verbose)
        sim_reports_write(&page, &facts, true, open_errors, gpu);
    else
        sim_reports_summary(&gpu->reports, &facts);
}

static bool write_reports(struct library_gpu *gpu)
{
    struct sim_facts facts = facts_of(gpu);
    return sim_reports_write(&gpu->reports, &facts, false, open_report, gpu);
}

static bool write_results(struct library_gpu *gpu)
{
    const struct sim_arguments *a = &gpu->library->arguments.sim;
    FILE *stats = a->stats ? library_output(gpu, a->stats) : NULL;
    if (stats)
        timed_write_stats(library_timed(gpu), &a->stats_choice, a->stats, stats);
    FILE *profile = a->profile ? library_output(gpu, a->profile) : NULL;
    if (profile)
        profile_write(&gpu->session.device, NULL, NULL, profile);
    return (stats || !a->stats) && (profile || !a->profile) && (!a->json || write_json(gpu)) &&
           (gpu != gpu->library->gpus || write_advice(gpu->library)) && write_annotation(gpu) &&
           write_reports(gpu);
}

// Returns the text about an interrupt: the launches and commands so far, and the files.
static const char *describe_interrupt(struct library *library)
{
    struct arena *arena = &library->cuda->arena;
    uint32_t open = library->cuda->host.open;
    uint64_t launches = 0;
    for (uint32_t i = 0; i < library->gpu_count; i++)
        launches += library->gpus[i].session.device.launches;
    const char *text = arena_printf(arena, "interrupted in launch %lu", (unsigned long)launches);
    if (open)
        text = arena_printf(arena, "%s; commands not executed: %u", text, open);
    for (uint32_t i = 0; i < library->outputs.list.n; i++)
        text = arena_printf(arena, "%s%s%s", text, i ? ", " : "; results up to then are in ",
                            library->outputs.list.v[i]->path);
    return text;
}

static void end_gpu(struct library_gpu *gpu)
{
    gpu->session.host = &gpu->library->cuda->host;
    if (library_timed(gpu))
        timed_end(library_timed(gpu));
    session_report_accesses(&gpu->session);
    library_report(gpu->library, &gpu->library->module->source);
    gpu->session.timed = library_timed(gpu);
    gpu->listing = listing_collect(&gpu->session, gpu->plans.decided ? &gpu->plans.tables : NULL);
}

void library_write(struct library *library)
{
    bool written = true;
    host_end(&library->cuda->host);
    library->run.has_streams = true; // calls of the program
    for (uint32_t i = 0; i < library->gpu_count; i++)
        end_gpu(&library->gpus[i]);
    for (uint32_t i = 0; i < library->gpu_count && written; i++)
        written = write_results(&library->gpus[i]);
    const char *interrupt =
        library->outcome == SESSION_INTERRUPTED ? describe_interrupt(library) : NULL;
    const char *error = written ? outputs_commit(&library->outputs) : NULL;
    if (error)
        message_error(&library->messages, "%s", error);
    else if (interrupt)
        message_note(&library->messages, "%s", interrupt);
    outputs_abandon(&library->outputs);
    for (uint32_t i = 0; i < library->gpu_count; i++)
        write_page(&library->gpus[i]);
}
