#include "runtime-sim/base/trace.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/full_empty/full_empty.h"
#include "runtime-sim/schemes/full_empty/gate.h"
#include <inttypes.h>

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/full_empty/full_empty.def"
#define CONFIG_OF struct fe_config
#include "runtime-sim/base/config_keys.inc"
};

static const struct stat_key stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/full_empty/full_empty_stats.def"
#define STATS_OF struct fe_stats
#include "runtime-sim/base/stats_keys.inc"
};

enum { STAT_KEYS = ARRAY_LENGTH(stat_keys) };

// Message classes. The GPU's reads use row 0 of the memory system's table. Requests of one class
// never wait for those of another.
enum { CLASS_READS, CLASS_WRITES, CLASS_HOST, CLASS_HOST_TRIGGERED, CLASSES };

// Storage [001 §4.2] and energy

// Bits of a queued request without data: line (41), kind (2), trigger and action (4), number of the
// access (16), words.
enum { FE_REQUEST_BITS = 41 + 2 + 4 + 16 + PLANE_WORDS };

// Prints the storage in bytes, and the fraction of the DRAM that the bits use.
static void print_bytes(const struct fe_config *config, const struct machine_config *machine,
                        FILE *to)
{
    uint32_t partitions = machine->memsys.memory.partition_nodes.n;
    uint32_t queue = config->queue_depth * FE_REQUEST_BITS,
             data = config->queue_depth * PLANE_LINE * 8;
    const struct dram_config *dram = &machine->memsys.dram;
    uint64_t memory = (uint64_t)dram->channels * dram->banks * dram->rows * dram->row_bytes *
                      memsys_memories(&machine->memsys);
    fprintf(to, "%-40s %12.3f %%\n", "bits of memory, part of the DRAM",
            100.0 * (double)config->counter_bits / (8 * (double)config->granule));
    fprintf(to, "%-40s %12" PRIu64 " B\n", "bits of memory",
            memory * config->counter_bits / (8 * config->granule));
    fprintf(to, "%-40s %12u B at each of %u partitions\n", "two more queues, without data",
            2 * queue / 8, partitions);
    fprintf(to, "%-40s %12u B at each of %u partitions\n", "data of writes in one of them",
            data / 8, partitions);
    fprintf(to, "%-40s %12u B in each core\n", "words of a line that L1 has",
            machine->l1.sets * machine->l1.ways * (PLANE_WORDS - 1) / 8);
}

// Energy of full/empty bits, which are stored in the DRAM [001 §4.2], and of the two additional
// queues of a partition [001 §4.3].
static void add_energy(const void *own, const struct machine_config *machine,
                       struct energy_model *model)
{
    const struct fe_config *config = own;
    double partitions = machine->memsys.memory.partition_nodes.n;
    const struct array queue = {.entries = (double)config->queue_depth, .bits = FE_REQUEST_BITS};
    const struct array data = {.entries = (double)config->queue_depth, .bits = PLANE_LINE * 8};
    energy_add_structure(model, "full_empty", "queue of requests", queue, 2 * partitions, "");
    energy_add_structure(model, "full_empty", "data of writes", data, partitions, "");
    energy_add(model, "full_empty", "fe.fe_read", ENERGY_dram_read, 1);
    energy_add(model, "full_empty", "fe.fe_write", ENERGY_dram_write, 1);
}

// Configuration

static bool is_on(const void *own)
{
    return ((const struct fe_config *)own)->enabled;
}

static struct plane_kind fe_planes(const void *own)
{
    const struct fe_config *config = own;
    return (struct plane_kind){.initial =
                                   config->initial == FE_INITIAL_FULL ? PLANES_FULL : PLANES_EMPTY,
                               .bits = (uint8_t)config->counter_bits,
                               .discards = config->discard == FE_DISCARD_EMPTY};
}

