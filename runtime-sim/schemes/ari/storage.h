// The storage that the scheme adds to a memory controller's network interface and router, and an
// estimate of the area, beside the figures of a synthesised design in [004 §6.1].
//
// Reading: a pair of interface and router has as area its registers, one flip-flop for each bit of
// a queue or buffer, and its crossbar, one multiplexer of two inputs for each crosspoint and bit.
// Cells are those of the library that [004 §6.1] names (45 nm). Wires are not counted.
#pragma once
#include "runtime-sim/schemes/ari/ari.h"
#include <stdio.h>

enum ari_part {
    ARI_QUEUES,     // injection queues; their places in all do not change
    ARI_POINTERS,   // of the additional queues: head, tail, count
    ARI_PRIORITIES, // in each packet's head; fits the flit
    ARI_WAITING,    // cycles that packets from other routers have waited, by virtual channel
    ARI_BUFFERS,    // of the router's ports
    ARI_LINKS,      // wires from the interface to the router
    ARI_CROSSBAR,   // crosspoints of the router
    ARI_PARTS
};

struct ari_storage {
    struct {
        uint64_t before, after; // bits, wires, or crosspoints times bits, of a controller
    } part[ARI_PARTS];
    uint32_t controllers; // with these parts
    uint32_t routers;     // of both networks
};

struct ari_storage ari_storage_of(const struct ari_config *config,
                                  const struct machine_config *machine);
// Fractions by which the area of a controller's pair, and that of both networks, grows.
double ari_storage_pair(const struct ari_storage *storage);
double ari_storage_networks(const struct ari_storage *storage);
void ari_storage_print(const struct ari_storage *storage, FILE *to);
