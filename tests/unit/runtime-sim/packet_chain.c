// Chains through packets: the tagger's chains become packets, and loads, ALU and stores that have
// only the packets' bits give the same memory as the functional engine.
#include "passes/base/passes.h"
#include "runtime-sim/schemes/llc_omni/packet_alu.h"
#include "tests/unit/runtime-sim/conform.h"
#include "tests/lib/patterns.h"
#include "tests/unit/runtime-sim/packet_model.h"
#include <glob.h>

enum { THREADS = 128, BUFFER = 2048, MAX_CHAIN = 13 };
#define SCALAR UINT32_C(0x3fc00003)

struct chain_case {
    uint32_t pattern, count;
    const char *text; // the chain; its result, if it is not stored, in %z, predicates in %p, %q
    uint32_t scalar_inst, scalar_use, scalar; // IR_NONE: none; place in the chain
    uint8_t bytes[3];                         // of the loads in their order, and the store
};

// %a, %b and %c are the addresses, %s is a warp's scalar, %g says whether it is odd; %l is a guard
// of the lanes. %h and %v are registers of 16 bits, and %n has those of %s.
static const struct chain_case cases[] = {
    {1,
     4,
     "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; add.rz.ftz.f32 %z, %x, %y; "
     "st.global.f32 [%c], %z;",
     IR_NONE,
     0,
     0,
     {4, 4, 4}},
    {1,
     4,
     "ld.global.s8 %x, [%a]; ld.global.u16 %y, [%b]; sub.sat.s32 %z, %y, %x; "
     "st.global.u8 [%c], %z;",
     IR_NONE,
     0,
     0,
     {1, 2, 1}},
    {1,
     4,
     "ld.global.u32 %x, [%a]; ld.global.s16 %y, [%b]; @%l lop3.b32 %z, %x, %y, %x, 0x6a; "
     "@%l st.global.u32 [%c], %z;",
     IR_NONE,
     0,
     0,
     {4, 2, 4}},
    {2,
     3,
     "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; mul.f32 %z, %y, %x;",
     IR_NONE,
     0,
     0,
     {4, 4}},
    {2,
     3,
     "@!%l ld.global.u8 %x, [%a]; @!%l ld.global.u32 %y, [%b]; @!%l shl.b32 %z, %y, %x;",
     IR_NONE,
     0,
     0,
     {1, 4}},
    {3, 2, "ld.global.b32 %x, [%a]; st.global.b32 [%c], %x;", IR_NONE, 0, 0, {4, 0, 4}},
    {3, 2, "ld.global.s8 %x, [%a]; st.global.u16 [%c], %x;", IR_NONE, 0, 0, {1, 0, 2}},
    {3, 2, "ld.global.u16 %x, [%a]; st.global.u8 [%c], %x;", IR_NONE, 0, 0, {2, 0, 1}},
    {3, 2, "ld.global.s8 %h, [%a]; st.global.u16 [%c], %h;", IR_NONE, 0, 0, {1, 0, 2}},
    {4,
     3,
     "ld.global.f32 %x, [%a]; mul.rn.sat.f32 %z, %x, %x; st.global.f32 [%c], %z;",
     IR_NONE,
     0,
     0,
     {4, 0, 4}},
    {4,
     3,
     "ld.global.s16 %x, [%a]; cvt.rp.f32.s32 %z, %x; st.global.f32 [%c], %z;",
     IR_NONE,
     0,
     0,
     {2, 0, 4}},
    {5,
     3,
     "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; setp.ltu.ftz.f32 %p|%q, %y, %x;",
     IR_NONE,
     0,
     0,
     {4, 4}},
    {5,
     3,
     "ld.global.s8 %x, [%a]; ld.global.s8 %y, [%b]; set.ge.f32.s32 %z, %x, %y;",
     IR_NONE,
     0,
     0,
     {1, 1}},
    {6, 2, "ld.global.s32 %x, [%a]; setp.gt.s32 %p, -5, %x;", 1, 0, UINT32_C(0) - 5, {4}},
    {6, 2, "ld.global.f32 %x, [%a]; setp.nan.f32 %p, %x, %x;", IR_NONE, 0, 0, {4}},
    {6, 2, "ld.global.u16 %x, [%a]; @%l setp.hs.u32 %p|%q, %x, %s;", 1, 1, SCALAR, {2}},
    {6, 2, "ld.global.f32 %x, [%a]; setp.num.and.f32 %p|%q, %x, %x, !%g;", 1, 2, 1, {4}},
    {6, 2, "ld.global.f32 %x, [%a]; setp.num.xor.f32 %p|%q, %x, %x, %g;", 1, 2, 1, {4}},
    {6, 2, "ld.global.u32 %x, [%a]; set.ne.u32.b32 %z, %x, %s;", 1, 1, SCALAR, {4}},
    // Comparisons of 16 bits
    {6, 2, "ld.global.u8 %h, [%a]; setp.ne.s16 %p, %h, 0;", 1, 1, 0, {1}},
    {6, 2, "ld.global.s8 %h, [%a]; setp.lt.s16 %p|%q, %h, -5;", 1, 1, UINT32_C(0) - 5, {1}},
    {6, 2, "ld.global.u16 %h, [%a]; @%l setp.gt.s16 %p, %n, %h;", 1, 0, SCALAR & 0xffff, {2}},
    {6, 2, "ld.global.s16 %h, [%a]; setp.hs.u16 %p, %h, 0xfff0;", 1, 1, 0xfff0, {2}},
    {6, 2, "ld.global.u8 %h, [%a]; setp.lo.and.u16 %p|%q, %h, %h, %g;", 1, 2, 1, {1}},
    {6, 2, "ld.global.b16 %h, [%a]; set.ne.u32.b16 %z, %h, %n;", 1, 1, SCALAR & 0xffff, {2}},
    {5,
     3,
     "ld.global.s8 %h, [%a]; ld.global.u16 %v, [%b]; setp.le.s16 %p|%q, %v, %h;",
     IR_NONE,
     0,
     0,
     {1, 2}},
    {5,
     3,
     "ld.global.u8 %h, [%a]; ld.global.s16 %v, [%b]; set.lt.f32.u16 %z, %h, %v;",
     IR_NONE,
     0,
     0,
     {1, 2}},
    {7,
     3,
     "ld.global.f32 %x, [%a]; sub.rm.f32 %z, %s, %x; st.global.f32 [%c], %z;",
     1,
     0,
     SCALAR,
     {4, 0, 4}},
    {7,
     3,
     "ld.global.u8 %x, [%a]; shf.l.wrap.b32 %z, %x, %s, %s; st.global.u8 [%c], %z;",
     1,
     1,
     SCALAR,
     {1, 0, 1}},
    {7,
     3,
     "ld.global.u32 %x, [%a]; max.s32 %z, %x, 77; st.global.u16 [%c], %z;",
     1,
     1,
     77,
     {4, 0, 2}},
    {8,
     4,
     "ld.global.f32 %y, [%b]; ld.global.f32 %x, [%a]; mul.f32 %w, %y, %s; "
     "add.f32 %z, %x, %w;",
     2,
     1,
     SCALAR,
     {4, 4}},
    {8,
     4,
     "ld.global.u16 %x, [%a]; ld.global.s8 %y, [%b]; xor.b32 %w, %s, %y; "
     "min.u32 %z, %w, %x;",
     2,
     0,
     SCALAR,
     {2, 1}},
    {8,
     3,
     "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; fma.rp.ftz.f32 %z, %s, %y, %x;",
     2,
     0,
     SCALAR,
     {4, 4}},
    {8,
     3,
     "ld.global.s32 %x, [%a]; ld.global.s32 %y, [%b]; @%l mad.hi.s32 %z, %x, %s, %y;",
     2,
     1,
     SCALAR,
     {4, 4}},
    {9,
     5,
     "ld.global.u8 %y, [%b]; ld.global.u8 %x, [%a]; mul.lo.u32 %w, %y, 300; "
     "add.u32 %z, %w, %x; st.global.u16 [%c], %z;",
     2,
     1,
     300,
     {1, 1, 2}},
    {9,
     5,
     "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; min.f32 %w, %x, %s; "
     "sub.f32 %z, %w, %y; st.global.f32 [%c], %z;",
     2,
     1,
     SCALAR,
     {4, 4, 4}},
    {9,
     4,
     "ld.global.f32 %y, [%b]; ld.global.f32 %x, [%a]; @!%l mad.rn.f32 %z, %x, %s, %y; "
     "@!%l st.global.f32 [%c], %z;",
     2,
     1,
     SCALAR,
     {4, 4, 4}},
    // Copies
    {3,
     3,
     "ld.global.f32 %f, [%a]; mov.b32 %x, %f; st.global.u32 [%c], %x;",
     IR_NONE,
     0,
     0,
     {4, 0, 4}},
    {7,
     5,
     "ld.global.f32 %f, [%a]; mov.b32 %x, %f; add.s32 %z, %x, %s; mov.b32 %k, %z; "
     "st.global.f32 [%c], %k;",
     2,
     1,
     SCALAR,
     {4, 0, 4}},
    {9,
     9,
     "ld.global.f32 %f, [%b]; ld.global.u16 %x, [%a]; mov.b32 %y, %f; xor.b32 %w, %y, 300; "
     "mov.b32 %k, %w; mov.b32 %w, %k; add.u32 %z, %w, %x; mov.b32 %k, %z; st.global.f32 [%c], %k;",
     3,
     1,
     300,
     {4, 2, 4}},
};
enum { CASES = sizeof cases / sizeof *cases };

