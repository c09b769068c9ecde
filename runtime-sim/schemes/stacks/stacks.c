// Construction of stacks, their requests, and the backend interface for slices.
#include "runtime-sim/schemes/stacks/stacks.h"
#include "runtime-sim/gpu/scheme/scheme.h"

const struct stat_key stack_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/stacks/stack_stats.def"
#define STATS_OF struct stack_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t stack_stat_key_count = ARRAY_LENGTH(stack_stat_keys);

// Lists

void stack_push(struct stacks *s, struct stack_list *list, uint32_t job)
{
    s->jobs[job].next = STACK_JOBS_NONE;
    if (list->count++)
        s->jobs[list->last].next = job;
    else
        list->first = job;
    list->last = job;
}

uint32_t stack_pop(struct stacks *s, struct stack_list *list)
{
    uint32_t job = list->first;
    list->first = s->jobs[job].next;
    list->count--;
    return job;
}

static void grow_jobs(struct stacks *s)
{
    uint32_t old = s->job_count, count = old ? 2 * old : 256;
    s->jobs = arena_grow(s->arena, s->jobs, old * sizeof *s->jobs, count * sizeof *s->jobs);
    for (uint32_t i = old; i < count; i++)
        s->jobs[i].next = i + 1 < count ? i + 1 : STACK_JOBS_NONE;
    s->unused = old;
    s->job_count = count;
}

uint32_t stack_new_job(struct stacks *s)
{
    if (s->unused == STACK_JOBS_NONE)
        grow_jobs(s);
    uint32_t job = s->unused;
    s->unused = s->jobs[job].next;
    s->jobs[job] = (struct stack_job){.next = STACK_JOBS_NONE};
    s->used++;
    return job;
}

void stack_free_job(struct stacks *s, uint32_t job)
{
    s->jobs[job].next = s->unused;
    s->unused = job;
    s->used--;
}

// Requests

static uint32_t flits_of(const struct stacks *s, uint64_t data)
{
    return stack_flits(s, s->config->header_bytes + data);
}

// Returns the bytes of data that a write carries: whole sectors.
static uint64_t written_bytes(const struct stacks *s, struct mask bytes)
{
    uint32_t sector = s->memsys_config->memory.sector_bytes;
    uint64_t sum = 0;
    for (uint32_t at = 0; at < s->memsys_config->llc.line_bytes; at += sector)
        sum += mask_intersects(mask_range(at, at + sector), bytes) ? sector : 0;
    return sum;
}

void stack_aim(struct stacks *s, struct stack_job *job, uint64_t address, struct mask bytes)
{
    uint32_t part = s->vault.request_bytes;
    uint64_t local = partition_local(&s->map, address);
    uint64_t line = s->memsys_config->llc.line_bytes;
    for (uint32_t at = 0; at < line; at += part)
        if (mask_intersects(mask_range(at, at + part), bytes))
            job->at[job->count++] = dram_map_find(&s->dram_map, local + at);
    job->vault = job->at[0].channel;
    job->left = job->count;
    job->flits = flits_of(s, job->write ? written_bytes(s, bytes) : 0);
    job->back = flits_of(s, job->write ? 0 : line);
}

static struct stack_vault *vault_of(const struct stacks *s, const struct stack_job *job)
{
    return &s->stacks[job->stack].vaults[job->vault];
}

bool stack_has_room(const struct stacks *s, const struct stack_job *job)
{
    return vault_of(s, job)->reserved[stack_side(job)] < s->config->vault_queue;
}

void stack_reserve(struct stacks *s, const struct stack_job *job)
{
    vault_of(s, job)->reserved[stack_side(job)]++;
}

static void be_due(struct stacks *s, uint64_t now)
{
    now = now > s->ticked ? now : s->ticked;
    s->due = now < s->due ? now : s->due;
}

// Backend of the slices

static void *create_slice(void *context, struct arena *arena, const struct memsys_config *config,
                          uint32_t partition)
{
    struct stacks *s = context;
    (void)arena;
    (void)config;
    return &s->ports[partition];
}

