// Interns atoms. Each has a range and a flag that says whether it differs between the lanes of a
// warp.
#include "passes/analysis/affine/affine_internal.h"

enum { FIRST_BUCKETS = 64 };

static uint32_t hash(const struct affine_atom *atom)
{
    uint64_t key = (uint64_t)atom->index << 24 ^ (uint64_t)atom->member << 8 ^
                   (uint64_t)atom->kind << 4 ^ atom->is_unsigned ^ (uint64_t)atom->offset << 40;
    key *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(key >> 32);
}

static bool same_atom(const struct affine_atom *a, const struct affine_atom *b)
{
    return a->kind == b->kind && a->index == b->index && a->member == b->member &&
           a->is_unsigned == b->is_unsigned && a->bits == b->bits && a->offset == b->offset;
}

static uint32_t find(const struct affines *affines, const struct affine_atom *atom)
{
    uint32_t at = hash(atom) & (affines->bucket_count - 1);
    while (affines->buckets[at] && !same_atom(&affines->atoms.v[affines->buckets[at] - 1], atom))
        at = (at + 1) & (affines->bucket_count - 1);
    return at;
}

static void grow(struct affines *affines)
{
    affines->bucket_count = affines->bucket_count ? affines->bucket_count * 2 : FIRST_BUCKETS;
    affines->buckets = ARENA_ARRAY(affines->arena, uint32_t, affines->bucket_count);
    for (uint32_t i = 0; i < affines->atoms.n; i++)
        affines->buckets[find(affines, &affines->atoms.v[i])] = i + 1;
}

uint32_t affine_intern(struct affines *affines, const struct affine_atom *atom)
{
    if (affines->atoms.n * 2 >= affines->bucket_count)
        grow(affines);
    uint32_t *bucket = &affines->buckets[find(affines, atom)];
    if (!*bucket) {
        vec_push(affines->arena, &affines->atoms, *atom);
        *bucket = affines->atoms.n;
    }
    return *bucket - 1;
}

struct affine affine_of_atom(struct affines *affines, const struct affine_atom *atom)
{
    struct affine_term *term = ARENA_NEW(affines->arena, struct affine_term);
    *term = (struct affine_term){1, {affine_intern(affines, atom), IR_NONE, IR_NONE}};
    return (struct affine){.terms = term, .count = 1, .exact_bits = 64};
}

const struct affine_atom *affine_atom(const struct affines *affines, uint32_t atom)
{
    return &affines->atoms.v[atom];
}

// Limits a width to 64 bits. Registers without a width or with 128 bits count as 64: their range is
// unknown.
static unsigned held_bits(unsigned bits)
{
    return bits && bits < 64 ? bits : 64;
}

static void set_range(struct affine_atom *atom, unsigned bits, bool is_unsigned)
{
    unsigned digits = held_bits(bits) - !is_unsigned;
    atom->max = digits >= 63 ? INT64_MAX : INT64_MAX >> (63 - digits);
    atom->min = is_unsigned ? 0 : -atom->max - 1;
}

// Special registers

// Limits of any launch in x, y and z; 0 where the register has no such component.
static const struct special_range {
    uint32_t special;
    int64_t min, max[3];
} special_ranges[] = {
    {SPECIAL_ctaid, 0, {INT32_MAX - 1, 65534, 65534}},
    {SPECIAL_nctaid, 1, {INT32_MAX, 65535, 65535}},
    {SPECIAL_laneid, 0, {WARP_LANES - 1, 0, 0}},
    {SPECIAL_nwarpid, 1, {64, 0, 0}},
};

static void set_special_range(const struct affines *affines, struct affine_atom *atom)
{
    int dimension = atom->member == W_y ? 1 : atom->member == W_z ? 2 : 0;
    bool threads = atom->index == SPECIAL_tid || atom->index == SPECIAL_ntid;
    set_range(atom, atom->bits, false);
    if (threads && atom->member != W_w) {
        int64_t max = shape_max(&affines->shape, atom->member);
        bool counts = atom->index == SPECIAL_ntid;
        atom->min = !counts ? 0 : shape_is_known(&affines->shape) ? max : 1;
        atom->max = max - !counts;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(special_ranges); i++)
        if (special_ranges[i].special == atom->index && atom->member != W_w) {
            atom->min = special_ranges[i].min;
            atom->max = special_ranges[i].max[dimension];
        }
}

bool affine_of_special(struct affines *affines, uint32_t special, uint16_t member,
                       struct affine *to)
{
    const struct isa_special_info *info = &isa_specials[special];
    bool steady = info->varies != VARIES_TIME && info->varies != VARIES_WARP && info->min > 1;
    if (!steady || (info->parts > 1 && member == W_UNKNOWN))
        return false;
    struct affine_atom atom = {.kind = AFFINE_SPECIAL,
                               .bits = info->max,
                               .member = member,
                               .index = special,
                               .varies = divergence_special(affines->divergence, special, member)};
    set_special_range(affines, &atom);
    *to = atom.min == atom.max ? affine_constant(atom.min) : affine_of_atom(affines, &atom);
    return true;
}

// Versions

// Returns the bits of an integer type, or 0. Sets *is_unsigned.
static unsigned integer_bits(uint16_t type, bool *is_unsigned)
{
    static const struct {
        uint16_t type;
        uint8_t bits;
        bool is_unsigned;
    } types[] = {{W_u8, 8, true},    {W_b8, 8, true},    {W_s8, 8, false},  {W_u16, 16, true},
                 {W_b16, 16, true},  {W_s16, 16, false}, {W_u32, 32, true}, {W_b32, 32, true},
                 {W_s32, 32, false}, {W_u64, 64, true},  {W_b64, 64, true}, {W_s64, 64, false}};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (types[i].type == type) {
            *is_unsigned = types[i].is_unsigned;
            return types[i].bits;
        }
    return 0;
}

