// gpgpusim.config: partitions and the DRAM.
#include "runtime-sim/base/gpgpusim.h"
#include <stdlib.h>
#include <string.h>

// Partitions

static void put_queues(struct foreign *f)
{
    static const char *const keys[] = {"llc.input", "llc.out", "llc.answers", "memory.reply_queue"};
    const char *name = "-gpgpu_dram_partition_queues";
    uint32_t sizes[ARRAY_LENGTH(keys)];
    uint32_t count = foreign_numbers(f, name, ":", ARRAY_LENGTH(keys), ARRAY_LENGTH(keys), sizes);
    for (uint32_t i = 0; i < count; i++)
        foreign_put(f, name, keys[i], "%u", sizes[i]);
}

// Converts cycles of the cores to clocks of another domain.
static void put_delay(struct foreign *f, const char *name, const char *key, uint32_t domain)
{
    double clocks[CLOCKS];
    if (foreign_find(f, name) && gpgpusim_clocks(f, clocks))
        foreign_put(f, name, key, "%.0f",
                    foreign_number(f, name) * clocks[domain] / clocks[CLOCK_CORE]);
}

// Addresses: fields of 64 bits, from the highest, of which '.' and ';' separate bytes.

enum { BITS = 64 };

// Returns the number of bits; sets the field of each, from the lowest.
static uint32_t read_fields(const char *text, char fields[BITS])
{
    uint32_t count = 0;
    for (const char *at = text + strlen(text); at-- > text && count < BITS && *at != ';';)
        if (*at != '.')
            fields[count++] = *at;
    return count;
}

static uint32_t count_field(const char fields[BITS], uint32_t count, char field)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += fields[i] == field;
    return found;
}

// A column above a bit of the row, or a bit of another kind below one of them.
static bool fields_are_known(const char fields[BITS], uint32_t count)
{
    bool rows = false;
    for (uint32_t i = 0; i < count; i++) {
        rows |= fields[i] == 'R';
        if (!strchr("RBCS0", fields[i]) || (rows && strchr("CS", fields[i])))
            return false;
    }
    return count == BITS;
}

static void put_banks(struct foreign *f, const char *name, const char fields[BITS], uint32_t column)
{
    uint32_t banks = 0, lowest = 0, above = 0;
    const char *list = "";
    for (uint32_t i = 0; i < BITS; i++)
        if (fields[i] == 'B') {
            lowest = banks ? lowest : i;
            above += i == column + banks;
            list = arena_printf(f->arena, "%s%s%u", list, banks++ ? ", " : "", i);
        }
    if (above == banks)
        foreign_put(f, name, "dram.bank_split", "0");
    else if (above == banks - 1 && lowest < column)
        foreign_put(f, name, "dram.bank_split", "%u", 1U << lowest);
    else
        foreign_put(f, name, "dram.bank_bits", "[%s]", list);
}

static void put_address(struct foreign *f)
{
    enum { LARGEST = 16 }; // bits
    const char *name = "-gpgpu_mem_addr_mapping", *text = foreign_word(f, name);
    char fields[BITS];
    if (!text)
        return;
    uint32_t count = read_fields(text, fields);
    uint32_t column = count_field(fields, count, 'C') + count_field(fields, count, 'S');
    long chunk = strncmp(text, "dramid@", 7) ? -1 : strtol(text + 7, NULL, 10);
    if (chunk < 5 || chunk > LARGEST || !fields_are_known(fields, count) || column > LARGEST) {
        foreign_refuse(
            f, name,
            "must be dramid@N with N from 5 to %d, ';' and 64 letters R, B, C, S or 0, with "
            "all C and S below R, at most %d of them",
            LARGEST, LARGEST);
        return;
    }
    foreign_put(f, name, "memory.chunk", "%u", 1U << chunk);
    foreign_put(f, name, "dram.row_bytes", "%u", 1U << column);
    put_banks(f, name, fields, column);
}

// Timing: NAME=CLOCKS, separated by ':'.

static const struct {
    const char *name, *key;
    uint32_t least;
} timings[] = {
    {"nbk", "banks", 1}, {"nbkgrp", "bank_groups", 1},
    {"CCD", "tCCD", 1},  {"CCDL", "tCCD_L", 0},
    {"RRD", "tRRD", 1},  {"RCD", "tRCD", 1},
    {"RAS", "tRAS", 1},  {"RP", "tRP", 1},
    {"RC", "tRC", 1},    {"CL", "tCL", 1},
    {"WL", "CWL", 1},    {"CDLR", "tWTR", 0},
    {"WR", "tWR", 1},    {"RTPL", "tRTP", 1},
};

