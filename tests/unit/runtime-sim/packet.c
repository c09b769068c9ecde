// ComputePackets as bits: a packet reads back, a damaged one is read as another packet or rejected,
// and the number of flits of a packet.
//
// With --tables it prints the tables of docs/reference/offload.md, which must equal these.
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "tests/unit/runtime-sim/documented.h"
#include "tests/unit/runtime-sim/conform.h"
#include "tests/unit/runtime-sim/packet_model.h"

enum { ROOM = PACKET_MAX_FLITS * PACKET_FLIT };

static const uint8_t sizes[] = {1, 2, 4};

static struct packet_op op_of(uint8_t function, uint8_t a, uint8_t b, uint8_t c)
{
    return (struct packet_op){.function = function, .source = {a, b, c}};
}

// The longest chain of each pattern [000 Table 1].
static const struct {
    uint8_t ops[PACKET_OPS][4]; // function, sources
} usual[] = {
    [1] = {{{PACKET_add_f32, PACKET_LOAD_0, PACKET_LOAD_1}}},
    [2] = {{{PACKET_mul_f32, PACKET_LOAD_1, PACKET_LOAD_0}}},
    [4] = {{{PACKET_neg_f32, PACKET_LOAD_0}}},
    [5] = {{{PACKET_set_f32, PACKET_LOAD_0, PACKET_LOAD_1}}},
    [6] = {{{PACKET_set_s32, PACKET_LOAD_0, PACKET_SCALAR}}},
    [7] = {{{PACKET_shl, PACKET_LOAD_0, PACKET_SCALAR}}},
    [8] = {{{PACKET_mul_lo, PACKET_LOAD_0, PACKET_SCALAR},
            {PACKET_sub, PACKET_LOAD_1, PACKET_PREVIOUS}}},
    [9] = {{{PACKET_shf_l_wrap, PACKET_LOAD_1, PACKET_SCALAR, PACKET_LOAD_1},
            {PACKET_shf_r_clamp, PACKET_PREVIOUS, PACKET_LOAD_0, PACKET_PREVIOUS}}},
};
_Static_assert(sizeof usual / sizeof *usual == CHAIN_PATTERNS + 1, "a chain of each pattern");

static void fill(struct packet_operand *operand, bool wanted, uint8_t bytes, uint64_t base)
{
    *operand = (struct packet_operand){0};
    if (wanted)
        *operand = (struct packet_operand){.base = base, .bytes = bytes, .lanes = PACKET_UP};
}

static struct compute_packet whole(uint8_t pattern, uint8_t bytes)
{
    struct compute_packet packet = {
        .pattern = pattern, .from = 511, .to = 300, .entry = 255, .mask = FULL_MASK};
    for (uint32_t i = 0; i < PACKET_OPS; i++)
        packet.op[i] = op_of(usual[pattern].ops[i][0], usual[pattern].ops[i][1],
                             usual[pattern].ops[i][2], usual[pattern].ops[i][3]);
    packet_complete(&packet);
    packet.scalar = packet.has_scalar ? 0x89abcdef : 0;
    fill(&packet.load[0], true, bytes, UINT64_C(0x7fffffffff80));
    fill(&packet.load[1], packet.load_count > 1, bytes, UINT64_C(0x800000000000));
    fill(&packet.store, packet.has_store, bytes, 0x12345600);
    assert_true(packet_is_sound(&packet));
    return packet;
}

static void assert_same_operand(const struct packet_operand *a, const struct packet_operand *b)
{
    assert_int_equal(a->base, b->base);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->is_signed, b->is_signed);
    assert_int_equal(a->lanes, b->lanes);
    assert_memory_equal(a->offset, b->offset, sizeof a->offset);
}

static void assert_same_op(const struct packet_op *a, const struct packet_op *b)
{
    assert_int_equal(a->function, b->function);
    assert_int_equal(a->detail, b->detail);
    assert_memory_equal(a->source, b->source, sizeof a->source);
    assert_int_equal(a->boolean, b->boolean);
    assert_int_equal(a->negated, b->negated);
    assert_int_equal(a->made, b->made);
}