static uint64_t address_of(const struct stack_port *p, const struct memsys_piece *piece)
{
    const struct stacks *s = p->of;
    return partition_address(&s->slices, p->number, piece->line * s->memsys_config->llc.line_bytes);
}

static bool can_accept(const void *backend, const struct memsys_piece *piece)
{
    const struct stack_port *p = backend;
    if (p->of->from_cpu)
        return p->to_cpu.count < p->of->config->port_queue;
    return p->to[stacks_of(p->of, address_of(p, piece))].count < p->of->config->port_queue;
}

static void accept_piece(void *backend, uint64_t now, const struct memsys_piece *piece)
{
    struct stack_port *p = backend;
    struct stacks *s = p->of;
    uint64_t address = address_of(p, piece);
    uint32_t index = stack_new_job(s), stack = stacks_of(s, address);
    struct stack_job *job = &s->jobs[index];
    job->piece = *piece;
    job->piece.taken = job->piece.queued = now;
    job->kind = JOB_SLICE;
    job->stack = (uint8_t)stack;
    job->from = (uint8_t)p->number;
    job->write = piece->write;
    job->ready = now;
    stack_aim(s, job, address, piece->bytes);
    stack_push(s, s->from_cpu ? &p->to_cpu : &p->to[stack], index);
    be_due(s, now);
}

static const struct memsys_piece *peek(void *backend, uint64_t now)
{
    struct stack_port *p = backend;
    if (!p->done.count)
        return NULL;
    const struct stack_job *first = &p->of->jobs[p->done.first];
    return first->ready <= now ? &first->piece : NULL;
}

static void pop(void *backend, uint64_t now)
{
    struct stack_port *p = backend;
    (void)now;
    stack_free_job(p->of, stack_pop(p->of, &p->done));
}

static void tick(void *backend, uint64_t now)
{
    struct stacks *s = ((struct stack_port *)backend)->of;
    if (s->due <= now)
        stack_tick(s, now);
}

static uint64_t next(const void *backend)
{
    return ((const struct stack_port *)backend)->of->due;
}

static uint64_t ready(const void *backend)
{
    const struct stack_port *p = backend;
    return p->done.count ? p->of->jobs[p->done.first].ready : UINT64_MAX;
}

// Counts the requests of all slices. Callers only wait until the count is 0, so the slice does not
// matter.
static uint32_t inside(const void *backend)
{
    return ((const struct stack_port *)backend)->of->used;
}

// Assigns all vaults to the first slice.
static struct dram_channel *vault_channel(void *backend, uint32_t channel)
{
    const struct stack_port *p = backend;
    const struct stacks *s = p->of;
    if (p->number || channel >= s->count * s->vaults)
        return NULL;
    return &s->stacks[channel / s->vaults].vaults[channel % s->vaults].channel;
}

// SMs

// Returns the number of requests of the own SM that wait in a queue or for a translation.
static uint32_t waiting_of(const struct stack *stack, uint32_t stacks)
{
    uint32_t count = stack->untranslated;
    for (uint32_t i = 0; i < stacks; i++)
        count += stack->sm[i].count;
    return count;
}

bool stacks_can_send(void *context, const struct memsys_request *request)
{
    const struct stack_sm *sm = context;
    (void)request;
    return waiting_of(&sm->stacks->stacks[sm->stack], sm->stacks->count) <
           sm->stacks->config->port_queue;
}

// Returns true for code, constants and parameters, of which each stack has a copy.
static bool is_copied(const struct memsys_request *request)
{
    return request->requester == REQUESTER_CODE || request->requester == REQUESTER_CONSTANT;
}

// Translation

