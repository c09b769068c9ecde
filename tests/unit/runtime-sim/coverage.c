// Every form that the frontend knows of an opcode, with each of its words and types, is executed:
// no row is missing. What is computed is for the tests of the instructions.
#include "tests/unit/runtime-sim/kernel.h"
#include "frontend/forms.h"

enum { MOST_WORDS = FORM_SLOTS };

static const uint16_t opcodes[] = {
    OP_add,   OP_sub,   OP_mul,    OP_mad,   OP_mul24, OP_mad24,  OP_sad,       OP_div,
    OP_rem,   OP_abs,   OP_neg,    OP_min,   OP_max,   OP_popc,   OP_clz,       OP_bfind,
    OP_fns,   OP_brev,  OP_bfe,    OP_bfi,   OP_szext, OP_bmsk,   OP_dp4a,      OP_dp2a,
    OP_addc,  OP_subc,  OP_madc,   OP_and,   OP_or,    OP_xor,    OP_not,       OP_cnot,
    OP_lop3,  OP_shf,   OP_shl,    OP_shr,   OP_prmt,  OP_selp,   OP_slct,      OP_set,
    OP_setp,  OP_vadd,  OP_vsub,   OP_vmin,  OP_vmax,  OP_vshl,   OP_vshr,      OP_vmad,
    OP_vset,  OP_vadd2, OP_vsub2,  OP_vmin2, OP_vmax2, OP_vavrg2, OP_vabsdiff2, OP_vset2,
    OP_vadd4, OP_vsub4, OP_vavrg4, OP_vmin4, OP_vmax4, OP_vset4,  OP_vabsdiff4, OP_vabsdiff,
};

struct text {
    char *at;
    size_t length, room;
    uint32_t entries;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *text, const char *format, ...)
{
    va_list list;
    if (text->room - text->length < 1000) {
        text->room = 2 * text->room + 4096;
        text->at = realloc(text->at, text->room);
        assert_non_null(text->at);
    }
    va_start(list, format);
    text->length += (size_t)vsnprintf(text->at + text->length, 1000, format, list);
    va_end(list);
}

// Which of the choices that operands leave.
enum variant { PLAIN, OPTIONAL, IMMEDIATES, SINKS, VARIANTS };

static void put_operand(struct text *text, const struct form_match *match,
                        const struct form_operand *spec, uint32_t n, enum variant variant)
{
    uint16_t type = form_operand_type(match, spec);
    uint32_t bits = type == W_UNKNOWN ? 32 : ir_type_bits(type);
    bits = spec->twice ? 2 * bits : bits;
    bool immediate = variant == IMMEDIATES && spec->kind == FORM_SOURCE && !spec->written;
    if (spec->kind == FORM_IMMEDIATE || immediate)
        put(text, "%u", spec->ranged ? spec->least : 1);
    else if (variant == SINKS && spec->sink)
        put(text, "_");
    else if (spec->kind == FORM_PREDICATE)
        put(text, "%%p%u", n);
    else
        put(text, "%%r%u_%u", bits, n);
    if (spec->pair == FORM_ALWAYS_PAIR || (spec->pair == FORM_MAYBE_PAIR && variant != PLAIN))
        put(text, "|%%p%u", n + 10);
}

static void put_entry(struct text *text, const struct form_match *match, const uint16_t *words,
                      uint32_t count, enum variant variant)
{
    put(text, ".entry k%u()\n{ .reg .pred %%p<20>; .reg .b16 %%r16_<9>; .reg .b32 %%r32_<9>;\n",
        text->entries++);
    put(text, ".reg .b64 %%r64_<9>;\n%s", isa_op_names[match->form->op]);
    for (uint32_t i = 0; i < count; i++)
        put(text, "%s", isa_words[words[i]].text);
    const char *before = " ";
    for (uint32_t i = 0; i < match->form->operand_count; i++) {
        const struct form_operand *spec = &match->form->operand[i];
        int presence = form_operand_presence(match, spec);
        if (presence < 0 || (!presence && variant != OPTIONAL))
            continue;
        put(text, "%s", before);
        put_operand(text, match, spec, i, variant);
        before = ", ";
    }
    put(text, ";\nret; }\n");
}

static bool is_float(uint16_t word)
{
    const char *name = isa_words[word].text + 1;
    return isa_is_type(word) && (name[0] == 'f' || !strncmp(name, "bf", 2));
}

// Arithmetic and comparisons of floating-point numbers have tests of their own; the last type is
// that of the sources. A selection is one of bits.
static bool is_of_integers(uint16_t op, const uint16_t *words, uint32_t count)
{
    if (op == OP_selp || op == OP_slct)
        return true;
    for (uint32_t i = count; i-- > 0;)
        if (isa_is_type(words[i]))
            return !is_float(words[i]);
    return true;
}

static void put_form(struct text *text, struct forms *forms, const struct form *form,
                     const int *choice)
{
    uint16_t words[MOST_WORDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < form->slot_count; i++)
        if (choice[i] >= 0)
            words[count++] = form->slots[i].words[choice[i]].word;
    const struct form_match *match = forms_match(forms, form->op, words, count);
    while (match && match->form != form)
        match = match->next;
    if (!match || !match->form || !is_of_integers(form->op, words, count))
        return;
    for (enum variant variant = PLAIN; variant < VARIANTS; variant++)
        put_entry(text, match, words, count, variant);
}

// All words of all slots with each other.
static void put_all(struct text *text, struct forms *forms, const struct form *form)
{
    int choice[MOST_WORDS];
    for (uint32_t i = 0; i < form->slot_count; i++)
        choice[i] = form->slots[i].optional ? -1 : 0;
    for (uint32_t i = 0; i < form->slot_count;) {
        put_form(text, forms, form, choice);
        for (i = 0; i < form->slot_count; i++) {
            if (++choice[i] < (int)form->slots[i].word_count)
                break;
            choice[i] = form->slots[i].optional ? -1 : 0;
        }
    }
}

static uint32_t count_refused(const struct kernel *k)
{
    uint32_t refused = 0;
    for (uint32_t i = 0; i < k->program.functions.n; i++) {
        const struct program_function *function = &k->program.functions.v[i];
        if (!function->refusal)
            continue;
        const struct node *node = &k->tree.nodes.v[function->refused_node];
        print_error("%.*s %s\n", (int)(node->end - node->begin), k->source.text + node->begin,
                    function->refusal);
        refused++;
    }
    return refused;
}

// How many kernels of the opcode's forms are refused; `entries` is raised by how many there are.
static uint32_t refused_of(struct forms *forms, uint16_t opcode, uint32_t *entries)
{
    struct text text = {0};
    struct kernel k;
    uint32_t count;
    const struct form *all = forms_of(forms, opcode, &count);
    put(&text, HEAD("9.1", "sm_90a"));
    for (uint32_t n = 0; n < count; n++)
        put_all(&text, forms, &all[n]);
    kernel_load(&k, text.at, NULL);
    assert_int_equal(k.program.functions.n, text.entries);
    *entries += text.entries;
    uint32_t refused = count_refused(&k);
    kernel_free(&k);
    free(text.at);
    return refused;
}

static void check_forms(struct arena *arena)
{
    struct forms *forms = forms_new(arena);
    uint32_t refused = 0, entries = 0;
    for (uint32_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        refused += refused_of(forms, opcodes[i], &entries);
    assert_in_range(entries, 5000, UINT32_MAX);
    assert_int_equal(refused, 0);
}

static void test_forms(void **state)
{
    (void)state;
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    check_forms(&arena);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