static void assert_same(const struct compute_packet *a, const struct compute_packet *b)
{
    assert_int_equal(a->pattern, b->pattern);
    assert_int_equal(a->from, b->from);
    assert_int_equal(a->to, b->to);
    assert_int_equal(a->entry, b->entry);
    assert_int_equal(a->mask, b->mask);
    assert_int_equal(a->load_count, b->load_count);
    assert_int_equal(a->has_store, b->has_store);
    assert_int_equal(a->has_scalar, b->has_scalar);
    assert_int_equal(a->op_count, b->op_count);
    assert_int_equal(a->scalar, b->scalar);
    for (uint32_t i = 0; i < PACKET_OPS; i++)
        assert_same_op(&a->op[i], &b->op[i]);
    for (uint32_t i = 0; i < PACKET_LOADS; i++)
        assert_same_operand(&a->load[i], &b->load[i]);
    assert_same_operand(&a->store, &b->store);
}

static uint32_t round_trip(const struct compute_packet *packet)
{
    uint8_t flits[ROOM], again[ROOM];
    struct compute_packet read;
    uint32_t count = packet_encode(packet, flits);
    assert_int_equal(count, packet_flits(packet));
    assert_true(packet_is_compute(flits));
    assert_true(packet_decode(&read, flits, count));
    assert_same(packet, &read);
    assert_int_equal(packet_encode(&read, again), count);
    assert_memory_equal(flits, again, count * PACKET_FLIT);
    for (uint32_t other = 0; other <= PACKET_MAX_FLITS; other++)
        assert_true(other == count || !packet_decode(&read, flits, other));
    return count;
}

static void one_flit(void **state)
{
    (void)state;
    for (uint8_t pattern = 1; pattern <= CHAIN_PATTERNS; pattern++)
        for (uint32_t i = 0; i < 3; i++) {
            struct compute_packet packet = whole(pattern, sizes[i]);
            assert_int_equal(round_trip(&packet), 1);
            bool returned = !packet.has_store && !packet_compares(&packet.op[0]);
            assert_int_equal(packet_response_flits(&packet), returned ? 5 : 1);
        }
}

// Sixteen elements of 64 bits are in a line.
static struct compute_packet wide_copy(void)
{
    struct compute_packet packet = whole(3, 4);
    struct packet_operand *operands[] = {&packet.load[0], &packet.store};
    for (uint32_t i = 0; i < 2; i++) {
        operands[i]->bytes = 8;
        operands[i]->base &= ~UINT64_C(127);
    }
    packet.mask = 0xffff;
    return packet;
}

static void wide(void **state)
{
    (void)state;
    struct compute_packet packet = wide_copy();
    assert_int_equal(round_trip(&packet), 2);
    for (uint32_t lane = 0; lane < 16; lane++)
        assert_int_equal(packet_address(&packet.load[0], lane), packet.load[0].base + 8 * lane);
    for (uint32_t k = 0; k < 2; k++) {
        struct packet_operand *operand = k ? &packet.store : &packet.load[0];
        operand->lanes = PACKET_IRREGULAR;
        for (uint32_t i = 0; i < 16; i++)
            operand->offset[i] = (uint8_t)(i * 7 % 16);
        assert_int_equal(round_trip(&packet), 2 + k); // 32 bits of the mask, 128 of each operand
    }
    packet.store.offset[3] = 16;
    assert_false(packet_is_sound(&packet));
}

static void make_irregular(struct packet_operand *operand)
{
    operand->lanes = PACKET_IRREGULAR;
    for (uint32_t i = 0; i < LANES; i++)
        operand->offset[i] = (uint8_t)(i * 7 % LANES);
}