static bool put_timing_word(struct foreign *f, const char *name, const char *word, size_t length)
{
    const char *equals = memchr(word, '=', length);
    size_t digits = equals ? strspn(equals + 1, "0123456789") : 0;
    if (!digits || digits > 4 || equals + 1 + digits != word + length)
        return false;
    for (uint32_t i = 0; i < ARRAY_LENGTH(timings); i++)
        if (strlen(timings[i].name) == (size_t)(equals - word) &&
            !memcmp(timings[i].name, word, (size_t)(equals - word))) {
            uint32_t value = (uint32_t)strtoul(equals + 1, NULL, 10);
            foreign_put(f, name, arena_printf(f->arena, "dram.%s", timings[i].key), "%u",
                        value > timings[i].least ? value : timings[i].least);
            return true;
        }
    return false;
}

static void put_timing(struct foreign *f)
{
    const char *name = "-gpgpu_dram_timing_opt", *text = foreign_word(f, name);
    for (const char *at = text; at && *at; at += strspn(at, ":")) {
        size_t length = strcspn(at, ":");
        if (!put_timing_word(f, name, at, length)) {
            foreign_refuse(f, name, "has '%.*s'; it must be words NAME=CLOCKS, separated by ':'",
                           (int)length, at);
            return;
        }
        at += length;
    }
}

static void put_burst(struct foreign *f)
{
    const char *width = "-gpgpu_dram_buswidth", *length = "-gpgpu_dram_burst_length";
    const char *ratio = "-dram_data_command_freq_ratio", *devices = "-gpgpu_n_mem_per_ctrlr";
    uint32_t transfers = foreign_number(f, length), each = foreign_number(f, ratio);
    double bytes = (double)transfers * foreign_number(f, width) * foreign_number(f, devices);
    if (!each || transfers % each)
        foreign_refuse(f, length, "must be a multiple of %s", ratio);
    else
        foreign_put(f, length, "dram.burst", "%u", transfers / each);
    foreign_put(f, width, "dram.request_bytes", "%.0f", bytes);
}

// Controllers

enum { QUEUE = 64, REPLIES = 4096 }; // maxima of our keys

static void put_queue(struct foreign *f, const char *name, const char *key, uint32_t most)
{
    if (!foreign_find(f, name))
        return;
    uint32_t size = foreign_number(f, name);
    foreign_put(f, name, key, "%u", size && size < most ? size : most);
}

static void put_write_queue(struct foreign *f)
{
    static const char *const keys[] = {"dram.write_queue", "dram.write_high", "dram.write_low"};
    const char *name = "-dram_write_queue_size";
    uint32_t sizes[ARRAY_LENGTH(keys)];
    if (!strcmp(foreign_word(f, "-dram_seperate_write_queue_enable"), "0") ||
        !foreign_numbers(f, name, ":", ARRAY_LENGTH(keys), ARRAY_LENGTH(keys), sizes))
        return;
    for (uint32_t i = 0; i < ARRAY_LENGTH(keys); i++) {
        uint64_t size = sizes[0] > QUEUE ? (uint64_t)sizes[i] * QUEUE / sizes[0] : sizes[i];
        foreign_put(f, name, keys[i], "%u", (uint32_t)size);
    }
}

void gpgpusim_memory(struct foreign *f)
{
    static const char *const partitions[] = {"modulo", "xor", "ipoly", NULL, "ipoly"};
    static const char *const banks[] = {"false", "true", "true"};
    static const char *const groups[] = {"block", "modulo"};
    put_queues(f);
    gpgpusim_put_word(f, "-gpgpu_memory_partition_indexing", "memory.rule", partitions,
                      ARRAY_LENGTH(partitions));
    put_delay(f, "-gpgpu_l2_rop_latency", "memory.request_delay", CLOCK_L2);
    put_delay(f, "-rop_latency", "memory.request_delay", CLOCK_L2);
    put_delay(f, "-dram_latency", "memory.dram_delay", CLOCK_DRAM);
    put_timing(f);
    put_burst(f);
    put_address(f);
    gpgpusim_put_word(f, "-dram_bnk_indexing_policy", "dram.bank_xor", banks, ARRAY_LENGTH(banks));
    gpgpusim_put_word(f, "-dram_bnkgrp_indexing_policy", "dram.group_rule", groups,
                      ARRAY_LENGTH(groups));
    put_queue(f, "-gpgpu_frfcfs_dram_sched_queue_size", "dram.queue", QUEUE);
    put_queue(f, "-gpgpu_dram_return_queue_size", "dram.answers", REPLIES);
    put_write_queue(f);
}
