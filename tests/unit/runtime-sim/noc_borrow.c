// Classes that borrow virtual channels of another class: without packets of that class the network
// behaves as with one class, and waiting packets hold up no borrower.
#include "tests/unit/runtime-sim/network.h"

#define TWO " classes=2 class_vcs=[6,2]"
#define BORROW TWO " class_borrows=[1,1]"

static uint64_t digest_of(const char *settings, const char *classes)
{
    enum { CYCLES = 3000 };
    struct network n;
    char text[512];
    snprintf(text, sizeof text, "%s%s", settings, classes);
    begin(&n, text);
    struct traffic_test t = traffic_begin(&n, 0.5, 1);
    t.flits_max = 5;
    t.classes = 1;
    traffic_run(&t, CYCLES);
    traffic_drain(&t);
    assert_true(t.come > 1000);
    uint64_t digest = t.digest;
    end(&n);
    return digest;
}

static void like_one_class_while_the_other_is_idle(void **state)
{
    static const char *const networks[] = {
        "width=4 height=4 vcs=8",
        "width=4 height=4 vcs=8 injection_queue=9 ejection_queue=16",
        "width=4 height=4 vcs=8 injection_queue=9 ejection_queue=16 ejection_order=channels "
        "speedup=2 routing_delay=0 credit_delay=0",
        "width=4 height=4 vcs=8 vc_allocator=separable sw_allocator=separable",
        "width=4 height=4 vcs=8 vc_alloc_iterations=2 sw_alloc_iterations=2",
        "width=4 height=4 vcs=8 vc_reuse=empty",
        "width=4 height=4 vcs=8 vc_reuse=whole vc_buffer=5",
        "width=4 height=4 vcs=8 st_final_delay=2",
        "topology=crossbar nodes=20 vcs=8 ejection_queue=8",
        "topology=fly radix=3 stages=3 vcs=8",
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        uint64_t one = digest_of(networks[i], "");
        if (digest_of(networks[i], BORROW) != one)
            fail_msg("%s: not as with one class", networks[i]);
        // Without borrowing two channels less make a difference.
        assert_true(digest_of(networks[i], TWO) != one);
    }
}

static void all_of_both_classes_arrive(void **state)
{
    static const char *const networks[] = {
        "width=4 height=4 vcs=8" BORROW,
        "width=4 height=4 vcs=8 vc_buffer=2 ejection_queue=6 injection_queue=9" BORROW,
        "width=4 height=4 vcs=8 ejection_queue=6 ejection_order=channels speedup=2" BORROW,
        "width=4 height=4 vcs=8 vc_allocator=separable sw_allocator=separable" BORROW,
        "width=4 height=4 vcs=7 classes=3 class_vcs=[4,1,2] class_borrows=[2,2,2]",
        "topology=fly radix=3 stages=3 vcs=8 ejection_queue=6" BORROW,
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof networks / sizeof *networks; i++)
        for (uint32_t load = 2; load <= 9; load += 7) {
            struct network n;
            begin(&n, networks[i]);
            struct traffic_test t = traffic_begin(&n, load / 10.0, 1);
            t.flits_max = 5;
            traffic_run(&t, 1500);
            for (uint32_t class = 0; class < n.config.classes; class += 1)
                assert_true(noc_class_stats(n.noc, class)->packets > 100);
            traffic_drain(&t);
            end(&n);
        }
}

static void offer(struct network *n, uint32_t class, uint64_t *state, uint64_t *sent)
{
    for (uint32_t i = 0; i < noc_nodes(n->noc); i++) {
        struct noc_packet packet = {.created = noc_cycle(n->noc),
                                    .source = i,
                                    .target = (uint32_t)(splitmix64(state) % noc_nodes(n->noc)),
                                    .flits = (uint16_t)(1 + splitmix64(state) % 3),
                                    .class = (uint8_t) class};
        if (!noc_can_send(n->noc, i, class, packet.flits))
            continue;
        noc_send(n->noc, &packet);
        ++*sent;
    }
}

static uint64_t pop_class(struct network *n, uint32_t class)
{
    uint64_t come = 0;
    for (uint32_t node = 0; node < noc_nodes(n->noc); node++)
        for (; noc_peek(n->noc, node, class); come++)
            noc_pop(n->noc, node, class);
    return come;
}

// Packets of class 1 are not accepted, and fill all buffers that they can have; those of class 0
// arrive all the same. Then the others are accepted, and arrive as well.
static void who_borrows_does_not_wait(void **state)
{
    static const char *const networks[] = {
        "width=4 height=4 vcs=8 injection_queue=9 ejection_queue=6" BORROW,
        "width=4 height=4 vcs=8 injection_queue=9 ejection_queue=6 ejection_order=channels "
        "speedup=2" BORROW,
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        enum { CYCLES = 3000 };
        struct network n;
        begin(&n, networks[i]);
        uint64_t random = 5, sent[2] = {0}, come[2] = {0};
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            offer(&n, 1, &random, &sent[1]);
            if (cycle % 4 == 0)
                offer(&n, 0, &random, &sent[0]);
            noc_tick(n.noc);
            come[0] += pop_class(&n, 0);
            if (cycle % 64 == 0)
                verify(&n);
        }
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            noc_tick(n.noc);
            come[0] += pop_class(&n, 0);
        }
        assert_true(sent[0] > CYCLES && sent[1] > 100);
        assert_int_equal(come[0], sent[0]);
        assert_true(noc_in_flight(n.noc) > 100);
        for (uint32_t cycle = 0; cycle < CYCLES; cycle++) {
            noc_tick(n.noc);
            come[1] += pop_class(&n, 1);
        }
        assert_int_equal(come[1], sent[1]);
        end(&n);
    }
}

static void check_fault(const char *settings, const char *part)
{
    struct network n;
    configure(&n, settings);
    const char *wrong = noc_check(&n.arena, &n.config);
    if (!wrong || !strstr(wrong, part))
        fail_msg("%s: %s", settings, wrong ? wrong : "no fault");
    end(&n);
}

static void faults(void **state)
{
    (void)state;
    check_fault("classes=2 class_borrows=[1]", "'class_borrows' has 1 elements");
    check_fault("classes=2 class_borrows=[0,0]", "class 1 can borrow from a class with a higher");
    check_fault("classes=2 class_borrows=[2,1]", "not from 2");
    check_fault("classes=3 vcs=6 class_borrows=[1,2,2]", "class 1 lends and borrows");
    check_fault("classes=2 class_borrows=[1,1] routing=adaptive", "adaptive routing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_one_class_while_the_other_is_idle),
        cmocka_unit_test(all_of_both_classes_arrive),
        cmocka_unit_test(who_borrows_does_not_wait),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests_name("noc_borrow", tests, NULL, NULL);
}
