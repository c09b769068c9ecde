// Scopes whose registers shadow outer ones, calls with parameter scopes, labels that no branch
// targets, and generic pointers into shared and local memory.
#include "tests/fuzz/kernels_internal.h"
#include <string.h>

// Functions that the kernel calls. A pointer is one to four bytes that the thread may read, for
// f_store and f_swap also write.
static const char *const functions[] = {
    ".func (.param .b32 r) f_mix(.param .b32 x, .param .b32 y)\n"
    "{ .reg .b32 %a<3>; ld.param.b32 %a0, [x]; ld.param.b32 %a1, [y];\n"
    "    mad.lo.u32 %a2, %a0, 5, %a1; { .reg .b32 %a2; xor.b32 %a2, %a0, %a1;\n"
    "    add.u32 %a1, %a2, 1; } add.u32 %a2, %a2, %a1; st.param.b32 [r], %a2; ret; }\n",
    ".func (.reg .b32 %r) f_load(.reg .b64 %p)\n"
    "{ .reg .b32 %a; ld.global.u32 %a, [%p]; add.u32 %r, %a, 7; ret; }\n",
    ".func f_store(.param .b64 p, .param .b32 v)\n"
    "{ .reg .b64 %p; .reg .b32 %a, %v; ld.param.b64 %p, [p]; ld.param.b32 %v, [v];\n"
    "    ld.global.u32 %a, [%p]; add.u32 %a, %a, %v; st.global.u32 [%p], %a; ret; }\n",
    ".func (.reg .b32 %r) f_swap(.reg .b64 %p, .reg .b32 %v)\n"
    "{ ld.global.u32 %r, [%p]; st.global.u32 [%p], %v; ret; }\n",
    ".func (.param .align 8 .b8 r[8]) f_pair(.param .align 8 .b8 x[8])\n"
    "{ .reg .b32 %a<2>; ld.param.v2.b32 {%a0, %a1}, [x]; add.u32 %a0, %a0, %a1;\n"
    "    st.param.b32 [r], %a1; st.param.b32 [r+4], %a0; ret; }\n",
    ".func (.param .b32 r) f_way(.param .b32 x)\n"
    "{ .reg .b32 %a; .reg .pred %p; ld.param.b32 %a, [x]; setp.lt.s32 %p, %a, 50;\n"
    "    @%p bra OTHER; sub.u32 %a, %a, 3; st.param.b32 [r], %a; ret;\n"
    "OTHER: shl.b32 %a, %a, 1; st.param.b32 [r], %a; ret; }\n",
    ".func (.reg .b32 %r) f_sum(.reg .b64 %p, .reg .b32 %n)\n"
    "{ .reg .b32 %a, %i; .reg .pred %q; mov.u32 %r, 0; and.b32 %n, %n, 3; setp.eq.u32 %q, %n, 0;\n"
    "    @%q ret; { .reg .b32 %n; mov.u32 %n, 1; add.u32 %r, %r, %n; } mov.u32 %i, 0;\n"
    "LOOP: ld.global.u32 %a, [%p]; mad.lo.u32 %r, %r, 3, %a; add.u32 %i, %i, 1;\n"
    "    setp.lt.u32 %q, %i, %n; @%q bra LOOP; ret; }\n",
    ".func (.param .b32 r) f_deep(.param .b32 x, .param .b64 p)\n"
    "{ .reg .b32 %a<3>; .reg .b64 %p; ld.param.b32 %a0, [x]; ld.param.b64 %p, [p];\n"
    "    { .param .b32 u; .param .b32 v; .param .b32 w; st.param.b32 [u], %a0;\n"
    "    st.param.b32 [v], 3; call (w), f_mix, (u, v); ld.param.b32 %a1, [w]; }\n"
    "    call (%a2), f_load, (%p); add.u32 %a0, %a1, %a2; st.param.b32 [r], %a0; ret; }\n",
};

void put_functions(struct maker *m)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        emit(m, "%s", functions[i]);
}

