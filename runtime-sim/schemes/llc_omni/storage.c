#include "runtime-sim/schemes/llc_omni/storage.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include <inttypes.h>

enum { PC = 15, MASK = LANES, STATUS = 3 }; // in bits; STATUS is a arrived, b arrived, ready

static const char *const names[STORAGE_PARTS] = {
    [STORAGE_OQSR] = "OQSR",
    [STORAGE_FORMING] = "forming packet",
    [STORAGE_EMN] = "EMN table",
    [STORAGE_SQSR] = "SQSR",
    [STORAGE_LANES] = "irregular lanes",
    [STORAGE_BUFFER] = "buffer",
    [STORAGE_TIMES] = "line times",
};

static const char *const paper[STORAGE_PARTS] = {
    [STORAGE_OQSR] = "330",
    [STORAGE_FORMING] = "30",
    [STORAGE_EMN] = "64 entries",
    [STORAGE_SQSR] = "2,400 with its buffer",
};

const char *offload_storage_name(enum storage_part part)
{
    return names[part];
}

const char *offload_storage_paper(enum storage_part part)
{
    return paper[part] ? paper[part] : "";
}

// Returns the bits of a number below `count`.
static uint32_t bits_for(uint32_t count)
{
    uint32_t bits = 0;
    while (UINT64_C(1) << bits < count)
        bits++;
    return bits;
}

// Bits of a packet's first flit, unused ones included.
enum {
    FIRST_FLIT = 0
#define PACKET_FIELD(name, bits, text) +bits
#include "runtime-sim/schemes/llc_omni/packet_fields.def"
#undef PACKET_FIELD
};

// Returns the bits of an SQSR entry: the packet's fields except its target, the mask, and STATUS.
static uint32_t entry_of_service_queue(void)
{
    enum { COMPUTE = 1, MASKED = 1, TO = 9, UNUSED = 2 };
    return FIRST_FLIT - COMPUTE - MASKED - TO - UNUSED + MASK + STATUS;
}

struct offload_storage offload_storage_bits(const struct offload_sizes *sizes)
{
    enum { WORD_POSITION = 5, OPERANDS = PACKET_LOADS + 1, TIME = 16 };
    uint32_t oqsr = bits_for(sizes->warps) + PC + MASK + PACKET_LOADS;
    // One value more than there are nodes stands for no node.
    uint32_t node = bits_for(sizes->nodes + 1);
    // A butterfly needs no table: the digits of the partitions' nodes determine the router.
    bool has_table = sizes->cores_compute || sizes->in_turn;
    uint32_t emn = has_table ? sizes->llcs * sizes->llcs : 0;
    uint32_t times =
        sizes->times ? (sizes->l1_lines ? 2 * PACKET_LOADS : PACKET_LOADS + 1) * TIME : 0;
    struct offload_storage storage = {{
        [STORAGE_OQSR] = {sizes->queue, oqsr, 0, 0, 0},
        [STORAGE_FORMING] = {1, FIRST_FLIT, 0, 0, 0},
        [STORAGE_EMN] = {emn, sizes->in_turn ? 1 : node, 0, 0, 0},
        [STORAGE_SQSR] = {sizes->service_queue, entry_of_service_queue() + times, 0, 0, 0},
        [STORAGE_LANES] = {sizes->service_queue, OPERANDS * LANES * WORD_POSITION, 0, 0, 0},
        [STORAGE_BUFFER] = {sizes->buffer, PACKET_LOADS * LINE_BYTES * 8, 0, 0, 0},
        [STORAGE_TIMES] = {sizes->l1_lines ? OQ_CLASSES + sizes->l1_lines : 0, TIME, 0, 0, 0},
    }};
    for (enum storage_part part = 0; part < STORAGE_PARTS; part++) {
        bool serves = part >= STORAGE_SQSR && part < STORAGE_TIMES, table = part == STORAGE_EMN;
        bool at_cores = table ? has_table : sizes->cores_compute || !serves;
        storage.part[part].cores = at_cores ? sizes->cores : 0;
        storage.part[part].llcs = serves ? sizes->llcs : 0;
        storage.part[part].routers = serves ? sizes->routers : 0;
    }
    return storage;
}

uint64_t offload_storage_bytes(const struct offload_storage *storage, enum storage_part part)
{
    return ((uint64_t)storage->part[part].entries * storage->part[part].bits + 7) / 8;
}

void offload_storage_print(const struct offload_storage *storage, FILE *to)
{
    fprintf(to, "%-16s %9s %9s %9s %9s %9s %9s %9s  %s\n", "part", "entries", "bits each", "bits",
            "bytes", "cores", "LLCs", "routers", "bytes in [000]");
    for (enum storage_part part = 0; part < STORAGE_PARTS; part++) {
        uint32_t entries = storage->part[part].entries, bits = storage->part[part].bits;
        if (part == STORAGE_TIMES && !entries)
            continue;
        const char *theirs = offload_storage_paper(part);
        fprintf(to, "%-16s %9" PRIu32 " %9" PRIu32 " %9" PRIu64 " %9" PRIu64,
                offload_storage_name(part), entries, bits, (uint64_t)entries * bits,
                offload_storage_bytes(storage, part));
        fprintf(to, " %9" PRIu32 " %9" PRIu32 " %9" PRIu32 "%s%s\n", storage->part[part].cores,
                storage->part[part].llcs, storage->part[part].routers, *theirs ? "  " : "", theirs);
    }
}
