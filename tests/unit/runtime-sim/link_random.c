// Linked modules run. A program drawn by seed is written as one module, and split into several
// whose symbols refer to each other; both give the same results.
#include "frontend/link.h"
#include "tests/unit/runtime-sim/kernel.h"

enum { MAX_MODULES = 5, FUNCTIONS = 9, VARIABLES = 7, PROGRAMS = 200, THREADS = 40 };

enum linkage { LOCAL, VISIBLE, WEAK, COMMON };

// An entity of the program. Functions come first, then variables.
struct entity {
    enum linkage linkage;
    uint32_t module; // that defines it
    uint32_t also;   // another module that defines it if it is weak or common
    uint32_t value;
    uint32_t callee;   // of a function: a later function, or FUNCTIONS; of a variable: it points to
                       // this function, or else to `variable`
    uint32_t variable; // that the function reads, or that the variable points to, or VARIABLES
    bool by_pointer;   // the function calls by the variable, a pointer to a function
    bool in_const;
};

struct drawn {
    uint64_t state;
    uint32_t modules;
    struct entity functions[FUNCTIONS], variables[VARIABLES];
};

static uint32_t draw(struct drawn *d, uint32_t below)
{
    d->state += 0x9e3779b97f4a7c15u;
    uint64_t z = d->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32) % below;
}

// Variables 0 to 2 hold numbers, 3 and 4 point to functions, 5 and 6 to numbers.
static bool is_code_pointer(uint32_t variable)
{
    return variable == 3 || variable == 4;
}

static bool is_data_pointer(uint32_t variable)
{
    return variable == 5 || variable == 6;
}

static void draw_entity(struct drawn *d, struct entity *e)
{
    e->module = draw(d, d->modules);
    e->also = draw(d, d->modules);
    e->value = draw(d, 1000);
    e->linkage = (enum linkage)draw(d, 3);
}

static bool is_used_elsewhere(const struct drawn *d, const struct entity *e)
{
    for (uint32_t i = 0; i < FUNCTIONS + VARIABLES; i++) {
        const struct entity *user = i < FUNCTIONS ? &d->functions[i] : &d->variables[i - FUNCTIONS];
        bool uses = (user->callee < FUNCTIONS && e == &d->functions[user->callee]) ||
                    (user->variable < VARIABLES && e == &d->variables[user->variable]);
        if (uses &&
            (user->module != e->module || (user->linkage == WEAK && user->also != e->module)))
            return true;
    }
    return false;
}

static void draw_program(struct drawn *d, uint64_t seed)
{
    *d = (struct drawn){.state = seed};
    d->modules = 2 + draw(d, MAX_MODULES - 1);
    for (uint32_t i = 0; i < VARIABLES; i++) {
        struct entity *e = &d->variables[i];
        draw_entity(d, e);
        e->callee = is_code_pointer(i) ? FUNCTIONS - 1 - draw(d, 2) : FUNCTIONS;
        e->variable = is_data_pointer(i) ? draw(d, 3) : VARIABLES;
        e->in_const = i == 2;
        if (i < 2 && draw(d, 4) == 0) {
            e->linkage = COMMON;
            e->value = 0;
        }
    }
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        struct entity *e = &d->functions[i];
        draw_entity(d, e);
        e->callee = i + 1 + draw(d, FUNCTIONS - i);
        e->variable = draw(d, VARIABLES + 1);
        // The functions that variables point to call no pointer, so that calls end.
        if (i >= FUNCTIONS - 2 && e->variable < VARIABLES && is_code_pointer(e->variable))
            e->variable = 0;
    }
    d->variables[6].variable = 0; // a constant has no generic address in its initialiser
    d->variables[5].variable = 1;
    // A symbol of another module needs linkage; all functions are called by the kernel, in module
    // 0.
    for (uint32_t i = 0; i < FUNCTIONS + VARIABLES; i++) {
        struct entity *e = i < FUNCTIONS ? &d->functions[i] : &d->variables[i - FUNCTIONS];
        if (e->linkage == LOCAL && ((i < FUNCTIONS && e->module) || is_used_elsewhere(d, e)))
            e->linkage = VISIBLE;
    }
}

