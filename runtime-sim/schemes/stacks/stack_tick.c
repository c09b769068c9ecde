// Evaluates a clock of the stacks: arrivals, then vaults, then sending on links.
#include "runtime-sim/schemes/stacks/stacks.h"
#include "support/bits.h"

static struct stack_job *first_of(const struct stacks *s, const struct stack_list *list)
{
    return list->count ? &s->jobs[list->first] : NULL;
}

// Returns true if the first job of a list is ready.
static bool has_come(const struct stacks *s, const struct stack_list *list, uint64_t now)
{
    const struct stack_job *job = first_of(s, list);
    return job && job->ready <= now;
}

// Vaults

static void complete(struct stacks *s, struct stack *stack, uint32_t index, uint64_t now)
{
    struct stack_job *job = &s->jobs[index];
    uint8_t here = job->stack;
    job->ready = now;
    job->piece.done = now;
    if (job->kind == JOB_SLICE) {
        *(job->write ? &stack->stats.writes : &stack->stats.reads) += 1;
        stack_push(s, &stack->rx_queue, index);
    } else if (job->kind == JOB_SM && !memsys_serve_past(s->memsys, job->piece.entry)) {
        stack_push(s, &stack->late, index);
    } else if (job->from == here) {
        stack->stats.local++;
        job->ready = now + s->config->switch_latency;
        stack_push(s, &stack->inside, index);
    } else {
        stack->stats.remote++;
        stack_push(s, &stack->to_cross[job->from], index);
    }
}

// Passes the DRAM requests of a side's oldest job to the DRAM controller.
static void ask_vault(struct stacks *s, struct stack_vault *vault, uint32_t side, uint64_t clock)
{
    struct stack_list *list = &vault->waiting[side];
    struct stack_job *job = first_of(s, list);
    while (job->asked < job->count && dram_can_accept(&vault->channel, job->write)) {
        const struct dram_coordinates *at = &job->at[job->asked++];
        struct dram_request request = {
            .id = list->first, .bank = at->bank, .row = at->row, .write = job->write};
        dram_accept(&vault->channel, clock, clock, &request);
    }
    if (job->asked < job->count)
        return;
    stack_pop(s, list);
    vault->reserved[side]--;
    vault->turn = !side;
}

static void tick_vault(struct stacks *s, struct stack *stack, uint32_t number, uint64_t now)
{
    struct stack_vault *vault = &stack->vaults[number];
    uint64_t clock = now / s->ratio;
    const struct dram_reply *reply;
    uint32_t side = vault->waiting[vault->turn].count ? vault->turn : !vault->turn;
    if (vault->waiting[side].count)
        ask_vault(s, vault, side, clock);
    if (vault->channel.next <= clock)
        dram_tick(&vault->channel, clock);
    while ((reply = dram_peek(&vault->channel, clock))) {
        uint32_t index = (uint32_t)reply->id;
        dram_pop(&vault->channel, clock);
        if (!--s->jobs[index].left)
            complete(s, stack, index, now);
    }
    bool works = vault->waiting[0].count || vault->waiting[1].count ||
                 dram_inside(&vault->channel) || s->vault.tREFI;
    if (!works)
        stack->busy &= ~(UINT64_C(1) << number);
}

void stack_tick_vaults(struct stacks *s, struct stack *stack, uint64_t now)
{
    BITS_EACH (number, &stack->busy, s->vaults)
        tick_vault(s, stack, number, now);
}

// Returns the next clock with work, in vault clocks.
static uint64_t vault_next(const struct stack_vault *vault, uint64_t clock)
{
    const struct dram_channel *channel = &vault->channel;
    uint64_t next = channel->next;
    if (channel->reply_count)
        next = smaller(next, channel->answers[channel->reply_head].ready);
    if ((vault->waiting[0].count || vault->waiting[1].count) && dram_can_accept(channel, true) &&
        dram_can_accept(channel, false))
        next = smaller(next, clock + 1);
    return next > clock ? next : clock + 1;
}

uint64_t stack_vaults_next(const struct stacks *s, const struct stack *stack, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    BITS_EACH (number, &stack->busy, s->vaults)
        next = smaller(next, vault_next(&stack->vaults[number], now / s->ratio));
    return next == UINT64_MAX ? next : next * s->ratio;
}

// Arrivals

static void enter_vault(struct stacks *s, uint32_t index)
{
    const struct stack_job *job = &s->jobs[index];
    struct stack *stack = &s->stacks[job->stack];
    stack_push(s, &stack->vaults[job->vault].waiting[stack_side(job)], index);
    stack->busy |= UINT64_C(1) << job->vault;
}

static void reply_to_sm(struct stacks *s, uint32_t index, uint64_t now)
{
    if (s->jobs[index].kind == JOB_WALK) {
        stack_end_read(s, index, now);
        return;
    }
    memsys_reply_past(s->memsys, s->jobs[index].piece.entry);
    stack_free_job(s, index);
}