// Bits after the first flit: 32 of a mask, and for each irregular operand 32 times 5, 6 or 7.
static void more_flits(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes, irregular;
        bool masked;
        uint32_t flits;
    } cases[] = {
        {4, 0, true, 2},  {4, 1, false, 2}, {4, 1, true, 2},  {4, 2, false, 3}, {4, 2, true, 3},
        {4, 3, false, 3}, {4, 3, true, 3},  {2, 1, true, 2},  {2, 2, true, 3},  {2, 3, true, 4},
        {1, 1, true, 2},  {1, 2, false, 3}, {1, 3, false, 4}, {1, 3, true, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct compute_packet packet = whole(9, cases[i].bytes);
        struct packet_operand *operands[] = {&packet.store, &packet.load[0], &packet.load[1]};
        for (uint32_t k = 0; k < cases[i].irregular; k++)
            make_irregular(operands[k]);
        if (cases[i].masked) {
            packet.mask = 0x7fffffff;
            for (uint32_t k = 0; k < 3; k++)
                operands[k]->offset[31] = 0;
        }
        assert_int_equal(round_trip(&packet), cases[i].flits);
    }
}

// Random packets

static uint32_t below(uint64_t *state, uint32_t count)
{
    return (uint32_t)(conform_random(state) % count);
}

static uint32_t some_mask(uint64_t *state)
{
    uint32_t mask = (uint32_t)conform_random(state);
    mask = below(state, 3) ? mask : FULL_MASK;
    mask = below(state, 4) ? mask : 1u << below(state, LANES);
    return mask ? mask : 1;
}

static void some_addresses(uint64_t *state, uint8_t bytes, uint64_t *address)
{
    uint64_t line = conform_random(state) >> 16 & ~UINT64_C(127);
    uint32_t kind = below(state, 4), elements = LINE_BYTES / bytes;
    uint32_t from = below(state, elements);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t places[] = {from, from + i, from - i, below(state, elements)};
        address[i] = line + places[kind] % elements * bytes;
    }
}

static void some_operand(uint64_t *state, struct packet_operand *operand, bool loaded,
                         uint32_t mask)
{
    uint64_t address[LANES];
    operand->bytes = sizes[below(state, 3)];
    operand->is_signed = loaded && operand->bytes < 4 && below(state, 2);
    some_addresses(state, operand->bytes, address);
    assert_true(packet_operand_offset(operand, address, mask));
    for (uint32_t i = 0; i < LANES; i++)
        if (mask >> i & 1)
            assert_int_equal(packet_address(operand, i), address[i]);
    uint64_t line = address[__builtin_ctz(mask)] / LINE_BYTES * LINE_BYTES;
    assert_int_equal(packet_line(operand, mask), line);
}

static struct packet_op some_op(uint64_t *state)
{
    struct packet_op op = {.function = (uint8_t)below(state, PACKET_FUNCTIONS)};
    op.detail = (uint8_t)below(state, 16) & packet_detail_bits(op.function);
    for (uint32_t i = 0; i < packet_sources(op.function); i++)
        op.source[i] = (uint8_t)below(state, 4);
    if (packet_compares(&op)) {
        op.boolean = (uint8_t)(below(state, 2) * below(state, 4));
        op.negated = op.boolean && below(state, 2);
        op.made = (uint8_t)below(state, 3);
    }
    return op;
}

// Returns a random packet. Tries again if the operations make no chain of the pattern.
static struct compute_packet some_packet(uint64_t *state)
{
    struct compute_packet packet;
    do {
        packet = (struct compute_packet){.pattern = (uint8_t)(1 + below(state, CHAIN_PATTERNS))};
        uint32_t operations = chain_patterns[packet.pattern].operations;
        uint32_t max = operations == 2 ? 1 + below(state, 2) : operations;
        for (uint32_t i = 0; i < max; i++)
            packet.op[i] = some_op(state);
        packet_complete(&packet);
        packet.from = (uint16_t)below(state, PACKET_NODES);
        packet.to = (uint16_t)below(state, PACKET_NODES);
        packet.entry = (uint8_t)below(state, PACKET_ENTRIES);
        packet.mask = some_mask(state);
        packet.scalar = packet.has_scalar ? (uint32_t)conform_random(state) : 0;
        for (uint32_t i = 0; i < packet.load_count; i++)
            some_operand(state, &packet.load[i], true, packet.mask);
        if (packet.has_store)
            some_operand(state, &packet.store, false, packet.mask);
    } while (!packet_is_sound(&packet));
    return packet;
}