// Element of each thread.
static const struct spread {
    const char *name, *text; // from %i to %e
    uint32_t factor, plus, mask;
} places[] = {
    {"side by side", "mov.u32 %e, %i;", 1, 0, UINT32_MAX},
    {"one off", "add.u32 %e, %i, 1;", 1, 1, UINT32_MAX},
    {"backwards", "sub.u32 %e, 127, %i;", UINT32_MAX, 127, UINT32_MAX},
    {"strided", "shl.b32 %e, %i, 1;", 2, 0, UINT32_MAX},
    {"scattered", "mad.lo.u32 %e, %i, 77, 13; and.b32 %e, %e, 127;", 77, 13, 127},
    {"at one place", "mov.u32 %e, 5;", 0, 5, UINT32_MAX},
};
enum { PLACES = sizeof places / sizeof *places, STORES = PLACES - 1 };

static uint32_t element(const struct spread *place, uint32_t thread)
{
    return (thread * place->factor + place->plus) & place->mask;
}

// Places of the threads in the kernel's three buffers.
struct layout {
    const struct spread *place[3];
    uint8_t bytes[3]; // of a, b, c
};

// Returns the layout, with the loads in the order of a and b.
static struct layout layout_of(const struct chain_case *test, uint32_t n)
{
    const char *a = strstr(test->text, "[%a]"), *b = strstr(test->text, "[%b]");
    uint32_t second = b && b < a;
    return (struct layout){
        {&places[n % PLACES], &places[n / PLACES % PLACES], &places[n / PLACES / PLACES % STORES]},
        {test->bytes[second], test->bytes[!second], test->bytes[2]}};
}

