// gpgpusim.config and trace.config: their form, and the rules of cores, units and the network.
#include "runtime-sim/base/gpgpusim.h"
#include <string.h>

static const struct foreign_row rows[] = {
#define COPY(name, key, text) {name, FOREIGN_COPY, key, text},
#define FLAG(name, key, text) {name, FOREIGN_FLAG, key, text},
#define RULE(name, absent, text) {name, FOREIGN_RULE, absent, text},
#define ONLY(name, value, text) {name, FOREIGN_ONLY, value, text},
#define IGNORED(name, text) {name, FOREIGN_IGNORED, NULL, text},
#define ASSUMED(key, value, text) {key, FOREIGN_ASSUMED, value, text},
#include "runtime-sim/base/gpgpusim.def"
#undef COPY
#undef FLAG
#undef RULE
#undef ONLY
#undef IGNORED
#undef ASSUMED
};

static bool is_name(const char *at)
{
    return *at == '-' && ((at[1] | 32) >= 'a' && (at[1] | 32) <= 'z');
}

// Scanning: -NAME VALUE, with "VALUE" over several lines, and # before a comment.

static const char *skip_blanks(const char *at)
{
    for (;;) {
        while (*at && (unsigned char)*at <= ' ')
            at++;
        if (*at != '#')
            return at;
        at += strcspn(at, "\n");
    }
}

// Returns the end of the word, which has no comment in it.
static const char *end_of_word(const char *at)
{
    if (*at == '"') {
        const char *quote = strchr(at + 1, '"');
        return quote ? quote + 1 : at + strlen(at);
    }
    while ((unsigned char)*at > ' ' && *at != '#')
        at++;
    return at;
}

// Returns the word without quotes and blanks, and '?' for other bytes that a comment cannot have.
static const char *word_text(struct arena *arena, const char *from, const char *to)
{
    char *text = arena_strndup(arena, from, (size_t)(to - from)), *end = text;
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at > ' ' && *at != '"')
            *end++ = *at < 127 && *at > 0 ? *at : '?';
    *end = 0;
    return text;
}

static void scan(struct foreign *f)
{
    const char *text = f->source->text;
    for (const char *at = skip_blanks(text); *at;) {
        const char *end = end_of_word(at), *name = at, *name_end = end;
        if (!is_name(name)) {
            diag_add(f->diags, DIAG_ERROR, "config", (uint32_t)(at - text), (uint32_t)(end - text),
                     "an option must begin with '-' and a letter, and has one value");
            at = skip_blanks(end > at ? end : at + 1);
            continue;
        }
        at = skip_blanks(end);
        bool has_value = *at && !is_name(at);
        end = has_value ? end_of_word(at) : end;
        foreign_add(f, word_text(f->arena, name, name_end),
                    has_value ? word_text(f->arena, at, end) : "", (uint32_t)(name - text),
                    (uint32_t)(end - text));
        at = skip_blanks(end);
    }
}

// Values

void gpgpusim_put_word(struct foreign *f, const char *name, const char *key,
                       const char *const *words, uint32_t count)
{
    if (!foreign_find(f, name))
        return;
    uint32_t number = foreign_number(f, name);
    if (number < count && words[number])
        foreign_put(f, name, key, "%s", words[number]);
    else
        foreign_refuse(f, name, "has a rule that %s lacks", key);
}

// Cores and clocks

static uint32_t slices(struct foreign *f)
{
    return foreign_number(f, "-gpgpu_n_mem") *
           foreign_number(f, "-gpgpu_n_sub_partition_per_mchannel");
}

