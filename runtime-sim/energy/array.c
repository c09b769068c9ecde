// The logarithm of each measure is a polynomial in the logarithms of entries and bits. Ports and
// technology enter as powers.
#include "runtime-sim/energy/array.h"
#include "runtime-sim/energy/energy.h"
#include <math.h>
#include <stdbool.h>

#define REFERENCE_NM 45.0

struct array_fit {
    double constant, entries, bits, ports, nm, bits2, entries2, both;
};

struct array_fits {
    struct array_fit read, write, leakage, area;
};

static const struct array_fits fits[] = {
#define ARRAY_FIT(kind, measure, ...) [kind].measure = {__VA_ARGS__},
#include "runtime-sim/energy/array_fit.def"
#undef ARRAY_FIT
};

static double evaluate(const struct array_fit *fit, const struct array *array, double nm)
{
    double e = log(array->entries), b = log(array->bits);
    return exp(fit->constant + fit->entries * e + fit->bits * b +
               fit->ports * log(1 + array->reads) + fit->nm * log(nm / REFERENCE_NM) +
               fit->bits2 * b * b + fit->entries2 * e * e + fit->both * e * b);
}

static double within(double value, double min, double max)
{
    return value < min ? min : value > max ? max : value;
}

// Flip-flops: the energy of an access per bit is affine in the entries, through both routers of
// noc_points.def; leakage per bit is that of these routers. The area of a flip-flop is that of
// DFF_X1 in the 45 nm NanGate library, in um2.
#define FLIP_FLOP 4.522

static double per_bit(double entries, double first, double second)
{
    const struct energy_router *a = &energy_routers[0], *b = &energy_routers[1];
    double at_a = a->vcs * a->depth, at_b = b->vcs * b->depth;
    double slope = (first / a->bits - second / b->bits) / (at_a - at_b);
    return first / a->bits + slope * (entries - at_a);
}

static struct array_cost flip_flops(const struct array *array, double nm)
{
    const struct energy_router *a = &energy_routers[0], *b = &energy_routers[1];
    double size = nm / REFERENCE_NM;
    double volts = energy_nominal_voltage(nm) / energy_nominal_voltage(REFERENCE_NM);
    double bits = array->entries * array->bits;
    double buffer = a->bits * a->vcs * a->depth * ENERGY_ROUTER_PORTS;
    double switched = size * volts * volts;
    return (struct array_cost){
        .read = switched * array->bits * per_bit(array->entries, a->read, b->read),
        .write = switched * array->bits * per_bit(array->entries, a->write, b->write),
        .leakage = switched * bits * a->leakage / buffer,
        .area = bits * FLIP_FLOP * 1e-6 * size * size};
}

struct array_cost array_cost(const struct array *array, double nm)
{
    bool is_cam = array->kind == ARRAY_CAM;
    struct array inside = *array;
    if (array->entries <= 0 || array->bits <= 0)
        return (struct array_cost){0};
    bool is_small = array->kind == ARRAY_RAM && array->entries < ARRAY_ENTRIES_MIN;
    if (is_small || array->kind == ARRAY_REGISTERS)
        return flip_flops(array, nm);
    const struct array_fits *fit = &fits[array->kind];
    inside.entries = within(array->entries, ARRAY_ENTRIES_MIN, ARRAY_ENTRIES_MAX);
    inside.bits = is_cam ? ARRAY_CAM_BITS : within(array->bits, ARRAY_BITS_MIN, ARRAY_BITS_MAX);
    double bits = array->bits / inside.bits, entries = array->entries / inside.entries;
    double energy = bits * (entries > 1 ? sqrt(entries) : 1);
    return (struct array_cost){.read = energy * evaluate(&fit->read, &inside, nm),
                               .write = energy * evaluate(&fit->write, &inside, nm),
                               .leakage = bits * entries * evaluate(&fit->leakage, &inside, nm),
                               .area = bits * entries * evaluate(&fit->area, &inside, nm)};
}

// MUX2_X1 of the library in um2, and pitches of wires in FreePDK45 in um.
double crossbar_area(double inputs, double outputs, double bits, enum crossbar_layer layer,
                     double nm)
{
    static const double multiplexer = 1.862,
                        pitch[] = {[CROSSBAR_THIN] = 0.14, [CROSSBAR_MIDDLE] = 0.28};
    double cells = inputs * outputs * bits * multiplexer;
    double wires = inputs * bits * pitch[layer] * outputs * bits * pitch[layer];
    double size = nm / REFERENCE_NM;
    return (wires > cells ? wires : cells) * 1e-6 * size * size;
}