static void read_table(struct stacks *s, uint32_t from, uint32_t walk, uint64_t now)
{
    struct stack *stack = &s->stacks[from];
    uint64_t address = tlb_table(&stack->tlb, walk);
    uint32_t index = stack_new_job(s), to = stacks_of(s, address);
    s->jobs[index] = (struct stack_job){.kind = JOB_WALK,
                                        .stack = (uint8_t)to,
                                        .from = (uint8_t)from,
                                        .packet = walk,
                                        .ready = now};
    uint32_t offset = (uint32_t)(address % s->memsys_config->llc.line_bytes);
    stack_aim(s, &s->jobs[index], address - offset, mask_range(offset, offset + 8));
    memsys_count_past(s->memsys, &(struct memsys_request){.site = 0}, s->jobs[index].count, false);
    stack->stats.tlb_remote += to != from;
    stack_push(s, &stack->sm[to], index);
}

// Enqueues the request, or lets it wait for a walk if its page misses in the TLB.
static void translate(struct stacks *s, uint32_t from, uint32_t index, uint64_t address,
                      uint64_t now)
{
    struct stack *stack = &s->stacks[from];
    uint64_t page = tlb_page(&stack->tlb, address);
    if (tlb_has(&stack->tlb, page)) {
        stack->stats.tlb_hits++;
        stack_push(s, &stack->sm[s->jobs[index].stack], index);
        return;
    }
    uint32_t walk = tlb_walk_of(&stack->tlb, page);
    stack->stats.tlb_misses++;
    stack->untranslated++;
    if (walk == TLB_NONE) {
        stack->stats.tlb_walks++;
        walk = tlb_begin(&stack->tlb, s->arena, page);
        read_table(s, from, walk, now);
    }
    struct tlb_walk *at = &stack->tlb.walks[walk];
    s->jobs[index].next = STACK_JOBS_NONE;
    if (at->first == TLB_NONE)
        at->first = index;
    else
        s->jobs[at->last].next = index;
    at->last = index;
}

void stack_end_read(struct stacks *s, uint32_t index, uint64_t now)
{
    uint32_t from = s->jobs[index].from, walk = s->jobs[index].packet;
    struct stack *stack = &s->stacks[from];
    stack_free_job(s, index);
    if (tlb_step(&stack->tlb, walk)) {
        read_table(s, from, walk, now);
        return;
    }
    for (uint32_t job = stack->tlb.walks[walk].first, next; job != TLB_NONE; job = next) {
        next = s->jobs[job].next;
        s->jobs[job].ready = now;
        stack->untranslated--;
        stack_push(s, &stack->sm[s->jobs[job].stack], job);
    }
}

void stacks_send(void *context, uint32_t entry, const struct memsys_request *request)
{
    const struct stack_sm *sm = context;
    struct stacks *s = sm->stacks;
    uint64_t now = memsys_look_again(s->memsys);
    uint64_t address = request->line * s->memsys_config->llc.line_bytes;
    bool local = s->all_local || is_copied(request);
    uint32_t index = stack_new_job(s), stack = local ? sm->stack : stacks_of(s, address);
    struct stack_job *job = &s->jobs[index];
    job->kind = JOB_SM;
    job->piece.entry = entry;
    job->stack = (uint8_t)stack;
    job->from = (uint8_t)sm->stack;
    job->write = request->kind == MEMSYS_WRITE || request->kind == MEMSYS_REDUCE;
    job->ready = now;
    stack_aim(s, job, address,
              job->write ? request->bytes : mask_range(0, s->memsys_config->llc.line_bytes));
    memsys_count_past(s->memsys, request, job->count, job->write);
    s->stacks[sm->stack].stats.copied += is_copied(request);
    if (!local && s->config->tlb_entries)
        translate(s, sm->stack, index, address, now);
    else
        stack_push(s, &s->stacks[sm->stack].sm[stack], index);
    be_due(s, now);
}

// Packets of blocks

static void send_packet(struct stacks *s, uint64_t now, uint32_t stack, uint32_t packet,
                        uint32_t flits, uint32_t listed, struct stack_list *list)
{
    uint32_t index = stack_new_job(s);
    s->jobs[index] = (struct stack_job){.kind = JOB_PACKET,
                                        .stack = (uint8_t)stack,
                                        .packet = packet,
                                        .flits = flits,
                                        .back = flits,
                                        .listed = listed,
                                        .ready = now};
    stack_push(s, list, index);
    memsys_expect(s->memsys);
    be_due(s, now);
}

