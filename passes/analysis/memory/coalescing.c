#include "passes/analysis/affine/address.h"
#include "passes/analysis/memory/coalescing_places.h"
#include <inttypes.h>
#include <string.h>

enum {
    POINTER_ALIGN = 256,
    WORD = 4,
    WORD_SHIFT = 2,
    SECTOR_SHIFT = 5,
    LINE_SHIFT = 7,
    MAX_WARPS = 32, // of a block
};

_Static_assert(WORD == 1 << WORD_SHIFT && SECTOR_BYTES == 1 << SECTOR_SHIFT &&
                   LINE_BYTES == 1 << LINE_SHIFT,
               "units and the logarithms of their sizes");

struct coalescings {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct affines *affines;
    struct block_shape shape;
    bool rows;              // the shape is unknown, and has more than one dimension
    struct coalescing **of; // per instruction; NULL: not requested yet
};

struct coalescings *coalescings_new(struct arena *arena, const struct ir_module *module,
                                    const struct ir_function *fn, struct affines *affines,
                                    struct block_shape shape)
{
    struct coalescings *c = ARENA_NEW(arena, struct coalescings);
    *c = (struct coalescings){arena, module, fn, affines, shape, false, NULL};
    c->rows = !shape_is_known(&shape) && shape_has_rows(fn);
    c->of = ARENA_ARRAY(arena, struct coalescing *, fn->insts.n);
    return c;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

struct ratio ratio_of(uint64_t count, uint64_t of)
{
    uint64_t divisor = common_divisor(count, of);
    return divisor ? (struct ratio){count / divisor, of / divisor} : (struct ratio){0, 1};
}

// Starts of warps

// A factor of a term: `value`, plus an unknown multiple of `granule` unless it is known.
struct factor {
    bool known;
    int64_t value;
    uint64_t granule;
};

static struct factor special_factor(const struct coalescings *c, const struct affine_atom *atom,
                                    const uint32_t tid[3])
{
    uint32_t dimension = (uint32_t)(atom->member - W_x);
    bool known = shape_is_known(&c->shape);
    bool one = !known && dimension; // an unknown shape has one dimension
    switch (atom->index) {
    case SPECIAL_tid:
        return (struct factor){known || one, dimension < 3 ? tid[dimension] : 0, WARP_LANES};
    case SPECIAL_ntid: return (struct factor){one, one, WARP_LANES};
    case SPECIAL_laneid: return (struct factor){true, 0, 1};
    default: return (struct factor){false, 0, 1};
    }
}

static bool is_pointer(const struct coalescings *c, const struct affine_term *term,
                       const struct affine_atom *atom)
{
    return term->coefficient == 1 && term->atom[1] == IR_NONE &&
           (atom->kind == AFFINE_SYMBOL ||
            (atom->kind == AFFINE_PARAMETER && atom->bits == c->module->address_bits));
}

static uint32_t warp_of(const struct coalescings *c, const uint32_t tid[3])
{
    const struct block_shape *shape = &c->shape;
    if (!shape_is_known(shape))
        return tid[0] / WARP_LANES;
    return (tid[0] + shape->x * (tid[1] + shape->y * tid[2])) / WARP_LANES;
}

// Returns a factor computed from %tid: the value of lane 0 of the warp; for an unknown shape the
// value in all warps, or a divisor of it in all warps.
static struct factor computed_factor(const struct coalescings *c, uint32_t atom,
                                     const uint32_t tid[3])
{
    if (!shape_is_known(&c->shape)) {
        struct affine_all_warps places = affine_all_warps(c->affines, atom);
        return (struct factor){places.known && places.same, places.first, places.divisor};
    }
    const struct affine_warp *at = affine_warp(c->affines, atom, warp_of(c, tid));
    return at ? (struct factor){at->exact, at->value[0], at->granule}
              : (struct factor){false, 0, 1};
}

static struct factor factor_of(const struct coalescings *c, uint32_t id, const uint32_t tid[3])
{
    const struct affine_atom *atom = affine_atom(c->affines, id);
    struct factor factor = {false, 0, 1};
    if (atom->min == atom->max)
        return (struct factor){true, atom->min, 1};
    if (atom->kind == AFFINE_SPECIAL)
        factor = special_factor(c, atom, tid);
    if (atom->kind == AFFINE_VERSION)
        factor = computed_factor(c, id, tid);
    return factor;
}

// Returns true if the atom depends on the warp's position in the block. As the only factor, it need
// be known only up to a part that is equal in all warps.
static bool is_placed(const struct coalescings *c, uint32_t id, const uint32_t tid[3], bool alone,
                      struct factor *factor)
{
    const struct affine_atom *atom = affine_atom(c->affines, id);
    if (atom->kind == AFFINE_SPECIAL && atom->index == SPECIAL_tid) {
        *factor = (struct factor){true, tid[(atom->member - W_x) % 3], 1};
        return true;
    }
    if (atom->kind == AFFINE_SPECIAL && isa_specials[atom->index].varies == VARIES_WARP) {
        *factor = (struct factor){false, 0, 1};
        return true;
    }
    if (atom->kind != AFFINE_VERSION)
        return false;
    if (!shape_is_known(&c->shape)) {
        struct affine_all_warps places = affine_all_warps(c->affines, id);
        *factor = (struct factor){places.same, places.first, 1};
        if (!places.known || places.same || places.anywhere)
            return places.known && places.same;
    }
    const struct affine_warp *at = affine_warp(c->affines, id, warp_of(c, tid));
    if (!at || (!at->exact && at->anywhere && at->apart))
        return false;
    *factor = (struct factor){at->exact || (alone && at->apart), at->value[0], 1};
    return true;
}

// Computes the part of a term that depends on the warp's position; 0 if nothing does. Returns false
// if it depends on it in an unknown way.
static bool term_offset(const struct coalescings *c, const struct affine_term *term,
                        const uint32_t tid[3], int64_t *offset)
{
    uint64_t product = (uint64_t)term->coefficient;
    bool depends = false, known = true, alone = term->atom[1] == IR_NONE;
    *offset = 0;
    for (uint32_t k = 0; k < AFFINE_FACTORS && term->atom[k] != IR_NONE; k++) {
        struct factor factor;
        if (is_placed(c, term->atom[k], tid, alone, &factor))
            depends = true;
        else
            factor = factor_of(c, term->atom[k], tid);
        known &= factor.known;
        product *= (uint64_t)factor.value;
    }
    if (depends && known)
        *offset = (int64_t)product;
    return known || !depends;
}

bool coalescing_warp_offset(const struct coalescings *c, const struct affine *address,
                            const uint32_t tid[3], int64_t *offset)
{
    *offset = 0;
    for (uint32_t i = 0; i < address->count; i++) {
        int64_t own;
        if (!term_offset(c, &address->terms[i], tid, &own))
            return false;
        *offset += own;
    }
    return true;
}

static uint64_t lowest_bit(uint64_t value)
{
    return value & -value;
}

// Adds a term to the start. The granule is the largest power of two that divides the unknown part.
// A single unknown factor still contributes the value that it has besides its granule.
static void add_term(const struct coalescings *c, struct start *start,
                     const struct affine_term *term, const uint32_t tid[3], bool *based)
{
    uint64_t product = (uint64_t)term->coefficient, rest = 0, granule = 1, granules = 1;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < AFFINE_FACTORS && term->atom[i] != IR_NONE; i++) {
        struct factor factor = factor_of(c, term->atom[i], tid);
        if (!*based && is_pointer(c, term, affine_atom(c->affines, term->atom[i]))) {
            *based = true;
            factor.granule = POINTER_ALIGN;
        }
        if (factor.known) {
            product *= (uint64_t)factor.value;
            continue;
        }
        unknown++;
        rest = (uint64_t)factor.value;
        granule = factor.granule;
        granules *= lowest_bit(rest | granule);
    }
    uint64_t step = lowest_bit(product * (unknown == 1 ? granule : granules));
    if (unknown < 2)
        start->value += unknown ? product * rest : product;
    if (unknown && step && step < start->granule)
        start->granule = step;
}

