// The watchdog: detects launches without progress.
#include "runtime-sim/exec/warp/stall.h"
#include "runtime-sim/gpu/machine/machine_state.h"

enum { PATIENCE = 64 }; // factor on the watchdog's limit while registers still change

static uint64_t count_progress(const struct machine *machine)
{
    uint64_t sum = machine->watchdog.progress;
    for (uint32_t i = 0; i < machine->count; i++) {
        const struct core *core = &machine->cores[i];
        sum += core->account.progress;
        for (uint32_t k = 0; k < core_cta_capacity(core) && core->used.threads; k++)
            sum += core->ctas[k].cta ? core->ctas[k].cta->events : 0;
    }
    return sum;
}

// Releases warps that wait for lanes that wait at a barrier. Returns true if any of them can
// continue.
bool machine_relieve(struct machine *machine)
{
    bool relieved = false;
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < CORE_CTAS; k++) {
            struct core *core = &machine->cores[i];
            struct core_cta *at = &core->ctas[k];
            if (!at->cta || at->seen != at->cta->events || !cta_relieve(at->cta)) {
                at->seen = at->cta ? at->cta->events : 0;
                continue;
            }
            core_catch_up(core, machine->now + (machine->ticks.due[i] > machine->now));
            core_look_at_cta(core, machine->now + 1, k);
            machine_set_due(machine, i, machine->now + 1);
            relieved = true;
        }
    return relieved;
}

static void find_resident(struct machine *machine)
{
    machine->watchdog.watched.n = 0;
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < core_cta_capacity(&machine->cores[i]); k++)
            if (machine->cores[i].ctas[k].cta)
                vec_push(machine->arena, &machine->watchdog.watched, machine->cores[i].ctas[k].cta);
}

void machine_report_stalls(struct machine *machine, struct grid_result *result)
{
    uint64_t idle = machine->now - machine->watchdog.progress_at;
    find_resident(machine);
    result->stuck = true;
    if (!machine_waited(machine)) // otherwise warps wait for memory, not for each other
        stall_look(&result->stalls, machine->watchdog.watched.v, machine->watchdog.watched.n);
    result->stalls.idle = idle > PATIENCE * machine->config->machine.watchdog ? idle : 0;
    for (uint32_t i = machine->launches.count; i-- > 0;) {
        if (machine->launches.running[i]->over < machine->launches.running[i]->ctas)
            result->fault.launch = machine->launches.running[i]->launch->launch->id;
        result->stalls.ctas += machine->launches.running[i]->ctas;
        result->stalls.ended += machine->launches.running[i]->over;
    }
}

// Returns true if every warp repeats a state. Checks start after half of the limit.
static bool all_repeat(struct machine *machine, uint64_t idle)
{
    struct machine_watchdog *watchdog = &machine->watchdog;
    uint64_t part = machine->config->machine.watchdog / 2;
    if (idle <= part)
        return false;
    find_resident(machine);
    watchdog->repeats.arena = machine->arena;
    if (watchdog->marked_at > watchdog->progress_at &&
        machine->now - watchdog->marked_at <= 2 * part)
        return repeats_look(&watchdog->repeats, watchdog->watched.v, watchdog->watched.n);
    repeats_mark(&watchdog->repeats, watchdog->watched.v, watchdog->watched.n);
    watchdog->marked_at = machine->now;
    return false;
}

// Returns true if the run must be aborted. Warps that still compute or read are aborted later.
bool machine_watch(struct machine *machine)
{
    struct machine_watchdog *watchdog = &machine->watchdog;
    watchdog->looked_at = machine->now;
    uint64_t progress = count_progress(machine);
    if (progress != watchdog->progress_seen || machine_agenda_holds(machine)) {
        watchdog->progress_seen = progress;
        watchdog->progress_at = machine->now;
    }
    machine_relieve(machine);
    uint64_t idle = machine->now - watchdog->progress_at;
    bool repeat = all_repeat(machine, idle);
    return idle > (repeat ? 1 : PATIENCE) * machine->config->machine.watchdog;
}
