// The scheme's state of a machine: the policy of each launch, service queues, and their values.
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include <stdio.h>

// Construction

static void set_latencies(struct machine *machine, struct machine_offload *o, uint32_t *latency)
{
    const struct timings *timings = machine_port(machine).timings;
    for (uint32_t i = 0; i < timings->count; i++) {
        const struct timing *timing = &timings->list[i];
        const struct timing_mark *mark = timing_mark_of(timing, o->shared.scheme);
        if (mark && timing->kind == SHADOW_COMPUTES)
            latency[mark->plan * CHAIN_MAX + mark->place] =
                timing_latency(&machine_port(machine).config->core, timing->class);
    }
    o->shared.latency = latency;
}

// Returns true for an instruction that a warp must not issue while its chain's loads are held back:
// one that waits for the warp's accesses, accesses memory other than by loads and stores, or leaves
// the function.
static bool ends_chain(const struct program *program, const struct timing *timing)
{
    static const uint8_t classes[] = {CLASS_OPAQUE,  CLASS_ATOMIC, CLASS_TEXTURE, CLASS_SURFACE,
                                      CLASS_ASYNC,   CLASS_MATRIX, CLASS_CALL,    CLASS_RETURN,
                                      CLASS_BARRIER, CLASS_FENCE,  CLASS_STACK,   CLASS_MISC};
    uint32_t function = program->functions.v[timing->function].function;
    const struct ir_function *fn = &program->module->functions.v[function];
    if (timing->kind != SHADOW_NOTHING)
        return false;
    bool ends = timing->waits || timing->inst >= fn->insts.n;
    for (size_t i = 0; i < sizeof classes && !ends; i++)
        ends = fn->insts.v[timing->inst].class == classes[i];
    return ends;
}

// Returns the set of instructions, by number of their issue info, after which a warp may see
// accesses of other cores that it could not see before: they acquire, or a call, an asynchronous
// operation or a barrier of a cluster may do so.
static uint64_t *find_acquires(struct machine *machine)
{
    static const uint8_t classes[] = {CLASS_FENCE, CLASS_ASYNC, CLASS_CALL, CLASS_MISC,
                                      CLASS_OPAQUE};
    const struct timings *timings = machine_port(machine).timings;
    const struct program *program = machine_port(machine).program;
    uint64_t *acquires = bits_new(machine_port(machine).arena, timings->count);
    for (uint32_t i = 0; i < timings->count; i++) {
        const struct timing *timing = &timings->list[i];
        uint32_t function = program->functions.v[timing->function].function;
        const struct ir_function *fn = &program->module->functions.v[function];
        if (timing->inst >= fn->insts.n)
            continue;
        uint32_t class = fn->insts.v[timing->inst].class;
        bool may = timing->acquires;
        for (size_t k = 0; k < sizeof classes && !may; k++)
            may = class == classes[k];
        if (class == CLASS_BARRIER)
            may |= ir_has_modifier(program->module, fn, timing->inst, W_cluster);
        if (may)
            bits_set(acquires, i);
    }
    return acquires;
}

// Sets how each instruction is captured, and whether it ends a capture.
static void set_kinds(struct machine *machine)
{
    struct timings *timings = machine_timings(machine);
    const struct program *program = machine_port(machine).program;
    for (uint32_t code = 0; code < program->codes.n; code++) {
        struct timing *timing = &timings->list[timings->of[code]];
        bool first = !code || timings->of[code - 1] != timings->of[code];
        if (!first)
            continue;
        timing->kind = (uint8_t)shadow_kind(&program->codes.v[code]);
        timing->ends_capture = ends_chain(program, timing);
    }
}

static bool scalar_is_at_hand(const struct machine *machine, const struct oq_template *template,
                              uint32_t function)
{
    const struct program *program = machine_port(machine).program;
    const struct program_function *fn = &program->functions.v[function];
    if (template->scalar.inst == IR_NONE)
        return true;
    uint32_t code = fn->begin;
    while (code < fn->end && program->codes.v[code].inst != template->scalar.inst)
        code++;
    uint32_t first = code;
    while (code < fn->end && !program->codes.v[code].counted)
        code++;
    if (code == fn->end || template->scalar.use >= program->codes.v[code].source_count)
        return false;
    for (uint32_t i = first; i < code; i++) // a preceding conversion writes it
        if (program->codes.v[i].d == program->codes.v[code].s[template->scalar.use])
            return false;
    return true;
}