static void put_nodes(struct foreign *f)
{
    enum { NODES = 4096 };
    uint32_t clusters = foreign_number(f, "-gpgpu_n_clusters");
    uint32_t each = foreign_number(f, "-gpgpu_n_cores_per_cluster");
    uint32_t shared = foreign_number(f, "-gpgpu_n_sub_partition_per_mchannel");
    uint32_t channels = foreign_number(f, "-gpgpu_n_mem");
    const char *list = "";
    if (!clusters || clusters > NODES || each > NODES || channels > NODES || shared > NODES ||
        clusters + (uint64_t)channels * shared > NODES) {
        foreign_refuse(f, "-gpgpu_n_clusters",
                       "must be at least 1, and clusters and slices together at most %d", NODES);
        return;
    }
    for (uint32_t i = 0; i < channels * shared; i++)
        list = arena_printf(f->arena, "%s%s%u", list, i ? ", " : "", clusters + i);
    foreign_put(f, "-gpgpu_n_clusters", "memory.cores", "%u", clusters * each);
    foreign_put(f, "-gpgpu_n_cores_per_cluster", "memory.node_cores", "%u", each);
    foreign_put(f, "-gpgpu_n_mem", "memory.partition_nodes", "[%s]", list);
    foreign_put(f, "-gpgpu_n_sub_partition_per_mchannel", "memory.channel_slices", "%u", shared);
}

bool gpgpusim_clocks(struct foreign *f, double clocks[CLOCKS])
{
    const char *text = foreign_word(f, "-gpgpu_clock_domains");
    char end;
    if (!text)
        return false;
    if (strspn(text, "0123456789.:") == strlen(text) && strlen(text) < 64 &&
        sscanf(text, "%lf:%lf:%lf:%lf%c", &clocks[CLOCK_CORE], &clocks[CLOCK_NETWORK],
               &clocks[CLOCK_L2], &clocks[CLOCK_DRAM], &end) == CLOCKS &&
        clocks[CLOCK_CORE] >= 1 && clocks[CLOCK_L2] >= 1 && clocks[CLOCK_DRAM] >= 1)
        return true;
    foreign_refuse(f, "-gpgpu_clock_domains",
                   "must be four numbers of MHz, separated by ':', of at least 1");
    return false;
}

static void put_clocks(struct foreign *f)
{
    static const char *const keys[CLOCKS] = {"memory.core_clock", "memory.network_clock",
                                             "memory.llc_clock", "dram.clock"};
    double clocks[CLOCKS];
    for (uint32_t i = 0; gpgpusim_clocks(f, clocks) && i < CLOCKS; i++)
        foreign_put(f, "-gpgpu_clock_domains", keys[i], "%.0f", clocks[i] + 1e-6);
}

static void put_threads(struct foreign *f)
{
    enum { LANES = 32 };
    const char *name = "-gpgpu_shader_core_pipeline";
    uint32_t of[2];
    if (!foreign_numbers(f, name, ":", 2, 2, of))
        return;
    if (of[1] != LANES)
        foreign_refuse(f, name, "has warps of %u threads; here a warp has %d", of[1], LANES);
    foreign_put(f, name, "core.threads", "%u", of[0]);
    foreign_put(f, name, "core.warps", "%u", of[0] / LANES);
}

// Issue and units

static void put_scheduler(struct foreign *f)
{
    const char *name = "-gpgpu_scheduler", *word = foreign_word(f, name);
    if (!word)
        return;
    if (!strcmp(word, "lrr") || !strcmp(word, "gto"))
        foreign_put(f, name, "core.scheduler", "%s", word);
    else
        foreign_refuse(f, name, "must be lrr or gto: a core has no other scheduler");
}

static const char *const unit_names[] = {
    "-gpgpu_num_sp_units", "-gpgpu_num_int_units",         "-gpgpu_num_sfu_units",
    "-gpgpu_num_dp_units", "-gpgpu_num_tensor_core_units",
};
static const char *const unit_keys[] = {"core.alu_units", "core.int_units", "core.sfu_units",
                                        "core.fp64_units", "core.matrix_units"};