// Computes the range of an instruction's results that have fewer bits than their register.
static bool narrow_result(const struct affines *affines, uint32_t inst, unsigned *bits,
                          bool *is_unsigned)
{
    const struct ir_inst *at = &affines->fn->insts.v[inst];
    bool ignored;
    *is_unsigned = true;
    switch (at->op) {
    case OP_popc:
    case OP_clz: *bits = 7; return true;
    case OP_ld:
    case OP_ldu: *bits = integer_bits(at->type, is_unsigned); return *bits != 0;
    case OP_cvt:
        *bits = integer_bits(at->type2, is_unsigned);
        return *bits && integer_bits(at->type, &ignored) > *bits;
    default: return false;
    }
}

// Reads source `n` if it is a non-negative immediate.
static bool plain_number(const struct affines *affines, uint32_t inst, uint32_t n, int64_t *value)
{
    uint32_t operand = ir_find_operand(affines->fn, inst, ROLE_USE, n);
    if (operand == IR_NONE || affines->fn->operands.v[operand].kind != OPERAND_IMMEDIATE)
        return false;
    *value = affines->fn->operands.v[operand].value;
    return *value >= 0;
}

// Computes the maximum of x & mask, x % n, x >> n and bit fields from their constant source.
static bool bounded_result(const struct affines *affines, uint32_t inst, unsigned bits,
                           int64_t *max)
{
    const struct ir_inst *at = &affines->fn->insts.v[inst];
    bool has_sign = at->type == W_s32 || at->type == W_s64 || at->type == W_s16;
    int64_t n;
    switch (at->op) {
    case OP_and: return plain_number(affines, inst, 1, max);
    case OP_rem:
        *max = 0;
        if (has_sign || !plain_number(affines, inst, 1, &n) || !n)
            return false;
        *max = n - 1;
        return true;
    case OP_shr:
        if (has_sign || at->type == W_b16 || !plain_number(affines, inst, 1, &n) || !n || n >= bits)
            return false;
        *max = (int64_t)(UINT64_MAX >> (64 - bits + (unsigned)n));
        return true;
    case OP_bfe:
        if (has_sign || !plain_number(affines, inst, 2, &n) || n >= bits)
            return false;
        *max = (INT64_C(1) << n) - 1;
        return true;
    default: return false;
    }
}

// Returns the low zero bits of x & mask, which are those of the mask.
static unsigned zeros_of(const struct affines *affines, uint32_t inst)
{
    const struct ir_function *fn = affines->fn;
    for (uint32_t n = 0; n < 2 && fn->insts.v[inst].op == OP_and; n++) {
        uint32_t operand = ir_find_operand(fn, inst, ROLE_USE, n);
        const struct ir_operand *o = operand == IR_NONE ? NULL : &fn->operands.v[operand];
        if (o && o->kind == OPERAND_IMMEDIATE && o->value && !o->negated)
            return (unsigned)__builtin_ctzll((uint64_t)o->value);
    }
    return 0;
}

static void set_version_range(const struct affines *affines, struct affine_atom *atom)
{
    const struct ir_version *version = &affines->fn->versions.v[atom->index];
    unsigned bits = atom->bits;
    bool is_unsigned = atom->is_unsigned;
    int64_t max;
    set_range(atom, bits, is_unsigned);
    if (version->kind != VERSION_INST || affines->fn->insts.v[version->index].flags & INST_GUARDED)
        return;
    bool narrow = narrow_result(affines, version->index, &bits, &is_unsigned);
    if (narrow && bits < atom->bits && (is_unsigned || !atom->is_unsigned))
        set_range(atom, bits, is_unsigned);
    if (bounded_result(affines, version->index, atom->bits, &max) && max < atom->max) {
        atom->min = 0;
        atom->max = max;
    }
    atom->zeros = (uint8_t)zeros_of(affines, version->index);
}

static struct affine of_version(struct affines *affines, uint32_t version, bool is_unsigned)
{
    const struct ir_version *v = &affines->fn->versions.v[version];
    struct affine_atom atom = {.kind = AFFINE_VERSION,
                               .bits = (uint8_t)affines->fn->registers.v[v->reg].bits,
                               .is_unsigned = is_unsigned,
                               .member = W_UNKNOWN,
                               .index = version,
                               .varies = !divergence_uniform(affines->divergence, version)};
    set_version_range(affines, &atom);
    if (is_unsigned &&
        atom.max <= INT64_MAX >> (64 - held_bits(atom.bits))) { // both readings agree
        atom.is_unsigned = false;
        set_version_range(affines, &atom);
    }
    return affine_of_atom(affines, &atom);
}

struct affine affine_opaque(struct affines *affines, uint32_t version)
{
    return of_version(affines, version, false);
}

struct affine affine_unsigned(struct affines *affines, uint32_t version)
{
    return of_version(affines, version, true);
}

struct affine affine_of_symbol(struct affines *affines, uint32_t symbol)
{
    struct affine_atom atom = {
        .kind = AFFINE_SYMBOL, .bits = 64, .member = W_UNKNOWN, .index = symbol};
    bool far = affines->module->symbols.v[symbol].space == W_global ||
               affines->module->symbols.v[symbol].space == W_func;
    set_range(&atom, far ? 64 : 31, !far); // other address spaces start at 0
    return affine_of_atom(affines, &atom);
}
