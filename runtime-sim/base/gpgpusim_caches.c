// gpgpusim.config: shared memory and caches.
#include "runtime-sim/base/gpgpusim.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// The value of a cache:
// [sector:]sets:line:ways,replacement:write:allocation:write allocation:hash,mshr:entries:merges,
// queue[:fifo][,port]
struct cache_value {
    char sector, replacement, write, allocation, write_allocation, hash, mshr;
    unsigned sets, line, ways, entries, merges, queue, port;
};

enum { SMALLEST_LINE = 8, LARGEST_LINE = 1024 };

static bool parse_cache(const char *text, struct cache_value *v)
{
    char rest[64] = "", first = 'N', end;
    *v = (struct cache_value){.sector = 'N'};
    bool has_sector = (*text == 'N' || *text == 'S') && text[1] == ':';
    if (has_sector)
        first = *text;
    if (sscanf(has_sector ? text + 2 : text, "%9u:%9u:%9u,%c:%c:%c:%c:%c,%c:%9u:%9u,%63[0-9:,]%c",
               &v->sets, &v->line, &v->ways, &v->replacement, &v->write, &v->allocation,
               &v->write_allocation, &v->hash, &v->mshr, &v->entries, &v->merges, rest, &end) != 12)
        return false;
    const char *comma = strchr(rest, ',');
    v->sector = first;
    return sscanf(rest, "%9u", &v->queue) == 1 &&
           (!comma || sscanf(comma + 1, "%9u", &v->port) == 1) && v->sets && v->ways && v->line;
}

// Returns false without a usable value, after reporting a fault in it.
static bool read_cache(struct foreign *f, const char *name, struct cache_value *v)
{
    const char *text = foreign_word(f, name);
    if (!text)
        return false;
    if (strspn(text, "0123456789:,ABCDEFGHIJKLMNOPQRSTUVWXYZfms") == strlen(text) &&
        parse_cache(text, v) && v->line >= SMALLEST_LINE && v->line <= LARGEST_LINE)
        return true;
    foreign_refuse(f, name,
                   "must have the form S:32:128:24,L:B:m:L:P,A:192:4,32:0,32, with lines of %d to "
                   "%d bytes",
                   SMALLEST_LINE, LARGEST_LINE);
    return false;
}

// Words of our keys for letters.
struct letter {
    char letter;
    const char *word;
};
static const struct letter replacements[] = {{'L', "lru"}, {'F', "fifo"}, {0}};
static const struct letter hashes[] = {
    {'L', "modulo"}, {'H', "xor"}, {'X', "xor"}, {'P', "ipoly"}, {0}};
static const struct letter l1_writes[] = {{'T', "through"}, {'E', "evict"}, {'L', "evict"}, {0}};
static const struct letter l2_writes[] = {{'T', "through"}, {'B', "back"}, {0}};

static void put_letter(struct foreign *f, const char *name, const char *key,
                       const struct letter *letters, char letter)
{
    const char *known = "";
    for (const struct letter *at = letters; at->letter; at++) {
        known = arena_printf(f->arena, "%s%s%c", known, at == letters ? "" : ", ", at->letter);
        if (at->letter != letter)
            continue;
        foreign_put(f, name, key, "%s", at->word);
        return;
    }
    foreign_refuse(f, name, "has '%c' for %s, where only %s are known", letter, key, known);
}

