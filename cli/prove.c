// Only proven parts are written; others are left out, with a warning.
#include "backend/proof.h"
#include "cli/run.h"

static bool report_left_out(struct tagger_run *run, const struct proof *proof)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    for (uint32_t i = 0; i < proof->list.n; i++) {
        const struct left_out *left = &proof->list.v[i];
        diag_add(&diags, DIAG_WARNING, "unproven", left->begin, left->begin,
                 "%s is left out, because the checker refutes it: %s; please report this fault of "
                 "ptxoffload",
                 left->what, left->text);
    }
    return messages_diags(&run->messages, &diags, run->tree.source);
}

static void after_step(void *context, const char *name)
{
    struct tagger_run *run = context;
    timing_end(&run->timing, name);
}

bool run_prove(struct tagger_run *run, struct output *output, const struct backend_options *options)
{
    struct proof proof = {.step = after_step, .context = run};
    if (!run->arguments.verify &&
        !backend_emit(output, &run->arena, &run->module, &run->plan, options)) {
        timing_end(&run->timing, "emit");
        return true;
    }
    backend_emit_proven(output, &proof, &run->arena, &run->module, &run->plan, options);
    if (proof.list.n)
        return report_left_out(run, &proof);
    message_verbose(&run->messages,
                    "proved that the output is equivalent to the input: %llu statements, %llu "
                    "of them moved",
                    (unsigned long long)proof.statements, (unsigned long long)proof.moved);
    return true;
}

bool run_give_up(struct tagger_run *run, const char *pass)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    diag_add(&diags, DIAG_WARNING, "unproven", 0, 0,
             "nothing is offloaded, because the program is invalid after '%s'; please report this "
             "fault of ptxoffload",
             pass);
    run->plan = (struct plan){.arena = &run->arena};
    return messages_diags(&run->messages, &diags, run->tree.source);
}
