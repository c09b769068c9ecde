#include "runtime-sim/host/host_log.h"
#include "runtime-sim/host/host_state.h"
#include <string.h>

void host_log_begin(struct host *host)
{
    host->log = ARENA_NEW(host->device->arena, struct host_log);
}

static enum host_note_kind kind_of(const struct device_command *command)
{
    return command->kind == COMMAND_LAUNCH ? NOTE_LAUNCH
           : command->kind == COMMAND_SET  ? NOTE_SET
                                           : (enum host_note_kind)host_direction(command);
}

void host_log_add(struct host *host, const struct device_command *command)
{
    struct arena *arena = host->device->arena;
    struct host_note note = {.kind = kind_of(command),
                             .to = command->to,
                             .from = command->from,
                             .bytes = command->bytes};
    if (!host->log || command->kind == COMMAND_CALL)
        return;
    if (command->kind == COMMAND_LAUNCH) {
        const struct launch *launch = command->launch->launch;
        uint32_t bytes = launch->program->functions.v[launch->function].param_bytes;
        note.function = launch->function;
        note.parameters = memcpy(arena_alloc(arena, bytes + 1), command->launch->parameters, bytes);
    }
    vec_push(arena, &host->log->notes, note);
}
