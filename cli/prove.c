// Only proven parts are written; others are left out, with a warning.
#include "backend/proof.h"
#include "backend/read_back.h"
#include "cli/run.h"

static bool report_left_out(struct tagger_run *run, const struct proof *proof)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    proof_report(proof, &diags);
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
        struct verify_fault fault =
            backend_read_back(output, &run->arena, &run->module, &run->plan);
        timing_end(&run->timing, "reread");
        if (!fault.text)
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
    proof_give_up(pass, &diags);
    run->plan = (struct plan){.arena = &run->arena};
    return messages_diags(&run->messages, &diags, run->tree.source);
}
