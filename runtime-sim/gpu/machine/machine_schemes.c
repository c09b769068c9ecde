// Schemes of a machine: rows of the registered schemes, and the active schemes.
#include "runtime-sim/gpu/machine/machine_state.h"
#include <string.h>

// Registered schemes

uint32_t machine_scheme_count(const struct machine_config *config)
{
    uint32_t count = 0;
    while (config->schemes && config->schemes[count])
        count++;
    return count;
}

uint32_t machine_scheme_number(const struct machine_config *config, const struct scheme_ops *ops)
{
    uint32_t i = 0;
    while (config->schemes[i] != ops)
        i++;
    return i;
}

struct scheme_classes machine_scheme_classes(const struct machine_config *config,
                                             const struct scheme_ops *ops)
{
    return config->classes[machine_scheme_number(config, ops)];
}

bool machine_enables(const struct machine_config *config, uint32_t number)
{
    const struct scheme_ops *ops = config->schemes[number];
    return !ops->configuration.is_on || ops->configuration.is_on(config->of_scheme[number]);
}

bool machine_reads_plans(const struct machine_config *config)
{
    bool reads = false;
    for (uint32_t i = 0; i < machine_scheme_count(config); i++)
        reads |= config->schemes[i]->configuration.read_plan && machine_enables(config, i);
    return reads;
}

void machine_plan_add(struct machine_plans *plans, struct arena *arena,
                      const struct scheme_ops *ops, const void *table)
{
    struct machine_plan plan = {ops, table};
    vec_push(arena, &plans->list, plan);
}

const void *machine_plan_of(const struct machine_plans *plans, const struct scheme_ops *ops)
{
    for (uint32_t i = 0; plans && i < plans->list.n; i++)
        if (plans->list.v[i].ops == ops)
            return plans->list.v[i].table;
    return NULL;
}

// Policies

static const char BASELINE[] = "baseline";

static const struct config_key *policy_key(const struct scheme_ops *ops)
{
    for (uint32_t i = 0; i < ops->configuration.key_count; i++)
        if (!strcmp(ops->configuration.keys[i].name, "policy"))
            return &ops->configuration.keys[i];
    return NULL;
}

const char *machine_policy(struct arena *arena, const struct machine_config *config)
{
    const char *all = NULL;
    for (uint32_t i = 0; i < machine_scheme_count(config); i++) {
        const struct config_key *key = policy_key(config->schemes[i]);
        if (!key || !machine_enables(config, i))
            continue;
        const char *one = config_choice(key, config->of_scheme[i]);
        all = all ? arena_printf(arena, "%s+%s", all, one) : one;
    }
    return all ? all : BASELINE;
}

const char *scheme_policy_setting(struct arena *arena, const struct scheme_ops *ops,
                                  const char *name)
{
    const struct config_key *key = policy_key(ops);
    const char *set = BASELINE;
    if (!key)
        return NULL;
    for (const char *const *at = key->choices; *at; at++)
        if (!strcmp(*at, name))
            set = name;
    return arena_printf(arena, "%s.policy=%s", ops->configuration.section, set);
}

const char *const *scheme_policies(struct arena *arena, const struct scheme_ops *const *schemes)
{
    VEC(const char *) names = {0};
    vec_push(arena, &names, BASELINE);
    for (; *schemes; schemes++) {
        const struct config_key *key = policy_key(*schemes);
        for (uint32_t i = 1; key && key->choices[i]; i++)
            vec_push(arena, &names, key->choices[i]);
    }
    vec_push(arena, &names, NULL);
    return names.v;
}

// Rows

void machine_add_requester(struct machine *machine, const struct memsys_requester *row)
{
    vec_push(machine->arena, &machine->schemes.requesters, *row);
}

void machine_init_rows(struct machine *machine)
{
    static const struct memsys_requester own[CORE_REQUESTERS] = {
        [REQUESTER_L1] = {"l1", false, NULL},
        [REQUESTER_DIRECT] = {"direct", false, NULL},
        [REQUESTER_CODE] = {"code", false, NULL},
        [REQUESTER_CONSTANT] = {"constant", false, NULL},
        [REQUESTER_TEXTURE] = {"texture", false, NULL},
    };
    const struct machine_config *config = machine->config;
    struct core_shared *shared = &machine->shared;
    uint32_t count = machine_scheme_count(config);
    machine->schemes.first_requester = ARENA_ARRAY(machine->arena, uint32_t, count + 1);
    machine->schemes.first_stall = ARENA_ARRAY(machine->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < CORE_REQUESTERS; i++)
        machine_add_requester(machine, &own[i]);
    for (uint32_t i = 0; i < machine_scheme_count(config); i++) {
        const struct scheme_ops *ops = config->schemes[i];
        machine->schemes.first_requester[i] = machine->schemes.requesters.n;
        machine->schemes.first_stall[i] = WARP_SLOT_STATES + shared->stall_count;
        for (uint32_t k = 0; k < ops->memory.requester_count; k++)
            machine_add_requester(machine, &ops->memory.requesters[k]);
        for (uint32_t k = 0; k < ops->report.stall_count && shared->stall_count < STALLS_MAX; k++)
            shared->stalls[shared->stall_count++] = &ops->report.stalls[k];
    }
    core_stat_keys(shared, machine->arena);
}

