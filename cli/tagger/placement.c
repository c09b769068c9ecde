// --placement: where a machine computes the chains of a program, and where arrays should lie.
#include "cli/tagger/machine.h"
#include "report/placing.h"

int tag_placement(struct tagger_invocation *run, const struct pass_options *options)
{
    const char *name = run->arguments.placement;
    struct tagger_machine *machine = ARENA_NEW(&run->arena, struct tagger_machine);
    const struct format_request *json = &run->arguments.common.reports[REPORT_JSON];
    FILE *to = frame_open(&run->frame, json->wanted && json->path ? json->path : "-");
    if (!to || !tag_read_machine(run, "--placement", name, machine))
        return BAD_INPUT;
    const char *wrong = placing_check(&machine->config);
    if (wrong) {
        message_error(&run->frame.messages, "%s: %s", name, wrong);
        return BAD_INPUT;
    }
    struct placings placing = placing_find(&run->arena, &run->tagging.plan, &run->tagging.module,
                                           options, &machine->config);
    const struct placing_program program = {&run->arena, &run->tagging.module, &run->tagging.plan,
                                            name};
    placing_print(&placing, &program, json->wanted, to);
    return frame_commit(&run->frame, DONE);
}