static const struct oq_template *make_templates(struct machine *machine,
                                                const struct offload_table *table)
{
    const struct program *program = machine_port(machine).program;
    struct oq_template *templates =
        ARENA_ARRAY(machine_port(machine).arena, struct oq_template, table->chains.n + 1);
    for (uint32_t i = 0; i < table->chains.n; i++) {
        const struct offload_chain *chain = &table->chains.v[i];
        const struct ir_function *fn =
            &program->module->functions.v[program->functions.v[chain->function].function];
        struct oq_template *to = &templates[i];
        to->sound = packet_of_chain(program->module, fn, chain->pattern, chain->inst, chain->count,
                                    &to->packet, &to->scalar) &&
                    scalar_is_at_hand(machine, to, chain->function);
    }
    return templates;
}

static const uint16_t *make_emn(struct machine *machine, const struct offload_config *config)
{
    const struct memsys_config *memsys = &machine_port(machine).config->memsys;
    const struct noc_config *network = &memsys->request_network;
    const struct config_list *at = &memsys->memory.partition_nodes;
    if (!offload_at_cores(machine_port(machine).config, config))
        return NULL;
    const struct placement *placement =
        placement_mesh(machine_port(machine).arena, network->width, network->height, at->v, at->n);
    return placement ? emn_tables(machine_port(machine).arena, placement, config->emn_at_llc)
                     : NULL;
}

// Hooks of the service queues

static struct core *core_of(struct machine_offload *o, uint32_t core)
{
    return machine_core(o->machine, core);
}

static struct oq_chain *chain_of(struct machine_offload *o, uint32_t core, uint32_t entry)
{
    const struct offload_queue *oq = o->shared.queues[core];
    return &oq->chains[oq->entries[entry].slot];
}

static const uint8_t *bits(void *context, uint32_t core, uint32_t entry, uint32_t *flits)
{
    struct machine_offload *o = context;
    const struct oqsr *at = &o->shared.queues[core]->entries[entry];
    *flits = at->flits;
    return at->bits;
}

static uint64_t fresh(void *context, uint32_t core, uint32_t entry, uint32_t which)
{
    const struct machine_offload *o = context;
    return o->shared.queues[core]->entries[entry].fresh[which];
}

static enum service_l1 read_l1(void *context, uint32_t endpoint, uint64_t line, uint64_t from,
                               uint64_t *ready)
{
    struct machine_offload *o = context;
    struct cache *l1 = core_l1(core_of(o, endpoint));
    uint64_t since = cache_since(l1, line);
    if (since == UINT64_MAX || since < from)
        return since < from ? SERVICE_L1_OLD : SERVICE_L1_ABSENT;
    switch (cache_read_directly(l1, machine_port(o->machine).now, line, ready)) {
    case CACHE_DIRECT_READ: return SERVICE_L1_READ;
    case CACHE_DIRECT_BUSY: return SERVICE_L1_BUSY;
    default: return SERVICE_L1_ABSENT;
    }
}

static void bring_to_l1(void *context, uint32_t endpoint, uint64_t now, uint64_t line,
                        uint64_t since)
{
    struct machine_offload *o = context;
    struct core *core = core_of(o, endpoint);
    struct cache *l1 = core_l1(core);
    if (cache_has(l1, line) || cache_waits(l1, line, true) || lsu_awaits_store(core, line) ||
        since < oq_fresh(o->shared.queues[endpoint], line))
        return;
    o->stats.l1_fills += cache_bring(l1, now, line, since);
}

static uint32_t site(void *context, uint32_t core, uint32_t entry, uint32_t which)
{
    const struct machine_offload *o = context;
    return o->shared.queues[core]->entries[entry].site[which];
}

