// Memory arrays by size: energy of an access, leakage, area. Fitted to points of CACTI 7
// (array_points.def; array_fit.def has the coefficients and their errors).
#pragma once
#include <stdint.h>

enum array_kind { ARRAY_RAM, ARRAY_CAM };

struct array {
    enum array_kind kind;
    double entries, bits; // bits of an entry
    double reads;         // read ports beside the one for reads and writes; RAM only
};

struct array_cost {
    double read;    // pJ of a read; of a CAM: of a search
    double write;   // pJ
    double leakage; // mW
    double area;    // mm2
};

// The range of the points.
enum { ARRAY_ENTRIES_LEAST = 32, ARRAY_ENTRIES_MOST = 4096, ARRAY_BITS_LEAST = 32 };
enum { ARRAY_BITS_MOST = 1024, ARRAY_CAM_BITS = 64 };

// Returns the costs of an array at a technology in nm, at its nominal voltage. A RAM with fewer
// entries than the points have is flip-flops. Otherwise, outside of the range of the points all
// four are linear in the bits of an entry; leakage and area are linear in the entries, and energies
// grow with their square root above the range and stay the same below it. An array without entries
// or bits costs nothing.
struct array_cost array_cost(const struct array *array, double nm);
