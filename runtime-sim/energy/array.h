// Memory arrays by size: access energy, leakage, area. Fitted to results of CACTI 7
// (array_points.def; array_fit.def has the coefficients and their errors).
#pragma once
#include <stdint.h>

enum array_kind { ARRAY_RAM, ARRAY_CAM };

struct array {
    enum array_kind kind;
    double entries, bits; // bits of an entry
    double reads;         // read ports in addition to the read-write port; RAM only
};

struct array_cost {
    double read;    // pJ per read; for a CAM, per search
    double write;   // pJ per write
    double leakage; // mW
    double area;    // mm2
};

// The range of array_points.def.
enum { ARRAY_ENTRIES_MIN = 32, ARRAY_ENTRIES_MAX = 4096, ARRAY_BITS_MIN = 32 };
enum { ARRAY_BITS_MAX = 1024, ARRAY_CAM_BITS = 64 };

// Returns the costs of an array at a technology in nm, at its nominal voltage. A RAM with fewer
// entries than the smallest point is built of flip-flops. Other arrays outside the range of the
// points are extrapolated: all measures are linear in the bits of an entry; leakage and area are
// linear in the entries; energies grow with the square root of the entries above the range and are
// constant below it. An array without entries or bits costs nothing.
struct array_cost array_cost(const struct array *array, double nm);
