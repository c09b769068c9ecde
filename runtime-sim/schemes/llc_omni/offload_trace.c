// Traces the events of chains (offload.h). A span is written when it ends, with all its arguments.
// Events are still tracked after the end of the trace's window, so that a span that begins in the
// window has the same arguments as in a complete trace.
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include <stdio.h>

// A chain of a warp slot, from its first load until the warp continues.
struct chain_span {
    bool open;
    uint32_t number;   // index in the table
    uint64_t since;    // cycle in which it began
    uint64_t formed;   // cycle in which it was formed or discarded; 0: neither yet
    uint32_t cta;      // linear number in the grid
    uint32_t warp;     // number in the CTA
    uint32_t lanes;    // set of lanes
    uint32_t packets;  // packets sent
    uint32_t bounced;  // packets whose loads were sent back
    uint32_t computed; // number of lanes of the other packets
    const char *why;   // reason for which the chain was discarded, or NULL
};

// A packet, from its creation to its reply, or to its last load.
struct packet_span {
    bool open;
    uint8_t back;         // number of loads sent back
    uint64_t since, left; // cycles in which it was made and entered the network
    uint32_t slot, number, lanes, endpoint, flits;
};

// A packet in an entry of a service queue.
struct service_span {
    const char *phase; // NULL: no phase
    uint64_t since;    // start of the phase
    uint32_t core, entry, number, lanes;
    uint32_t loads, asked, there;
    uint32_t stalled, lost; // counts in this phase
    bool stores;
};

struct offload_trace {
    struct machine *machine;
    struct machine_offload *offload;
    struct trace *to;
    struct offload_log before; // previous log
    uint32_t process;          // of the first service queue
    uint32_t warps, queue, service_queue;
    const char **names;                 // of chains, by number
    struct chain_span *chains;          // by core · warps + slot
    struct packet_span *packets;        // by core · queue + entry
    uint32_t *at;                       // service queue entry of each packet, indexed like packets
    struct service_span *service_spans; // by endpoint · (service_queue + 1) + entry; the last entry
                                        // is for the packet that is sent back
    uint64_t *named; // set of rows that have a name; row numbers see below
};

struct offload_event_data {
    uint64_t now;
    uint32_t endpoint, core, entry;
};

// Row numbers: warp slots and offload queue entries, in the order of chains and packets, then for
// each service queue its entries and a row for the packet that it sends back.

static uint32_t of_packets(const struct offload_trace *t)
{
    return machine_port(t->machine).ordinary * t->warps;
}

static uint32_t of_services(const struct offload_trace *t)
{
    return of_packets(t) + machine_port(t->machine).ordinary * t->queue;
}

static uint32_t row_count(const struct offload_trace *t)
{
    return of_services(t) + t->offload->ends * (t->service_queue + 1);
}

static bool is_first(struct offload_trace *t, uint32_t number)
{
    bool first = !bits_test(t->named, number);
    bits_set(t->named, number);
    return first;
}

// Returns a row of a core, which follows those of warp slots and of places for CTAs.
static struct trace_row core_row(struct offload_trace *t, uint32_t core, bool packets,
                                 uint32_t index)
{
    uint32_t slots = core_port(machine_core(t->machine, core)).words * 64;
    struct trace_row row = {core + 1, slots + CORE_CTAS + 1 + (packets ? slots : 0) + index};
    uint32_t number = packets ? of_packets(t) + core * t->queue + index : core * t->warps + index;
    if (is_first(t, number))
        trace_row(t->to, row, packets ? "offload queue entry" : "chain of slot", index);
    return row;
}

static const char *endpoint_name(const struct offload_trace *t, uint32_t end, uint32_t *number)
{
    static const char *const names[MEMSYS_END_KINDS] = {[MEMSYS_AT_CORE] = "core",
                                                        [MEMSYS_AT_PARTITION] = "partition",
                                                        [MEMSYS_AT_ROUTER] = "router"};
    const struct memsys *memsys = machine_port(t->machine).memsys;
    *number = memsys_endpoint_number(memsys, end);
    return names[memsys_kind_of_endpoint(memsys, end)];
}

static void name_service(struct offload_trace *t, uint32_t end)
{
    uint32_t number;
    char text[32];
    snprintf(text, sizeof text, "service queue of %s", endpoint_name(t, end, &number));
    trace_process(t->to, t->process + end, text, number);
}