static void put_units(struct foreign *f)
{
    enum { MOST = 4, INTEGERS = 1 };
    for (uint32_t i = 0; i < ARRAY_LENGTH(unit_names); i++) {
        if (!foreign_find(f, unit_names[i]))
            continue;
        uint32_t count = foreign_number(f, unit_names[i]);
        if (!count && !strcmp(unit_names[i], "-gpgpu_num_dp_units") &&
            foreign_find(f, "-gpgpu_num_sfu_units"))
            count = foreign_number(f, "-gpgpu_num_sfu_units");
        count = count || i == INTEGERS ? count : 1;
        foreign_put(f, unit_names[i], unit_keys[i], "%u", count < MOST ? count : MOST);
    }
}

// Without generic collectors there is one kind for each unit: the pipeline has the time of their
// reads, as in isca19-gpgpusim.
static void put_collectors(struct foreign *f)
{
    const char *kind = "-gpgpu_enable_specialized_operand_collector";
    const char *name = "-gpgpu_operand_collector_num_units_gen";
    bool generic = foreign_find(f, name) && !foreign_number(f, kind);
    bool divided = foreign_find(f, "-gpgpu_sub_core_model") &&
                   !strcmp(foreign_word(f, "-gpgpu_sub_core_model"), "1") &&
                   foreign_find(f, "-gpgpu_num_sched_per_core");
    uint32_t groups = divided ? foreign_number(f, "-gpgpu_num_sched_per_core") : 1;
    const char *banks = "-gpgpu_num_reg_banks";
    groups = groups ? groups : 1;
    if (generic)
        foreign_put(f, name, "core.collectors", "%u", foreign_number(f, name) / groups);
    foreign_put(f, kind, "core.pipeline", "%u", generic ? 3 : 6);
    foreign_put(f, kind, "core.access_delay", "%u", generic ? 1 : 5);
    if (!divided)
        foreign_put(f, kind, "core.scheduler_order", "fixed");
    if (foreign_find(f, banks))
        foreign_put(f, banks, "core.register_banks", "%u", foreign_number(f, banks) / groups);
}

// Latencies and intervals

enum { VALUES = 6, SHUFFLE = VALUES - 1 };

// The keys of each value of a pair of options, as words.
struct opcode_keys {
    const char *latency, *interval;
    const char *keys[VALUES];
};

static const struct opcode_keys opcodes[] = {
    {"-ptx_opcode_latency_int",
     "-ptx_opcode_initiation_int",
     {"int_add wide_add", "int_minmax wide_minmax", "int_mul", "int_mad wide_mul", "int_div",
      "warp"}},
    {"-ptx_opcode_latency_fp",
     "-ptx_opcode_initiation_fp",
     {"fp32_add", "fp32_minmax", "fp32_mul", "fp32_fma", "fp32_div"}},
    {"-ptx_opcode_latency_dp",
     "-ptx_opcode_initiation_dp",
     {"fp64_add", "fp64_minmax", "fp64_mul", NULL, "fp64_div"}},
};

// trace.config: a latency and an interval for all instructions of a kind of unit.
static const struct {
    const char *name, *keys;
} trace_opcodes[] = {
    {"-trace_opcode_latency_initiation_int",
     "int_add int_minmax int_compare int_logic int_mul int_mad wide_add wide_minmax wide_compare "
     "wide_logic wide_mul bits convert_int"},
    {"-trace_opcode_latency_initiation_sp", "fp32_add fp32_minmax fp32_compare fp32_mul fp32_fma"},
    {"-trace_opcode_latency_initiation_dp", "fp64_add fp64_minmax fp64_compare fp64_mul"},
    {"-trace_opcode_latency_initiation_sfu", "sfu"},
    {"-trace_opcode_latency_initiation_tensor", "matrix"},
};

static void put_classes(struct foreign *f, const char *name, const char *prefix, const char *keys,
                        uint32_t value)
{
    for (size_t length; keys && *keys; keys += length + (keys[length] == ' ')) {
        length = strcspn(keys, " ");
        foreign_put(f, name, arena_printf(f->arena, "core.%s_%.*s", prefix, (int)length, keys),
                    "%u", value);
    }
}

