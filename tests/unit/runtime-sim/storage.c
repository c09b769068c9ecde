// Storage of offloading, for the configuration of [000], compared with its figures.
//
// With --tables it prints the table of docs/reference/offload.md, which must equal this one.
#include "runtime-sim/schemes/llc_omni/storage.h"
#include "runtime-sim/schemes/llc_omni/packet.h"
#include "tests/unit/runtime-sim/documented.h"
#include "tests/unit/runtime-sim/kernel.h"

static const struct offload_sizes usual = {.warps = 48,
                                           .queue = 48,
                                           .service_queue = 96,
                                           .buffer = 4,
                                           .nodes = 64,
                                           .llcs = 8,
                                           .cores = 56,
                                           .cores_compute = true};

static void print_storage(FILE *to)
{
    struct offload_storage storage = offload_storage_bits(&usual);
    fprintf(to, "| part | entries | bits of each | bytes | [000] |\n|---|---|---|---|---|\n");
    for (enum storage_part part = 0; part < STORAGE_TIMES; part++)
        fprintf(to, "| %s | %u | %u | %llu | %s |\n", offload_storage_name(part),
                storage.part[part].entries, storage.part[part].bits,
                (unsigned long long)offload_storage_bytes(&storage, part),
                offload_storage_paper(part));
}

static void as_in_the_paper(void **state)
{
    (void)state;
    struct offload_storage storage = offload_storage_bits(&usual);
    assert_int_equal(storage.part[STORAGE_OQSR].bits, 55);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_OQSR), STORAGE_PAPER_OQSR);
    assert_int_equal(storage.part[STORAGE_EMN].entries, STORAGE_PAPER_EMN_ENTRIES);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_FORMING), PACKET_FLIT);
}

// Other parts: 1,024 bytes for two lines of each of 4 chains; and in the SQSR the fields of a
// packet of pattern 9: 9 + 8 bits of requester, 4 of the pattern, 32 + 32 of operations and scalar,
// 6 + 8 + 144 of the operands, with a mask and 3 of status.
static void of_the_service_queue(void **state)
{
    (void)state;
    struct offload_storage storage = offload_storage_bits(&usual);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_BUFFER), 1024);
    assert_int_equal(storage.part[STORAGE_SQSR].bits, 9 + 8 + 4 + 32 + 32 + 6 + 8 + 144 + 32 + 3);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_SQSR), 96 * 278 / 8);
    assert_int_equal(storage.part[STORAGE_LANES].bits, 3 * 32 * 5);
}

// Times of 16 bits: of 512 classes of stores, of the lines of an L1 of 16 KB, and in the entries of
// service queues.
static void of_times(void **state)
{
    (void)state;
    struct offload_sizes sizes = usual;
    assert_int_equal(offload_storage_bits(&sizes).part[STORAGE_TIMES].entries, 0);
    sizes.times = true;
    sizes.l1_lines = 128;
    struct offload_storage storage = offload_storage_bits(&sizes);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_TIMES), (512 + 128) * 2);
    assert_int_equal(storage.part[STORAGE_SQSR].bits, 278 + 4 * 16);
}

static void of_other_sizes(void **state)
{
    (void)state;
    struct offload_sizes sizes = usual;
    sizes.warps = 65;
    sizes.queue = 64;
    sizes.nodes = 63;
    sizes.llcs = 6;
    struct offload_storage storage = offload_storage_bits(&sizes);
    assert_int_equal(storage.part[STORAGE_OQSR].bits, 56);
    assert_int_equal(offload_storage_bytes(&storage, STORAGE_OQSR), 64 * 56 / 8);
    assert_int_equal(storage.part[STORAGE_EMN].entries, 36);
    assert_int_equal(storage.part[STORAGE_EMN].bits, 6); // 63 nodes, or none
}

// Checks the number of cores, partitions and routers.
static void expect_places(const struct offload_sizes *sizes, uint32_t cores, uint32_t routers,
                          uint32_t entries)
{
    struct offload_storage storage = offload_storage_bits(sizes);
    for (enum storage_part part = 0; part < STORAGE_PARTS; part++) {
        bool serves = part >= STORAGE_SQSR && part < STORAGE_TIMES,
             all = part <= STORAGE_FORMING || part == STORAGE_TIMES;
        assert_int_equal(storage.part[part].cores, all ? 56 : cores);
        assert_int_equal(storage.part[part].llcs, serves ? 8 : 0);
        assert_int_equal(storage.part[part].routers, serves ? routers : 0);
    }
    assert_int_equal(storage.part[STORAGE_EMN].entries, entries);
}

static void where_it_is(void **state)
{
    struct offload_sizes sizes = usual;
    (void)state;
    expect_places(&sizes, 56, 0, 64);
    sizes.cores_compute = false;
    expect_places(&sizes, 0, 0, 0);
    sizes.routers = 48;
    expect_places(&sizes, 0, 48, 0);
}

static void documented(void **state)
{
    (void)state;
    check_document("docs/reference/offload.md", print_storage);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--tables")) {
        print_storage(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_in_the_paper), cmocka_unit_test(of_the_service_queue),
        cmocka_unit_test(of_times),        cmocka_unit_test(of_other_sizes),
        cmocka_unit_test(where_it_is),     cmocka_unit_test(documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