static void accept_tx(struct stacks *s, struct stack *stack, uint64_t now)
{
    while (has_come(s, &stack->tx_wire, now)) {
        uint32_t index = stack_pop(s, &stack->tx_wire);
        if (s->jobs[index].kind != JOB_PACKET) {
            s->jobs[index].piece.queued = now;
            enter_vault(s, index);
            continue;
        }
        stack_push(s, &stack->arrived, index);
        memsys_notify(s->memsys);
    }
}

static void reply_to_slice(struct stacks *s, uint32_t index, uint64_t now)
{
    struct stack_job *job = &s->jobs[index];
    job->ready = now;
    if (job->write && job->piece.entry == MEMSYS_NONE)
        stack_free_job(s, index);
    else
        stack_push(s, &s->ports[job->from].done, index);
}

static void accept_rx(struct stacks *s, struct stack *stack, uint64_t now)
{
    while (has_come(s, &stack->rx_wire, now)) {
        uint32_t index = stack_pop(s, &stack->rx_wire);
        if (s->jobs[index].kind != JOB_PACKET) {
            reply_to_slice(s, index, now);
            continue;
        }
        stack_push(s, &s->at_gpu, index);
        memsys_notify(s->memsys);
    }
}

// Accepts requests to the vaults of other stacks and replies to their SMs, at the end of a link.
static void accept_cross(struct stacks *s, struct stack *from, uint64_t now)
{
    for (uint32_t i = 0; i < s->count; i++)
        while (has_come(s, &from->cross_wire[i], now)) {
            uint32_t index = stack_pop(s, &from->cross_wire[i]);
            if (s->jobs[index].left)
                enter_vault(s, index);
            else
                reply_to_sm(s, index, now);
        }
}

static void accept_replies(struct stacks *s, struct stack *stack, uint64_t now)
{
    for (uint32_t i = stack->late.count; i; i--)
        complete(s, stack, stack_pop(s, &stack->late), now);
    while (has_come(s, &stack->inside, now))
        reply_to_sm(s, stack_pop(s, &stack->inside), now);
}

// Links

// A link, the list of jobs on it, and its row in the trace.
struct link_row {
    struct stack_link *link;
    struct stack_list *wire;
    uint32_t stack, row;
};

static void put_on(struct stacks *s, struct link_row row, struct stack_list *from, uint64_t now,
                   uint32_t flits)
{
    uint32_t index = stack_pop(s, from);
    s->jobs[index].ready = stack_link_send(row.link, now, flits);
    if (s->trace)
        stack_trace_packet(s->trace, row.stack, row.row, row.link, &s->jobs[index], flits);
    stack_push(s, row.wire, index);
}

// Returns a list of jobs that wait for TX: requests of slice `number`, or packets of blocks if
// `number` is the number of slices.
static struct stack_list *tx_source(struct stacks *s, uint32_t stack, uint32_t number)
{
    return number < s->port_count ? &s->ports[number].to[stack] : &s->stacks[stack].packets;
}

static bool send_one_tx(struct stacks *s, uint32_t number, uint64_t now)
{
    struct stack *stack = &s->stacks[number];
    uint32_t sources = s->port_count + 1;
    for (uint32_t i = 0; i < sources; i++) {
        uint32_t source = (stack->turn + i) % sources;
        struct stack_list *list = tx_source(s, number, source);
        const struct stack_job *job = first_of(s, list);
        bool is_packet = source == s->port_count;
        if (!job || job->ready > now || (!is_packet && !stack_has_room(s, job)))
            continue;
        if (!is_packet)
            stack_reserve(s, job);
        *(is_packet ? &stack->stats.tx_offload : &stack->stats.tx_request) += job->flits;
        put_on(s, (struct link_row){&stack->tx, &stack->tx_wire, number, STACK_TX}, list, now,
               job->flits);
        stack->turn = (source + 1) % sources;
        return true;
    }
    return false;
}

static void send_rx(struct stacks *s, uint32_t number, uint64_t now)
{
    struct stack *stack = &s->stacks[number];
    while (stack_link_is_free(&stack->rx, now) && has_come(s, &stack->rx_queue, now)) {
        const struct stack_job *job = first_of(s, &stack->rx_queue);
        if (job->kind == JOB_PACKET) {
            stack->stats.rx_ack += job->flits - job->listed;
            stack->stats.rx_coherence += job->listed;
        } else {
            stack->stats.rx_reply += job->back;
        }
        put_on(s, (struct link_row){&stack->rx, &stack->rx_wire, number, STACK_RX},
               &stack->rx_queue, now, job->back);
    }
}

static void send_local(struct stacks *s, uint32_t number, uint64_t now)
{
    struct stack *stack = &s->stacks[number];
    struct stack_list *list = &stack->sm[number];
    while (has_come(s, list, now) && stack_has_room(s, first_of(s, list))) {
        uint32_t index = stack_pop(s, list);
        stack_reserve(s, &s->jobs[index]);
        s->jobs[index].ready = now + 1 + s->config->switch_latency;
        stack_push(s, &stack->cross_wire[number], index);
    }
}