// Returns a row of a service queue. `entry` is the number of an entry, or service_queue for the
// packet that is sent back.
static struct trace_row service_row(struct offload_trace *t, uint32_t end, uint32_t entry)
{
    uint32_t first = of_services(t) + end * (t->service_queue + 1);
    struct trace_row row = {t->process + end, entry + 1};
    bool any = false;
    for (uint32_t i = 0; i <= t->service_queue && !any; i++)
        any = bits_test(t->named, first + i);
    if (!any)
        name_service(t, end);
    if (!is_first(t, first + entry))
        return row;
    uint32_t number = entry;
    char text[32];
    snprintf(text, sizeof text, "sent back by %s", endpoint_name(t, end, &number));
    if (entry < t->service_queue)
        trace_row(t->to, row, "entry", entry);
    else
        trace_row(t->to, row, text, number);
    return row;
}

static bool is_seen(const struct offload_trace *t, uint64_t since, uint64_t until)
{
    uint64_t begin = since * TRACE_MICROSECOND + t->to->origin;
    uint64_t end = until * TRACE_MICROSECOND + t->to->origin;
    return begin < t->to->until && end > t->to->from && since < until;
}

static void span(struct offload_trace *t, struct trace_row row, uint64_t since, uint64_t until,
                 const char *category, const char *name, const char *args)
{
    trace_span(t->to, row, since * TRACE_MICROSECOND, until * TRACE_MICROSECOND, category, name,
               args);
}

// Chains

static struct chain_span *chain_at(const struct offload_trace *t, uint32_t core, uint32_t slot)
{
    return &t->chains[core * t->warps + slot];
}

static const struct oq_chain *queue_chain(const struct offload_trace *t,
                                          const struct offload_event_data *data)
{
    return &t->offload->shared.queues[data->core]->chains[data->entry];
}

static void write_chain(struct offload_trace *t, uint32_t core, uint32_t slot, uint64_t until,
                        const char *outcome)
{
    const struct chain_span *c = chain_at(t, core, slot);
    char args[192];
    if (!is_seen(t, c->since, until))
        return;
    snprintf(args, sizeof args,
             "\"cta\":%u,\"warp\":%u,\"lanes\":%u,\"forming\":%llu,\"packets\":%u,\"computed\":%u,"
             "\"outcome\":\"%s\"%s%s%s",
             c->cta, c->warp, (uint32_t)__builtin_popcount(c->lanes),
             (unsigned long long)((c->formed ? c->formed : until) - c->since), c->packets,
             c->computed, outcome, c->why ? ",\"why\":\"" : "", c->why ? c->why : "",
             c->why ? "\"" : "");
    span(t, core_row(t, core, false, slot), c->since, until, "chain", t->names[c->number], args);
}

// Returns the name of the reason's statistic without `discarded_`.
static const char *reason_of(const struct offload_trace *t, const uint64_t *counter)
{
    const char *base = (const char *)t->offload->shared.stats;
    size_t offset = (size_t)((const char *)counter - base);
    uint32_t i = 0;
    while (offload_stat_keys[i].kind != STAT_COUNT || offload_stat_keys[i].offset != offset)
        i++;
    return offload_stat_keys[i].name + strlen("discarded_");
}

static void begin_chain(struct offload_trace *t, const struct offload_event_data *data)
{
    struct warp_slot_port slot = warp_slot_port(machine_core(t->machine, data->core), data->entry);
    const struct cta *cta = slot.warp->cta;
    *chain_at(t, data->core, data->entry) = (struct chain_span){
        .open = true,
        .number = timing_mark_of(slot.next, t->offload->shared.queues[data->core]->scheme)->plan,
        .since = data->now,
        .cta = cta->linear,
        .warp = (uint32_t)(slot.warp - cta->warps),
        .lanes = slot.mask};
}

// Writes the span of a refused chain: the cycle in which its first load was issued.
static void refuse_chain(struct offload_trace *t, const struct offload_event_data *data)
{
    begin_chain(t, data);
    struct chain_span *c = chain_at(t, data->core, data->entry);
    c->why = reason_of(t, queue_chain(t, data)->why);
    c->open = false;
    c->formed = data->now + 1;
    write_chain(t, data->core, data->entry, data->now + 1, "refused");
}

