// A kernel of one chain, c = a + b, on a machine that offloads it, with the chain's events, for
// tests.
//
// Each core has a CTA; that of core 15, at node 18, executes the chain, and tests may use the
// others. All addresses are ready when the chain starts, so that its instructions issue as fast as
// they are fetched. In each run after the first one, the LLC and the instruction caches have all
// lines that the preceding run has used, and the L1s have none.
#pragma once
#include "backend/tags/tags.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/schemes/llc_omni/offload_queue.h"
#include "tests/fuzz/tagged.h"
#include "tests/lib/sanitized.h"
#include "tests/unit/runtime-sim/machine_fixture.h"

// A machine with butterflies whose routers compute: 4 inputs and outputs, 3 stages of 16 routers.
#define BUTTERFLIES                                                                                \
    "request_network.topology=fly", "reply_network.topology=fly",                                  \
        "request_network.router_nodes=true", "reply_network.router_nodes=true",                    \
        "reply_network.reversed=true"

enum { OFFLOAD_NOTICES = 1 << 14, LINE = 128, PARTITIONS = 8, CORES = 56, WHO = 15 };
enum { A, B, C, OPERANDS };

static inline const char *offload_event_text(enum offload_event event)
{
    static const char *const texts[] = {
#define OFFLOAD_EVENT(name, text) text,
#include "runtime-sim/schemes/llc_omni/log.def"
#undef OFFLOAD_EVENT
    };
    return texts[event];
}

static inline struct offload_queue *queue_of(const struct rig *r, uint32_t core)
{
    return core_own(&r->machine->cores[core], &llc_omni);
}

enum { BUFFER_LINES = 512 };

struct offload_notice {
    uint64_t cycle; // from the first event of a chain on
    enum offload_event event;
    uint32_t end, entry;
};

// Addresses of a warp's lanes: lane · step mod size bytes from the operand's line on.
struct shape {
    uint32_t step, size;
};

// Parts of the kernel's text for the core that executes the chain: code before and after it, and
// the chain if it is not c = a + b, with %r11 to %r14 and %p3; and the code of the other cores.
// Addresses of a, b and c are in %d1 to %d3, the thread's number in %r3, the CTA's in %r1; %r5 to
// %r9, %d6 to %d9 and %p2 to %p4 are free. Branch to END to exit.
struct form {
    const char *before, *chain, *after, *others;
    struct shape shape[OPERANDS];
    uint32_t line[OPERANDS]; // from the buffer's first line on: partition = line mod 8
    uint32_t stride;         // lines from a warp's operands to the next one's
};

#define SIDE_BY_SIDE                                                                               \
    {                                                                                              \
        4, LINE                                                                                    \
    }
static const struct shape side_by_side = SIDE_BY_SIDE;

struct offload_rig {
    struct rig r;
    struct tables tables;
    struct offload_table table;
    struct offload_notice notices[OFFLOAD_NOTICES];
    uint32_t count;
    uint64_t first;
    const struct form *form;
    uint32_t *buffer;
};

static void offload_trace_event(void *context, uint64_t cycle, enum offload_event event,
                                uint32_t end, uint32_t core, uint32_t entry)
{
    struct offload_rig *o = context;
    (void)core;
    if (o->count == OFFLOAD_NOTICES)
        return;
    if (!o->count)
        o->first = cycle;
    o->notices[o->count++] = (struct offload_notice){cycle - o->first, event, end, entry};
}

static inline void offload_write_address(struct text *t, const struct form *form, uint32_t i)
{
    const struct shape *shape = &form->shape[i - 1];
    text_put(t,
             "mul.lo.u32 %%r4, %%r3, %u; and.b32 %%r4, %%r4, %u; shr.u32 %%r5, %%r3, 5;\n"
             "mad.lo.u32 %%r4, %%r5, %u, %%r4; cvt.u64.u32 %%d4, %%r4;\n"
             "ld.param.u64 %%d%u, [p%u]; cvta.to.global.u64 %%d%u, %%d%u;\n"
             "add.u64 %%d%u, %%d%u, %%d4;\n",
             shape->step, shape->size - 1, form->stride * LINE, i, i, i, i, i, i);
}

static inline const char *offload_write(const struct form *form)
{
    static const char sum[] = "ld.global.u32 %r11, [%d1];\nld.global.u32 %r12, [%d2];\n"
                              "add.u32 %r13, %r11, %r12;\nst.global.u32 [%d3], %r13;";
    static struct text t;
    t.length = 0;
    text_put(&t, HEAD("7.0", "sm_70") ".visible .entry k(.param .u64 p1, .param .u64 p2,\n"
                                      ".param .u64 p3, .param .u32 who)\n{\n"
                                      ".reg .b32 %%r<20>; .reg .b64 %%d<10>; .reg .pred %%p<5>;\n"
                                      ".reg .f32 %%f<2>;\n"
                                      "mov.u32 %%r1, %%ctaid.x; ld.param.u32 %%r2, [who];\n"
                                      "mov.u32 %%r3, %%tid.x; setp.ne.u32 %%p1, %%r1, %%r2;\n"
                                      "@%%p1 bra OTHERS;\n");
    for (uint32_t i = 0; i < OPERANDS; i++)
        offload_write_address(&t, form, i + 1);
    text_put(&t, "and.b64 %%d5, %%d1, %%d2; and.b64 %%d5, %%d5, %%d3;\n"
                 "setp.eq.u64 %%p1, %%d5, 0;\n@%%p1 bra END;\n");
    text_put(&t, "%s\n%s\n%s\nbra END;\nOTHERS:\n%s\nEND:\nret;\n}\n",
             form->before ? form->before : "", form->chain ? form->chain : sum,
             form->after ? form->after : "", form->others ? form->others : "");
    return t.at;
}