static uint32_t latency(void *context, uint32_t core, uint32_t entry)
{
    struct machine_offload *o = context;
    uint32_t number = chain_of(o, core, entry)->number, sum = 1;
    const uint32_t *each = o->shared.latency + number * CHAIN_MAX;
    for (uint32_t i = 0; i < CHAIN_MAX; i++)
        if (!(o->shared.table->chains.v[number].copies >> i & 1))
            sum += each[i];
    return sum;
}

// Returns true if an ALU of the core was free in the previous cycle, the last that the core has
// completed.
static bool is_idle(void *context, uint32_t endpoint)
{
    struct machine_offload *o = context;
    return core_has_free_alu(core_of(o, endpoint), machine_port(o->machine).now);
}

static union lanes *operands_of(struct machine_offload *o, uint32_t endpoint, uint32_t entry)
{
    return &o->operands[((size_t)endpoint * o->shared.config->service_queue + entry) *
                        PACKET_LOADS];
}

static bool is_same(const union lanes *ours, const union lanes *theirs, uint8_t width,
                    uint32_t lanes)
{
    if (width == WIDTH_PREDICATE)
        return !((ours->mask ^ theirs->mask) & lanes);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t theirs_value = width == 4   ? theirs->u32[lane]
                                : width == 2 ? theirs->u16[lane]
                                             : theirs->u8[lane];
        uint32_t cut = width == 4 ? UINT32_MAX : (1u << 8 * width) - 1;
        if ((ours->u32[lane] & cut) != theirs_value)
            return false;
    }
    return true;
}

static void compare(struct machine_offload *o, uint32_t endpoint, const struct service_entry *entry,
                    const struct oq_chain *c)
{
    union lanes ours;
    uint8_t width = 4;
    uint32_t mask, lanes = entry->packet.mask;
    uint32_t number = (uint32_t)(entry - o->services[endpoint].entries);
    const union lanes *theirs = shadow_result(c->shadow, &width, &mask);
    if (!theirs || !entry->packet.op_count || width > 4)
        return;
    packet_compute(&entry->packet, operands_of(o, endpoint, number), &ours);
    o->stats.compared += (uint32_t)__builtin_popcount(lanes);
    struct fault *fault = machine_fault(o->machine);
    if (is_same(&ours, theirs, width, lanes) || fault->happened)
        return;
    fault->happened = true;
    snprintf(fault->text, sizeof fault->text,
             "a service queue computes different values than its core would (chain %u of the "
             "program)",
             c->number);
}

static void computed(void *context, uint32_t endpoint, const struct service_entry *entry)
{
    struct machine_offload *o = context;
    const struct oq_chain *c = chain_of(o, entry->core, entry->packet.entry);
    shadow_compute(c->shadow, entry->packet.mask);
    machine_note_progress(o->machine);
    if (o->shared.config->compare)
        compare(o, endpoint, entry, c);
}

// Values

static void keep_operand(struct machine_offload *o, uint32_t endpoint,
                         const struct service_entry *entry, uint32_t which, const struct warp *warp)
{
    uint32_t hint = 0, number = (uint32_t)(entry - o->services[endpoint].entries);
    const struct packet_operand *operand = &entry->packet.load[which];
    union lanes *to = operands_of(o, endpoint, number) + which;
    for (uint32_t rest = entry->packet.mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const void *bytes = image_at(warp->cta->launch->image, packet_address(operand, lane),
                                     operand->bytes, &hint);
        to->u32[lane] = bytes && operand->bytes <= 4 ? packet_load_value(operand, bytes) : 0;
    }
}

static void load_values(struct machine_offload *o, uint32_t endpoint,
                        const struct service_entry *entry, uint32_t which)
{
    const struct oq_chain *c = chain_of(o, entry->core, entry->packet.entry);
    struct held *held = lsu_held(core_of(o, entry->core), c->load[which]);
    if (o->shared.config->compare)
        keep_operand(o, endpoint, entry, which, held->warp);
    held_serve(held, entry->packet.mask);
}

static void read_here(void *context, uint32_t endpoint, const struct service_entry *entry,
                      uint32_t which)
{
    load_values(context, endpoint, entry, which);
}

static void store_values(struct machine_offload *o, const struct service_stored *stored)
{
    const struct offload_queue *oq = o->shared.queues[stored->core];
    const struct oqsr *at = &oq->entries[stored->entry];
    held_serve(lsu_held(oq->core, oq->chains[at->slot].store), at->lanes);
}