uint32_t machine_requester(const struct machine *machine, const struct scheme_ops *ops)
{
    return machine->schemes.first_requester[machine_scheme_number(machine->config, ops)];
}

uint8_t machine_stall(const struct machine *machine, const struct scheme_ops *ops)
{
    return (uint8_t)machine->schemes.first_stall[machine_scheme_number(machine->config, ops)];
}

// Active schemes

static void require(struct arena *arena, const struct machine_config *given,
                    struct machine_config *config, uint32_t number)
{
    config->classes[number] =
        (struct scheme_classes){(uint8_t)config->memsys.request_network.classes,
                                (uint8_t)config->memsys.reply_network.classes};
    uint32_t added = config->added.n;
    if (config->schemes[number]->configuration.require)
        config->schemes[number]->configuration.require(arena, config->of_scheme[number], given,
                                                       config);
    for (; added < config->added.n; added++)
        config->added.v[added].scheme = number;
}

static struct machine_config *copy_config(struct arena *arena, const struct machine_config *config)
{
    struct machine_config *own = ARENA_NEW(arena, struct machine_config);
    *own = *config;
    own->classes = ARENA_ARRAY(arena, struct scheme_classes, machine_scheme_count(config) + 1);
    return own;
}

const struct machine_config *machine_as_planned(struct arena *arena,
                                                const struct machine_config *config)
{
    struct machine_config *own = copy_config(arena, config);
    for (uint32_t i = 0; i < machine_scheme_count(config); i++)
        if (config->schemes[i]->configuration.read_plan && machine_enables(config, i))
            require(arena, config, own, i);
    return own;
}

void machine_choose_schemes(struct machine *machine, const struct machine_plans *plans)
{
    const struct machine_config *given = machine->config;
    struct machine_config *own = copy_config(machine->arena, given);
    machine->schemes.active =
        ARENA_ARRAY(machine->arena, struct active_scheme, machine_scheme_count(own) + 1);
    for (uint32_t i = 0; i < machine_scheme_count(own); i++) {
        const struct scheme_ops *ops = own->schemes[i];
        bool planned = !ops->configuration.read_plan || machine_plan_of(plans, ops);
        if (!planned || !machine_enables(own, i))
            continue;
        require(machine->arena, given, own, i);
        machine->schemes.active[machine->schemes.count++] =
            (struct active_scheme){.ops = ops, .number = i};
    }
    machine->config = own;
}

// Registers a scheme's core hooks and requesters.
static void add_hooks(struct machine *machine, const struct active_scheme *scheme)
{
    struct core_shared *shared = &machine->shared;
    uint32_t first = machine->schemes.first_requester[scheme->number];
    for (uint32_t i = 0; i < scheme->ops->memory.requester_count; i++)
        machine->schemes.of_requester[first + i] = (uint8_t)(scheme - machine->schemes.active + 1);
    if (!scheme->ops->issue)
        return;
    if (scheme->ops->memory.lsu)
        shared->entries_per_warp += scheme->ops->memory.lsu->entries_per_warp;
    uint32_t hook = shared->hook_count++, place = scheme->ops->issue->claims_first ? 0 : hook;
    memmove(shared->claims + place + 1, shared->claims + place, hook - place);
    shared->claims[place] = (uint8_t)hook;
    shared->hooks[hook] =
        (struct scheme_hooks){.ops = scheme->ops,
                              .state = scheme->state,
                              .scheme = scheme->number,
                              .first_stall = (uint8_t)machine->schemes.first_stall[scheme->number]};
    for (uint32_t i = 0; i < scheme->ops->memory.requester_count; i++)
        shared->hooks_of[first + i] = (uint8_t)(hook + 1);
}

void machine_create_schemes(struct machine *machine, const struct machine_plans *plans)
{
    struct core_shared *shared = &machine->shared;
    machine->schemes.of_requester =
        ARENA_ARRAY(machine->arena, uint8_t, machine->schemes.requesters.n + 1);
    shared->hooks_of = ARENA_ARRAY(machine->arena, uint8_t, machine->schemes.requesters.n + 1);
    shared->hooks = ARENA_ARRAY(machine->arena, struct scheme_hooks, machine->schemes.count + 1);
    shared->claims = ARENA_ARRAY(machine->arena, uint8_t, machine->schemes.count + 1);
    for (uint32_t i = 0; i < machine->schemes.count; i++) {
        struct active_scheme *scheme = &machine->schemes.active[i];
        if (scheme->ops->memory.create)
            scheme->state =
                scheme->ops->memory.create(machine, machine->config->of_scheme[scheme->number],
                                           machine_plan_of(plans, scheme->ops));
        add_hooks(machine, scheme);
    }
}

void *machine_scheme(const struct machine *machine, const struct scheme_ops *ops)
{
    for (uint32_t i = 0; i < machine->schemes.count; i++)
        if (machine->schemes.active[i].ops == ops)
            return machine->schemes.active[i].state;
    return NULL;
}