static void write_kernel(char *to, size_t size, const struct chain_case *test,
                         const struct layout *layout)
{
    size_t at = (size_t)snprintf(
        to, size, "%s",
        HEAD("9.0",
             "sm_90") ".entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd, "
                      ".param .u32 ps)\n"
                      "{ .reg .b32 %i, %e, %x, %y, %z, %w, %s, %t; .reg .b64 %a, %b, %c, %d, %o; "
                      ".reg .b16 %h, %v, %n; .reg .f32 %f, %k;\n"
                      ".reg .pred %p, %q, %g, %l; mov.u32 %i, %tid.x; ld.param.u32 %s, [ps]; "
                      "mov.u32 %z, 0; cvt.u16.u32 %n, %s;\n"
                      "ld.param.u64 %a, [pa]; ld.param.u64 %b, [pb]; ld.param.u64 %c, [pc];\n"
                      "ld.param.u64 %d, [pd]; and.b32 %t, %s, 1; setp.eq.u32 %g, %t, 1;\n"
                      "and.b32 %t, %i, 5; setp.ne.u32 %l, %t, 0; setp.ne.u32 %p, %i, %i; "
                      "setp.ne.u32 %q, %i, %i;\n");
    for (uint32_t k = 0; k < 3; k++)
        at += (size_t)snprintf(
            to + at, size - at, "%s mul.wide.u32 %%o, %%e, %u; add.u64 %%%c, %%%c, %%o;\n",
            layout->place[k]->text, layout->bytes[k], 'a' + (char)k, 'a' + (char)k);
    at += (size_t)snprintf(to + at, size - at,
                           "%s\nmul.wide.u32 %%o, %%i, 12; add.u64 %%d, %%d, %%o;\n"
                           "selp.u32 %%x, 1, 0, %%p; selp.u32 %%y, 1, 0, %%q;\n"
                           "st.u32 [%%d], %s; st.u32 [%%d+4], %%x; st.u32 [%%d+8], %%y;\nret; }\n",
                           test->text, strstr(test->text, "%z, ") ? "%z" : "%i");
    assert_true(at < size);
}