void machine_offload_serve(struct machine *machine, void *state,
                           const struct memsys_request *request)
{
    struct machine_offload *o = state;
    (void)machine;
    if (request->requester == o->shared.requester) { // a load that was sent on behalf of the core
        const struct offload_queue *oq = o->shared.queues[request->core];
        const struct oqsr *at = &oq->entries[request->tag / PACKET_LOADS];
        const struct oq_chain *c = &oq->chains[at->slot];
        held_serve(lsu_held(oq->core, c->load[request->tag % PACKET_LOADS]), at->lanes);
        return;
    }
    if (request->kind == MEMSYS_TOUCH)
        return;
    struct service *service = &o->services[request->core];
    if (service_is_store(request)) {
        store_values(o, service_stored_of(service, request->tag));
        return;
    }
    load_values(o, request->core, service_entry_of(service, request->tag),
                request->tag % SERVICE_TAGS);
    service_was_served(service, request->tag);
}

// The machine

// At a core, operands wait in shared memory, and the ALU reads them there.
static void init_energy(struct machine_offload *o)
{
    struct offload_stats *t = &o->stats;
    o->elsewhere = (struct service_energy){.entry_write = &t->service_write,
                                           .entry_read = &t->service_read,
                                           .line_write = &t->operand_write,
                                           .line_read = &t->operand_read,
                                           .buffer_write = &t->buffer_write,
                                           .buffer_read = &t->buffer_read,
                                           .alu_int = &t->alu_int,
                                           .alu_fp32 = &t->alu_fp32};
    o->at_cores = o->elsewhere;
    o->at_cores.line_write = &t->shared_write;
    o->at_cores.line_read = &t->shared_read;
    o->at_cores.buffer_write = o->at_cores.buffer_read = NULL;
}

static void init_services(struct machine_offload *o)
{
    struct machine *machine = o->machine;
    struct memsys *memsys = machine_port(machine).memsys;
    o->hooks = (struct service_hooks){o,       bits, fresh,   read_l1,   bring_to_l1,
                                      latency, site, is_idle, read_here, computed};
    o->services = ARENA_ARRAY(machine_port(machine).arena, struct service, o->ends);
    // Lanes are aligned to the host's cache lines, which the arena does not guarantee.
    const struct offload_config *config = o->shared.config;
    size_t operands = (size_t)o->ends * config->service_queue * PACKET_LOADS;
    uint8_t *bytes = arena_alloc(machine_port(machine).arena, operands * sizeof *o->operands + 64);
    o->operands = (union lanes *)(void *)(bytes + (-(uintptr_t)bytes & 63));
    struct offload_stats *t = &o->stats;
    o->service_stats = (struct service_stats){
        .lost = &t->service_lost,
        .merged = &t->merged,
        .l1_hits = &t->l1_hits,
        .l1_old = &t->l1_old,
        .buffer_full = &t->buffer_full,
        .operations = &t->alu_operations,
        .lanes = &t->alu_lanes,
        .contended = &t->alu_contended,
        .stores = &t->stores,
        .forwarded = &t->forwarded,
        .bounced = &t->bounced,
        .cycles = &t->service_cycles,
        .max = &t->service_most,
        .at = {[MEMSYS_AT_CORE] = &t->alu_at_cores, [MEMSYS_AT_ROUTER] = &t->alu_at_routers},
        .busy = {[MEMSYS_AT_PARTITION] = &t->alu_busy, [MEMSYS_AT_ROUTER] = &t->alu_busy_routers}};
    for (uint32_t i = 0; i < o->ends; i++) {
        struct service *s = &o->services[i];
        service_init(s, machine_port(machine).arena, config, memsys, i);
        s->hooks = &o->hooks;
        s->stats = &o->service_stats;
        s->energy = i < machine_port(machine).ordinary ? &o->at_cores : &o->elsewhere;
        s->log = &o->shared.log;
        s->back_requester = o->shared.requester;
        s->back_input = o->back_input;
        s->requester = (uint8_t)(o->shared.requester + 1);
        s->read_latency = machine_port(machine).config->core.shared_latency;
    }
}