static void form_chain(struct offload_trace *t, const struct offload_event_data *data)
{
    chain_at(t, data->core, data->entry)->formed = data->now;
}

static void end_chain(struct offload_trace *t, const struct offload_event_data *data)
{
    struct chain_span *c = chain_at(t, data->core, data->entry);
    const struct oq_chain *from = queue_chain(t, data);
    c->open = false;
    c->lanes = from->sent ? from->mask : c->lanes;
    write_chain(t, data->core, data->entry, data->now,
                c->why       ? "discarded"
                : c->bounced ? "bounced"
                             : "computed");
}

// Ends the span of a discarded chain, unless the core first has to compute captured operations.
static void discard_chain(struct offload_trace *t, const struct offload_event_data *data)
{
    const struct oq_chain *from = queue_chain(t, data);
    struct chain_span *c = chain_at(t, data->core, data->entry);
    c->why = reason_of(t, from->why);
    c->formed = c->formed ? c->formed : data->now;
    if (!from->captured)
        end_chain(t, data);
}

// Packets

static void write_packet(struct offload_trace *t, uint32_t core, uint32_t entry, uint64_t until,
                         const char *outcome)
{
    const struct packet_span *p = &t->packets[core * t->queue + entry];
    uint32_t number;
    char args[160];
    if (!is_seen(t, p->since, until))
        return;
    const char *end = endpoint_name(t, p->endpoint, &number);
    snprintf(args, sizeof args,
             "\"slot\":%u,\"lanes\":%u,\"to\":\"%s %u\",\"flits\":%u,\"waiting\":%llu,"
             "\"outcome\":\"%s\"",
             p->slot, p->lanes, end, number, p->flits, (unsigned long long)(p->left - p->since),
             outcome);
    span(t, core_row(t, core, true, entry), p->since, until, "packet", t->names[p->number], args);
}

static void send_packet(struct offload_trace *t, const struct offload_event_data *data)
{
    const struct oqsr *entry = &t->offload->shared.queues[data->core]->entries[data->entry];
    struct chain_span *c = chain_at(t, data->core, entry->slot);
    c->packets++;
    t->packets[data->core * t->queue + data->entry] =
        (struct packet_span){.open = true,
                             .since = entry->sent,
                             .left = data->now,
                             .slot = entry->slot,
                             .number = c->number,
                             .lanes = (uint32_t)__builtin_popcount(entry->lanes),
                             .endpoint = entry->endpoint,
                             .flits = entry->flits};
}

static void trace_load(struct offload_trace *t, const struct offload_event_data *data)
{
    struct packet_span *p = &t->packets[data->core * t->queue + data->entry];
    if (++p->back < t->offload->shared.templates[p->number].packet.load_count)
        return;
    p->open = false;
    chain_at(t, data->core, p->slot)->bounced++;
    write_packet(t, data->core, data->entry, data->now, "bounced");
}

static void trace_reply(struct offload_trace *t, const struct offload_event_data *data)
{
    struct packet_span *p = &t->packets[data->core * t->queue + data->entry];
    p->open = false;
    chain_at(t, data->core, p->slot)->computed += p->lanes;
    write_packet(t, data->core, data->entry, data->now, "computed");
}

// Service queues

static struct service_span *service_span_at(const struct offload_trace *t, uint32_t end,
                                            uint32_t entry)
{
    return &t->service_spans[end * (t->service_queue + 1) + entry];
}

static struct service_span *service_span_of(const struct offload_trace *t,
                                            const struct offload_event_data *data)
{
    return service_span_at(t, data->endpoint, t->at[data->core * t->queue + data->entry]);
}

static void write_service_span(struct offload_trace *t, uint32_t end, uint32_t row, uint64_t until)
{
    const struct service_span *s = service_span_at(t, end, row);
    char args[224], times[32] = "";
    if (!is_seen(t, s->since, until))
        return;
    if (s->stalled || s->lost)
        snprintf(times, sizeof times, ",\"%s\":%u", s->stalled ? "stalled" : "lost",
                 s->stalled ? s->stalled : s->lost);
    snprintf(args, sizeof args, "\"chain\":\"%s\",\"core\":%u,\"entry\":%u,\"lanes\":%u%s",
             t->names[s->number], s->core, s->entry, s->lanes, times);
    span(t, service_row(t, end, row), s->since, until, "service", s->phase, args);
}

