#include "cli/tagger/machine.h"
#include "passes/base/capability.h"
#include "report/machine_capability.h"
#include "runtime-sim/schemes/schemes.h"
#include <string.h>

// Lists the built-in machines after an unknown name.
static void list_machines(struct tagger_invocation *run, const struct config *config,
                          const char *name)
{
    const char *list = "";
    if (strpbrk(name, "/.")) // a file
        return;
    for (const struct embedded *file = config_files; file->name; file++)
        if (config_is_usable(config, file))
            list = arena_printf(&run->frame.arena, "%s%s%s", list, *list ? ", " : "", file->name);
    message_note(&run->frame.messages, "machines: %s", list);
}

bool tag_read_machine(struct tagger_invocation *run, const char *option, const char *name,
                      struct tagger_machine *machine)
{
    uint32_t count;
    struct arena *arena = &run->frame.arena;
    struct config_section *sections = machine_sections(&machine->config, arena, schemes, &count);
    sections[count++] = host_section(&machine->host);
    config_init(&machine->resolved, arena, sections, count);
    bool good = config_load(&machine->resolved, name);
    for (uint32_t i = 0; i < machine->resolved.texts.n; i++) {
        struct config_text *text = machine->resolved.texts.v[i];
        if (!strcmp(text->source.name, "--config"))
            text->source.name = option;
        good &= messages_diags(&run->frame.messages, &text->diags, &text->source);
    }
    if (!good) {
        list_machines(run, &machine->resolved, name);
        return false;
    }
    const char *wrong = machine_check(arena, &machine->config);
    if (wrong)
        message_error(&run->frame.messages, "%s: %s", name, wrong);
    return !wrong;
}

// Adds the machine's files to the inputs of the outputs, for -MD.
static void note_files(struct tagger_invocation *run, const struct config *config)
{
    for (uint32_t i = 0; i < config->texts.n; i++)
        if (file_is_there(config->texts.v[i]->source.name))
            vec_push(&run->frame.arena, &run->sources,
                     depfile_quote(&run->frame.arena, config->texts.v[i]->source.name));
}

bool tag_set_machine(struct tagger_invocation *run, struct capability *capability)
{
    struct tagger_machine *machine = ARENA_NEW(&run->frame.arena, struct tagger_machine);
    const struct machine_config *config = &machine->config;
    if (!tag_read_machine(run, "--machine", run->arguments.machine, machine))
        return false;
    note_files(run, &machine->resolved);
    // A text, so that the ranges of the keys are checked.
    const char *text = machine_capability(&run->frame.arena, config, &machine->resolved);
    struct source *source = ARENA_NEW(&run->frame.arena, struct source);
    struct diags diags;
    diags_init(&diags, &run->frame.arena);
    source_init(source, &run->frame.arena, "--machine", text, (uint32_t)strlen(text));
    capability_read(capability, &run->frame.arena, source, &diags);
    return messages_diags(&run->frame.messages, &diags, source);
}