static struct adaptive_chain *begin_chains(struct machine *machine,
                                           const struct offload_table *table, bool decides)
{
    struct adaptive_chain *chains =
        ARENA_ARRAY(machine_port(machine).arena, struct adaptive_chain, table->chains.n + 1);
    for (uint32_t i = 0; i < table->chains.n; i++)
        if (decides && table->chains.v[i].expected_saving < 0)
            adaptive_init_off(&chains[i]);
    return chains;
}

// Requires the machine's timings.
void *machine_offload_create(struct machine *machine, const void *own, const void *plan)
{
    const struct offload_config *config = own;
    const struct offload_table *table = plan;
    struct machine_offload *o = ARENA_NEW(machine_port(machine).arena, struct machine_offload);
    uint8_t scheme = scheme_mark_chains(machine, &llc_omni, table->kernels);
    *o = (struct machine_offload){.machine = machine};
    set_kinds(machine);
    o->shared = (struct offload_shared){
        .config = config,
        .table = table,
        .templates = make_templates(machine, table),
        .slots = &machine_port(machine).timings->used,
        .emn = make_emn(machine, config),
        .acquires = config->operands_in_l1 ? find_acquires(machine) : NULL,
        .llcs = machine_port(machine).config->memsys.memory.partition_nodes.n,
        .stats = &o->stats,
        .requester = (uint8_t)machine_requester(machine, &llc_omni),
        .scheme = scheme,
        .first_stall = machine_stall(machine, &llc_omni)};
    o->shared.queues = ARENA_ARRAY(machine_port(machine).arena, struct offload_queue *,
                                   machine_port(machine).ordinary);
    o->shared.chains = begin_chains(machine, table, config->policy == OFFLOAD_ADAPTIVE);
    o->shared.network = &machine_port(machine).config->memsys.request_network;
    o->shared.ways = oq_ways(o->shared.network, o->shared.emn != NULL, config->emn_at_llc);
    set_latencies(
        machine, o,
        ARENA_ARRAY(machine_port(machine).arena, uint32_t, (table->chains.n + 1) * CHAIN_MAX));
    return o;
}

void machine_offload_extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    struct machine_offload *o = state;
    o->back_input = MEMSYS_INPUTS + tables->inputs.n;
    vec_push(machine_port(machine).arena, &tables->inputs, (struct memsys_input){0});
}

void machine_offload_connect(struct machine *machine, void *state)
{
    struct machine_offload *o = state;
    o->ends = memsys_endpoint_count(machine_port(machine).memsys);
    // Endpoints of other schemes come last.
    while (memsys_kind_of_endpoint(machine_port(machine).memsys, o->ends - 1) == MEMSYS_OF_OWNER)
        o->ends--;
    init_energy(o);
    init_services(o);
    o->shared.services = o->services;
    if (o->shared.config->policy == OFFLOAD_ADAPTIVE)
        o->shared.prices = prices_new(machine_port(machine).arena, machine_port(machine).memsys,
                                      &machine_port(machine).config->memsys, o->services, o->ends);
}

// Returns the bytes of shared memory that the service queue of a core needs [000 §4.5].
static uint32_t service_bytes(const struct offload_config *config)
{
    return config->service_queue * PACKET_LOADS * LINE_BYTES;
}

// Returns true if the CTAs of all launches leave shared memory for the service queue of a core.
static bool has_room(const struct machine *machine, const struct offload_config *config)
{
    return machine_shared_bytes(machine) + service_bytes(config) <=
           machine_port(machine).config->core.shared_bytes;
}

// Returns true if the policy lets cores compute chains whose lines meet at them.
static bool wants_cores(const struct offload_shared *shared)
{
    enum offload_policy policy = shared->config->policy;
    return (policy == OFFLOAD_OMNI || policy == OFFLOAD_ADAPTIVE) && shared->emn;
}

