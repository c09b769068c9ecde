// Memory arrays by size: access energy, leakage, area. Fitted to results of CACTI 7
// (array_points.def; array_fit.def has the coefficients and their errors).
#pragma once
#include <stdint.h>

// Registers are flip-flops at any size, as a synthesised design has them.
enum array_kind { ARRAY_RAM, ARRAY_CAM, ARRAY_REGISTERS };

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

// Layers of FreePDK45 in which the wires of a crossbar run.
enum crossbar_layer { CROSSBAR_CELLS, CROSSBAR_THIN, CROSSBAR_MIDDLE };

// Returns the area in mm2 of a crossbar: that of its two-input multiplexers, one per crosspoint and
// bit, or that of its grid of wires in metal 2 and 3 (thin) or 4 to 6 (middle) if it is larger.
double crossbar_area(double inputs, double outputs, double bits, enum crossbar_layer layer,
                     double nm);