static void require(struct arena *arena, const void *own, const struct machine_config *given,
                    struct machine_config *machine)
{
    struct memsys_config *memsys = &machine->memsys;
    (void)own;
    (void)given;
    memsys->named_reads = true;
    machine->l1.sector_bytes = PLANE_WORD;
    for (uint32_t i = 0; i < machine->added.n; i++)
        machine->added.v[i].l1.sector_bytes = PLANE_WORD;
    for (int i = CLASS_READS + 1; i < CLASSES; i++) {
        memsys_add_class(arena, &memsys->request_network, memsys->memory.request_class, 1, false);
        memsys_add_class(arena, &memsys->reply_network, memsys->memory.reply_class, 1, false);
    }
}

// Returns the virtual channels of a class.
static uint64_t class_vcs(const struct noc_config *network, uint64_t class)
{
    return network->class_vcs.n ? network->class_vcs.v[class] : network->vcs / network->classes;
}

static const char *check(struct arena *arena, const void *own, const struct machine_config *machine)
{
    const struct fe_config *config = own;
    const struct memsys_keys *memory = &machine->memsys.memory;
    if (config->granule & (config->granule - 1))
        return "fe.granule must be a power of two";
    if (memory->sector_replies)
        return "fe.enabled needs memory.sector_replies: false, because replies carry words";
    if (memory->sectors || memory->chunk % PLANE_LINE)
        return "fe.enabled needs memory.sectors: false, and memory.chunk to be a multiple of the "
               "line size";
    if (machine->l1.allocate_writes)
        return "fe.enabled needs l1.allocate_writes: false, because a load must not find words "
               "whose "
               "store has not reached the full/empty bits";
    if (class_vcs(&machine->memsys.request_network, memory->request_class) < CLASSES ||
        class_vcs(&machine->memsys.reply_network, memory->reply_class) < CLASSES)
        return arena_printf(
            arena, "fe.enabled needs %d virtual channels of requests and of replies", CLASSES);
    for (uint32_t i = 0; machine->schemes[i]; i++) {
        const struct scheme_ops *ops = machine->schemes[i];
        if (ops->memory.requester_count && machine_enables(machine, i) && !ops->memory.passes_gates)
            return arena_printf(arena, "fe.enabled: requests of '%s' bypass the full/empty bits",
                                ops->name);
    }
    return NULL;
}

static void print_storage(const void *own, const struct machine_config *machine, FILE *to)
{
    if (is_on(own))
        print_bytes(own, machine, to);
}

// The machine

struct fe_machine {
    const struct fe_config *config;
    struct machine *machine;
    struct fe_gate *gates;
    struct fe_gate past; // without queues, for requests that bypass the slices
    uint32_t count, running;
    uint8_t first; // message class of CLASS_WRITES
    struct memsys_gate table;
    struct fe_stats total;
};

static uint8_t message_of(void *context, const struct memsys_request *request)
{
    const struct fe_machine *fe = context;
    bool is_host = request->mark & PLANE_OF_HOST;
    uint32_t class = is_host && plane_trigger_of(request->mark) ? CLASS_HOST_TRIGGERED
                     : is_host                                  ? CLASS_HOST
                     : request->kind == MEMSYS_WRITE            ? CLASS_WRITES
                                                                : CLASS_READS;
    return class == CLASS_READS ? 0 : (uint8_t)(fe->first + class - CLASS_WRITES);
}

static bool has_room(const void *context, uint32_t partition, const struct memsys_request *request)
{
    const struct fe_machine *fe = context;
    return fe_gate_has_room(&fe->gates[partition], request);
}

static void accept_request(void *context, uint32_t partition, uint32_t entry,
                           const struct memsys_request *request, uint64_t clock)
{
    const struct fe_machine *fe = context;
    fe_gate_accept(&fe->gates[partition], entry, request, clock);
}

static void fe_tick(void *context, uint32_t partition, uint64_t clock)
{
    const struct fe_machine *fe = context;
    fe_gate_tick(&fe->gates[partition], clock);
}

static bool is_due(const void *context, uint32_t partition)
{
    const struct fe_machine *fe = context;
    return fe_gate_is_due(&fe->gates[partition]);
}