void machine_offload_launch(struct machine *machine, void *state, bool begins)
{
    struct machine_offload *o = state;
    struct offload_shared *shared = &o->shared;
    enum offload_policy policy = shared->config->policy;
    if (!begins)
        return;
    shared->launched = machine_port(machine).now;
    shared->on = policy != OFFLOAD_BASELINE;
    shared->omni = policy == OFFLOAD_OMNI || policy == OFFLOAD_ADAPTIVE;
    shared->cores_compute = shared->omni && shared->emn && has_room(machine, shared->config);
    shared->omni &= shared->cores_compute || !shared->emn;
    o->stats.launches++;
    o->stats.launches_without_cores += wants_cores(shared) && !shared->cores_compute;
}

const char *machine_offload_shortfall(const struct machine *machine, const void *state,
                                      struct arena *arena)
{
    const struct machine_offload *o = state;
    uint32_t bytes = service_bytes(o->shared.config);
    uint32_t room = machine_port(machine).config->core.shared_bytes;
    if (wants_cores(&o->shared) && bytes > room)
        return arena_printf(arena,
                            "no core computes, since its service queue needs %u B of shared memory "
                            "(offload.service_queue), but core.shared_bytes is %u",
                            bytes, room);
    if (!o->stats.launches_without_cores)
        return NULL;
    return arena_printf(arena,
                        "no core computed in %llu of %llu launches, since their CTAs leave less "
                        "than the %u B of shared memory that its service queue needs",
                        (unsigned long long)o->stats.launches_without_cores,
                        (unsigned long long)o->stats.launches, bytes);
}

// Time

static void wake_service(struct machine_offload *o, uint64_t now, uint32_t endpoint)
{
    struct service *s = &o->services[endpoint];
    s->next = s->next > now ? now : s->next;
}

// Wakes service queues that have a packet or a reply at their endpoint.
static void wake_services(struct machine_offload *o, uint64_t now)
{
    const struct memsys *memsys = machine_port(o->machine).memsys;
    for (uint32_t w = machine_port(o->machine).ordinary / 64; w < bits_words(o->ends); w++)
        for (uint64_t rest = memsys_reply_endpoints(memsys, w); rest; rest &= rest - 1) {
            uint32_t endpoint = w * 64 + (uint32_t)__builtin_ctzll(rest);
            if (endpoint >= machine_port(o->machine).ordinary && endpoint < o->ends)
                wake_service(o, now, endpoint);
        }
    for (uint32_t w = 0; w < memsys_node_words(memsys); w++)
        for (uint64_t rest = memsys_packets(memsys, w); rest; rest &= rest - 1)
            wake_service(o, now,
                         memsys_endpoint_at(memsys, w * 64 + (uint32_t)__builtin_ctzll(rest)));
}

void machine_offload_tick(struct machine *machine, void *state)
{
    struct machine_offload *o = state;
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++)
        if (o->shared.queues[i]->adaptive.lessons.n)
            adaptive_teach(&o->shared.queues[i]->adaptive, o->shared.chains,
                           o->shared.prices && prices_limit(o->shared.prices));
    bool counts = o->shared.config->full_queue == OFFLOAD_FULL_CREDITS;
    for (uint32_t i = 0; counts && i < machine_port(machine).ordinary; i++)
        oq_promise(o->shared.queues[i]);
    if (o->shared.prices && o->shared.prices->next <= machine_port(machine).now)
        prices_update(o->shared.prices, machine_port(machine).now);
    wake_services(o, machine_port(machine).now);
    for (uint32_t i = 0; i < o->ends; i++) {
        struct service *s = &o->services[i];
        if (s->next <= machine_port(machine).now)
            service_tick(s, machine_port(machine).now);
    }
}

uint64_t machine_offload_next(const struct machine *machine, const void *state)
{
    const struct machine_offload *o = state;
    uint64_t next = o->shared.prices ? o->shared.prices->next : UINT64_MAX;
    (void)machine;
    for (uint32_t i = 0; i < o->ends; i++)
        next = o->services[i].next < next ? o->services[i].next : next;
    return next;
}

void machine_offload_settle(struct machine *machine, void *state)
{
    struct machine_offload *o = state;
    for (uint32_t i = 0; i < o->ends; i++)
        service_count(&o->services[i], machine_port(machine).now);
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++)
        oq_count(o->shared.queues[i], machine_port(machine).now);
}