static void random_packets(void **state)
{
    (void)state;
    uint64_t random = 1;
    uint32_t patterns[CHAIN_PATTERNS + 1] = {0}, functions[PACKET_FUNCTIONS] = {0};
    uint32_t flits[PACKET_MAX_FLITS + 1] = {0}, lanes[PACKET_IRREGULAR + 1] = {0};
    for (uint32_t i = 0; i < 30000; i++) {
        struct compute_packet packet = some_packet(&random);
        flits[round_trip(&packet)]++;
        patterns[packet.pattern]++;
        lanes[packet.load[0].lanes]++;
        for (uint32_t k = 0; k < packet.op_count; k++)
            functions[packet.op[k].function]++;
    }
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++)
        assert_in_range(patterns[i], 100, 30000);
    for (uint32_t i = 1; i < PACKET_FUNCTIONS; i++)
        if (!functions[i])
            fail_msg("%s was not met", packet_function_name(i));
    for (uint32_t i = 1; i <= PACKET_MAX_FLITS; i++)
        assert_in_range(flits[i], 10, 30000);
    for (uint32_t i = 0; i <= PACKET_IRREGULAR; i++)
        assert_in_range(lanes[i], 100, 30000);
}

// Returns true if the flits are read; they must then equal packet_encode's output for a valid
// packet.
static bool is_read(const uint8_t *flits, uint32_t count)
{
    struct compute_packet packet;
    uint8_t again[ROOM];
    if (!packet_decode(&packet, flits, count))
        return false;
    assert_true(packet_is_sound(&packet));
    assert_int_equal(packet_encode(&packet, again), count);
    assert_memory_equal(flits, again, count * PACKET_FLIT);
    return true;
}

static void broken_packets(void **state)
{
    (void)state;
    uint64_t random = 2;
    uint32_t read = 0, refused = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        struct compute_packet packet = some_packet(&random);
        uint8_t *flits = test_malloc(packet_flits(&packet) * PACKET_FLIT);
        uint32_t count = packet_encode(&packet, flits);
        for (uint32_t bit = 0; bit < count * PACKET_FLIT * 8; bit++) {
            flits[bit / 8] ^= (uint8_t)(1u << bit % 8);
            *(is_read(flits, count) ? &read : &refused) += 1;
            flits[bit / 8] ^= (uint8_t)(1u << bit % 8);
        }
        test_free(flits);
    }
    assert_in_range(read, 10000, UINT32_MAX);
    assert_in_range(refused, 10000, UINT32_MAX);
}

static void random_bits(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t count = 1 + i % PACKET_MAX_FLITS;
        uint8_t *flits = test_malloc(count * PACKET_FLIT);
        for (uint32_t k = 0; k < count * PACKET_FLIT; k++)
            flits[k] = (uint8_t)conform_random(&random);
        flits[0] |= 1;
        if (i % 2) // all but the operations and addresses as in a packet of one flit
            flits[8] = flits[9] = 0;
        is_read(flits, count);
        test_free(flits);
    }
}