// Writing

struct writer {
    const struct drawn *d;
    FILE *to;
    uint32_t module; // MAX_MODULES: the program as one module
};

static bool is_defined_here(const struct writer *w, const struct entity *e)
{
    return w->module == MAX_MODULES || e->module == w->module ||
           (e->also == w->module && e->linkage >= WEAK);
}

static void write_name(const struct writer *w, const struct entity *e)
{
    const struct drawn *d = w->d;
    bool is_function = e >= d->functions && e < d->functions + FUNCTIONS;
    // Local symbols of the modules have equal names as far as they can.
    uint32_t number = (uint32_t)(is_function ? e - d->functions : e - d->variables);
    uint32_t shown = 0;
    if (w->module == MAX_MODULES || e->linkage != LOCAL) {
        fprintf(w->to, "%s%u", is_function ? "f" : "v", number);
        return;
    }
    for (uint32_t i = 0; i < number; i++) {
        const struct entity *other = is_function ? &d->functions[i] : &d->variables[i];
        shown += other->linkage == LOCAL && other->module == e->module;
    }
    fprintf(w->to, "%s_local%u", is_function ? "f" : "v", shown);
}

static const char *linkage_word(const struct writer *w, const struct entity *e, bool is_function)
{
    static const char *const words[] = {"", ".visible ", ".weak ", ".common "};
    return is_defined_here(w, e) ? words[e->linkage] : is_function ? ".extern " : ".extern ";
}

static void write_prototype(const struct writer *w, const struct entity *e, const char *end)
{
    fprintf(w->to, "%s.func (.param .b32 r) ", linkage_word(w, e, true));
    write_name(w, e);
    fprintf(w->to, " (.param .b32 a)%s\n", end);
}

static void write_variable(const struct writer *w, const struct entity *e, bool as_extern)
{
    bool is_pointer = e->callee < FUNCTIONS || e->variable < VARIABLES;
    const char *linkage = as_extern ? ".extern " : linkage_word(w, e, false);
    fprintf(w->to, "%s%s .align 8 %s ", linkage, e->in_const ? ".const" : ".global",
            is_pointer ? ".u64" : ".u32");
    write_name(w, e);
    if (!as_extern && is_defined_here(w, e) && e->linkage != COMMON) {
        fputs(" = ", w->to);
        if (e->callee < FUNCTIONS)
            write_name(w, &w->d->functions[e->callee]);
        else if (e->variable < VARIABLES)
            write_name(w, &w->d->variables[e->variable]);
        else
            fprintf(w->to, "%u", e->value);
    }
    fputs(";\n", w->to);
}

static void write_call(const struct writer *w, const struct entity *callee, const char *pointer)
{
    fputs("{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;\n", w->to);
    if (pointer)
        fputs("P: .callprototype (.param .b32 _) _ (.param .b32 _);\n", w->to);
    fputs("call (q), ", w->to);
    if (pointer)
        fprintf(w->to, "%s, (p), P;\n", pointer);
    else {
        write_name(w, callee);
        fputs(", (p);\n", w->to);
    }
    fputs("ld.param.b32 %r3, [q]; }\nmad.lo.u32 %r2, %r2, 3, %r3;\n", w->to);
}