// Shadows: declarations and initial values.
static const struct {
    const char *declared, *set;
} shadows[] = {
    {".reg .b32 %r<8>;", "mov.u32 %r0, %gid; add.u32 %r1, %gid, 3; mov.u32 %r2, %thread;\n"
                         "    mul.lo.u32 %r3, %gid, 77; mov.u32 %r4, 5; sub.u32 %r5, %r3, %r1;\n"
                         "    mov.u32 %r6, %block; xor.b32 %r7, %gid, 85;"},
    {".reg .b32 %r1, %r6;", "mov.u32 %r1, %gid; add.u32 %r6, %r2, %thread;"},
    {".reg .b32 %r2; { .reg .b32 %r2; mov.u32 %r2, %r5; add.u32 %keep, %keep, %r2; }",
     "sub.u32 %r2, %r3, %gid;"},
    {".reg .f32 %f<4>; .reg .pred %p<4>;",
     "cvt.rn.f32.s32 %f0, %r0; mov.f32 %f1, %v1; add.f32 %f2, %f0, %f1; mov.f32 %f3, %f2;\n"
     "    setp.lt.u32 %p0, %r0, %r1; setp.eq.u32 %p1, %thread, 7; not.pred %p2, %p0;\n"
     "    setp.ne.u32 %p3, %block, 0;"},
    {".reg .b64 %d<3>; .reg .b16 %h<4>; .reg .f64 %g<2>;",
     "mul.wide.u32 %d0, %r0, %r1; mov.u64 %d1, %d0; xor.b64 %d2, %d0, 9; cvt.u16.u32 %h0, %r2;\n"
     "    mov.u16 %h1, %h0; mov.u16 %h2, 3; mov.u16 %h3, %h1; cvt.rn.f64.s64 %g0, %d0;\n"
     "    mov.f64 %g1, %g0;"},
    {".reg .b32 %t<3>, %x<2>; .reg .b64 %a<2>;",
     "mov.u32 %t0, 1; mov.u32 %t1, %thread; mov.u32 %t2, %gid; mov.u32 %x0, 0; mov.u32 %x1, 1;\n"
     "    mov.u64 %a0, %w0; mov.u64 %a1, %w0;"},
    // Other types under the same names.
    {".reg .b64 %other; .reg .pred %slice;", "mov.u64 %other, 1; setp.eq.u32 %slice, %thread, 1;"},
    {".reg .b32 %q;", "mov.u32 %q, %gid;"},
};

void put_scope(struct maker *m)
{
    uint32_t group = ++m->groups, kind = pick(m, sizeof shadows / sizeof *shadows);
    m->group = group;
    emit(m, "{ %s\n    %s", shadows[kind].declared, shadows[kind].set);
    m->group = 0;
    put_body(m);
    m->group = group;
    if (kind < 3)
        emit(m, "%s", fill_in(m, "xor.b32 %keep, %keep, $R;"));
    emit(m, "}");
    m->group = 0;
}

// Writes a label, which ends a basic block without divergence.
void put_next(struct maker *m)
{
    uint32_t label = ++m->groups;
    if (pick(m, 3) == 0)
        emit(m, "bra.uni NEXT%u;\nNEXT%u:", label, label);
    else
        emit(m, "NEXT%u:", label);
}

// The statements of a call. $A is an address register.
static const struct {
    bool writes; // to what $A points to
    const char *step[6];
} calls[] = {
    {false,
     {"{ .param .b32 x; .param .b32 y; .param .b32 r;", "st.param.b32 [x], $R;",
      "st.param.b32 [y], $R;", "call (r), f_mix, (x, y);", "ld.param.b32 $R, [r]; }"}},
    {false, {"call ($R), f_load, ($A);"}},
    {true,
     {"{ .param .b64 p; .param .b32 v;", "st.param.b64 [p], $A;", "st.param.b32 [v], $R;",
      "call f_store, (p, v); }"}},
    {true, {"call ($R), f_swap, ($A, $R);"}},
    {false,
     {"{ .param .align 8 .b8 x[8]; .param .align 8 .b8 r[8];", "st.param.b32 [x+4], $R;",
      "st.param.b32 [x], $R;", "call (r), f_pair, (x);", "ld.param.b32 $R, [r+4]; }"}},
    {false,
     {"{ .param .b32 x; .param .b32 r;", "st.param.b32 [x], $R;", "call (r), f_way, (x);",
      "ld.param.b32 $R, [r]; }"}},
    {false, {"call ($R), f_sum, ($A, $R);"}},
    {false,
     {"{ .param .b32 x; .param .b64 p; .param .b32 r;", "st.param.b32 [x], $R;",
      "st.param.b64 [p], $A;", "call (r), f_deep, (x, p);", "ld.param.b32 $R, [r]; }"}},
    {false,
     {"{ .param .b32 x; .param .b32 r; .reg .b64 %x;", "mov.b64 %x, x;", "st.param.b32 [%x], $R;",
      "call (r), f_way, (x);", "ld.param.b32 $R, [r]; }"}},
};