// Assumes that the access is aligned to its own size.
struct start coalescing_start(const struct coalescings *c, const struct affine *address,
                              uint32_t warp, uint32_t bytes)
{
    struct start start = {(uint64_t)address->constant, LINE_BYTES};
    uint32_t tid[3] = {0};
    bool based = false;
    if (shape_is_known(&c->shape))
        shape_thread(&c->shape, warp * WARP_LANES, tid);
    for (uint32_t i = 0; i < address->count; i++)
        add_term(c, &start, &address->terms[i], tid, &based);
    if (start.granule < bytes)
        start = (struct start){0, bytes};
    start.value %= start.granule;
    return start;
}

// Lines and sectors

struct coalescing_sum {
    uint64_t lines, sectors, of;
};

static void add_counts(struct coalescing *c, struct coalescing_sum *sum, uint32_t lines,
                       uint32_t sectors)
{
    sum->lines += lines;
    sum->sectors += sectors;
    c->min = !sum->of || lines < c->min ? lines : c->min;
    c->max = lines > c->max ? lines : c->max;
    c->min_s = !sum->of || sectors < c->min_s ? sectors : c->min_s;
    c->max_s = sectors > c->max_s ? sectors : c->max_s;
    sum->of++;
}

// Lines and sectors of a pattern by its offset in a line, counted on request.
struct coalescing_offsets {
    struct access_pattern pattern;
    uint8_t lines[LINE_BYTES], sectors[LINE_BYTES]; // 0: not counted yet
};