static void write_function(const struct writer *w, const struct entity *e)
{
    const struct drawn *d = w->d;
    write_prototype(w, e, "");
    fprintf(w->to,
            "{\n.reg .b32 %%r<9>; .reg .b64 %%d<9>;\nld.param.b32 %%r1, [a];\n"
            "add.u32 %%r2, %%r1, %u;\n",
            e->value);
    if (e->callee < FUNCTIONS)
        write_call(w, &d->functions[e->callee], NULL);
    if (e->variable < VARIABLES) {
        const struct entity *v = &d->variables[e->variable];
        bool is_pointer = v->callee < FUNCTIONS || v->variable < VARIABLES;
        fprintf(w->to, "ld.%s.%s, [", v->in_const ? "const" : "global",
                is_pointer ? "u64 %d1" : "u32 %r3");
        write_name(w, v);
        fputs("];\n", w->to);
        if (v->variable < VARIABLES)
            fputs("ld.global.u32 %r3, [%d1];\n", w->to);
        if (v->callee < FUNCTIONS)
            write_call(w, NULL, "%d1");
        else
            fputs("mad.lo.u32 %r2, %r2, 7, %r3;\n", w->to);
    }
    fputs("st.param.b32 [r], %r2;\nret;\n}\n", w->to);
}

static void write_kernel(const struct writer *w)
{
    fputs(".visible .entry k (.param .u64 out)\n{\n.reg .b32 %r<9>; .reg .b64 %d<9>;\n"
          "ld.param.u64 %d1, [out];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, 0;\n",
          w->to);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        write_call(w, &w->d->functions[i], NULL);
    fputs("mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d1, %d1, %d2;\nst.global.u32 [%d1], %r2;\nret;\n}\n",
          w->to);
}

// Returns true if the module may name the entity.
static bool is_visible_here(const struct writer *w, const struct entity *e)
{
    return is_defined_here(w, e) || e->linkage != LOCAL;
}

static char *write_module(const struct drawn *d, uint32_t module)
{
    char *text;
    size_t length;
    struct writer w = {d, open_memstream(&text, &length), module};
    fprintf(w.to, HEAD("%u.0", "sm_%u"), 6 + module % 3, 70 + module % 2 * 5);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        if (is_visible_here(&w, &d->functions[i]))
            write_prototype(&w, &d->functions[i], ";");
    for (uint32_t i = 0; i < VARIABLES; i++)
        if (is_visible_here(&w, &d->variables[i]))
            write_variable(&w, &d->variables[i], false);
    if (module == MAX_MODULES || module == 0)
        write_kernel(&w);
    for (uint32_t i = 0; i < FUNCTIONS; i++)
        if (is_defined_here(&w, &d->functions[i]))
            write_function(&w, &d->functions[i]);
    fclose(w.to);
    return text;
}

// Running

static void run(const char *text, uint32_t *results)
{
    struct kernel k;
    kernel_load(&k, text, NULL);
    uint32_t *out = kernel_buffer(&k, THREADS * sizeof *out);
    kernel_succeeds(&k, "k", 1, THREADS);
    memcpy(results, out, THREADS * sizeof *out);
    kernel_free(&k);
}

static void run_linked(const struct drawn *d, uint32_t *results)
{
    struct memory memory = {0};
    struct arena arena;
    struct link_input inputs[MAX_MODULES];
    struct link_names names = {0};
    uint32_t length;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    struct link link = {.arena = &arena};
    for (uint32_t i = 0; i < d->modules; i++) {
        char *text = write_module(d, i);
        inputs[i] = (struct link_input){"module", text, (uint32_t)strlen(text)};
    }
    const char *wrong = link_add(&link, inputs, d->modules, &names);
    if (wrong)
        fail_msg("%s", wrong);
    run(link_text(&link, &length), results);
    for (uint32_t i = 0; i < d->modules; i++)
        free((char *)inputs[i].text);
    arena_free(&arena);
}

static void test_split(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < PROGRAMS; seed++) {
        struct drawn d;
        uint32_t whole[THREADS], linked[THREADS];
        draw_program(&d, seed);
        char *text = write_module(&d, MAX_MODULES);
        run(text, whole);
        run_linked(&d, linked);
        if (memcmp(whole, linked, sizeof whole))
            fail_msg("seed %u: %u and %u", seed, whole[1], linked[1]);
        free(text);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(test_split)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