static uint32_t first_of_chain(const struct ir_function *fn)
{
    uint32_t inst = 0;
    while (fn->insts.v[inst].op != OP_ld || fn->insts.v[inst].space != W_global)
        inst++;
    return inst;
}

// Packets by hand

struct hand {
    uint8_t *memory[4]; // a, b, c, d
    uint64_t address[4];
    struct compute_packet shape;
    struct layout layout;
    bool first_is_b; // the first load
    bool second;     // setp writes %q too
    uint64_t flits, packets;
};

static uint8_t *at_address(const struct hand *h, uint64_t address)
{
    for (uint32_t k = 0; k < 3; k++)
        if (address >= h->address[k] && address < h->address[k] + BUFFER)
            return h->memory[k] + (address - h->address[k]);
    fail_msg("%llx is in no buffer", (unsigned long long)address);
    return NULL;
}

// Serves a packet, from its flits alone.
static void serve(struct hand *h, const uint8_t *flits, uint32_t count, uint32_t warp)
{
    struct compute_packet packet;
    union lanes operand[2] = {0}, result;
    assert_true(packet_decode(&packet, flits, count));
    for (uint32_t k = 0; k < packet.load_count; k++)
        for (uint32_t i = 0; i < LANES; i++)
            if (packet.mask >> i & 1)
                operand[k].u32[i] = packet_load_value(
                    &packet.load[k], at_address(h, packet_address(&packet.load[k], i)));
    packet_compute(&packet, operand, &result);
    bool predicate = packet_compares(&packet.op[0]) && packet.op[0].made == PACKET_PREDICATE;
    uint32_t second = h->second ? packet_second_predicate(&packet, result.mask) : 0;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t *to = (uint32_t *)(void *)h->memory[3] + 3 * (warp * LANES + i);
        if (!(packet.mask >> i & 1))
            continue;
        if (packet.has_store)
            packet_store_value(&packet.store, at_address(h, packet_address(&packet.store, i)),
                               result.u32[i]);
        if (packet.op_count && !predicate)
            to[0] = result.u32[i];
        to[1] |= predicate ? result.mask >> i & 1 : 0;
        to[2] |= second >> i & 1;
    }
}

static void addresses_of(const struct hand *h, uint32_t buffer, uint32_t warp, uint64_t *address)
{
    for (uint32_t i = 0; i < LANES; i++)
        address[i] = h->address[buffer] + (uint64_t)h->layout.bytes[buffer] *
                                              element(h->layout.place[buffer], warp * LANES + i);
}

// Serves a warp, with one packet for each combination of lines.
static void serve_warp(struct hand *h, uint32_t warp, uint32_t mask)
{
    uint64_t address[3][LANES];
    struct compute_packet packet = h->shape;
    struct packet_operand *operands[] = {
        &packet.load[h->first_is_b], packet.load_count > 1 ? &packet.load[!h->first_is_b] : NULL,
        packet.has_store ? &packet.store : NULL};
    for (uint32_t k = 0; k < 3; k++)
        addresses_of(h, k, warp, address[k]);
    for (uint32_t left = mask; left; left &= ~packet.mask) {
        uint32_t first = (uint32_t)__builtin_ctz(left);
        packet.mask = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            bool same = left >> i & 1;
            for (uint32_t k = 0; k < 3; k++)
                same &=
                    !operands[k] || address[k][i] / LINE_BYTES == address[k][first] / LINE_BYTES;
            packet.mask |= (uint32_t)same << i;
        }
        for (uint32_t k = 0; k < 3; k++)
            assert_true(!operands[k] ||
                        packet_operand_offset(operands[k], address[k], packet.mask));
        uint8_t flits[PACKET_MAX_FLITS * PACKET_FLIT];
        uint32_t count = packet_encode(&packet, flits);
        serve(h, flits, count, warp);
        h->flits += count;
        h->packets++;
    }
}