// Sends replies before requests, since replies wait for nothing but the link.
static void send_cross(struct stacks *s, uint32_t number, uint32_t to, uint64_t now)
{
    struct stack *stack = &s->stacks[number];
    struct stack_link *link = &stack->cross[to];
    while (stack_link_is_free(link, now)) {
        struct stack_list *replies = &stack->to_cross[to], *requests = &stack->sm[to];
        bool replies_wait = has_come(s, replies, now);
        if (!replies_wait &&
            (!has_come(s, requests, now) || !stack_has_room(s, first_of(s, requests))))
            return;
        const struct stack_job *job = first_of(s, replies_wait ? replies : requests);
        uint32_t flits = replies_wait ? job->back : job->flits;
        if (!replies_wait)
            stack_reserve(s, job);
        stack->stats.cross += flits;
        put_on(s, (struct link_row){link, &stack->cross_wire[to], number, STACK_CROSS + to},
               replies_wait ? replies : requests, now, flits);
    }
}

// Sends requests to the CPU's memory, on one link for both directions.
static void send_cpu(struct stacks *s, uint64_t now)
{
    for (uint32_t i = 0; i < s->port_count; i++) {
        uint32_t number = (s->cpu_turn + i) % s->port_count;
        struct stack_list *list = &s->ports[number].to_cpu;
        if (!stack_link_is_free(&s->pcie, now))
            return;
        if (!has_come(s, list, now))
            continue;
        const struct stack_job *job = first_of(s, list);
        put_on(s, (struct link_row){&s->pcie, &s->cpu, s->count, STACK_TX}, list, now,
               job->write ? job->flits : job->back);
        s->cpu_turn = number + 1;
    }
}

static uint32_t sm_waiting(const struct stacks *s, const struct stack *stack)
{
    uint32_t count = stack->untranslated;
    for (uint32_t i = 0; i < s->count; i++)
        count += stack->sm[i].count;
    return count;
}

static void send_of_sm(struct stacks *s, uint32_t number, uint64_t now)
{
    struct stack *stack = &s->stacks[number];
    uint32_t before = sm_waiting(s, stack);
    send_local(s, number, now);
    for (uint32_t i = 0; i < s->count; i++)
        if (i != number)
            send_cross(s, number, i, now);
    if (sm_waiting(s, stack) < before)
        memsys_make_room_past(s->memsys, stack->sm_end);
}

// Time

static uint64_t when(const struct stacks *s, const struct stack_list *list)
{
    return list->count ? s->jobs[list->first].ready : UINT64_MAX;
}

static uint64_t sending(const struct stack_list *list, const struct stack_link *link, uint64_t now)
{
    return list->count ? stack_link_next(link, now + 1) : UINT64_MAX;
}

static uint64_t stack_next(struct stacks *s, uint32_t number, uint64_t now)
{
    const struct stack *stack = &s->stacks[number];
    uint64_t next = stack_vaults_next(s, stack, now);
    next = smaller(next, smaller(when(s, &stack->tx_wire), when(s, &stack->rx_wire)));
    next =
        smaller(next, smaller(when(s, &stack->inside), sending(&stack->rx_queue, &stack->rx, now)));
    for (uint32_t i = 0; i <= s->port_count; i++)
        next = smaller(next, sending(tx_source(s, number, i), &stack->tx, now));
    for (uint32_t i = 0; i < s->count; i++) {
        next = smaller(next, when(s, &stack->cross_wire[i]));
        next = smaller(next, sending(&stack->to_cross[i], &stack->cross[i], now));
        next = smaller(next, sending(&stack->sm[i], &stack->cross[i], now));
    }
    if (stack->late.count)
        next = smaller(next, now + 1);
    return next > now ? next : now + 1;
}

void stack_tick(struct stacks *s, uint64_t now)
{
    s->ticked = now + 1;
    for (uint32_t i = 0; i < s->count; i++) {
        accept_tx(s, &s->stacks[i], now);
        accept_rx(s, &s->stacks[i], now);
        accept_cross(s, &s->stacks[i], now);
        accept_replies(s, &s->stacks[i], now);
    }
    while (has_come(s, &s->cpu, now))
        reply_to_slice(s, stack_pop(s, &s->cpu), now);
    for (uint32_t i = 0; i < s->count && now % s->ratio == 0; i++)
        stack_tick_vaults(s, &s->stacks[i], now);
    send_cpu(s, now);
    s->due = when(s, &s->cpu);
    for (uint32_t i = 0; i < s->port_count; i++)
        s->due = smaller(s->due, sending(&s->ports[i].to_cpu, &s->pcie, now));
    for (uint32_t i = 0; i < s->count; i++) {
        while (stack_link_is_free(&s->stacks[i].tx, now) && send_one_tx(s, i, now))
            continue;
        send_rx(s, i, now);
        send_of_sm(s, i, now);
    }
    for (uint32_t i = 0; i < s->count; i++)
        s->due = smaller(s->due, stack_next(s, i, now));
}