static void put_opcode(struct foreign *f, const struct opcode_keys *row, const char *name,
                       const char *prefix, uint32_t shuffle)
{
    uint32_t values[VALUES] = {0};
    uint32_t count =
        foreign_numbers(f, name, ",", SHUFFLE, row->keys[SHUFFLE] ? VALUES : SHUFFLE, values);
    if (count == SHUFFLE)
        values[SHUFFLE] = shuffle;
    for (uint32_t i = 0; count && i < VALUES; i++)
        put_classes(f, name, prefix, row->keys[i], values[i]);
}

static void put_opcodes(struct foreign *f)
{
    enum { LATENCY = 32, INTERVAL = 4 }; // of a shuffle, in most published files
    uint32_t both[2];
    for (uint32_t i = 0; i < ARRAY_LENGTH(opcodes); i++) {
        put_opcode(f, &opcodes[i], opcodes[i].latency, "latency", LATENCY);
        put_opcode(f, &opcodes[i], opcodes[i].interval, "interval", INTERVAL);
    }
    for (uint32_t i = 0; i < ARRAY_LENGTH(trace_opcodes); i++) {
        const char *name = trace_opcodes[i].name;
        if (!foreign_numbers(f, name, ",", 2, 2, both))
            continue;
        put_classes(f, name, "latency", trace_opcodes[i].keys, both[0]);
        put_classes(f, name, "interval", trace_opcodes[i].keys, both[1]);
    }
}

// Network

static void put_crossbar(struct foreign *f)
{
    const char *mode = "-network_mode";
    foreign_put(f, mode, "noc.topology", "crossbar");
    foreign_put(f, mode, "noc.packet_wide", "true");
    foreign_put(f, mode, "noc.channel_latency", "1");
    foreign_put(f, "-gpgpu_n_clusters", "noc.nodes", "%u",
                foreign_number(f, "-gpgpu_n_clusters") + slices(f));
    foreign_put(f, "-icnt_flit_size", "noc.flit_bytes", "%u", foreign_number(f, "-icnt_flit_size"));
    foreign_put(f, "-icnt_in_buffer_limit", "noc.injection_queue", "%u",
                foreign_number(f, "-icnt_in_buffer_limit"));
    foreign_put(f, "-icnt_out_buffer_limit", "noc.ejection_queue", "%u",
                foreign_number(f, "-icnt_out_buffer_limit"));
}

static void put_network(struct foreign *f)
{
    const char *mode = foreign_word(f, "-network_mode");
    if (!strcmp(mode, "2"))
        put_crossbar(f);
    else if (strcmp(mode, "1"))
        foreign_refuse(f, "-network_mode", "must be 1 or 2");
    else if (foreign_word(f, "-inter_config_file") && *foreign_word(f, "-inter_config_file"))
        vec_push(f->arena, &f->files, foreign_find(f, "-inter_config_file"));
}

// Options alone, such as those of trace.config, change the machine of the files before them.
static void translate(struct foreign *f)
{
    for (uint32_t i = 0; i < f->options.n; i++)
        if (!strcmp(f->options.v[i].name, "-config") && *f->options.v[i].value)
            vec_push(f->arena, &f->files, &f->options.v[i]);
    put_opcodes(f);
    put_scheduler(f);
    put_units(f);
    if (!foreign_find(f, "-gpgpu_n_clusters")) {
        if (!f->is_part && !f->files.n)
            diag_add(f->diags, DIAG_ERROR, "config", NO_OFFSET, NO_OFFSET,
                     "without -gpgpu_n_clusters it is a part of a machine: name it in a line "
                     "'-config FILE' after that of the machine, in a file of such lines");
        return;
    }
    put_nodes(f);
    put_clocks(f);
    put_threads(f);
    put_collectors(f);
    put_network(f);
    gpgpusim_caches(f);
    gpgpusim_memory(f);
    foreign_assume(f);
}

const struct foreign_format foreign_gpgpusim = {
    "gpgpusim.config", rows, ARRAY_LENGTH(rows), is_name, scan, translate,
};
