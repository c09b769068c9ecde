// Storage that the scheme adds to a memory controller's network interface and router, and an
// estimate of the area, printed beside the figures of the synthesised design in [004 §6.1].
//
// Assumption: the area of an interface and its router is that of its registers, one flip-flop per
// bit of a queue or buffer, and of its crossbar, one two-input multiplexer per crosspoint and bit.
// Cells are from the library that [004 §6.1] names (45 nm). Wires are not counted.
#pragma once
#include "runtime-sim/schemes/ari/ari.h"
#include <stdio.h>

enum ari_part {
    ARI_QUEUES,     // injection queues; the total number of entries does not change
    ARI_POINTERS,   // head, tail and count of each queue
    ARI_PRIORITIES, // in each packet's head flit, which has room for it
    ARI_WAITING,    // wait counters of packets from other routers, one per virtual channel
    ARI_BUFFERS,    // buffers of the router's ports
    ARI_LINKS,      // wires from the interface to the router
    ARI_CROSSBAR,   // crosspoints of the router
    ARI_PARTS
};

struct ari_storage {
    struct {
        uint64_t before, after; // per controller, in bits, wires, or crosspoints times bits
    } part[ARI_PARTS];
    uint32_t controllers; // controllers with these parts
    uint32_t routers;     // routers of both networks
};

// Returns the storage without and with the scheme.
struct ari_storage ari_storage_of(const struct ari_config *config,
                                  const struct machine_config *machine);
// Return the fraction by which area grows: of a controller's interface and router
// (ari_storage_pair), and of both networks.
double ari_storage_pair(const struct ari_storage *storage);
double ari_storage_networks(const struct ari_storage *storage);
// Prints the parts as a table, and the growth in area beside the figures of [004 §6.1].
void ari_storage_print(const struct ari_storage *storage, FILE *to);