static void refusals(void **state)
{
    (void)state;
    struct compute_packet packet;
    uint8_t flits[ROOM] = {0};
    assert_false(packet_decode(&packet, flits, 1)); // a request that is no ComputePacket
    assert_false(packet_is_compute(flits));
#define REFUSED(pattern, ...)                                                                      \
    do {                                                                                           \
        packet = whole(pattern, 4);                                                                \
        __VA_ARGS__;                                                                               \
        assert_false(packet_is_sound(&packet));                                                    \
    } while (0)
    REFUSED(1, packet.mask = 0);
    REFUSED(1, packet.from = PACKET_NODES);
    REFUSED(1, packet.to = PACKET_NODES);
    REFUSED(1, packet.pattern = 0);
    REFUSED(1, packet.pattern = 10);
    REFUSED(1, packet.scalar = 1);
    REFUSED(1, packet.has_store = false);
    REFUSED(1, packet.op[0].function = PACKET_FUNCTIONS);
    REFUSED(1, packet.op[0].function = PACKET_set_f32);
    REFUSED(1, packet.op[0].source[2] = PACKET_LOAD_1); // add has two
    REFUSED(1, packet.op[0].source[0] = PACKET_PREVIOUS);
    REFUSED(1, packet.op[0].source[1] = PACKET_LOAD_0); // then it is no pattern 1
    REFUSED(1, packet.op[0].boolean = PACKET_AND);
    REFUSED(1, packet.load[0].base += 4); // two lines
    REFUSED(1, packet.load[0].base += 2); // not aligned
    REFUSED(1, packet.load[0].base = UINT64_C(1) << PACKET_ADDRESS);
    REFUSED(1, packet.load[0].is_signed = true);
    REFUSED(1, packet.load[0].bytes = 8);
    REFUSED(1, packet = wide_copy(); packet.mask = 0x1ffff);
    REFUSED(1, packet = wide_copy(); packet.store.bytes = 4);
    REFUSED(1, packet = wide_copy(); packet.load[0].is_signed = true);
    REFUSED(1, packet = wide_copy(); packet.op_count = 1);
    REFUSED(1, packet.load[0].offset[0] = 1);
    REFUSED(1, packet.load[1].bytes = 0);
    REFUSED(1, make_irregular(&packet.store); packet.store.offset[3] = 32);
    REFUSED(1, make_irregular(&packet.store); packet.store.base += 4);
    REFUSED(3, packet.load[1].base = 128);
    REFUSED(3, packet.op[0] = op_of(PACKET_neg, PACKET_LOAD_0, 0, 0); packet.op_count = 1);
    REFUSED(4, packet.op[0].detail = PACKET_WITH_SAT);
    REFUSED(5, packet.op[0].boolean = PACKET_OR; packet.has_scalar = true);
    REFUSED(5, packet.op[0].detail = PACKET_COMPARISONS);
    REFUSED(6, packet.op[0].detail = PACKET_EQU); // of integers
    REFUSED(6, packet.op[0].negated = true);
    REFUSED(6, packet.op[0].made = PACKET_ONE_F32 + 1);
    REFUSED(8, packet.op[1].source[0] = PACKET_LOAD_0);
    REFUSED(8, packet.op[0] = op_of(PACKET_mad_lo, PACKET_LOAD_0, PACKET_LOAD_0, PACKET_SCALAR));
    REFUSED(9, packet.op[1].function = PACKET_NOTHING; packet.op_count = 1);
#undef REFUSED
}

