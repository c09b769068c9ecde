// The checker proves the output of all samples, and refutes outputs with single statements changed.
#include "tests/unit/backend/verify_fixture.h"
#include <stdio.h>

static void prove(struct proof *p, void *context)
{
    uint32_t *moved = context;
    struct verified verified = {0};
    verify_output(&verified, &p->program.arena, &p->module, &p->options.passes, p->output.text,
                  p->output.length);
    verify_plan(&verified, &p->program.arena, &p->module, &p->options.passes, &p->plan);
    assert_int_equal(verified.faults.n, 0);
    assert_true(verified.statements > 10);
    *moved += verified.moved > 0;
}

static void samples(void **state)
{
    (void)state;
    uint32_t moved = 0;
    each_sample(prove, &moved);
    assert_true(moved >= 20); // or nothing was shown
}

// Mutations of the output. Its instructions are lines of the text: statements alone on a line.

struct line {
    const char *begin, *end; // of the instruction, tags in front of it left out
};

struct mutant {
    char *text;
    size_t length;
};

enum mutation { SWAPPED, DROPPED, DOUBLED, GUARDED, RENAMED, RESPELLED, MUTATIONS };
static const char *const names[] = {"two dependent instructions swapped",
                                    "dropped",
                                    "doubled",
                                    "guard changed",
                                    "register changed",
                                    "opcode changed"};

struct mutation_counts {
    unsigned made[MUTATIONS], caught[MUTATIONS];
};

static bool is_instruction(const char *begin, const char *end)
{
    return end - begin > 4 && end[-1] == ';' &&
           (*begin == '@' || (*begin >= 'a' && *begin <= 'z')) &&
           !memchr(begin, ':', (size_t)(end - begin));
}

static uint32_t find_lines(const struct proof *p, struct line *lines)
{
    uint32_t count = 0;
    for (const char *at = p->output.text, *end; *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        const char *begin = at;
        for (const char *tag; (tag = memmem(begin, (size_t)(end - begin), "\"; ", 3));)
            begin = tag + 3;
        begin += strspn(begin, " \t");
        if (is_instruction(begin, end))
            lines[count++] = (struct line){begin, end};
    }
    return count;
}

static struct mutant replace(const struct proof *p, const char *begin, const char *end,
                             const char *text, size_t length)
{
    size_t head = (size_t)(begin - p->output.text), tail = strlen(end);
    struct mutant made = {malloc(head + length + tail + 2), head + length + tail};
    memcpy(made.text, p->output.text, head);
    memcpy(made.text + head, text, length);
    memcpy(made.text + head + length, end, tail + 1);
    made.text[made.length + 1] = 0;
    return made;
}

static void check_mutant(struct proof *p, struct mutation_counts *tally, enum mutation mutation,
                         struct mutant made)
{
    tally->made[mutation]++;
    if (refute(p, made.text, made.length))
        tally->caught[mutation]++;
    else
        print_message("not caught (%s)\n", names[mutation]);
    free(made.text);
}

// Finds the n-th register that an instruction names, from 0; usually the first one is written.
static bool nth_register(const struct line *line, uint32_t n, const char **begin, size_t *length)
{
    for (const char *at = line->begin; at < line->end; at++) {
        if (*at != '%')
            continue;
        *length = 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz0123456789_.");
        if (!n--) {
            *begin = at;
            return true;
        }
        at += *length - 1;
    }
    return false;
}

static bool names_register(const struct line *line, const char *name, size_t length)
{
    const char *at;
    size_t found;
    for (uint32_t n = 0; nth_register(line, n, &at, &found); n++)
        if (found == length && !memcmp(at, name, length))
            return true;
    return false;
}

// Returns true if the second line reads what the first one writes.
static bool feeds(const struct line *first, const struct line *second)
{
    const char *name, *own;
    size_t length, own_length;
    if (*first->begin == '@' || !strncmp(first->begin, "st.", 3) ||
        !nth_register(first, 0, &name, &length))
        return false;
    bool same_result = nth_register(second, 0, &own, &own_length) && own_length == length &&
                       !memcmp(own, name, length);
    return !same_result && names_register(second, name, length);
}