// Takes every offset that the start allows. All warps get the same total weight.
static void add_positions(struct coalescing *c, struct coalescing_sum *sum,
                          struct coalescing_offsets *places, const struct start *start)
{
    uint64_t others = start->granule - 1;
    for (uint64_t place = start->value; place < LINE_BYTES; place += start->granule) {
        if (!places->lines[place]) {
            places->lines[place] =
                (uint8_t)pattern_units(&places->pattern, (int64_t)place, LINE_SHIFT);
            places->sectors[place] =
                (uint8_t)pattern_units(&places->pattern, (int64_t)place, SECTOR_SHIFT);
        }
        add_counts(c, sum, places->lines[place], places->sectors[place]);
        sum->lines += places->lines[place] * others;
        sum->sectors += places->sectors[place] * others;
        sum->of += others;
    }
}

// In local memory, word w of lane l is at word 32 w + l.
static bool add_local(struct coalescing *c, struct coalescing_sum *sum,
                      const struct affine_lanes *lanes)
{
    struct access_pattern lines, sectors;
    int64_t at[WARP_LANES];
    uint32_t count = 0;
    bool uniform = true;
    pattern_of_lanes(&lines, lanes, c->bytes);
    for (uint32_t i = 0; i < WARP_LANES; i++) {
        if (lanes->offset[i] % WORD)
            return false;
        if (!(lanes->active >> i & 1))
            continue;
        uniform &= lanes->offset[i] == lines.first[0];
        at[count++] = (lanes->offset[i] >> WORD_SHIFT) * 4 + i / 8;
    }
    pattern_of_bytes(&sectors, at, count, 1);
    uint32_t words = divide_up(c->bytes, WORD);
    if (words > 1 && !uniform)
        return false;
    add_counts(c, sum, pattern_units(&lines, 0, WORD_SHIFT), pattern_units(&sectors, 0, 0) * words);
    return true;
}

uint32_t coalescing_warps(const struct block_shape *shape)
{
    if (!shape_is_known(shape))
        return 1;
    uint64_t threads = (uint64_t)shape->x * shape->y * shape->z;
    uint64_t warps = threads / WARP_LANES; // whole warps, or the only one
    return !warps ? 1 : warps > MAX_WARPS ? MAX_WARPS : (uint32_t)warps;
}

static void describe(struct coalescing *to, const struct affine_lanes *lanes, bool first)
{
    bool uniform = true, even = true;
    int64_t stride = lanes->offset[1] - lanes->offset[0];
    for (uint32_t i = 1; i < WARP_LANES && lanes->active >> i & 1; i++) {
        uniform &= lanes->offset[i] == lanes->offset[0];
        even &= lanes->offset[i] - lanes->offset[i - 1] == stride;
    }
    to->uniform = uniform && (first || to->uniform);
    to->even = even && (first || (to->even && to->stride == stride));
    to->stride = to->even ? stride : 0;
}

// State of the evaluation over the warps of a block.
struct look {
    const struct affine *address;
    uint32_t block;
    struct affine_lanes lanes; // of the last warp
    struct coalescing_offsets places;
    struct coalescing_sum sum;
    uint8_t assumes;
};

