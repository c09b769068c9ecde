// Constants of the GPU that the analyses and the simulator assume.
#pragma once

enum {
    WARP_LANES = 32,   // threads of a warp
    LINE_BYTES = 128,  // a cache line
    SECTOR_BYTES = 32, // the part of a line that is transferred alone
};