// Sets the parameters: the operands' first addresses, and the core that executes the chain. All
// words of the buffer differ.
static inline void offload_place_operands(struct offload_rig *o)
{
    enum { ROUND = PARTITIONS * LINE };
    struct kernel *k = &o->r.k;
    uint64_t base, skipped;
    uint32_t *buffer = kernel_buffer(k, BUFFER_LINES * LINE + ROUND);
    memcpy(&base, k->params, 8);
    skipped = (ROUND - base % ROUND) % ROUND;
    o->buffer = buffer + skipped / 4;
    for (uint32_t i = 0; i < BUFFER_LINES * LINE / 4; i++)
        o->buffer[i] = 3 * i + 1000;
    k->param_bytes = 0;
    for (uint32_t i = 0; i < OPERANDS; i++) {
        uint64_t at = base + skipped + o->form->line[i] * LINE;
        memcpy(k->params + k->param_bytes, &at, 8);
        k->param_bytes += 8;
    }
    kernel_u32(k, WHO);
}

// Builds the machine for a kernel with one tagged chain.
static inline void offload_load_text_with(struct offload_rig *o, const char *text,
                                          const char *const *settings,
                                          const struct scheme_ops *const *known)
{
    struct tagged tagged;
    tagged_make(&tagged, text, strlen(text), FMA_FUSED, MUTATE_NOTHING, 0);
    assert_string_equal(tagged.wrong, "");
    assert_int_equal(tagged.chains, 1);
    rig_configure_with(&o->r, tagged.text, 0, settings, known);
    tagged_free(&tagged);
    struct kernel *k = &o->r.k;
    o->tables = (struct tables){0};
    o->table = (struct offload_table){0};
    assert_true(tags_read(&o->tables, &k->arena, &k->source, &k->diags));
    assert_true(offload_table_build(&o->table, &k->arena, &o->tables, &k->program,
                                    offload_config_of(&o->r.config), &k->diags));
    struct machine_plans plans = {0};
    machine_plan_add(&plans, &k->arena, &llc_omni, &o->table);
    for (uint32_t i = 0; known[i]; i++) {
        struct scheme_plan plan = {0};
        if (known[i] == &llc_omni || !known[i]->configuration.read_plan ||
            !machine_enables(&o->r.config, i))
            continue;
        known[i]->configuration.read_plan(&plan, &k->arena, &o->tables, &k->program,
                                          o->r.config.of_scheme[i], &k->diags);
        machine_plan_add(&plans, &k->arena, known[i], plan.table);
    }
    rig_build_planned(&o->r, &plans);
    struct machine_offload *offload = machine_scheme(o->r.machine, &llc_omni);
    if (offload)
        offload->shared.log = (struct offload_log){offload_trace_event, o};
    o->count = 0;
}

static inline void offload_load_text(struct offload_rig *o, const char *text,
                                     const char *const *settings)
{
    offload_load_text_with(o, text, settings, schemes);
}

// Builds the machine with these schemes registered.
static inline void offload_load_with(struct offload_rig *o, const struct form *form,
                                     const char *const *settings,
                                     const struct scheme_ops *const *known)
{
    offload_load_text_with(o, offload_write(form), settings, known);
    o->form = form;
    offload_place_operands(o);
}

static inline void offload_load(struct offload_rig *o, const struct form *form,
                                const char *const *settings)
{
    offload_load_with(o, form, settings, schemes);
}

static inline void offload_free(struct offload_rig *o)
{
    rig_check_slots(&o->r);
    rig_free(&o->r);
}

// Runs the kernel on all cores. Only events of this run are recorded.
static inline void offload_run(struct offload_rig *o, uint32_t threads)
{
    o->count = 0;
    rig_run(&o->r, "k", CORES, threads);
}

// Returns the statistic's increase in one more run.
static inline double offload_gain(struct offload_rig *o, uint32_t threads, const char *statistic)
{
    double before = rig_stat(&o->r, statistic);
    offload_run(o, threads);
    return rig_stat(&o->r, statistic) - before;
}

static inline uint32_t offload_word(const struct form *form, uint32_t operand, uint32_t thread)
{
    const struct shape *shape = &form->shape[operand];
    uint32_t at = (thread * shape->step & (shape->size - 1)) + thread / LANES * form->stride * LINE;
    return form->line[operand] * LINE / 4 + at / 4;
}

// Checks that c = a + b in these lanes of each warp.
static inline void offload_check(const struct offload_rig *o, uint32_t threads, uint32_t lanes)
{
    for (uint32_t i = 0; i < threads; i++)
        if (lanes >> i % LANES & 1)
            assert_int_equal(o->buffer[offload_word(o->form, C, i)],
                             o->buffer[offload_word(o->form, A, i)] +
                                 o->buffer[offload_word(o->form, B, i)]);
}