// Returns false if the lanes of this warp are unknown.
static bool compute_lanes(struct coalescings *c, struct coalescing *to, struct look *look,
                          uint32_t warp)
{
    struct affine_lanes *lanes = &look->lanes;
    if (warp && lanes->same_in_all_warps)
        return true;
    *lanes = affine_lanes(c->affines, look->address, look->block, warp);
    to->because = lanes->because;
    look->assumes |= lanes->assumes;
    if (!lanes->known || (!shape_is_known(&c->shape) && !lanes->same_in_all_warps))
        return false;
    describe(to, lanes, !warp);
    memset(look->places.lines, 0, sizeof look->places.lines);
    pattern_of_lanes(&look->places.pattern, lanes, to->bytes);
    return true;
}

static bool add_warp(struct coalescings *c, struct coalescing *to, struct look *look, uint32_t warp)
{
    if (!compute_lanes(c, to, look, warp))
        return false;
    if (to->space == W_local)
        return add_local(to, &look->sum, &look->lanes);
    struct start start = coalescing_start(c, look->address, warp, to->bytes);
    to->granule = start.granule < to->granule ? (uint32_t)start.granule : to->granule;
    add_positions(to, &look->sum, &look->places, &start);
    return true;
}

// Sets the bounds of an unknown access: one line, or one line per lane.
static void set_bounds(struct coalescing *to)
{
    uint32_t parts = divide_up(to->bytes, SECTOR_BYTES);
    if (to->space == W_local)
        parts = divide_up(to->bytes, WORD);
    to->known = to->uniform = to->even = false;
    to->stride = 0;
    to->min = 1;
    to->min_s = 1;
    to->max = to->space == W_local ? WARP_LANES * parts : WARP_LANES;
    to->max_s = WARP_LANES * parts;
    to->lines = ratio_of(to->min + to->max, 2);
    to->sectors = ratio_of(to->min_s + to->max_s, 2);
}

// Returns the space of the access. A generic address of a variable has the variable's space.
static uint16_t space_of(const struct coalescings *c, uint32_t inst, const struct affine *address)
{
    struct address at = address_of(c->module, c->fn, inst);
    for (uint32_t i = 0; at.space == W_UNKNOWN && i < address->count; i++) {
        const struct affine_atom *atom = affine_atom(c->affines, address->terms[i].atom[0]);
        if (is_pointer(c, &address->terms[i], atom) && atom->kind == AFFINE_SYMBOL)
            return c->module->symbols.v[atom->index].space;
    }
    return at.space;
}

static bool is_access(const struct ir_inst *inst)
{
    return inst->class == CLASS_LOAD || inst->class == CLASS_STORE || inst->class == CLASS_ATOMIC;
}

// Returns true if the address may depend on a thread's position in its block.
static bool depends_on_position(const struct coalescings *c, const struct affine *address)
{
    for (uint32_t i = 0; i < address->count; i++)
        for (uint32_t k = 0; k < AFFINE_FACTORS && address->terms[i].atom[k] != IR_NONE; k++) {
            const struct affine_atom *atom = affine_atom(c->affines, address->terms[i].atom[k]);
            if (atom->kind == AFFINE_VERSION ||
                (atom->kind == AFFINE_SPECIAL && atom->index == SPECIAL_tid))
                return true;
        }
    return false;
}

static void count_lines(struct coalescings *c, struct coalescing *to, const struct affine *address,
                        uint32_t block)
{
    struct look look;
    uint32_t warps = coalescing_warps(&c->shape);
    look.address = address;
    look.block = block;
    look.sum = (struct coalescing_sum){0};
    look.assumes = 0;
    to->granule = LINE_BYTES;
    to->known = true;
    for (uint32_t warp = 0; warp < warps && to->known; warp++)
        to->known = add_warp(c, to, &look, warp);
    to->assumes = address->assumes | look.assumes;
    if (c->rows && depends_on_position(c, address))
        to->assumes |= COALESCING_ROWS;
    if (!to->known) {
        set_bounds(to);
        return;
    }
    to->lines = ratio_of(look.sum.lines, look.sum.of);
    to->sectors = ratio_of(look.sum.sectors, look.sum.of);
}