static void swap(struct proof *p, struct mutation_counts *tally, const struct line *a,
                 const struct line *b)
{
    size_t between = (size_t)(b->begin - a->end), x = (size_t)(a->end - a->begin);
    size_t y = (size_t)(b->end - b->begin);
    char *text = malloc(x + y + between);
    memcpy(text, b->begin, y);
    memcpy(text + y, a->end, between);
    memcpy(text + y + between, a->begin, x);
    check_mutant(p, tally, SWAPPED, replace(p, a->begin, b->end, text, x + y + between));
    free(text);
}

static void change_guard(struct proof *p, struct mutation_counts *tally, const struct line *line)
{
    const char *guard = *line->begin != '@' ? "@%p1 " : line->begin[1] == '!' ? "@" : "@!";
    size_t old = *line->begin != '@' ? 0 : line->begin[1] == '!' ? 2 : 1;
    check_mutant(p, tally, GUARDED,
                 replace(p, line->begin, line->begin + old, guard, strlen(guard)));
}

static void mutate(struct proof *p, void *context)
{
    struct mutation_counts *tally = context;
    struct line *lines = calloc(p->output.length, sizeof *lines);
    uint32_t count = find_lines(p, lines);
    const char *name;
    size_t length;
    for (uint32_t i = 0; i < count; i++) {
        const struct line *line = &lines[i];
        size_t own = (size_t)(line->end - line->begin);
        char *twice = malloc(2 * own);
        memcpy(twice, line->begin, own);
        memcpy(twice + own, line->begin, own);
        check_mutant(p, tally, DROPPED, replace(p, line->begin, line->end, "", 0));
        check_mutant(p, tally, DOUBLED, replace(p, line->begin, line->end, twice, 2 * own));
        change_guard(p, tally, line);
        if (nth_register(line, 1, &name, &length))
            check_mutant(p, tally, RENAMED, replace(p, name, name + length, "%r999", 5));
        if (*line->begin != '@')
            check_mutant(p, tally, RESPELLED, replace(p, line->begin, line->begin + 1, "q", 1));
        if (i + 1 < count && feeds(line, line + 1) && line[1].begin - line->end < 200)
            swap(p, tally, line, line + 1);
        free(twice);
    }
    free(lines);
}

static void mutations(void **state)
{
    (void)state;
    struct mutation_counts tally = {0};
    each_sample(mutate, &tally);
    for (int i = 0; i < MUTATIONS; i++) {
        print_message("%s: %u of %u caught\n", names[i], tally.caught[i], tally.made[i]);
        assert_true(tally.made[i] > 300);
        assert_int_equal(tally.caught[i], tally.made[i]);
    }
}

// Correct and incorrect orders of one kernel