// Returns the words of a line that its reply carries: words that are empty when the line is read
// are not in the reply.
static uint32_t carried(void *context, const struct memsys_request *request, uint32_t known)
{
    const struct fe_machine *fe = context;
    const struct image *image = *machine_port(fe->machine).config->image;
    struct plane_line at = plane_find(image, request->line * PLANE_LINE);
    if (fe->config->partial_lines == FE_LINES_KEEP)
        return UINT32_MAX;
    return known & ~plane_missing(at, UINT32_MAX, PLANE_WAIT_FULL);
}

static void *create(struct machine *machine, const void *own, const void *plan)
{
    struct fe_machine *fe = ARENA_NEW(machine_port(machine).arena, struct fe_machine);
    (void)plan;
    *fe =
        (struct fe_machine){.config = own,
                            .machine = machine,
                            .count = machine_port(machine).config->memsys.memory.partition_nodes.n};
    fe->gates = ARENA_ARRAY(machine_port(machine).arena, struct fe_gate, fe->count);
    for (uint32_t i = 0; i < fe->count; i++)
        fe_gate_init(&fe->gates[i], machine_port(machine).arena, own, i);
    fe_gate_init(&fe->past, machine_port(machine).arena, own, fe->count);
    fe->table = (struct memsys_gate){.context = fe,
                                     .message_of = message_of,
                                     .has_room = has_room,
                                     .accept = accept_request,
                                     .tick = fe_tick,
                                     .is_due = is_due,
                                     .carried = carried};
    return fe;
}

static void extend(struct machine *machine, void *state, struct memsys_tables *tables)
{
    struct fe_machine *fe = state;
    struct scheme_classes classes =
        machine_scheme_classes(machine_port(machine).config, &full_empty);
    fe->first = (uint8_t)(tables->messages.n + 1);
    for (uint8_t i = 0; i < CLASSES - 1; i++)
        vec_push(machine_port(machine).arena, &tables->messages,
                 (struct memsys_message){.request_class = (uint8_t)(classes.request + i),
                                         .reply_class = (uint8_t)(classes.reply + i)});
    tables->gate = &fe->table;
}

static void connect(struct machine *machine, void *state)
{
    struct fe_machine *fe = state;
    for (uint32_t i = 0; i < fe->count; i++) {
        fe->gates[i].memsys = machine_port(machine).memsys;
        fe->gates[i].image = (const struct image *const *)machine_port(machine).config->image;
    }
    fe->past.memsys = machine_port(machine).memsys;
    fe->past.image = (const struct image *const *)machine_port(machine).config->image;
}

// Requests from slices have already passed a gate.
static enum memsys_served admit(struct machine *machine, void *state,
                                const struct memsys_request *request)
{
    struct fe_machine *fe = state;
    if (!memsys_is_past(machine_port(machine).memsys, request->core))
        return MEMSYS_SERVED;
    return fe_gate_pass(&fe->past, request) ? MEMSYS_SERVED : MEMSYS_WAIT;
}

// At the beginning of a launch, the L1s drop their lines, because other launches may have left
// lines of an earlier round. After the last launch, words that were read may become empty, so that
// the memory can be used again [001 §4.5].
static void launch(struct machine *machine, void *state, bool begins)
{
    const struct fe_machine *fe = state;
    if (begins)
        machine_forget_l1(machine);
    if (begins || fe->config->at_end == FE_END_KEEP)
        return;
    plane_empty_read(*machine_port(machine).config->image);
    memsys_look_at_gates(machine_port(machine).memsys);
}

// Returns the first blocked request and sets its partition. Requests of kernels come before those
// of the host, which may wait for the kernel.
static const struct fe_request *first_blocked(const struct fe_machine *fe, uint32_t *partition)
{
    for (uint32_t i = FE_QUEUES; i-- > 0;)
        for (*partition = 0; *partition < fe->count; ++*partition) {
            const struct fe_request *request = fe_gate_blocked(&fe->gates[*partition], i);
            if (request)
                return request;
        }
    return NULL;
}

static void report_past(const struct machine *machine, const struct fe_machine *fe, FILE *to)
{
    char place[160];
    if (!fe->past.past)
        return;
    image_describe(*machine_port(machine).config->image, fe->past.past, place, sizeof place);
    fprintf(to, "a request of an SM in a memory stack needs the empty word at 0x%" PRIx64 " %s\n",
            fe->past.past, place);
}

