// What offloading takes of storage, in bits, from the sizes of its parts; beside it what [000 §5]
// says.
//
// Reading: an entry of the OQSR has the warp's number, the instruction to go on at (15 bits), the
// mask, and which of two loads are there. With 48 warps that is 55 bits, and 48 entries are the
// paper's 330 bytes.
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct offload_sizes {
    uint32_t warps;         // of a core
    uint32_t queue;         // entries of the offload queue, at most PACKET_ENTRIES
    uint32_t service_queue; // entries
    uint32_t buffer;        // chains whose data the service queue holds
    uint32_t nodes, llcs;   // with a core or a partition; partitions
    uint32_t cores;
    bool cores_compute; // for others, so that each has a table of meet nodes
    uint32_t routers;   // that compute
};

// Bytes [000 §5]. The service queue's are of SQSR and buffer together; of the EMN table it gives
// the entries alone: 64.
enum {
    STORAGE_PAPER_OQSR = 330,
    STORAGE_PAPER_FORMING = 30,
    STORAGE_PAPER_SERVICE_QUEUE = 2400,
    STORAGE_PAPER_EMN_ENTRIES = 64,
};

enum storage_part {
    STORAGE_OQSR,    // in each core, as the next two
    STORAGE_FORMING, // the packet that is being made
    STORAGE_EMN,     // the table of meet nodes
    STORAGE_SQSR,    // at each partition and, with Omni-Compute, core or router, as the rest
    STORAGE_LANES,   // places of irregular lanes of words, where every operand has them
    STORAGE_BUFFER,
    STORAGE_PARTS,
};

struct offload_storage {
    struct {
        uint32_t entries, bits; // of an entry
        // How many cores, partitions and routers have the part.
        uint32_t cores, llcs, routers;
    } part[STORAGE_PARTS];
};

struct offload_storage offload_storage_bits(const struct offload_sizes *sizes);
const char *offload_storage_name(enum storage_part part);
// What [000] says of it, in bytes unless it says otherwise; "": nothing.
const char *offload_storage_paper(enum storage_part part);
// Bytes of all of its entries, rounded up.
uint64_t offload_storage_bytes(const struct offload_storage *storage, enum storage_part part);
// The parts as a table of text: entries, bits, bytes, where they are, and what [000] says.
void offload_storage_print(const struct offload_storage *storage, FILE *to);