static uint32_t mask_of(const struct chain_case *test)
{
    const char *guard = strstr(test->text, "%l ");
    uint32_t mask = 0;
    for (uint32_t i = 0; i < LANES; i++)
        mask |= (uint32_t)((i & 5) != 0) << i;
    return !guard ? FULL_MASK : guard[-1] == '!' ? ~mask : mask;
}

static struct hand hand_of(const struct chain_case *test, const struct layout *layout,
                           struct kernel *k, uint8_t *copy)
{
    struct hand h = {.layout = *layout, .second = strstr(test->text, "|%q") != NULL};
    const struct ir_function *fn = &k->module.functions.v[0];
    uint32_t inst[MAX_CHAIN], first = first_of_chain(fn);
    struct packet_scalar scalar;
    for (uint32_t i = 0; i < test->count; i++)
        inst[i] = first + i;
    assert_true(
        packet_of_chain(&k->module, fn, test->pattern, inst, test->count, &h.shape, &scalar));
    if (test->scalar_inst == IR_NONE) {
        assert_int_equal(scalar.inst, IR_NONE);
    } else {
        assert_int_equal(scalar.inst, first + test->scalar_inst);
        assert_int_equal(scalar.use, test->scalar_use);
        assert_int_equal(scalar.operand,
                         ir_find_operand(fn, scalar.inst, ROLE_USE, test->scalar_use));
        assert_int_equal(scalar.predicate, test->scalar_use == 2);
    }
    h.shape.scalar = test->scalar;
    h.first_is_b =
        h.shape.load_count > 1 && strstr(test->text, "[%b]") < strstr(test->text, "[%a]");
    for (uint32_t i = 0; i < 4; i++) {
        h.memory[i] = copy + (size_t)i * BUFFER;
        memcpy(&h.address[i], k->params + 8 * (size_t)i, 8);
    }
    return h;
}

static void fill(uint8_t *to, uint64_t *state)
{
    for (uint32_t i = 0; i < BUFFER / 4; i++) {
        uint32_t value = (uint32_t)conform_bits(state, 32);
        memcpy(to + 4 * (size_t)i, &value, 4);
    }
}

static void check_case(const struct chain_case *test, uint32_t n, uint64_t *state)
{
    static uint8_t copy[4 * BUFFER] __attribute__((aligned(64)));
    char text[4096];
    struct layout layout = layout_of(test, n);
    struct kernel k;
    uint8_t *data[4];
    write_kernel(text, sizeof text, test, &layout);
    kernel_load(&k, text, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        data[i] = kernel_buffer(&k, BUFFER);
        if (i < 3)
            fill(data[i], state);
        memcpy(copy + (size_t)i * BUFFER, data[i], BUFFER);
    }
    kernel_u32(&k, SCALAR);
    struct hand h = hand_of(test, &layout, &k, copy);
    uint32_t *kept = (uint32_t *)(void *)h.memory[3];
    for (uint32_t i = 0; i < THREADS && !strstr(test->text, "%z, "); i++)
        kept[3 * i] = i;
    for (uint32_t warp = 0; warp < THREADS / LANES; warp++)
        serve_warp(&h, warp, mask_of(test));
    kernel_succeeds(&k, "k", 1, THREADS);
    for (uint32_t i = 0; i < 4; i++)
        if (memcmp(data[i], h.memory[i], BUFFER) != 0)
            fail_msg("%s a %s, b %s, c %s: buffer %u", test->text, layout.place[0]->name,
                     layout.place[1]->name, layout.place[2]->name, i);
    if (n == 0 && mask_of(test) == FULL_MASK) { // whole warps side by side
        assert_int_equal(h.packets, THREADS / LANES);
        assert_int_equal(h.flits, THREADS / LANES);
    }
    kernel_free(&k);
}

static void same_memory(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t i = 0; i < CASES; i++)
        for (uint32_t n = 0; n < PLACES * PLACES * STORES; n++)
            check_case(&cases[i], n, &random);
}