// Keys that L1 and L2 have in common.
static void put_cache(struct foreign *f, const char *name, const char *section,
                      const struct cache_value *v)
{
    const struct {
        const char *key;
        uint32_t value;
    } numbers[] = {
        {"sets", v->sets},
        {"ways", v->ways},
        {"line_bytes", v->line},
        {"mshrs", v->entries},
        {"merges", v->merges},
        {"port_bytes", v->port ? v->port : v->line},
        {"sector_bytes", v->sector == 'S' ? v->line / 4 : v->line},
    };
    for (uint32_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        foreign_put(f, name, arena_printf(f->arena, "%s.%s", section, numbers[i].key), "%u",
                    numbers[i].value);
    put_letter(f, name, arena_printf(f->arena, "%s.replacement", section), replacements,
               v->replacement);
    put_letter(f, name, arena_printf(f->arena, "%s.hash", section), hashes, v->hash);
}

// Write allocation: N none, L by mask until a read, F fetch, W fetch as a read miss.
static void put_allocation(struct foreign *f, const char *name, const char *section,
                           const struct cache_value *v)
{
    bool is_l2 = !strcmp(section, "llc");
    if (!strchr("NLFW", v->write_allocation))
        foreign_refuse(f, name, "has '%c' for write allocation, where only N, L, F, W are known",
                       v->write_allocation);
    foreign_put(f, name, arena_printf(f->arena, "%s.allocate_writes", section), "%s",
                v->write_allocation == 'N' ? "false" : "true");
    foreign_put(f, name, arena_printf(f->arena, "%s.partial", section), "%s",
                is_l2 && strchr("FW", v->write_allocation) ? "fetch" : "mask");
    foreign_put(f, name, arena_printf(f->arena, "%s.forward_misses", section), "%s",
                is_l2 && v->write_allocation == 'W' && v->write == 'B' ? "true" : "false");
}

// A store of shared memory and L1: the L1 has all ways that it leaves.
static void put_store(struct foreign *f, struct cache_value *v)
{
    enum { SIZES = 64, KIB = 1024, LARGEST = 4096 };
    const char *unified = "-gpgpu_unified_l1d_size", *option = "-gpgpu_shmem_option";
    const char *kind = "-gpgpu_adaptive_cache_config", *list = "";
    uint32_t sizes[SIZES], count;
    if (!strcmp(foreign_word(f, kind), "0"))
        return;
    uint32_t bytes = foreign_number(f, unified);
    if (bytes > LARGEST)
        foreign_refuse(f, unified, "must be at most %d KB", LARGEST);
    if (bytes > LARGEST || !(count = foreign_numbers(f, option, ",", 1, SIZES, sizes)))
        return;
    for (uint32_t i = 0; i < count; i++)
        list =
            arena_printf(f->arena, "%s%s%" PRIu64, list, i ? ", " : "", (uint64_t)sizes[i] * KIB);
    foreign_put(f, unified, "core.unified_bytes", "%u", bytes * KIB);
    foreign_put(f, option, "core.carveouts", "[%s]", list);
    v->ways = (uint32_t)((uint64_t)bytes * KIB / ((uint64_t)v->sets * v->line));
}

static void put_l1_banks(struct foreign *f, bool sectors)
{
    const char *banks = "-gpgpu_l1_banks", *bytes = "-gpgpu_l1_banks_byte_interleaving";
    if (!foreign_find(f, banks))
        return;
    uint32_t count = foreign_number(f, banks);
    foreign_put(f, banks, "l1.banks", "%u", count);
    if (sectors && count > 1) {
        foreign_put(f, banks, "core.accesses", "%u", count);
        foreign_put(f, bytes, "l1.bank_bytes", "%u", foreign_number(f, bytes));
    }
}

static void put_l1(struct foreign *f)
{
    static const char *const uses[] = {"true", "false"};
    const char *name = "-gpgpu_cache:dl1", *skip = "-gpgpu_gmem_skip_L1D";
    struct cache_value v;
    if (!read_cache(f, name, &v))
        return;
    bool sectors = v.sector == 'S';
    put_store(f, &v);
    put_cache(f, name, "l1", &v);
    put_letter(f, name, "l1.write", l1_writes, v.write);
    put_allocation(f, name, "l1", &v);
    foreign_put(f, name, "core.sector_requests", sectors ? "true" : "false");
    foreign_put(f, name, "memory.sector_replies", sectors ? "true" : "false");
    foreign_put(f, name, "l1.input", "%u", sectors ? 16 : 1);
    foreign_put(f, name, "l1.out", "%u", sectors ? 64 : v.queue);
    if (!sectors) {
        foreign_put(f, name, "l1.access_queue", "1");
        foreign_put(f, name, "l1.wake_latency", "3");
        foreign_put(f, name, "l1.fill_port", "own");
    }
    put_l1_banks(f, sectors);
    gpgpusim_put_word(f, skip, "core.l1_global", uses, ARRAY_LENGTH(uses));
}

static void put_l2(struct foreign *f)
{
    const char *name = "-gpgpu_cache:dl2";
    struct cache_value v;
    if (!read_cache(f, name, &v))
        return;
    put_cache(f, name, "llc", &v);
    put_letter(f, name, "llc.write", l2_writes, v.write);
    put_allocation(f, name, "llc", &v);
}

// A read-only cache of the same size, in lines of 128 bytes and at most 64 ways.
static void put_read_only(struct foreign *f, const char *name, const char *section)
{
    enum { LINE = 128, MOST = 64, LIMIT = 1 << 20 };
    struct cache_value v;
    if (!foreign_find(f, name) || !read_cache(f, name, &v))
        return;
    uint64_t sets = (uint64_t)v.sets * v.line / LINE;
    uint32_t ways = v.ways;
    for (; ways > MOST && ways % 2 == 0; ways /= 2)
        sets *= 2;
    sets = sets ? sets : 1;
    const char *key = arena_printf(f->arena, "%s.sets", section);
    if (sets > LIMIT)
        foreign_refuse(f, name, "must have at most %d sets", LIMIT);
    foreign_put(f, name, key, "%u", (uint32_t)sets);
    foreign_put(f, name, arena_printf(f->arena, "%s.ways", section), "%u",
                ways < MOST ? ways : MOST);
    foreign_put(f, name, arena_printf(f->arena, "%s.mshrs", section), "%u",
                v.entries < MOST ? v.entries : MOST);
}

static void put_read_only_caches(struct foreign *f)
{
    static const char *const words[] = {"false", "true"};
    const char *perfect = "-gpgpu_perfect_inst_const_cache";
    gpgpusim_put_word(f, perfect, "code_cache.perfect", words, ARRAY_LENGTH(words));
    gpgpusim_put_word(f, perfect, "constant_cache.perfect", words, ARRAY_LENGTH(words));
    put_read_only(f, "-gpgpu_cache:il1", "code_cache");
    put_read_only(f, "-gpgpu_const_cache:l1", "constant_cache");
    put_read_only(f, "-gpgpu_tex_cache:l1", "texture_cache");
}

void gpgpusim_caches(struct foreign *f)
{
    put_l1(f);
    put_l2(f);
    put_read_only_caches(f);
}