static void report(const struct machine *machine, const struct fe_machine *fe, FILE *to)
{
    static const char *const queues[FE_QUEUES] = {"untriggered", "CPU", "GPU"};
    static const char *const kinds[] = {[MEMSYS_READ] = "read",
                                        [MEMSYS_WRITE] = "write",
                                        [MEMSYS_ATOMIC] = "atomic access",
                                        [MEMSYS_REDUCE] = "atomic access"};
    report_past(machine, fe, to);
    for (uint32_t i = 0; i < fe->count; i++)
        for (uint32_t k = 0; k < FE_QUEUES; k++) {
            const struct fe_request *request = fe_gate_blocked(&fe->gates[i], k);
            char place[160];
            if (!request)
                continue;
            uint64_t word = fe_gate_word(&fe->gates[i], request);
            image_describe(*machine_port(machine).config->image, word, place, sizeof place);
            fprintf(to,
                    "partition %u: the %s queue (%u requests) waits: a %s of endpoint %u needs "
                    "the %s word at 0x%" PRIx64 " %s\n",
                    i, queues[k], fe->gates[i].queues[k].count, kinds[request->kind], request->core,
                    request->trigger == PLANE_WAIT_FULL ? "empty" : "full", word, place);
        }
}

static uint64_t waits(const struct machine *machine, const void *state, FILE *to)
{
    const struct fe_machine *fe = state;
    uint32_t partition;
    const struct fe_request *request = first_blocked(fe, &partition);
    if (to)
        report(machine, fe, to);
    return request ? fe_gate_word(&fe->gates[partition], request) : fe->past.past;
}

// Statistics and trace

static void settle(struct machine *machine, void *state)
{
    struct fe_machine *fe = state;
    (void)machine;
    fe->total = (struct fe_stats){0};
    for (uint32_t i = 0; i < fe->count; i++)
        stats_accumulate(&fe->total, &fe->gates[i].stats, stat_keys, STAT_KEYS);
    stats_accumulate(&fe->total, &fe->past.stats, stat_keys, STAT_KEYS);
}

static void add_stats(const void *state, struct stats *stats)
{
    stats_add(stats, "fe", stat_keys, STAT_KEYS, &((const struct fe_machine *)state)->total);
}

static void *begin_trace(struct machine *machine, void *state, struct arena *arena,
                         struct trace *to, uint32_t *process)
{
    struct fe_machine *fe = state;
    const struct memsys_keys *memory = &machine_port(machine).config->memsys.memory;
    static const char *const rows[FE_QUEUES] = {"untriggered", "CPU's queue", "GPU's queue"};
    (void)arena;
    for (uint32_t i = 0; i < fe->count; i++) {
        struct fe_gate *gate = &fe->gates[i];
        gate->trace = to;
        gate->process = (*process)++;
        gate->multiply = TRACE_MICROSECOND * memory->core_clock;
        gate->divide = memory->llc_clock;
        trace_process(to, gate->process, "gate of partition", i);
        for (uint32_t k = FE_CPU; k < FE_QUEUES; k++)
            trace_row(to, (struct trace_row){gate->process, k}, rows[k], i);
    }
    return fe;
}

static void end_trace(void *trace, uint64_t now)
{
    struct fe_machine *fe = trace;
    (void)now;
    for (uint32_t i = 0; i < fe->count; i++)
        fe->gates[i].trace = NULL;
}

const struct scheme_ops full_empty = {
    .name = "full_empty",
    .configuration = {.section = "fe",
                      .keys = keys,
                      .key_count = ARRAY_LENGTH(keys),
                      .config_bytes = sizeof(struct fe_config),
                      .is_on = is_on,
                      .planes = fe_planes,
                      .check = check,
                      .require = require},
    .memory =
        {.create = create, .extend = extend, .connect = connect, .launch = launch, .admit = admit},
    .report = {.print_storage = print_storage,
               .energy = add_energy,
               .settle = settle,
               .add_stats = add_stats,
               .begin_trace = begin_trace,
               .end_trace = end_trace,
               .waits = waits},
};