// Chains that match no pattern, or that the unit cannot compute, are rejected.
static void refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t pattern, count;
        const char *text;
    } wrong[] = {
        {2, 3, "ld.global.f32 %x, [%a]; neg.f32 %z, %x; st.global.f32 [%c], %z;"}, // pattern 4
        {1, 4,
         "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; div.rn.f32 %z, %x, %y; "
         "st.global.f32 [%c], %z;"},
        {1, 4,
         "ld.global.f32 %x, [%a]; ld.global.f32 %y, [%b]; add.f32 %z, %x, %y; "
         "st.global.f32 [%c], %w;"}, // stores something else
        {3, 2, "ld.global.v2.b32 {%x, %y}, [%a]; st.global.v2.b32 [%c], {%x, %y};"},
        {3, 2, "ld.global.b64 %o, [%a]; st.global.b32 [%c], %o;"},
        {4, 3, "ld.global.b64 %o, [%a]; not.b64 %o, %o; st.global.b64 [%c], %o;"},
        {3, 2, "ld.global.b32 %x, [%a]; st.global.b32 [%c], %s;"},
        {3, 3, "ld.global.b32 %x, [%a]; mov.b32 %y, %s; st.global.b32 [%c], %y;"},
        {7, 3, "ld.global.f32 %x, [%a]; fma.rn.f32 %z, %x, %s, %s; st.global.f32 [%c], %z;"},
        {7, 3, "ld.global.f32 %x, [%a]; lop3.b32 %z, %x, %s, 1, 77; st.global.f32 [%c], %z;"},
        {9, 5,
         "ld.global.u8 %y, [%b]; ld.global.u8 %x, [%a]; mul.lo.u32 %w, %y, 300; "
         "add.u32 %z, %s, %x; st.global.u16 [%c], %z;"},         // the first result is not used
        {6, 2, "ld.global.s8 %h, [%a]; setp.lt.u16 %p, %h, 5;"}, // its sign counts as a value
        {7, 3, "ld.global.u8 %h, [%a]; add.u16 %v, %h, 1; st.global.u8 [%c], %v;"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct chain_case test = {.pattern = wrong[i].pattern, .text = wrong[i].text};
        struct layout layout = layout_of(&cases[0], 0);
        struct compute_packet packet;
        struct packet_scalar scalar;
        struct kernel k;
        char text[4096];
        write_kernel(text, sizeof text, &test, &layout);
        kernel_load(&k, text, NULL);
        const struct ir_function *fn = &k.module.functions.v[0];
        uint32_t inst[MAX_CHAIN], first = first_of_chain(fn);
        for (uint32_t n = 0; n < wrong[i].count; n++)
            inst[n] = first + n;
        if (packet_of_chain(&k.module, fn, wrong[i].pattern, inst, wrong[i].count, &packet,
                            &scalar))
            fail_msg("%s", wrong[i].text);
        kernel_free(&k);
    }
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 1 << 20;
    char *text = calloc(1, size);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, size - 1, file) < size - 1);
    fclose(file);
    return text;
}

// Checks that the unit can compute every chain that the tagger finds.
static void check_sample(const char *path, bool reorder, uint32_t *patterns)
{
    struct kernel k;
    char *text = read_text(path);
    kernel_load(&k, text, NULL);
    struct plan plan = {.arena = &k.arena};
    struct pass_options options = {.reorder = reorder};
    pass_all(&pass_chains, &k.module, &options, &plan);
    for (uint32_t i = 0; i < plan.chains.n; i++) {
        const struct chain *chain = &plan.chains.v[i];
        struct compute_packet packet;
        struct packet_scalar scalar;
        if (!packet_of_chain(&k.module, &k.module.functions.v[chain->function], chain->pattern,
                             chain->inst, chain->count, &packet, &scalar))
            fail_msg("%s: chain %u, of pattern %u", path, i, chain->pattern);
        patterns[chain->pattern]++;
    }
    kernel_free(&k);
    free(text);
}

static void samples(void **state)
{
    (void)state;
    glob_t found;
    uint32_t patterns[CHAIN_PATTERNS + 1] = {0};
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (int reorder = 0; reorder < 2; reorder++)
            check_sample(found.gl_pathv[i], reorder, patterns);
    globfree(&found);
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        assert_true(patterns[i] || !pattern_saves(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_memory),
        cmocka_unit_test(refused),
        cmocka_unit_test(samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
