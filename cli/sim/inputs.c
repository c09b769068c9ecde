// Reads what a run needs.
#include "cli/common/input.h"
#include "cli/sim/sim.h"
#include "cli/sim/paths.h"
#include "cli/sim/registers.h"
#include "cli/sim/run.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/run/line.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

// Reading the run

bool sim_report_run(struct sim *sim)
{
    bool good = true;
    for (uint32_t i = 0; i < sim->run.settings.n; i++) {
        struct run_setting *setting = &sim->run.settings.v[i];
        good &= messages_diags(&sim->base.frame.messages, &setting->diags, &setting->source);
        diags_init(&setting->diags, &sim->base.frame.arena);
    }
    good &= messages_diags(&sim->base.frame.messages, &sim->run_diags, &sim->run_source);
    diags_init(&sim->run_diags, &sim->base.frame.arena);
    return good;
}

// Applies --save, whose files replace those of the run file.
static bool apply_saves(struct sim *sim)
{
    bool good = true;
    for (uint32_t i = 0; i < sim->arguments.saves.n; i++) {
        const struct sim_setting *save = &sim->arguments.saves.v[i];
        uint32_t buffer = run_saved_buffer(&sim->run, save->name);
        good &= buffer != UINT32_MAX;
        if (buffer == UINT32_MAX)
            message_error(&sim->base.frame.messages, "--save: unknown buffer '%s'", save->name);
        if (buffer == UINT32_MAX)
            continue;
        sim->run.buffers.v[buffer].save =
            (struct run_text){.text = save->value, .length = (uint32_t)strlen(save->value)};
        sim->run.buffers.v[buffer].save_chosen = true;
    }
    return good;
}

bool sim_check_saves(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->run.buffers.n; i++) {
        const struct run_buffer *buffer = &sim->run.buffers.v[i];
        const char *wrong =
            sim->arguments.allow_outside ? NULL : sim_paths_refusal(&sim->base.frame.arena, buffer);
        if (wrong)
            run_fault(&sim->run, &buffer->save, "'%s' %s; --allow-outside permits writing it",
                      buffer->save.text, wrong);
    }
    return sim_report_run(sim);
}

static bool check_paths(struct sim *sim)
{
    return sim_paths_check(&sim->base.frame.arena, &sim->base.frame.messages, &sim->arguments,
                           &sim->run, &sim->base.machine.resolved);
}

static bool read_run(struct sim *sim)
{
    diags_init(&sim->run_diags, &sim->base.frame.arena);
    bool good = sim_run_read(&sim->run, &sim->run_source, sim->arguments.common.input,
                             &sim->base.frame.arena, &sim->arguments, &sim->run_diags,
                             &sim->base.frame.messages);
    if (sim->run_source.text)
        good &= sim_report_run(sim);
    return good && apply_saves(sim) && check_paths(sim) && sim_check_saves(sim);
}

// Reading the program

// Makes the run file's program, with its module, the input.
static bool name_program(struct sim *sim)
{
    struct common_options *options = &sim->arguments.common;
    options->input = sim->arguments.program;
    if (options->input)
        return true;
    options->input = run_path(&sim->run, sim->run.program.text);
    options->choice = (struct container_choice){sim->run.module.text, sim->run.arch.text};
    if (!access(options->input, R_OK))
        return true;
    run_fault(&sim->run, &sim->run.program, "cannot read '%s': %s", options->input,
              strerror(errno));
    return sim_report_run(sim);
}

static bool read_program(struct sim *sim)
{
    struct sim_plans *plans = &sim->plans;
    if (sim->arguments.run_file && !name_program(sim))
        return false;
    plans->advice = "ptxoffload IN -o OUT";
    bool good = input_read(&sim->base.frame.messages, &sim->base.frame.arena, &sim->module.source,
                           &plans->tables, &plans->of_object);
    plans->decided = plans->of_object;
    return good;
}

static bool build(struct sim *sim)
{
    const struct lanes_table *lanes =
        sim->arguments.lanes ? lanes_named(sim->arguments.lanes) : lanes_best();
    if (!lanes) {
        message_error(&sim->base.frame.messages, "--lanes: this machine has no '%s'",
                      sim->arguments.lanes);
        return false;
    }
    diags_init(&sim->diags, &sim->base.frame.arena);
    // Metadata of a file or an object refer to the order of the text, as tags do.
    bool has_metadata = sim->plans.of_object || sim_plans_path(&sim->arguments, &sim->run);
    sim->module.schedule =
        has_metadata ? 0 : sim_schedule(&sim->arguments, &sim->base.machine.config);
    bool good = device_module_read(&sim->module, &sim->base.frame.arena, lanes, &sim->diags);
    good = messages_diags(&sim->base.frame.messages, &sim->diags, &sim->module.source) && good;
    diags_init(&sim->diags, &sim->base.frame.arena);
    sim_note_order(&sim->base.frame.messages, &sim->module);
    return good && (!sim->arguments.assembled ||
                    registers_by_ptxas(&sim->base.frame.messages, &sim->base.frame.arena,
                                       &sim->module.source, &sim->module.program));
}

static bool read_plans(struct sim *sim)
{
    const struct machine_config *config = &sim->base.machine.config;
    return sim_plans_read(&sim->plans, &sim->base.frame.arena, &sim->arguments,
                          &sim->base.frame.messages, &sim->run, &sim->module.source, config) &&
           sim_plans_build(&sim->plans, &sim->base.frame.messages, &sim->module.program,
                           &sim->module.source, config);
}

// Returns false after reporting that --overlap lacks streams: its advice concerns copies and
// kernels.
static bool has_commands(const struct sim *sim)
{
    bool good = !sim->arguments.overlap || sim->run.has_streams;
    if (!good)
        message_error(&sim->base.frame.messages, "--overlap needs a run file with 'streams'");
    return good;
}

bool sim_read_inputs(struct sim *sim)
{
    return read_run(sim) && has_commands(sim) && read_program(sim) && build(sim) &&
           read_plans(sim) && check_paths(sim);
}