static void change_phase(struct offload_trace *t, const struct offload_event_data *data,
                         const char *phase)
{
    struct service_span *s = service_span_of(t, data);
    write_service_span(t, data->endpoint, t->at[data->core * t->queue + data->entry], data->now);
    s->phase = phase;
    s->since = data->now;
    s->stalled = s->lost = 0;
}

static struct service_span new_service_span(const struct offload_trace *t,
                                            const struct offload_event_data *data,
                                            const char *phase)
{
    const struct packet_span *p = &t->packets[data->core * t->queue + data->entry];
    const struct compute_packet *like = &t->offload->shared.templates[p->number].packet;
    return (struct service_span){.phase = phase,
                                 .since = data->now,
                                 .core = data->core,
                                 .entry = data->entry,
                                 .number = p->number,
                                 .lanes = p->lanes,
                                 .loads = like->load_count,
                                 .stores = like->has_store};
}

static const char ASKS[] = "asks", WAITS[] = "waits", READY[] = "ready", READS[] = "reads",
                  BUFFERED[] = "buffered", BOUNCES[] = "bounces", COMPUTES[] = "computes",
                  STORES[] = "stores", ANSWERS[] = "answers";

static void trace_entry(struct offload_trace *t, const struct offload_event_data *data)
{
    const struct service *service = &t->offload->services[data->endpoint];
    uint32_t i = 0;
    while (service->entries[i].stage == SERVICE_FREE || service->entries[i].core != data->core ||
           service->entries[i].packet.entry != data->entry)
        i++;
    t->at[data->core * t->queue + data->entry] = i;
    *service_span_at(t, data->endpoint, i) = new_service_span(t, data, ASKS);
}

// The packet gets no entry; its loads are sent on.
static void bounce(struct offload_trace *t, const struct offload_event_data *data)
{
    *service_span_at(t, data->endpoint, t->service_queue) = new_service_span(t, data, BOUNCES);
    write_service_span(t, data->endpoint, t->service_queue, data->now + 1);
}

static void ask_operand(struct offload_trace *t, const struct offload_event_data *data)
{
    struct service_span *s = service_span_of(t, data);
    if (++s->asked == s->loads)
        change_phase(t, data, s->there == s->loads ? READY : WAITS);
}

static void trace_operand(struct offload_trace *t, const struct offload_event_data *data)
{
    struct service_span *s = service_span_of(t, data);
    if (++s->there == s->loads && s->asked == s->loads)
        change_phase(t, data, READY);
}

static void stall(struct offload_trace *t, const struct offload_event_data *data)
{
    service_span_of(t, data)->stalled++;
}

static void lose(struct offload_trace *t, const struct offload_event_data *data)
{
    service_span_of(t, data)->lost++;
}

static void read_operands(struct offload_trace *t, const struct offload_event_data *data)
{
    change_phase(t, data, READS);
}

static void wait_for_alu(struct offload_trace *t, const struct offload_event_data *data)
{
    change_phase(t, data, BUFFERED);
}

static void compute(struct offload_trace *t, const struct offload_event_data *data)
{
    change_phase(t, data, COMPUTES);
}

static void end_computing(struct offload_trace *t, const struct offload_event_data *data)
{
    change_phase(t, data, service_span_of(t, data)->stores ? STORES : ANSWERS);
}

static void leave_entry(struct offload_trace *t, const struct offload_event_data *data)
{
    change_phase(t, data, NULL);
}

// Ends the stay of a packet without a store. With a store, the entry was freed when the store was
// sent, and the event is the forwarded acknowledgement.
static void end_reply(struct offload_trace *t, const struct offload_event_data *data)
{
    const struct packet_span *p = &t->packets[data->core * t->queue + data->entry];
    if (!t->offload->shared.templates[p->number].packet.has_store)
        leave_entry(t, data);
}

// Events

typedef void handler(struct offload_trace *t, const struct offload_event_data *data);

