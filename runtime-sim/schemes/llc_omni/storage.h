// Storage that offloading adds, in bits, computed from the sizes of its parts and printed beside
// the figures of [000 §5].
//
// Assumption: an entry of the OQSR has the warp's number, the address of the next instruction (15
// bits), the mask, and a bit for each of two loads. With 48 warps these are 55 bits, and 48 entries
// have the paper's 330 bytes.
#pragma once
#include "runtime-sim/gpu/scheme/scheme.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct offload_sizes {
    uint32_t warps;         // warps of a core
    uint32_t queue;         // entries of the offload queue, at most PACKET_ENTRIES
    uint32_t service_queue; // entries of a service queue
    uint32_t buffer;        // chains whose data a service queue holds
    uint32_t nodes, llcs;   // nodes with a core or a partition; partitions
    uint32_t cores;
    bool cores_compute; // cores compute for others, so each has a table of meet nodes
    bool in_turn;       // partitions of two operands compute in turn: a bit for each pair
    bool times;         // entries of service queues have times
    uint32_t l1_lines;  // lines of an L1 that have times
    uint32_t routers;   // computing routers
};

// Bytes in [000 §5]. The figure of the service queue includes SQSR and buffer. For the EMN table
// the paper gives only the number of entries: 64.
enum {
    STORAGE_PAPER_OQSR = 330,
    STORAGE_PAPER_FORMING = 30,
    STORAGE_PAPER_SERVICE_QUEUE = 2400,
    STORAGE_PAPER_EMN_ENTRIES = 64,
    OQ_CLASSES = 512, // classes of lines by which a core keeps the times of its stores
};

enum storage_part {
    STORAGE_OQSR,    // in each core, like the next two
    STORAGE_FORMING, // the packet that is being formed
    STORAGE_EMN,     // the table of meet nodes
    STORAGE_SQSR,    // at each partition and, with Omni-Compute, core or router, like the rest
    STORAGE_LANES,   // offsets of irregular lanes of 32-bit elements, for all operands
    STORAGE_BUFFER,
    STORAGE_TIMES, // in each core: times of its stores, and of its L1's lines
    STORAGE_PARTS,
};

struct offload_storage {
    struct {
        uint32_t entries, bits; // number of entries; bits of an entry
        // Numbers of cores, partitions and routers that have the part.
        uint32_t cores, llcs, routers;
    } part[STORAGE_PARTS];
};

// Returns the entries and bits of all parts.
struct offload_storage offload_storage_bits(const struct offload_sizes *sizes);
// Returns the name of a part.
const char *offload_storage_name(enum storage_part part);
// Returns the figure of [000 §5] for a part, in bytes unless it names another unit; "": no figure.
const char *offload_storage_paper(enum storage_part part);
// Returns the bytes of all entries of a part, rounded up.
uint64_t offload_storage_bytes(const struct offload_storage *storage, enum storage_part part);
// Prints the parts as a table: entries, bits, bytes, places, and the figures of [000].
void offload_storage_print(const struct offload_storage *storage, FILE *to);

// Adds energy and arrays. Implements `energy` of struct scheme_report.
void llc_omni_energy(const void *config, const struct machine_config *machine,
                     struct energy_model *model);
