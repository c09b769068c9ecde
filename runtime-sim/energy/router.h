// Routers of noc_points.def.
#pragma once

struct energy_router {
    double bits, vcs, depth;                         // of a flit; channels, and flits of each
    double write, read, crossbar, arbitration, link; // pJ
    double leakage;                                  // mW
};

enum { ENERGY_ROUTER_PORTS = 5, ENERGY_ROUTERS = 2 };

extern const struct energy_router energy_routers[ENERGY_ROUTERS];
