// Constants of the GPU, as assumed by the analyses and the simulator.
#pragma once

enum {
    WARP_LANES = 32,   // threads of a warp
    LINE_BYTES = 128,  // a cache line
    SECTOR_BYTES = 32, // unit of transfer within a line
};