static void trace_event(void *context, uint64_t cycle, enum offload_event event, uint32_t end,
                        uint32_t core, uint32_t entry)
{
    static handler *const handlers[OFFLOAD_EVENTS] = {
        [OFFLOAD_BEGINS] = begin_chain,
        [OFFLOAD_FULL] = refuse_chain,
        [OFFLOAD_REFUSED] = refuse_chain,
        [OFFLOAD_FORMED] = form_chain,
        [OFFLOAD_DISCARDED] = discard_chain,
        [OFFLOAD_SENT] = send_packet,
        [OFFLOAD_LOAD_BACK] = trace_load,
        [OFFLOAD_ANSWER] = trace_reply,
        [OFFLOAD_ENDS] = end_chain,
        [OFFLOAD_ARRIVED] = trace_entry,
        [OFFLOAD_BOUNCED] = bounce,
        [OFFLOAD_ASKED] = ask_operand,
        [OFFLOAD_THERE] = trace_operand,
        [OFFLOAD_READS] = read_operands,
        [OFFLOAD_LOST] = lose,
        [OFFLOAD_BUFFERED] = wait_for_alu,
        [OFFLOAD_STALLED] = stall,
        [OFFLOAD_COMPUTES] = compute,
        [OFFLOAD_COMPUTED] = end_computing,
        [OFFLOAD_STORES] = leave_entry,
        [OFFLOAD_ANSWERS] = end_reply,
    };
    struct offload_trace *t = context;
    const struct offload_event_data data = {cycle, end, core, entry};
    offload_report(&t->before, cycle, event, end, core, entry);
    if (handlers[event])
        handlers[event](t, &data);
}

static const char **name_chains(struct machine *machine, const struct offload_table *table,
                                struct arena *arena)
{
    const struct ir_module *module = machine_port(machine).program->module;
    const char **names = ARENA_ARRAY(arena, const char *, table->chains.n);
    for (uint32_t i = 0; i < table->chains.n; i++) {
        const struct offload_chain *chain = &table->chains.v[i];
        uint32_t function = machine_port(machine).program->functions.v[chain->function].function;
        const struct name *name = tree_name(module->tree, module->functions.v[function].name);
        int max = (int)(name->length < 64 ? name->length : 64);
        names[i] = arena_printf(arena, "%.*s chain %u pattern %u", max, name->text, chain->id,
                                chain->pattern);
    }
    return names;
}

void *offload_begin_trace(struct machine *machine, void *state, struct arena *arena,
                          struct trace *to, uint32_t *process)
{
    struct machine_offload *offload = state;
    const struct offload_config *config = offload->shared.config;
    struct offload_trace *t = ARENA_NEW(arena, struct offload_trace);
    *t = (struct offload_trace){.machine = machine,
                                .offload = offload,
                                .to = to,
                                .before = offload->shared.log,
                                .process = *process,
                                .warps = machine_port(machine).config->core.warps,
                                .queue = config->queue,
                                .service_queue = config->service_queue,
                                .names = name_chains(machine, offload->shared.table, arena)};
    t->chains = ARENA_ARRAY(arena, struct chain_span, machine_port(machine).ordinary * t->warps);
    t->packets = ARENA_ARRAY(arena, struct packet_span, machine_port(machine).ordinary * t->queue);
    t->at = ARENA_ARRAY(arena, uint32_t, machine_port(machine).ordinary * t->queue);
    t->service_spans =
        ARENA_ARRAY(arena, struct service_span, offload->ends * (t->service_queue + 1));
    t->named = bits_new(arena, row_count(t));
    offload->shared.log = (struct offload_log){trace_event, t};
    *process += offload->ends;
    return t;
}

void offload_end_trace(void *trace, uint64_t now)
{
    struct offload_trace *t = trace;
    for (uint32_t i = 0; i < machine_port(t->machine).ordinary * t->warps; i++)
        if (t->chains[i].open)
            write_chain(t, i / t->warps, i % t->warps, now, "open");
    for (uint32_t i = 0; i < machine_port(t->machine).ordinary * t->queue; i++)
        if (t->packets[i].open)
            write_packet(t, i / t->queue, i % t->queue, now, "open");
    for (uint32_t i = 0; i < t->offload->ends; i++)
        for (uint32_t k = 0; k < t->service_queue; k++)
            if (service_span_at(t, i, k)->phase)
                write_service_span(t, i, k, now);
    t->offload->shared.log = t->before;
}