void stacks_send_packet(struct stacks *s, uint64_t now, uint32_t stack, uint32_t packet,
                        uint32_t flits)
{
    send_packet(s, now, stack, packet, flits, 0, &s->stacks[stack].packets);
}

void stacks_send_back(struct stacks *s, uint64_t now, uint32_t stack, uint32_t packet,
                      uint32_t flits, uint32_t listed)
{
    send_packet(s, now, stack, packet, flits, listed, &s->stacks[stack].rx_queue);
}

static bool pop_packet(struct stacks *s, struct stack_list *list, uint32_t *packet)
{
    if (!list->count)
        return false;
    uint32_t job = stack_pop(s, list);
    *packet = s->jobs[job].packet;
    stack_free_job(s, job);
    return true;
}

bool stacks_pop_arrived(struct stacks *s, uint32_t stack, uint32_t *packet)
{
    return pop_packet(s, &s->stacks[stack].arrived, packet);
}

bool stacks_pop_returned(struct stacks *s, uint32_t *packet)
{
    return pop_packet(s, &s->at_gpu, packet);
}

bool stacks_have_arrivals(const struct stacks *s)
{
    bool any = s->at_gpu.count;
    for (uint32_t i = 0; i < s->count; i++)
        any |= s->stacks[i].arrived.count > 0;
    return any;
}

// Statistics

// Returns the bits that a link can carry in this many clocks.
static uint64_t link_bits(const struct stacks *s, uint64_t gbps, uint64_t clocks)
{
    return clocks * gbps * 8000 / s->config->clock;
}

static void count_energy(const struct stacks *s, struct stack *stack, uint64_t clocks)
{
    struct stack_stats *stats = &stack->stats;
    uint64_t flits = stats->tx_request + stats->tx_offload + stats->rx_reply + stats->rx_ack +
                     stats->rx_coherence + stats->cross;
    uint64_t max = 2 * link_bits(s, s->config->link_gbps, clocks) +
                   (s->count - 1) * link_bits(s, s->config->cross_gbps, clocks);
    stats->offchip_link = flits * s->config->flit_bytes * 8;
    // Flits are counted when sent, so they can exceed the capacity up to this clock.
    stats->offchip_link_idle = max > stats->offchip_link ? max - stats->offchip_link : 0;
    stats->stack_row_activate = stats->stack_row_read = 0;
    for (uint32_t i = 0; i < s->vaults; i++) {
        const struct dram_stats *vault = &stack->vaults[i].channel.stats;
        stats->stack_row_activate += vault->activates;
        stats->stack_row_read += (vault->reads + vault->writes) * s->vault.request_bytes * 8;
    }
}

void stacks_settle(struct stacks *s, uint64_t now)
{
    s->total = (struct stack_stats){0};
    for (uint32_t i = 0; i < s->count; i++) {
        count_energy(s, &s->stacks[i], now);
        stats_accumulate(&s->total, &s->stacks[i].stats, stack_stat_keys, stack_stat_key_count);
    }
}

// Construction

// Returns the bandwidth of all vaults of a stack in GB/s.
static uint64_t peak_of(const struct dram_config *dram)
{
    return (uint64_t)dram->channels * dram->clock * dram->request_bytes / dram->burst / 1000;
}

static struct partition_range stack_range(const struct stack_config *config)
{
    return (struct partition_range){.last = UINT64_MAX,
                                    .rule = config->rule == STACK_XOR ? PARTITION_XOR
                                                                      : PARTITION_MODULO,
                                    .count = config->stacks,
                                    .chunk = config->chunk};
}