// Writes other statements among those of the call. They declare nothing, because the scope ends
// with the call.
static void put_between(struct maker *m)
{
    uint32_t choice = pick(m, 8), group = m->group;
    m->group = 0;
    if (choice == 0)
        put_calculation(m);
    else if (choice == 1)
        put_access(m);
    else if (choice == 2 && pick(m, 4) == 0)
        put_next(m);
    m->group = group;
}

void put_call(struct maker *m)
{
    uint32_t kind = pick(m, sizeof calls / sizeof *calls);
    struct address address = choose_address(m, calls[kind].writes, 4);
    const char *plus = strchr(address.text, '+');
    uint32_t group = ++m->groups;
    m->group = group;
    emit_steps(m, &address);
    emit(m, "add.s64 %%pointer, %.*s, %s;", (int)(plus - address.text), address.text, plus + 1);
    for (uint32_t i = 0; i < 6 && calls[kind].step[i]; i++) {
        const char *step = calls[kind].step[i], *at = strstr(step, "$A");
        if (at)
            step = arena_printf(m->arena, "%.*s%%pointer%s", (int)(at - step), step, at + 2);
        emit(m, "%s", fill_in(m, step));
        if (calls[kind].step[1])
            put_between(m);
    }
    m->group = 0;
    free_addresses(m, address.taken);
}

// Generic pointers

// The address of 16 bytes that the thread owns, as a generic pointer in %pointer. W: a pointer to
// such units.
static const char *const pointers[] = {
    "cvt.u64.u32 %pointer, %cell; cvta.shared.u64 %pointer, %pointer;",
    "mov.u32 %r1, cells; mad.lo.u32 %r1, %thread, 16, %r1; cvt.u64.u32 %pointer, %r1;\n"
    "    cvta.shared.u64 %pointer, %pointer;",
    "mov.u64 %pointer, stack; cvta.local.u64 %pointer, %pointer;",
    "cvta.local.u64 %pointer, stack;",
    "mov.u64 %pointer, W;",
    "cvta.global.u64 %pointer, W;",
    "cvta.local.u64 %pointer, stack; selp.b64 %pointer, %pointer, W, $P;",
    "cvt.u64.u32 %pointer, %cell; cvta.shared.u64 %pointer, %pointer;\n"
    "    selp.b64 %pointer, W, %pointer, $P;",
};

// Writes an access by pointer. The first place has units of 16 bytes; others may have smaller ones,
// between those of other threads.
static void put_pointer_to(struct maker *m, const char *form)
{
    const char *text = fill_in(m, form), *at = strchr(text, 'W');
    uint32_t place = pick(m, PLACES);
    if (m->place[place].granule < 16)
        place = 0;
    if (at)
        emit(m, "%.*s%%w%u%s", (int)(at - text), text, place, at + 1);
    else
        emit(m, "%s", text);
}

void put_pointer(struct maker *m)
{
    // N: a number.
    static const char *const accesses[] = {"ld.u32 $R, [%pointer+N];",
                                           "st.u32 [%pointer+N], $R;",
                                           "ld.f32 $F, [%pointer+N];",
                                           "st.f32 [%pointer+N], $F;",
                                           "st.local.u32 [stack+N], $R;",
                                           "ld.local.u32 $R, [stack+N];",
                                           "ld.v2.u32 {%r0, %r3}, [%pointer+N];",
                                           "st.v2.u32 [%pointer+N], {$R, $R};",
                                           "ld.u64 $D, [%pointer+N];",
                                           "st.u64 [%pointer+N], $D;",
                                           "ld.local.v2.u32 {%r1, %r4}, [stack+N];",
                                           "st.local.v2.u32 [stack+N], {$R, $R};"};
    m->group = ++m->groups;
    put_pointer_to(m, pointers[pick(m, sizeof pointers / sizeof *pointers)]);
    for (uint32_t i = 1 + pick(m, 3); i; i--) {
        uint32_t kind = pick(m, sizeof accesses / sizeof *accesses);
        const char *text = fill_in(m, accesses[kind]), *number = strchr(text, 'N');
        emit(m, "%.*s%u%s", (int)(number - text), text, 8 * pick(m, 2), number + 1);
    }
    m->group = 0;
}
