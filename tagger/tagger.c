#include "tagger/tagger.h"
#include "backend/emit/proof.h"
#include "backend/tables/places.h"
#include "backend/tables/profile_read.h"
#include "ir/read.h"
#include "passes/base/capability.h"
#include "passes/maps/compile.h"

// Reports

static bool report(struct tagging *t, struct diags *diags, const struct source *source)
{
    return t->callbacks.report ? t->callbacks.report(t->callbacks.context, diags, source)
                               : !diags->errors;
}

static void end_step(void *tagging, const char *name)
{
    const struct tagging *t = tagging;
    if (t->callbacks.step)
        t->callbacks.step(t->callbacks.context, name);
}

static void add_pass(void *tagging, const char *name, double seconds)
{
    const struct tagging *t = tagging;
    if (t->callbacks.spent)
        t->callbacks.spent(t->callbacks.context, name, seconds);
}

// Input

// Uses the tables of an object, which contain the decisions and the options with which they were
// made.
static void open_known(struct tagging *t)
{
    const struct tagger_options *options = &t->options;
    struct capability *capability = ARENA_NEW(t->arena, struct capability);
    t->opened.source = *t->input;
    t->opened.current = true;
    t->opened.tables = *options->known;
    t->options.output.passes = t->opened.tables.options;
    if (capability_from_text(capability, t->arena, t->opened.tables.capability))
        t->options.output.passes.capability = capability;
}

// Uses the input as the output: it was written with the same options.
static void reuse_output(struct tagging *t)
{
    t->tables = &t->opened.tables;
    t->text = t->input->text;
    t->length = t->input->length;
}

static void strip_tags(struct tagging *t)
{
    uint32_t length;
    const char *text = backend_strip(t->arena, t->input, &length);
    source_init(&t->opened.source, t->arena, t->input->name, text, length);
}

static bool open_input(struct tagging *t)
{
    t->options.output.profiled = t->options.profile != NULL;
    if (t->options.as_is)
        t->opened.source = *t->input;
    else if (t->options.known)
        open_known(t);
    else
        backend_open(&t->opened, t->arena, t->input, &t->options.output);
    if (t->opened.current)
        reuse_output(t);
    if (t->opened.current && t->options.explains)
        strip_tags(t);
    end_step(t, "read");
    return true;
}

// Program

static bool read_program(struct tagging *t)
{
    struct diags diags;
    diags_init(&diags, t->arena);
    struct ir_reading reading = {.arena = t->arena,
                                 .source = &t->opened.source,
                                 .tree = &t->tree,
                                 .module = &t->module,
                                 .diags = &diags,
                                 .threads = t->options.threads,
                                 .only_check = t->options.only_check,
                                 .step = end_step,
                                 .context = t};
    ir_read_program(&reading);
    return report(t, &diags, &t->opened.source);
}

// Profile

static struct pipeline pipeline_of(const struct tagging *t)
{
    return (struct pipeline){.options = t->options.output.passes,
                             .stop_after = t->options.stop_after,
                             .threads = t->options.threads};
}

// Reads the profile, and also decides without it, for comparison.
static bool read_profile(struct tagging *t)
{
    struct pass_options *options = &t->options.output.passes;
    struct diags diags;
    if (!t->options.profile)
        return true;
    bool is_stripped = t->opened.source.length != t->input->length;
    diags_init(&diags, t->arena);
    options->measured = profile_read(t->arena, t->options.profile, &t->module,
                                     is_stripped ? t->input : NULL, &t->outcomes, &diags);
    end_step(t, "profile");
    if (!report(t, &diags, t->options.profile))
        return false;
    if (t->outcomes.is_alone) {
        options->measured = NULL;
        return true;
    }
    struct pipeline pipeline = pipeline_of(t);
    pipeline.options.measured = NULL;
    t->without_profile = (struct plan){.arena = t->arena};
    pipeline_run(&pipeline, &t->module, &t->without_profile);
    end_step(t, "without-profile");
    return true;
}

// Plan

// Prints the program, and the plan after this pass.
static void print_after(struct tagging *t)
{
    const struct pass *pass = t->options.print_after, *stop = t->options.stop_after;
    struct plan plan = {.arena = t->arena};
    if (!pass || (stop && stop < pass))
        return;
    struct pipeline pipeline = {.options = t->options.output.passes, .stop_after = pass};
    pipeline_run(&pipeline, &t->module, &plan);
    ir_print(&t->module, t->options.to);
    plan_print(&t->module, &plan, t->options.to);
    end_step(t, "print");
}

// Continues without a plan if a pass has made the program invalid.
static bool give_up(struct tagging *t, const char *pass)
{
    struct diags diags;
    diags_init(&diags, t->arena);
    proof_give_up(pass, &diags);
    t->plan = (struct plan){.arena = t->arena};
    return report(t, &diags, t->tree.source);
}

// Reports where the profile contradicts the analyses.
static bool compare_profile(struct tagging *t)
{
    struct diags diags;
    if (!t->options.output.passes.measured)
        return true;
    diags_init(&diags, t->arena);
    measured_compare(&t->plan, &t->module, &t->options.output.passes, &diags);
    return report(t, &diags, &t->opened.source);
}