// Lanes that are not all in one line, or not aligned to their size, are not an operand of a packet.
static void places(void **state)
{
    (void)state;
    struct packet_operand operand = {.bytes = 4, .base = 77, .lanes = PACKET_DOWN};
    uint64_t address[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        address[i] = 256 + 4 + 4 * i;
    assert_false(packet_operand_offset(&operand, address, FULL_MASK));
    assert_int_equal(operand.base, 77);
    assert_int_equal(operand.lanes, PACKET_DOWN);
    assert_true(packet_operand_offset(&operand, address, 0x7fffffff));
    assert_int_equal(operand.lanes, PACKET_UP);
    assert_int_equal(operand.base, 260);
    assert_true(packet_operand_offset(&operand, address, 0x80000000)); // a lane alone
    assert_int_equal(operand.lanes, PACKET_UNIFORM);
    assert_int_equal(packet_line(&operand, 0x80000000), 384);
    for (uint32_t i = 0; i < LANES; i++)
        address[i] = 384 - 2 - 2 * i;
    operand.bytes = 2;
    assert_true(packet_operand_offset(&operand, address, FULL_MASK));
    assert_int_equal(operand.lanes, PACKET_DOWN);
    assert_int_equal(operand.base, 382);
    address[5] += 1;
    assert_false(packet_operand_offset(&operand, address, FULL_MASK));
    assert_true(packet_operand_offset(&operand, address, 0xffffffdf));
    address[5] = UINT64_C(1) << PACKET_ADDRESS;
    assert_false(packet_operand_offset(&operand, address, 1 << 5));
}

// Lane 0 may be inactive: its address may be below 0.
static void wraps(void **state)
{
    (void)state;
    struct compute_packet packet = whole(3, 4);
    uint64_t address[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        address[i] = 4 * (uint64_t)i - 64;
    packet.mask = 0xffff0000;
    assert_true(packet_operand_offset(&packet.load[0], address, packet.mask));
    assert_int_equal(packet.load[0].lanes, PACKET_UP);
    assert_int_equal(packet_address(&packet.load[0], 16), 0);
    assert_int_equal(packet_line(&packet.load[0], packet.mask), 0);
    assert_int_equal(round_trip(&packet), 2);
}

// The tables of docs/reference/offload.md

static void print_field(FILE *to, const char *name, uint32_t bits, const char *text,
                        uint32_t *place)
{
    if (bits == 1)
        fprintf(to, "| %u | %s | %s |\n", *place, name, text);
    else
        fprintf(to, "| %u … %u | %s | %s |\n", *place, *place + bits - 1, name, text);
    *place += bits;
}

static void print_fields(FILE *to)
{
    uint32_t place = 0;
    fprintf(to, "| bits | field | what it is |\n|---|---|---|\n");
#define PACKET_FIELD(name, bits, text) print_field(to, #name, bits, text, &place);
#include "runtime-sim/schemes/llc_omni/packet_fields.def"
#undef PACKET_FIELD
    assert_int_equal(place, 8 * PACKET_FLIT);
}

static void print_functions(FILE *to)
{
    static const char *const details[] = {
        [PACKET_NONE] = "",
        [PACKET_TABLE] = "result where the sources' bits are 00, 01, 10, 11, from bit 0 on",
        [PACKET_ROUND_SAT_FTZ] = "`.ftz` 1, `.sat` 2, rounding × 4",
        [PACKET_ROUND_SAT] = "`.sat` 2, rounding × 4",
        [PACKET_ROUND_FTZ] = "`.ftz` 1, rounding × 4",
        [PACKET_SAT_FTZ] = "`.ftz` 1, `.sat` 2",
        [PACKET_FTZ] = "`.ftz` 1",
        [PACKET_CHOICE] = "`.ftz` 1, `.NaN` 2, `.abs` 4, `.xorsign` 8",
        [PACKET_COMPARE] = "comparison, eq … ge",
        [PACKET_COMPARE_F32] = "comparison",
    };
    fprintf(to, "| | function | sources | detail |\n|---|---|---|---|\n");
    for (uint32_t i = 1; i < PACKET_FUNCTIONS; i++)
        fprintf(to, "| %u | %s | %u | %s |\n", i, packet_function_name(i), packet_sources(i),
                details[packet_detail_of(i)]);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/offload.md", print_fields);
    check_document("docs/reference/offload.md", print_functions);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--tables")) {
        print_fields(stdout);
        print_functions(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flit),       cmocka_unit_test(wide),
        cmocka_unit_test(more_flits),     cmocka_unit_test(random_packets),
        cmocka_unit_test(broken_packets), cmocka_unit_test(random_bits),
        cmocka_unit_test(refusals),       cmocka_unit_test(places),
        cmocka_unit_test(wraps),          cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
