#include "tests/unit/runtime-sim/toll.h"
#include "runtime-sim/gpu/scheme/ports.h"

#define SCHEME_CONFIG toll_config
#define SCHEME_STATS toll_stats
#define SCHEME_DEF "tests/unit/runtime-sim/toll.def"
#define SCHEME_STATS_DEF "tests/unit/runtime-sim/toll_stats.def"
#include "tests/unit/runtime-sim/scheme_tables.inc"

// State that all cores share.
struct toll {
    uint8_t requester, scheme, message;
    struct toll_stats stats;
};

// State of a core: sets of slots.
struct toll_core {
    struct toll *toll;
    uint64_t asking, waiting, paid;
};

// Cores

static void *init_core(struct core *core, void *scheme)
{
    struct toll_core *own = ARENA_NEW(core_port(core).arena, struct toll_core);
    own->toll = scheme;
    return own;
}

static enum issue_as pay_or_go(struct core *core, void *state, uint64_t now, uint32_t slot)
{
    struct toll_core *own = state;
    const struct timing *timing = warp_slot_port(core, slot).next;
    uint64_t bit = UINT64_C(1) << slot;
    (void)now;
    if (!timing_mark_of(timing, own->toll->scheme))
        return ISSUE_AS_NORMAL;
    if (own->paid & bit) {
        own->paid &= ~bit;
        return ISSUE_AS_NORMAL;
    }
    own->asking |= bit;
    own->waiting |= bit;
    core_has_packet(core);
    return ISSUE_AS_MIGRATED;
}

static bool wait_for_reply(struct core *core, void *state, uint64_t now, uint32_t slot,
                           uint32_t *reason)
{
    const struct toll_core *own = state;
    (void)core;
    (void)now;
    *reason = 0;
    return own->waiting >> slot & 1;
}

static bool ask(struct core *core, void *state, uint64_t now)
{
    struct toll_core *own = state;
    struct memsys *memsys = core_port(core).memsys;
    (void)now;
    if (!own->asking)
        return false;
    uint32_t slot = (uint32_t)__builtin_ctzll(own->asking);
    const struct memsys_request request = {.line = UINT64_C(1) << 52,
                                           .bytes = mask_range(0, 128),
                                           .core = core_port(core).index,
                                           .tag = slot,
                                           .kind = MEMSYS_READ,
                                           .requester = own->toll->requester,
                                           .message = own->toll->message};
    if (!memsys_can_send(memsys, &request))
        return false;
    memsys_send(memsys, &request);
    own->asking &= own->asking - 1;
    return true;
}

static void accept_reply(struct core *core, void *state, uint64_t now,
                         const struct memsys_request *reply)
{
    struct toll_core *own = state;
    uint64_t bit = UINT64_C(1) << reply->tag;
    own->waiting &= ~bit;
    own->paid |= bit;
    core_look(core, now, reply->tag);
}

// The machine

static bool is_on(const void *config)
{
    return ((const struct toll_config *)config)->policy == TOLL_PAID;
}

static void require(struct arena *arena, const void *config, const struct machine_config *given,
                    struct machine_config *machine)
{
    (void)config;
    (void)given;
    memsys_add_class(arena, &machine->memsys.request_network, 0, 1, false);
    memsys_add_class(arena, &machine->memsys.reply_network, 0, 1, false);
}

static void *create(struct machine *machine, const void *config, const void *plan)
{
    struct toll *own = ARENA_NEW(machine_port(machine).arena, struct toll);
    struct timings *timings = machine_timings(machine);
    (void)config;
    (void)plan;
    *own = (struct toll){.requester = (uint8_t)machine_requester(machine, &toll),
                         .scheme =
                             (uint8_t)machine_scheme_number(machine_port(machine).config, &toll)};
    for (uint32_t i = 0; i < timings->count; i++) {
        struct timing *timing = &timings->list[i];
        if (timing->class == TIMING_sfu)
            timing_mark(timing, own->scheme, 0, 0);
    }
    return own;
}

static void extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    struct scheme_classes classes = machine_scheme_classes(machine_port(machine).config, &toll);
    vec_push(machine_port(machine).arena, &tables->messages,
             (struct memsys_message){.request_class = classes.request,
                                     .reply_class = classes.reply,
                                     .request_priority = 1,
                                     .reply_priority = 1});
    ((struct toll *)state)->message = (uint8_t)tables->messages.n;
}

static void serve(struct machine *machine, void *state, const struct memsys_request *request)
{
    (void)machine;
    (void)request;
    ((struct toll *)state)->stats.paid++;
}

static void add_stats(const void *state, struct stats *stats)
{
    stats_add(stats, "toll", stat_keys, STAT_KEYS, &((const struct toll *)state)->stats);
}

static const struct scheme_issue issue = {
    .init = init_core,
    .hold = wait_for_reply,
    .issue_as = pay_or_go,
};

static const struct scheme_stall stalls[] = {{"toll", "waited for the toll's reply"}};
static const struct memsys_requester requesters[] = {{"toll", false, NULL}};

const struct scheme_ops toll = {
    .name = "toll",
    .configuration = {SCHEME_SECTION("toll"), .is_on = is_on, .require = require},
    .issue = &issue,
    .memory = {.requesters = requesters,
               .requester_count = 1,
               .create = create,
               .extend = extend,
               .serve = serve,
               .send = ask,
               .accept_reply = accept_reply},
    .report = {.stalls = stalls, .stall_count = 1, .add_stats = add_stats},
};
