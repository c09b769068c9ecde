// Writes the words of PTX in the form of libFuzzer and AFL++: one "word" per line. They come from
// the tables of the parser and the checker, so that a new row is fuzzed at once.
#include "frontend/forms.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 63 }; // libFuzzer takes no longer words

// Writes an entry. The tables have no quotes or backslashes.
static void entry(const char *word)
{
    if (strlen(word) <= LONGEST)
        printf("\"%s\"\n", word);
}

// Phrases that are in no table.
static const char *const phrases[] = {
    "@%p1 ",
    "@!%p1 ",
    "%r1, ",
    "%rd1, ",
    "%f1, ",
    "[%rd1+4]",
    "[%rd1], ",
    "{%r1, %r2}, ",
    ".reg .b32 ",
    "%r<9>;",
    "0f3F800000",
    "0d0000000000000000",
    "0x7fffffffffffffff",
    "-9223372036854775808",
    "/*|b ",
    "|*/",
    "/* ",
    " */",
    "// ",
    "\\x0a",
    "_, ",
    "L1: ",
    "bra L1;\\x0a",
    "ret;\\x0a",
    "\\x0a{\\x0a",
    "\\x0a}\\x0a",
    "(%r1), ",
    "@@DWARF",
    "# 1 ",
    "\\xef\\xbb\\xbf",
    "generic(",
    "%r1|%p1, ",
    "// ptxoffload",
    ".pragma \\\"ptxoffload.",
};

// Writes the shortest spelling of a form, and the one with all its options.
static void form_entries(struct arena *arena, const struct form *form)
{
    for (int all = 0; all < 2; all++) {
        const char *text = isa_op_names[form->op];
        for (uint32_t i = 0; i < form->slot_count; i++) {
            const struct form_modifier *slot = &form->slots[i];
            if (slot->optional && !all)
                continue;
            const struct form_word *word = &slot->words[all ? slot->word_count - 1 : 0];
            text = arena_printf(arena, "%s%s", text, isa_words[word->word].text);
        }
        entry(arena_printf(arena, "%s ", text));
    }
}

int main(void)
{
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        return 1;
    arena_init(&arena, &memory);
    struct forms *forms = forms_new(&arena);
    for (uint16_t op = 0; op < OP_COUNT; op++) {
        uint32_t count;
        const struct form *form = forms_of(forms, op, &count);
        entry(isa_op_names[op]);
        for (uint32_t i = 0; i < count; i++)
            form_entries(&arena, &form[i]);
    }
    for (uint32_t i = 0; i < WORD_COUNT; i++)
        entry(isa_words[i].text);
    for (uint32_t i = 0; i < SPECIAL_COUNT; i++)
        entry(isa_specials[i].text);
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        entry(phrases[i]);
    memory_free(&memory);
    return ferror(stdout) || fclose(stdout);
}
