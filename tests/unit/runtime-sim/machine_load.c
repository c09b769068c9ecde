// The saturated machine: the lowest of the configuration's limits holds.
#include "tests/unit/runtime-sim/machine_fixture.h"

enum { LINE = 128, PARTITIONS = 8, WARPS = 6, WORDS = WARPS * LANES };
// CTAs that fit all cores at once.
enum { ALL = 56 * 8 };

static const char text[] =
    HEAD("8.0", "sm_80") ".visible .entry copy(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
                         ".reg .b32 %r<8>; .reg .b64 %d<12>;\n"
                         "ld.param.u64 %d1, [a]; ld.param.u64 %d3, [c];\n"
                         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                         "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %d4, %r1, 4;\n"
                         "add.u64 %d5, %d1, %d4; add.u64 %d6, %d3, %d4;\n"
                         "ld.global.u32 %r4, [%d5]; st.global.u32 [%d6], %r4;\nret;\n}\n"
                         ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)\n{\n"
                         ".reg .b32 %r<8>; .reg .b64 %d<12>;\n"
                         "ld.param.u64 %d1, [a]; ld.param.u64 %d2, [b]; ld.param.u64 %d3, [c];\n"
                         "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                         "mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %d4, %r1, 4;\n"
                         "add.u64 %d5, %d1, %d4; add.u64 %d6, %d3, %d4; add.u64 %d7, %d2, %d4;\n"
                         "ld.global.u32 %r4, [%d5]; ld.global.u32 %r5, [%d7];\n"
                         "add.u32 %r4, %r4, %r5; st.global.u32 [%d6], %r4;\nret;\n}\n";

// Lines that the work of a warp reads and writes.
struct work {
    const char *name;
    uint32_t reads, writes;
};

static const struct work copy = {"copy", 1, 1}, add = {"add", 2, 1};

enum cap { CAP_NOC, CAP_LLC, CAP_DRAM, CAPS };
static const char *const cap_names[] = {"networks", "LLC", "DRAM"};

// Computes the work of warps per cycle that each limit allows.
static void find_caps(const struct machine_config *c, const struct work *work, bool warm,
                      double caps[CAPS])
{
    const struct memsys_config *m = &c->memsys;
    uint32_t lines = work->reads + work->writes;
    // Each partition sends a line in 5 flits and an acknowledgement in 1; it gets a line to be
    // written in 5 flits and a request in 1. The busier direction counts.
    uint32_t replies = 5 * work->reads + work->writes, requests = work->reads + 5 * work->writes;
    caps[CAP_NOC] = (double)PARTITIONS / (replies > requests ? replies : requests);
    // A line's data go through the port when it is read from there or comes from the DRAM, when it
    // is written, and when it is written back.
    uint32_t moves = warm ? lines : lines + work->writes;
    caps[CAP_LLC] = (double)(PARTITIONS * m->llc.banks * m->llc.port_bytes) / LINE / moves;
    caps[CAP_LLC] *= (double)m->memory.llc_clock / (double)m->memory.core_clock;
    caps[CAP_DRAM] = warm ? 1e9 : (double)PARTITIONS / (double)m->dram.burst / lines;
    caps[CAP_DRAM] *= (double)m->dram.clock / (double)m->memory.core_clock;
}

static uint64_t cycles(struct rig *r, const struct work *work, uint32_t ctas, bool warm)
{
    if (warm)
        rig_run(r, work->name, ctas, WORDS);
    return rig_run(r, work->name, ctas, WORDS);
}

// Returns the work per cycle of the additional CTAs; sets the limits.
static double rate(const struct work *work, uint32_t few, uint32_t many, bool warm,
                   double caps[CAPS], const char *const *settings)
{
    static struct rig r;
    rig_load(&r, text, 0, settings);
    for (int i = 0; i < 3; i++)
        kernel_buffer(&r.k, (uint64_t)many * WORDS * 4);
    find_caps(&r.config, work, warm, caps);
    uint64_t less = cycles(&r, work, few, warm), more = cycles(&r, work, many, warm);
    rig_free(&r);
    return (double)(many - few) * WARPS / (double)(more - less);
}

static enum cap lowest(const double caps[CAPS])
{
    enum cap min = CAP_NOC;
    for (enum cap i = CAP_NOC; i < CAPS; i++)
        min = caps[i] < caps[min] ? i : min;
    return min;
}

static void reaches(enum cap expected, bool warm, const char *const *settings)
{
    double caps[CAPS], have = rate(&copy, 2 * ALL, (warm ? 6 : 12) * ALL, warm, caps, settings);
    enum cap cap = lowest(caps);
    print_message("copy: %.3f lines per cycle; networks %.3f, LLC %.3f, DRAM %.3f: %s\n", have,
                  caps[CAP_NOC], caps[CAP_LLC], warm ? 0 : caps[CAP_DRAM], cap_names[cap]);
    assert_int_equal(cap, expected);
    if (have > caps[cap] * 1.01 || have < caps[cap] * 0.9) // more may wait at the end
        fail_msg("%g lines per cycle are not within 10 %% below %g", have, caps[cap]);
}

static void copies(void **state)
{
    (void)state;
    reaches(CAP_LLC, true, SETTINGS("llc.port_bytes=32", "llc.banks=1"));
    reaches(CAP_NOC, true, SETTINGS("llc.port_bytes=128"));
    // A narrow bus, rows and turns that cost little: its data are what counts.
    reaches(CAP_DRAM, false,
            SETTINGS("dram.burst=8", "dram.tCCD=8", "llc.sets=32", "dram.tRP=1", "dram.tRCD=1",
                     "dram.tRAS=1", "dram.tRC=2", "dram.tRRD=1", "dram.tWTR=0", "dram.turnaround=0",
                     "dram.tWR=1", "dram.tCL=1", "dram.CWL=1"));
}

// Checks that at least this share of the lowest limit is reached.
static void adds(enum cap expected, double part, const char *const *settings)
{
    double caps[CAPS], have = rate(&add, 6 * ALL, 12 * ALL, false, caps, settings);
    print_message("add: %.3f lines of results per cycle; networks %.3f, LLC %.3f, DRAM %.3f\n",
                  have, caps[CAP_NOC], caps[CAP_LLC], caps[CAP_DRAM]);
    // A partition's reply port: two lines and an acknowledgement. A channel: three lines, if no row
    // had to be opened; of a row of eight lines few are asked for at the same time.
    assert_true(caps[CAP_NOC] == 8 / 11.0);
    assert_true(caps[CAP_DRAM] > 0.952 && caps[CAP_DRAM] < 0.953);
    assert_int_equal(lowest(caps), expected);
    assert_true(have <= caps[expected] && have > part * caps[expected]);
}

static void vector_add(void **state)
{
    (void)state;
    adds(CAP_LLC, 0.5, SETTINGS("llc.port_bytes=32", "llc.banks=1"));
    adds(CAP_NOC, 0.4, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(vector_add),
    };
    return cmocka_run_group_tests_name("machine_load", tests, NULL, NULL);
}