static bool decide(struct tagging *t)
{
    struct pipeline pipeline = pipeline_of(t);
#ifdef NDEBUG
    pipeline.validate = t->options.validate;
#else
    pipeline.validate = true;
#endif
    pipeline.faults = t->options.to;
    pipeline.keep_facts = t->options.explains || pipeline.options.measured;
    pipeline.spent = add_pass;
    pipeline.context = t;
    print_after(t);
    t->plan = (struct plan){.arena = t->arena};
    const char *pass = pipeline_run(&pipeline, &t->module, &t->plan);
    return (!pass || give_up(t, pass)) && compare_profile(t);
}

// Output

bool tagger_emit(struct tagging *t, struct output *output, const struct backend_options *options)
{
    struct diags diags;
    if (t->options.unverified && !backend_emit(output, t->arena, &t->module, &t->plan, options)) {
        end_step(t, "emit");
        struct verify_fault fault = backend_read_back(output, t->arena, &t->module, &t->plan);
        end_step(t, "reread");
        if (!fault.text)
            return true;
    }
    t->proof = (struct proof){.step = end_step, .context = t};
    backend_emit_proven(output, &t->proof, t->arena, &t->module, &t->plan, options);
    diags_init(&diags, t->arena);
    proof_report(&t->proof, &diags);
    return !t->proof.list.n || report(t, &diags, t->tree.source);
}

static void fill_tables(struct tagging *t, struct tables *tables)
{
    const struct backend_options *options = &t->options.output;
    if (options->passes.measured) {
        changes_find(tables, t->arena, &t->module, &t->without_profile, &t->plan);
        measured_list(tables, t->arena, &t->module, &options->passes, &t->plan);
    }
    tables->outcomes = t->outcomes;
    if (t->options.has_locations) {
        tables_find_locations(tables, t->arena, &t->module, options->prefixes);
        tables->by_source = t->options.by_source;
        end_step(t, "places");
    }
}

static bool emit(struct tagging *t)
{
    if (t->opened.current)
        return true;
    struct output *output = ARENA_NEW(t->arena, struct output);
    if (!tagger_emit(t, output, &t->options.output))
        return false;
    fill_tables(t, &output->tables);
    t->tables = &output->tables;
    t->text = output->text;
    t->length = output->length;
    return true;
}

void tagger_write_maps(const struct tagging *t, FILE *to)
{
    struct map_hardware hardware = map_hardware_initial();
    struct arena arena;
    arena_init(&arena, t->arena->memory);
    struct plan plan = {.arena = &arena};
    for (uint32_t i = 0; i < t->module.functions.n; i++) {
        const struct ir_function *fn = &t->module.functions.v[i];
        struct map_compiled map;
        if (!fn->is_entry || !fn->has_body)
            continue;
        struct facts *facts = facts_of(&plan, &t->module, &t->options.output.passes, i);
        map_compile(&map, &arena, facts, MAP_CORES, &hardware);
        const struct name *name = tree_name(t->module.tree, fn->name);
        if (map.map) {
            fputs("---\n", to);
            map_compiled_write(&map, to);
        } else if (map.inst == IR_NONE)
            fprintf(to, "# %.*s: %s [%s]\n", (int)name->length, name->text, map.why,
                    plan_rules[map.rule].id);
        else
            fprintf(to, "# %.*s: line %u: %s [%s]\n", (int)name->length, name->text,
                    ir_position(&t->module, fn, map.inst).line, map.why, plan_rules[map.rule].id);
    }
    arena_free(&arena);
}

// Stages

const struct tagger_stage tagger_stages[] = {
    {"open", "find the PTX in a text, object, program or library", TAGGER_INPUT, open_input},
    {"read", "read the program", TAGGER_PROGRAM, read_program},
    {"profile", "read what was measured, with --profile", TAGGER_PLAN, read_profile},
    {"decide", "decide what is offloaded", TAGGER_PLAN, decide},
    {"output", "write the tagged text and its tables", TAGGER_OUTPUT, emit},
    {NULL, NULL, TAGGER_OUTPUT, NULL},
};

bool tagger_process(struct tagging *t, struct arena *arena, struct source *input,
                    const struct tagger_options *options, const struct tagger_callbacks *callbacks)
{
    *t = (struct tagging){
        .arena = arena, .input = input, .options = *options, .callbacks = *callbacks};
    for (const struct tagger_stage *stage = tagger_stages; stage->run; stage++)
        if (stage->goal <= options->goal && !stage->run(t))
            return false;
    return true;
}

void tagger_print_stages(FILE *to)
{
    static const char row[] = "%-8s  %s\n", part[] = "  %-8s  %s\n";
    static const char *const outputs[][2] = {
        {"emit", "edit a copy of the text, make the metadata tables"},
        {"verify", "prove plan and output against the input; leave out the rest"},
        {"reread", "read the tags back; check chains in the text as it is written"}};
    for (const struct tagger_stage *stage = tagger_stages; stage->run; stage++) {
        fprintf(to, row, stage->name, stage->what);
        for (const struct read_stage *at = read_stages; stage->run == read_program && at->name;
             at++)
            fprintf(to, part, at->name, at->what);
        for (const struct pass *at = passes; stage->run == decide && at->name; at++)
            fprintf(to, part, at->name, at->what);
        for (uint32_t i = 0; stage->run == emit && i < ARRAY_LENGTH(outputs); i++)
            fprintf(to, part, outputs[i][0], outputs[i][1]);
    }
}