static struct coalescing classify_access(struct coalescings *c, uint32_t inst)
{
    const struct ir_inst *at = &c->fn->insts.v[inst];
    struct coalescing to = {.because = IR_NONE};
    struct affine address;
    if (!is_access(at) || !affine_of_address(c->affines, inst, &address))
        return to;
    to.space = space_of(c, inst, &address);
    to.bytes = (uint32_t)(ir_type_bits(at->type) + 7) / 8 * at->vector;
    to.access = to.bytes && (to.space == W_global || to.space == W_local || to.space == W_UNKNOWN);
    if (to.access)
        count_lines(c, &to, &address, at->block);
    return to;
}

struct coalescing coalescing_of(struct coalescings *c, uint32_t inst)
{
    if (!c->of[inst]) {
        c->of[inst] = ARENA_NEW(c->arena, struct coalescing);
        *c->of[inst] = classify_access(c, inst);
    }
    return *c->of[inst];
}

// Text

static const char *ratio_text(struct arena *arena, struct ratio ratio)
{
    if (ratio.of == 1)
        return arena_printf(arena, "%" PRIu64, ratio.count);
    return arena_printf(arena, "%.2f", (double)ratio.count / (double)ratio.of);
}

static const char *lines_text(struct arena *arena, const struct coalescing *c)
{
    const char *lines = ratio_text(arena, c->lines);
    const char *rows =
        c->assumes & COALESCING_ROWS ? ", if the rows of the blocks are whole warps" : "";
    if (coalescing_is_exact(c))
        return arena_printf(arena, "%s line%s for each access%s", lines, c->max == 1 ? "" : "s",
                            rows);
    return arena_printf(arena,
                        "%s lines for an access on average, %u to %u, depending on its alignment%s",
                        lines, c->min, c->max, rows);
}

static uint32_t line_of(const struct coalescings *c, uint32_t inst)
{
    return ir_position(c->module, c->fn, inst).line;
}

// Returns "%r5, which line 12 defines".
static const char *version_text(const struct coalescings *c, struct arena *arena, const char *name,
                                uint32_t id)
{
    const struct ir_version *version = &c->fn->versions.v[id];
    if (version->kind == VERSION_INST)
        return arena_printf(arena, "%s, which line %u defines", name, line_of(c, version->index));
    if (version->kind == VERSION_ENTRY)
        return arena_printf(arena, "%s, which this function does not define", name);
    const struct ir_block *block = &c->fn->blocks.v[c->fn->phis.v[version->index].block];
    if (block->first == block->end)
        return name;
    return arena_printf(arena, "%s, whose definitions are merged on line %u", name,
                        line_of(c, block->first));
}

static const char *atom_text(const struct coalescings *c, struct arena *arena, uint32_t id)
{
    const struct affine_atom *atom = affine_atom(c->affines, id);
    const char *name = affine_atom_text(c->affines, arena, id);
    switch (atom->kind) {
    case AFFINE_VERSION: return version_text(c, arena, name, atom->index);
    case AFFINE_PARAMETER: return arena_printf(arena, "the parameter %s", name);
    case AFFINE_SYMBOL: return arena_printf(arena, "the address of %s", name);
    case AFFINE_ITERATION: {
        const struct ir_block *header = &c->fn->blocks.v[c->fn->loops.v[atom->index].header];
        return arena_printf(arena, "the iteration of the loop on line %u",
                            line_of(c, header->first));
    }
    default: return name;
    }
}

// Names the part of the address whose distances between lanes are unknown.
static const char *unknown_text(struct coalescings *c, struct arena *arena, uint32_t because)
{
    if (because == IR_NONE)
        return "the distances between the lanes' addresses depend on the warp and the shape of the "
               "blocks, which is unknown";
    return arena_printf(arena, "%s %s",
                        affine_atom(c->affines, because)->varies
                            ? "the lanes' addresses depend on"
                            : "the distances between the lanes' addresses depend on",
                        atom_text(c, arena, because));
}

const char *coalescing_text(struct coalescings *c, struct arena *arena, uint32_t inst)
{
    struct coalescing found = coalescing_of(c, inst);
    if (!found.access)
        return "it is not an access to global or local memory";
    if (!found.known)
        return unknown_text(c, arena, found.because);
    const char *lines = lines_text(arena, &found);
    if (found.uniform)
        return arena_printf(arena, "all lanes of a warp have the same address: %s", lines);
    if (found.even)
        return arena_printf(arena, "the lanes of a warp are %" PRIu64 " bytes apart: %s",
                            magnitude(found.stride), lines);
    return arena_printf(arena, "the lanes of a warp are known distances apart: %s", lines);
}