static void orders(void **state)
{
    (void)state;
    static const struct {
        const char *input, *output;
        bool right;
    } cases[] = {
        // Independent loads, and arithmetic over a load.
        {BODY("ld.global.u32 %r1, [%rd1];\nld.global.u32 %r2, [%rd2];\nadd.u32 %r3, %r4, 1;\n"),
         BODY("add.u32 %r3, %r4, 1;\nld.global.u32 %r2, [%rd2];\nld.global.u32 %r1, [%rd1];\n"),
         true},
        // A load over a store that may touch the same bytes, and over one that cannot.
        {BODY("st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd2];\n"),
         BODY("ld.global.u32 %r2, [%rd2];\nst.global.u32 [%rd1], %r1;\n"), false},
        {BODY("st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+4];\n"),
         BODY("ld.global.u32 %r2, [%rd1+4];\nst.global.u32 [%rd1], %r1;\n"), true},
        {BODY("st.global.u32 [%rd1], %r1;\nld.global.u32 %r2, [%rd1+2];\n"),
         BODY("ld.global.u32 %r2, [%rd1+2];\nst.global.u32 [%rd1], %r1;\n"), false},
        {BODY("st.shared.u32 [s], %r1;\nld.global.u32 %r2, [%rd2];\n"),
         BODY("ld.global.u32 %r2, [%rd2];\nst.shared.u32 [s], %r1;\n"), true},
        // Two stores.
        {BODY("st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd2], %r2;\n"),
         BODY("st.global.u32 [%rd2], %r2;\nst.global.u32 [%rd1], %r1;\n"), false},
        // Read after write, write after read, write after write.
        {BODY("add.u32 %r1, %r2, 1;\nadd.u32 %r3, %r1, 1;\n"),
         BODY("add.u32 %r3, %r1, 1;\nadd.u32 %r1, %r2, 1;\n"), false},
        {BODY("add.u32 %r3, %r1, 1;\nadd.u32 %r1, %r2, 1;\nadd.u32 %r5, %r1, 2;\n"),
         BODY("add.u32 %r1, %r2, 1;\nadd.u32 %r3, %r1, 1;\nadd.u32 %r5, %r1, 2;\n"), false},
        {BODY("mov.u32 %r1, 1;\nmov.u32 %r1, 2;\n"), BODY("mov.u32 %r1, 2;\nmov.u32 %r1, 1;\n"),
         false},
        {BODY("mov.u32 %r1, 1;\n@%p1 mov.u32 %r1, 2;\n"),
         BODY("@%p1 mov.u32 %r1, 2;\nmov.u32 %r1, 1;\n"), false},
        // Definitions that change places under reads of them.
        {BODY("mov.u32 %r1, 1;\nadd.u32 %r2, %r1, 0;\nmov.u32 %r1, 3;\nadd.u32 %r3, %r1, 0;\n"),
         BODY("mov.u32 %r1, 3;\nadd.u32 %r2, %r1, 0;\nmov.u32 %r1, 1;\nadd.u32 %r3, %r1, 0;\n"),
         false},
        // The carry is a register.
        {BODY("add.cc.u32 %r1, %r2, 1;\naddc.u32 %r3, %r4, 0;\n"),
         BODY("addc.u32 %r3, %r4, 0;\nadd.cc.u32 %r1, %r2, 1;\n"), false},
        // Barriers, atomics, branches, labels, braces, clocks.
        {BODY("ld.global.u32 %r1, [%rd1];\nbar.sync 0;\n"),
         BODY("bar.sync 0;\nld.global.u32 %r1, [%rd1];\n"), false},
        {BODY("add.u32 %r3, %r4, 1;\nbar.sync 0;\n"), BODY("bar.sync 0;\nadd.u32 %r3, %r4, 1;\n"),
         true},
        {BODY("ld.shared.u32 %r1, [s];\natom.global.add.u32 %r2, [%rd1], 1;\n"),
         BODY("atom.global.add.u32 %r2, [%rd1], 1;\nld.shared.u32 %r1, [s];\n"), false},
        {BODY("ld.volatile.global.u32 %r1, [%rd1];\nld.volatile.global.u32 %r2, [%rd2];\n"),
         BODY("ld.volatile.global.u32 %r2, [%rd2];\nld.volatile.global.u32 %r1, [%rd1];\n"), false},
        {BODY("add.u32 %r3, %r4, 1;\n@%p1 bra L;\nL:\n"),
         BODY("@%p1 bra L;\nadd.u32 %r3, %r4, 1;\nL:\n"), false},
        {BODY("add.u32 %r3, %r4, 1;\nL:\n"), BODY("L:\nadd.u32 %r3, %r4, 1;\n"), false},
        {BODY("{\nadd.u32 %r3, %r4, 1;\n}\n"), BODY("add.u32 %r3, %r4, 1;\n{\n}\n"), false},
        {BODY("mov.u32 %r1, %clock;\nadd.u32 %r3, %r4, 1;\n"),
         BODY("add.u32 %r3, %r4, 1;\nmov.u32 %r1, %clock;\n"), false},
        // Lines of the source stay with their instructions; copies of .loc are allowed.
        {BODY(".loc 1 5 3\nadd.u32 %r3, %r4, 1;\n.loc 1 6 3\nadd.u32 %r5, %r4, 1;\n.loc 1 7 3\n"),
         BODY(".loc 1 6 3\nadd.u32 %r5, %r4, 1;\n.loc 1 5 3\nadd.u32 %r3, %r4, 1;\n.loc 1 7 3\n"),
         true},
        {BODY(".loc 1 5 3\nadd.u32 %r3, %r4, 1;\n.loc 1 6 3\nadd.u32 %r5, %r4, 1;\n"),
         BODY(".loc 1 5 3\nadd.u32 %r5, %r4, 1;\n.loc 1 6 3\nadd.u32 %r3, %r4, 1;\n"), false},
        {BODY(".loc 1 5 3\nadd.u32 %r3, %r4, 1;\n"), BODY("add.u32 %r3, %r4, 1;\n"), false},
        // A multiply-add that is divided, and ones that are divided wrongly.
        {BODY("fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
         BODY("mul.rn.f32 %q1, %f2, %f3; add.rn.f32 %f1, %q1, %f4;\n"), true},
        {BODY(
             "fma.rn.f32 %f1, %f1, %f3, %f4;\nmov.f32 %f3, %f1;\nfma.rn.f32 %f1, %f1, %f3, %f4;\n"),
         BODY("mul.rn.f32 %q1, %f1, %f3; add.rn.f32 %f1, %q1, %f4;\nmov.f32 %f3, %f1;\n"
              "fma.rn.f32 %f1, %f1, %f3, %f4;\n"),
         true},
        {BODY("fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
         BODY("mul.rn.f32 %f5, %f2, %f3; add.rn.f32 %f1, %f5, %f4;\n"), false},
        {BODY("fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
         BODY("mul.rz.f32 %q1, %f2, %f3; add.rn.f32 %f1, %q1, %f4;\n"), false},
        {BODY("fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
         BODY("mul.rn.f32 %q1, %f2, %f4; add.rn.f32 %f1, %q1, %f3;\n"), false},
        {BODY("@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
         BODY("@%p1 mul.rn.f32 %q1, %f2, %f3; add.rn.f32 %f1, %q1, %f4;\n"), false},
        // Tags, blanks and comments are nothing; other text is.
        {BODY("add.u32 %r3, %r4, 1;\n"),
         BODY("/* add */ .pragma \"ptxoffload.chain 0 01\"; add.u32 %r3, %r4, 1; // 1\n"), true},
        {BODY("add.u32 %r3, %r4, 1;\n"), BODY(".pragma \"nounroll\";\nadd.u32 %r3, %r4, 1;\n"),
         false},
        {BODY(""), BODY("") "// the end\n", true},
        {BODY(""), BODY("") ".global .b32 x;\n", false},
        {BODY("") ".global .b32 x;\n", BODY(""), false},
        {BODY(""), "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proof p;
        prove_begin(&p, cases[i].input, (struct pass_options){.reorder = false, .fma = FMA_SPLIT});
        const char *wrong = refute(&p, cases[i].output, strlen(cases[i].output));
        if (!wrong != cases[i].right)
            print_message("case %zu: %s\n", i, wrong ? wrong : "proven");
        assert_int_equal(!wrong, cases[i].right);
        program_free(&p.program);
    }
}

// Moves across a declaration or a directive in the middle of a body.
static void declarations(void **state)
{
    (void)state;
#define LOAD "ld.global.u32 %r1, [%rd1];\n"
    static const struct {
        const char *input, *output;
        bool right;
    } cases[] = {
        {BODY(LOAD ".reg .b32 %n;\nadd.u32 %n, %r4, 1;\n"),
         BODY(".reg .b32 %n;\nadd.u32 %n, %r4, 1;\n" LOAD), true},
        {BODY(LOAD ".reg .b32 %n;\nadd.u32 %n, %r4, 1;\n"),
         BODY("add.u32 %n, %r4, 1;\n" LOAD ".reg .b32 %n;\n"), false},
        {BODY(LOAD ".reg .b32 %n;\nadd.u32 %r2, %r4, 1;\n"),
         BODY("add.u32 %r2, %r4, 1;\n" LOAD ".reg .b32 %n;\n"), true},
        {BODY(LOAD ".reg .b32 %m, %n /* < */ <3>;\nadd.u32 %n2, %r4, 1;\n"),
         BODY("add.u32 %n2, %r4, 1;\n" LOAD ".reg .b32 %m, %n<3>;\n"), false},
        {BODY(".reg .b32 %n3;\n" LOAD ".reg .b32 %n<3>;\nadd.u32 %n3, %r4, 1;\n"),
         BODY(".reg .b32 %n3;\nadd.u32 %n3, %r4, 1;\n" LOAD ".reg .b32 %n<3>;\n"), true},
        // Another register of the name.
        {BODY("{\nadd.u32 %r2, %r4, 1;\n" LOAD ".reg .b32 %r2;\n}\n"),
         BODY("{\n" LOAD ".reg .b32 %r2;\nadd.u32 %r2, %r4, 1;\n}\n"), false},
        {BODY(LOAD ".reg .b32 %m;\n.reg .b32 %n;\nadd.u32 %r2, %r4, 1;\n"),
         BODY("add.u32 %r2, %r4, 1;\n.reg .b32 %n;\n.reg .b32 %m;\n" LOAD), false},
        {BODY(LOAD ".reg .b32 %m;\nadd.u32 %r2, %r4, 1;\n"), BODY("add.u32 %r2, %r4, 1;\n" LOAD),
         false},
        {BODY(LOAD "add.u32 %r2, %r4, 1;\n"), BODY("add.u32 %r2, %r4, 1;\n.reg .b32 %r4;\n" LOAD),
         false},
        {BODY(LOAD ".pragma \"nounroll\";\nadd.u32 %r2, %r4, 1;\n"),
         BODY(".pragma \"nounroll\";\nadd.u32 %r2, %r4, 1;\n" LOAD), true},
        {BODY(LOAD ".pragma \"used_bytes_mask 3\";\nadd.u32 %r2, %r4, 1;\n"),
         BODY(".pragma \"used_bytes_mask 3\";\nadd.u32 %r2, %r4, 1;\n" LOAD), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct proof p;
        prove_begin(&p, cases[i].input, (struct pass_options){.reorder = true});
        const char *wrong = refute(&p, cases[i].output, strlen(cases[i].output));
        if (!wrong != cases[i].right)
            print_message("case %zu: %s\n", i, wrong ? wrong : "proven");
        assert_int_equal(!wrong, cases[i].right);
        program_free(&p.program);
    }
}

// Accesses in random orders. An order is correct if no two accesses that may overlap are exchanged.
// Nothing is known of the two pointers; shared memory is disjoint from their targets, and with
// --restrict the pointers' targets are disjoint.

enum { RANDOM_ORDERS = 4000, ACCESSES = 24 };

struct random_access {
    uint32_t base, offset, bytes; // base 2: shared memory; 3: a barrier
    bool write;
};

static uint32_t draw(uint64_t *seed, uint32_t count)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*seed >> 33) * count >> 31);
}

static size_t write_access(char *to, const struct random_access *access, uint32_t number)
{
    static const char *const bases[] = {"%rd1", "%rd2", "s"};
    const char *space = access->base == 2 ? "shared" : "global";
    if (access->base == 3)
        return (size_t)sprintf(to, "bar.sync %u;\n", number % 16);
    const char *value = access->bytes == 8 ? "l" : "k";
    if (access->write)
        return (size_t)sprintf(to, "st.%s.b%u [%s+%u], %%%s%u;\n", space, 8 * access->bytes,
                               bases[access->base], access->offset, value, number);
    return (size_t)sprintf(to, "ld.%s.b%u %%%s%u, [%s+%u];\n", space, 8 * access->bytes, value,
                           number, bases[access->base], access->offset);
}

static void write_body(char *to, const struct random_access *list, const uint32_t *order)
{
    to += sprintf(to, "%s", BODY(".reg .b32 %k<24>;\n.reg .b64 %l<24>;\n"));
    to -= strlen("ret;\n}\n");
    for (uint32_t i = 0; i < ACCESSES; i++)
        to += write_access(to, &list[order[i]], order[i]);
    strcpy(to, "ret;\n}\n");
}

static bool reads_range(const struct random_access *a, const struct random_access *b,
                        bool restricted)
{
    if (a->base == 3 || b->base == 3)
        return true;
    if (!a->write && !b->write)
        return false;
    if (a->base != b->base)
        return a->base < 2 && b->base < 2 && !restricted;
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static bool is_right(const struct random_access *list, const uint32_t *order, bool restricted)
{
    bool right = true;
    for (uint32_t i = 0; i < ACCESSES; i++)
        for (uint32_t k = i + 1; k < ACCESSES; k++)
            right &=
                order[k] > order[i] || !reads_range(&list[order[i]], &list[order[k]], restricted);
    return right;
}

static void random_orders(void **state)
{
    (void)state;
    uint64_t seed = 7;
    uint32_t proven = 0;
    char *input = malloc(1 << 14), *output = malloc(1 << 14);
    for (uint32_t round = 0; round < RANDOM_ORDERS; round++) {
        struct random_access list[ACCESSES];
        uint32_t plain[ACCESSES], order[ACCESSES], spread = 1 + draw(&seed, 64);
        bool restricted = round & 1;
        for (uint32_t i = 0; i < ACCESSES; i++) {
            uint32_t bytes = 1u << draw(&seed, 4);
            list[i] = (struct random_access){draw(&seed, 40) ? draw(&seed, 3) : 3,
                                             bytes * draw(&seed, spread), bytes, !draw(&seed, 3)};
            plain[i] = order[i] = i;
        }
        for (uint32_t swaps = draw(&seed, 4); swaps > 0; swaps--) {
            uint32_t from = draw(&seed, ACCESSES), to = draw(&seed, ACCESSES), moved = order[from];
            memmove(order + from, order + from + 1, (ACCESSES - 1 - from) * sizeof *order);
            memmove(order + to + 1, order + to, (ACCESSES - 1 - to) * sizeof *order);
            order[to] = moved;
        }
        struct proof p;
        write_body(input, list, plain);
        write_body(output, list, order);
        prove_begin(&p, input,
                    (struct pass_options){.restrict_parameters = restricted, .fma = FMA_FUSED});
        const char *wrong = refute(&p, output, strlen(output));
        if (!wrong != is_right(list, order, restricted))
            print_message("%s\n%s\n%s\n", wrong ? wrong : "proven", input, output);
        assert_int_equal(!wrong, is_right(list, order, restricted));
        proven += !wrong;
        program_free(&p.program);
    }
    free(input);
    free(output);
    assert_true(proven > RANDOM_ORDERS / 4 && proven < RANDOM_ORDERS * 3 / 4);
}

// Rounding twice changes the result: only --fma=split allows divided multiply-adds.
static void fused(void **state)
{
    (void)state;
    struct proof p;
    static const char divided[] = BODY("mul.rn.f32 %q1, %f2, %f3; add.rn.f32 %f1, %q1, %f4;\n");
    prove_begin(&p, BODY("fma.rn.f32 %f1, %f2, %f3, %f4;\n"),
                (struct pass_options){.reorder = false, .fma = FMA_FUSED});
    assert_non_null(refute(&p, divided, strlen(divided)));
    p.options.passes.fma = FMA_SPLIT;
    assert_null(refute(&p, divided, strlen(divided)));
    program_free(&p.program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples), cmocka_unit_test(mutations),
        cmocka_unit_test(orders),  cmocka_unit_test(declarations),
        cmocka_unit_test(fused),   cmocka_unit_test(random_orders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
