// The routers of noc_points.def.
#pragma once

struct energy_router {
    double bits, vcs, depth;                         // bits of a flit; virtual channels; flits per
                                                     // virtual channel
    double write, read, crossbar, arbitration, link; // pJ
    double leakage;                                  // mW
};

enum { ENERGY_ROUTER_PORTS = 5, ENERGY_ROUTERS = 2 };

extern const struct energy_router energy_routers[ENERGY_ROUTERS];
