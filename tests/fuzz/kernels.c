// Kernels that can be compared: every thread writes only what it owns, a slice of each buffer, with
// masked indices; data of others are read between two barriers without a store between them; all
// threads reach each barrier; loops have a small bound. Parameters may point into the same buffer,
// so that stores through one name may be read through another.
//
// They are worth tagging: load-compute-store chains, each a queue of steps with the address
// arithmetic among them. Several queues are open at a time and take turns.
#include "tests/fuzz/kernels_internal.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t pick(struct maker *m, uint32_t below)
{
    return (uint32_t)((random_next(&m->random) >> 32) % below);
}

void emit(struct maker *m, const char *format, ...)
{
    char text[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct kernel_statement statement = {
        .text = arena_strndup(m->arena, text, strlen(text)), .group = m->group, .fixed = m->fixed};
    vec_push(m->arena, &m->kernel->list, statement);
}

// Templates: $ and a letter stand for an operand.

static const struct {
    char letter;
    const char *name;
    uint32_t count;
} operands[] = {
    {'R', "%r", WORDS},        {'F', "%f", REALS},      {'H', "%h", HALVES}, {'D', "%d", DOUBLES},
    {'G', "%g", REAL_DOUBLES}, {'P', "%p", PREDICATES}, {'S', "", 32},       {'I', "", 64},
    {'U', "%u", SCALARS},      {'V', "%v", SCALARS},
};

static int put_operand(struct maker *m, char *to, size_t room, char letter)
{
    if (letter == 'L')
        return snprintf(to, room, "%u", m->label);
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (operands[i].letter == letter)
            return snprintf(to, room, "%s%u", operands[i].name, pick(m, operands[i].count));
    return 0;
}

const char *fill_in(struct maker *m, const char *form)
{
    char text[512];
    size_t at = 0;
    for (; *form && at < sizeof text - 16; form++)
        if (*form == '$')
            at += (size_t)put_operand(m, text + at, sizeof text - at, *++form);
        else
            text[at++] = *form;
    return arena_strndup(m->arena, text, at);
}

static void put(struct maker *m, const char *form)
{
    emit(m, "%s", fill_in(m, form));
}

static const char *const calculations[] = {
    "add.u32 $R, $R, $R",
    "sub.s32 $R, $R, $R",
    "mul.lo.u32 $R, $R, $I",
    "mul.hi.s32 $R, $R, $R",
    "mul.wide.u32 $D, $R, $R",
    "mul.wide.s16 $R, $H, $H",
    "mad.lo.s32 $R, $R, $R, $R",
    "mad.hi.u32 $R, $R, $R, $R",
    "mad.wide.s32 $D, $R, $R, $D",
    "min.u32 $R, $R, $R",
    "max.s32 $R, $R, $R",
    "and.b32 $R, $R, $R",
    "or.b32 $R, $R, $R",
    "xor.b32 $R, $R, $R",
    "not.b32 $R, $R",
    "cnot.b32 $R, $R",
    "shl.b32 $R, $R, $S",
    "shr.s32 $R, $R, $R",
    "shr.u32 $R, $R, $S",
    "shf.l.wrap.b32 $R, $R, $R, $R",
    "shf.r.clamp.b32 $R, $R, $R, $S",
    "lop3.b32 $R, $R, $R, $R, 150",
    "abs.s32 $R, $R",
    "neg.s32 $R, $R",
    "popc.b32 $R, $R",
    "clz.b32 $R, $R",
    "brev.b32 $R, $R",
    "bfe.u32 $R, $R, 3, 7",
    "bfi.b32 $R, $R, $R, 4, 9",
    "prmt.b32 $R, $R, $R, 0x3715",
    "sad.u32 $R, $R, $R, $R",
    "selp.b32 $R, $R, $R, $P",
    "slct.s32.s32 $R, $R, $R, $R",
    "set.lt.u32.s32 $R, $R, $R",
    "mul24.lo.s32 $R, $R, $R",
    "add.cc.u32 $R, $R, $R;\n    addc.u32 $R, $R, $R",
    "mov.u32 $R, $U",
    "add.u32 $R, $R, $U",
    "mov.u32 $R, %laneid",
    "mov.u32 $R, %tid.x",
    "mov.u32 $R, %ctaid.x",
    "add.u16 $H, $H, $H",
    "mul.lo.s16 $H, $H, $H",
    "mad.lo.u16 $H, $H, $H, $H",
    "min.s16 $H, $H, $H",
    "xor.b16 $H, $H, $H",
    "shr.u16 $H, $H, 3",
    "cvt.u16.u32 $H, $R",
    "cvt.s32.s16 $R, $H",
    "cvt.s32.s8 $R, $R",
    "cvt.sat.u16.s32 $H, $R",
    "mov.b32 $R, {$H, $H}",
    "add.f16 $H, $H, $H",
    "fma.rn.f16 $H, $H, $H, $H",
    "add.f16x2 $R, $R, $R",
    "cvt.f32.f16 $F, $H",
    "cvt.rn.f16.f32 $H, $F",
    "add.s64 $D, $D, $D",
    "mul.lo.u64 $D, $D, $D",
    "mul.hi.s64 $D, $D, $D",
    "mad.lo.u64 $D, $D, $D, $D",
    "shl.b64 $D, $D, $S",
    "xor.b64 $D, $D, $D",
    "min.s64 $D, $D, $D",
    "cvt.u64.u32 $D, $R",
    "cvt.u32.u64 $R, $D",
    "mov.b64 $D, {$R, $R}",
    "mov.b64 {%r0, %r1}, $D",
    "selp.b64 $D, $D, $D, $P",
    "popc.b64 $R, $D",
    "add.f32 $F, $F, $F",
    "sub.rz.f32 $F, $F, $F",
    "mul.rp.ftz.f32 $F, $F, $F",
    "mul.f32 $F, $F, $V",
    "fma.rn.f32 $F, $F, $F, $F",
    "fma.rm.sat.f32 $F, $F, $F, $F",
    "min.f32 $F, $F, $F",
    "max.f32 $F, $F, $F",
    "abs.f32 $F, $F",
    "neg.ftz.f32 $F, $F",
    "div.rn.f32 $F, $F, $F",
    "sqrt.rn.f32 $F, $F",
    "rcp.rn.f32 $F, $F",
    "cvt.rn.f32.s32 $F, $R",
    "cvt.rzi.s32.f32 $R, $F",
    "cvt.rn.f32.u64 $F, $D",
    "cvt.rni.f32.f32 $F, $F",
    "mov.b32 $F, $R",
    "mov.b32 $R, $F",
    "copysign.f32 $F, $F, $F",
    "selp.f32 $F, $F, $F, $P",
    "add.f64 $G, $G, $G",
    "mul.rz.f64 $G, $G, $G",
    "fma.rn.f64 $G, $G, $G, $G",
    "cvt.f64.f32 $G, $F",
    "cvt.rn.f32.f64 $F, $G",
    "cvt.rzi.s64.f64 $D, $G",
    "cvt.rn.f64.s64 $G, $D",
    "min.f64 $G, $G, $G",
    "neg.f64 $G, $G",
    "mov.b64 $D, $G",
    "setp.lt.s32 $P, $R, $R",
    "setp.ge.u32 $P, $R, $I",
    "setp.eq.f32 $P, $F, $F",
    "setp.ltu.f64 $P, $G, $G",
    "setp.ne.and.s32 $P, $R, $R, $P",
    "setp.gt.u64 $P, $D, $D",
    "setp.lt.s16 $P, $H, $H",
    "setp.le.s32 %p0|%p1, $R, $R",
    "setp.num.f32 $P, $F, $F",
    "and.pred $P, $P, $P",
    "xor.pred $P, $P, $P",
    "not.pred $P, $P",
};

static const char *random_guard(struct maker *m, uint32_t one_in)
{
    static const char *const guards[] = {"@$P ", "@!$P "};
    return pick(m, one_in) ? "" : fill_in(m, guards[pick(m, 2)]);
}

void put_calculation(struct maker *m)
{
    const char *guard = random_guard(m, 8);
    const char *text =
        fill_in(m, calculations[pick(m, sizeof calculations / sizeof *calculations)]);
    // Both halves of an addition with carry must run or neither.
    emit(m, "%s%s;", strchr(text, '\n') ? "" : guard, text);
}

// Accesses of all widths, through one name or another.

static const struct {
    const char *type, *reg;
    uint32_t bytes;
} accesses[] = {
    {"u32", "$R", 4},
    {"s32", "$R", 4},
    {"b32", "$R", 4},
    {"f32", "$F", 4},
    {"f32", "$F", 4},
    {"u8", "$R", 1},
    {"u16", "$H", 2},
    {"b16", "$H", 2},
    {"u64", "$D", 8},
    {"f64", "$G", 8},
    {"b64", "$D", 8},
    {"s8", "$R", 1},
    {"s16", "$R", 2},
    {"v2.u32", "{%r0, %r3}", 8},
    {"v4.f32", "{%f0, %f1, %f2, %f3}", 16},
    {"v4.b32", "{%r1, %r2, %r4, %r5}", 16},
    {"v2.u64", "{%d0, %d1}", 16},
    {"v2.f64", "{%g0, %g1}", 16},
    {"v2.u16", "{%h0, %h1}", 4},
};

void emit_steps(struct maker *m, const struct address *address)
{
    for (uint32_t i = 0; i < address->count; i++)
        emit(m, "%s", address->step[i]);
}

void put_access(struct maker *m)
{
    uint32_t i = pick(m, sizeof accesses / sizeof *accesses);
    bool store = pick(m, 2);
    const char *guard = random_guard(m, 8);
    struct address address = choose_address(m, store, accesses[i].bytes);
    m->group = address.group;
    emit_steps(m, &address);
    const char *reg = fill_in(m, accesses[i].reg);
    if (store)
        emit(m, "%sst%s.%s [%s], %s;", guard, address.space, accesses[i].type, address.text, reg);
    else
        emit(m, "%sld%s.%s %s, [%s];", guard, address.space, accesses[i].type, reg, address.text);
    m->group = 0;
    free_addresses(m, address.taken);
}

static void put_atomic(struct maker *m)
{
    // Each kind has a place of its own: then it does not matter who comes first.
    static const char *const shared_by_all[] = {
        "red.global.add.u32 [%count], $R", "red.global.max.s32 [%count+4], $R",
        "red.global.xor.b32 [%count+8], $R", "red.global.and.b32 [%count+12], $R"};
    static const struct {
        const char *before, *behind;
    } own[] = {{"atom.global.add.u32 $R, [", "], $R"},
               {"atom.global.exch.b32 $R, [", "], $R"},
               {"atom.global.cas.b32 $R, [", "], $R, $R"},
               {"atom.global.add.f32 $F, [", "], $F"}};
    const char *guard = random_guard(m, 4);
    uint32_t choice = pick(m, 4);
    if (pick(m, 2)) {
        emit(m, "%s%s;", guard, fill_in(m, shared_by_all[choice]));
        return;
    }
    struct address address = choose_address(m, true, 4);
    m->group = address.group;
    emit_steps(m, &address);
    const char *before = fill_in(m, own[choice].before), *behind = fill_in(m, own[choice].behind);
    emit(m, "%s%s%s%s;", guard, before, address.text, behind);
    m->group = 0;
    free_addresses(m, address.taken);
}

// Writes accesses to data of other threads of the CTA, between two barriers.
static void put_exchange(struct maker *m)
{
    uint32_t loads = 1 + pick(m, 3), place = pick(m, PLACES);
    m->group = ++m->groups;
    if (pick(m, 2))
        emit(m, "st.shared.u32 [%%cell+%u], %%r%u;", 4 * pick(m, 4), pick(m, WORDS));
    emit(m, "bar.sync 0;");
    while (loads--) {
        if (pick(m, 2))
            emit(m, "ld.shared.u32 %%r%u, [%%next+%u];", pick(m, WORDS), 4 * pick(m, 4));
        else
            emit(m, "ld.global.u32 %%r%u, [%%n%u+%u];", pick(m, WORDS), place,
                 pick(m, 8) * m->place[place].unit);
        if (pick(m, 2))
            emit(m, "add.u32 %s, %s, %s;", fill_in(m, "$R"), fill_in(m, "$R"), fill_in(m, "$R"));
    }
    emit(m, "bar.sync 0;");
    m->group = 0;
}

// Control

// Writes one of the branches and labels with this number.
static void put_branch(struct maker *m, uint32_t label, const char *form)
{
    m->label = label;
    m->group = MAX_GROUPS + label;
    put(m, form);
    m->group = 0;
}

static void put_if(struct maker *m)
{
    static const char *const tests[][2] = {
        {"setp.lt.s32 %c$L, $R, $R;\n    @%c$L bra ELSE$L;",
         "setp.lt.s32 %c$L, $R, $R;\n    @!%c$L bra ELSE$L;"},
        {"setp.eq.u32 %c$L, $R, $I;\n    @%c$L bra ELSE$L;",
         "and.pred %c$L, $P, $P;\n    @!%c$L bra ELSE$L;"},
        {"setp.lt.u32 %c$L, $U, $U;\n    @%c$L bra ELSE$L;",
         "setp.lt.u32 %c$L, $U, $I;\n    @!%c$L bra.uni ELSE$L;"}};
    uint32_t label = ++m->labels, kind = pick(m, 3);
    bool uniform = m->uniform;
    put_branch(m, label, tests[kind][pick(m, 2)]);
    m->uniform = uniform && kind == 2;
    put_body(m);
    if (pick(m, 2)) {
        put_branch(m, label, "bra END$L;\nELSE$L:");
        put_body(m);
        put_branch(m, label, "END$L:");
    } else {
        put_branch(m, label, "ELSE$L:");
    }
    m->uniform = uniform;
}

static void put_loop(struct maker *m)
{
    static const char *const openings[] = {"mov.u32 %b$L, 3;\n    mov.u32 %l$L, 0;\nLOOP$L:",
                                           "and.b32 %b$L, $U, 3;\n    mov.u32 %l$L, 0;\nLOOP$L:",
                                           "and.b32 %b$L, $R, 3;\n    mov.u32 %l$L, 0;\nLOOP$L:"};
    uint32_t label = ++m->labels, kind = pick(m, 3);
    bool uniform = m->uniform;
    put_branch(m, label, openings[kind]);
    m->uniform = uniform && kind < 2;
    put_body(m);
    if (!m->uniform && pick(m, 2)) {
        put_branch(m, label, "@$P bra OUT$L;");
        put_body(m);
    }
    put_branch(m, label,
               "add.u32 %l$L, %l$L, 1;\n    setp.lt.u32 %c$L, %l$L, %b$L;\n"
               "    @%c$L bra LOOP$L;\nOUT$L:");
    m->uniform = uniform;
}

static void put_control(struct maker *m)
{
    if (m->depth >= MAX_DEPTH || m->labels + 1 >= MAX_LABELS)
        put_calculation(m);
    else if (pick(m, 2))
        put_if(m);
    else
        put_loop(m);
}

static bool put_scoped(struct maker *m)
{
    uint32_t choice = pick(m, 32);
    if (choice < 2 && m->depth < MAX_DEPTH)
        put_scope(m);
    else if (choice < 4)
        put_call(m);
    else if (choice < 6)
        put_next(m);
    else if (choice < 8 && m->spaces)
        put_pointer(m);
    else
        return false;
    return true;
}

static void put_something(struct maker *m)
{
    if (m->scopes && put_scoped(m))
        return;
    uint32_t choice = pick(m, 100), atomics = m->close ? 5 : 2;
    if (choice < 70)
        chains_go_on(m);
    else if (choice < 81)
        put_calculation(m);
    else if (choice < 86)
        put_access(m);
    else if (choice < 86 + atomics)
        put_atomic(m);
    else if (choice < 88 + atomics && m->uniform)
        put_exchange(m);
    else if (choice < 97)
        put_control(m);
    else
        emit(m, "st.shared.u32 [%%cell+%u], %%r%u;", 4 * pick(m, 4), pick(m, WORDS));
}

// Writes a body. Chains opened outside stay open; those opened here end here.
void put_body(struct maker *m)
{
    struct chains outer = m->chains;
    uint32_t max = 4 + pick(m, m->scopes ? 12 : m->depth ? 20 : 60);
    m->chains.count = 0;
    m->depth++;
    for (uint32_t i = 0; i < max; i++)
        put_something(m);
    while (m->chains.count)
        chains_go_on_one(m);
    m->depth--;
    m->chains = outer;
}

void kernel_make_kind(struct random_kernel *kernel, struct arena *arena, uint64_t seed,
                      uint32_t times, enum kernel_kind kind)
{
    *kernel = (struct random_kernel){.arena = arena, .times = times};
    struct maker m = {.kernel = kernel,
                      .arena = arena,
                      .random = seed,
                      .uniform = true,
                      .scopes = kind >= KERNEL_SCOPES,
                      .spaces = kind >= KERNEL_SPACES};
    kernel->inputs.seed = seed;
    m.close = pick(&m, 3) == 0;
    m.fixed = true;
    put_head(&m);
    m.fixed = false;
    put_body(&m);
    m.fixed = true;
    put_tail(&m);
}

void kernel_make(struct random_kernel *kernel, struct arena *arena, uint64_t seed)
{
    kernel_make_kind(kernel, arena, seed, 1, KERNEL_PLAIN);
}

static uint32_t count_lines(const char *text)
{
    uint32_t lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

const char *kernel_text(const struct random_kernel *kernel, const uint64_t *divided,
                        uint32_t *lines)
{
    size_t length = 0, at = 0;
    uint32_t line = 1;
    for (uint32_t i = 0; i < kernel->list.n; i++)
        length += strlen(kernel->list.v[i].text) + 128;
    char *text = arena_alloc(kernel->arena, length + 1);
    for (uint32_t i = 0; i < kernel->list.n; i++) {
        const struct kernel_statement *statement = &kernel->list.v[i];
        if (statement->dropped)
            continue;
        bool divide = divided && divided[i / 64] >> i % 64 & 1;
        const char *it = divide ? statement->divided : statement->text;
        if (lines)
            lines[i] = line;
        line += count_lines(it);
        at += (size_t)snprintf(text + at, length + 1 - at, "    %s\n", it);
    }
    return text;
}