const char *stacks_check(struct arena *arena, const struct stack_config *config,
                         const struct memsys_config *memsys)
{
    const struct dram_config *dram = &memsys->dram;
    struct partition_range range = stack_range(config);
    uint64_t line = memsys->llc.line_bytes;
    if (memsys->memory.channel_slices > 1)
        return "memory stacks need memory.channel_slices: 1, because each slice has a link to the "
               "stacks";
    if (config->clock % dram->clock)
        return "stack.clock is not a multiple of dram.clock";
    if (!partition_is_good(&range))
        return "stack.rule: xor needs a power of two as the number of stacks";
    if (config->chunk % line || dram->channel_bytes % line)
        return "stack.chunk and dram.channel_bytes must be multiples of llc.line_bytes";
    if (dram->request_bytes > line || line > 2 * dram->request_bytes)
        return "llc.line_bytes must be one or two dram.request_bytes";
    if (config->internal_gbps > peak_of(dram) || peak_of(dram) % config->internal_gbps)
        return arena_printf(arena,
                            "stack.internal_gbps is %u, but the vaults of a stack have %llu GB/s: "
                            "it must be a divisor of that",
                            config->internal_gbps, (unsigned long long)peak_of(dram));
    return NULL;
}

static void init_stack(struct stacks *s, struct stack *stack)
{
    const struct stack_config *c = s->config;
    *stack = (struct stack){.sm_end = MEMSYS_NONE};
    stack_link_init(&stack->tx, c->link_gbps, c->clock, c->flit_bytes, c->link_latency);
    stack_link_init(&stack->rx, c->link_gbps, c->clock, c->flit_bytes, c->link_latency);
    for (uint32_t i = 0; i < s->count; i++)
        stack_link_init(&stack->cross[i], c->cross_gbps, c->clock, c->flit_bytes, c->cross_latency);
    tlb_init(&stack->tlb, s->arena, c->tlb_entries, c->tlb_page * 1024, c->tlb_reads);
    stack->vaults = ARENA_ARRAY(s->arena, struct stack_vault, s->vaults);
    for (uint32_t i = 0; i < s->vaults; i++)
        dram_init(&stack->vaults[i].channel, s->arena, &s->vault);
}

struct stacks *stacks_new(struct arena *arena, const struct stack_config *config,
                          const struct memsys_config *memsys)
{
    struct stacks *s = ARENA_NEW(arena, struct stacks);
    struct partition_range range = stack_range(config);
    uint64_t slower = peak_of(&memsys->dram) / config->internal_gbps;
    *s = (struct stacks){.config = config,
                         .memsys_config = memsys,
                         .arena = arena,
                         .vault = memsys->dram,
                         .ratio = config->clock / memsys->dram.clock,
                         .count = config->stacks,
                         .vaults = memsys->dram.channels,
                         .port_count = memsys->memory.partition_nodes.n,
                         .unused = STACK_JOBS_NONE,
                         .due = UINT64_MAX};
    s->backend = (struct memsys_backend){.clock = config->clock,
                                         .piece_bytes = memsys->llc.line_bytes,
                                         .is_shared = true,
                                         .create = create_slice,
                                         .context = s,
                                         .can_accept = can_accept,
                                         .accept = accept_piece,
                                         .peek = peek,
                                         .pop = pop,
                                         .tick = tick,
                                         .next = next,
                                         .ready = ready,
                                         .inside = inside,
                                         .dram_channel = vault_channel};
    s->vault.burst *= slower;
    s->vault.tCCD = s->vault.tCCD > s->vault.burst ? s->vault.tCCD : s->vault.burst;
    s->slices = (struct partition_range){.last = UINT64_MAX,
                                         .rule = (enum partition_rule)memsys->memory.rule,
                                         .count = s->port_count,
                                         .chunk = memsys->memory.chunk};
    dram_map_init(&s->dram_map, &s->vault);
    partition_init(&s->map, arena, &range);
    s->stacks = ARENA_ARRAY(arena, struct stack, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        init_stack(s, &s->stacks[i]);
    s->ports = ARENA_ARRAY(arena, struct stack_port, s->port_count);
    for (uint32_t i = 0; i < s->port_count; i++)
        s->ports[i] = (struct stack_port){.of = s, .number = i};
    return s;
}
