// Compares the chains of every sample with its `expected` file, which was derived from the PTX by
// hand; samples/README.md explains its format. All chains must be listed there, but only some
// rejected loads.
#include "tests/unit/passes/planned.h"
#include <glob.h>

enum { MAX_FACTS = 256, MAX_TEXT = 256 };

// One fact in one line, as in the file without the mode.
struct facts {
    char chains[MAX_FACTS][MAX_TEXT], missed[MAX_FACTS][MAX_TEXT];
    uint32_t chain_count, missed_count;
};

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("cannot read %s", path);
    size_t size = 1 << 20;
    char *text = calloc(1, size);
    size_t length = fread(text, 1, size - 1, file);
    assert_true(length < size - 1);
    fclose(file);
    return text;
}

static void read_expected(struct facts *facts, const char *folder, const char *file,
                          const char *mode)
{
    char path[1024], line[1024];
    snprintf(path, sizeof path, "%s/expected", folder);
    FILE *from = fopen(path, "r");
    if (!from)
        fail_msg("cannot read %s", path);
    facts->chain_count = facts->missed_count = 0;
    while (fgets(line, sizeof line, from)) {
        char what[32], in[64], kernel[64], when[16], which[32], lines[64];
        if (sscanf(line, "%31s %63s %63s %15s %31s %63s", what, in, kernel, when, which, lines) !=
            6)
            continue;
        if (strcmp(in, file) || (strcmp(when, "both") && strcmp(when, mode)))
            continue;
        assert_true(facts->chain_count < MAX_FACTS && facts->missed_count < MAX_FACTS);
        if (!strcmp(what, "chain"))
            snprintf(facts->chains[facts->chain_count++], MAX_TEXT, "%s %s %s", kernel, which,
                     lines);
        else if (!strcmp(what, "missed"))
            snprintf(facts->missed[facts->missed_count++], MAX_TEXT, "%s %s %s", kernel, which,
                     lines);
    }
    fclose(from);
}

static const struct name *name_of(const struct planned *p, uint32_t function)
{
    return tree_name(&p->program.tree, p->module.functions.v[function].name);
}

static void read_plan(struct facts *facts, const struct planned *p)
{
    facts->chain_count = facts->missed_count = 0;
    assert_true(p->plan.chains.n <= MAX_FACTS && p->plan.rejections.n <= MAX_FACTS);
    for (uint32_t i = 0; i < p->plan.chains.n; i++) {
        const struct chain *chain = &p->plan.chains.v[i];
        const struct name *name = name_of(p, chain->function);
        char *to = facts->chains[facts->chain_count++];
        int at = snprintf(to, MAX_TEXT, "%.*s %u ", (int)name->length, name->text, chain->pattern);
        for (uint32_t k = 0; k < chain->count; k++)
            at += snprintf(to + at, (size_t)(MAX_TEXT - at), "%s%u", k ? "," : "",
                           planned_line(p, chain->function, chain->inst[k]));
    }
    for (uint32_t i = 0; i < p->plan.rejections.n; i++) {
        const struct rejection *r = &p->plan.rejections.v[i];
        const struct name *name = name_of(p, r->function);
        snprintf(facts->missed[facts->missed_count++], MAX_TEXT, "%.*s %s %u", (int)name->length,
                 name->text, plan_rules[r->rule].id, planned_line(p, r->function, r->inst));
    }
}

static uint32_t report_absent(char (*facts)[MAX_TEXT], uint32_t count, char (*among)[MAX_TEXT],
                              uint32_t among_count, const char *what)
{
    uint32_t absent = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < among_count && strcmp(facts[i], among[k]))
            k++;
        absent += k == among_count;
        if (k == among_count)
            print_message("%s: %s\n", what, facts[i]);
    }
    return absent;
}

static uint32_t compare(const char *path, enum fma_mode fma, uint32_t *chains)
{
    static struct facts expected, found;
    const char *mode = fma == FMA_SPLIT ? "split" : "fused", *file = strrchr(path, '/') + 1;
    char *folder = strndup(path, (size_t)(file - 1 - path)), *text = read_file(path);
    struct planned p;
    plan_text(&p, text, (struct pass_options){.fma = fma, .reorder = true});
    read_expected(&expected, folder, file, mode);
    read_plan(&found, &p);
    uint32_t wrong = report_absent(expected.chains, expected.chain_count, found.chains,
                                   found.chain_count, "not found");
    wrong += report_absent(found.chains, found.chain_count, expected.chains, expected.chain_count,
                           "not expected");
    wrong += report_absent(expected.missed, expected.missed_count, found.missed, found.missed_count,
                           "not rejected");
    if (wrong)
        print_message("in %s, %s\n", path, mode);
    *chains += found.chain_count;
    program_free(&p.program);
    free(folder);
    free(text);
    return wrong;
}

static void test_samples(void **state)
{
    (void)state;
    glob_t paths;
    uint32_t wrong = 0, chains = 0;
    assert_int_equal(glob(SOURCE_ROOT "/samples/*/*.ptx", 0, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        wrong += compare(paths.gl_pathv[i], FMA_FUSED, &chains);
        wrong += compare(paths.gl_pathv[i], FMA_SPLIT, &chains);
    }
    assert_true(paths.gl_pathc >= 17);
    assert_true(chains > 100);
    globfree(&paths);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
