// Configurations: every type of value, bases, settings, and their faults.
#include "runtime-sim/base/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
#define CONFIG_DEF "tests/unit/runtime-sim/config_test.def"
#include "runtime-sim/base/config_fields.inc"
};

static const struct config_key keys[] = {
#define CONFIG_DEF "tests/unit/runtime-sim/config_test.def"
#define CONFIG_OF struct values
#include "runtime-sim/base/config_keys.inc"
};

enum { KEYS = sizeof keys / sizeof *keys };

struct fixture {
    struct memory memory;
    struct arena arena;
    struct config config;
    struct config_section sections[2];
    struct values noc, other;
    char folder[64];
    VEC(const char *) files;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    if (setjmp(f->memory.on_failure))
        abort();
    arena_init(&f->arena, &f->memory);
    f->sections[0] = (struct config_section){"noc", keys, KEYS, &f->noc};
    f->sections[1] = (struct config_section){"other", keys, KEYS, &f->other};
    config_init(&f->config, &f->arena, f->sections, 2);
    strcpy(f->folder, "/tmp/ptxoffload-config-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
}

static void end(struct fixture *f)
{
    for (uint32_t i = 0; i < f->files.n; i++)
        unlink(f->files.v[i]);
    rmdir(f->folder);
    memory_free(f->arena.memory);
}

static const char *put(struct fixture *f, const char *name, const char *text)
{
    const char *path = arena_printf(&f->arena, "%s/%s", f->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    vec_push(&f->arena, &f->files, path);
    return path;
}

// Returns all messages, each as `file:line:col: text`, joined by blanks.
static const char *said(struct fixture *f)
{
    const char *all = "";
    for (uint32_t i = 0; i < f->config.texts.n; i++) {
        const struct config_text *text = f->config.texts.v[i];
        const char *slash = strrchr(text->source.name, '/');
        for (uint32_t k = 0; k < text->diags.list.n; k++) {
            const struct diag *diag = &text->diags.list.v[k];
            struct source_position at = {0, 0};
            if (diag->begin != NO_OFFSET)
                at = source_position_at(&text->source, diag->begin);
            all = arena_printf(&f->arena, "%s%s%s:%u:%u: %s", all, *all ? " " : "",
                               slash ? slash + 1 : text->source.name, at.line, at.column,
                               diag->message);
        }
    }
    return all;
}

static void initial(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    assert_int_equal(f.noc.vcs, 8);
    assert_true(f.noc.clock == 1.4);
    assert_true(f.noc.atomic);
    assert_int_equal(f.noc.routing, TEST_XY);
    assert_int_equal(f.noc.nodes.n, 2);
    assert_int_equal(f.noc.nodes.v[1], 15);
    end(&f);
}

// The base is applied before the child; paths are relative to the file that names them.
static void inheritance(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put(&f, "a.yaml", "noc: {vcs: 2, routing: yx}\nother: {clock: 2.5}\n");
    put(&f, "b.yaml", "description: in between\nnoc: {vcs: 3, atomic: false}\nbase: a.yaml\n");
    const char *path = put(&f, "c.yaml", "base: b.yaml\nnoc:\n  nodes: [1, 0x2]\n  clock: 1e-1\n");
    assert_true(config_load(&f.config, path));
    assert_string_equal(said(&f), "");
    assert_int_equal(f.noc.vcs, 3);
    assert_int_equal(f.noc.routing, TEST_YX);
    assert_false(f.noc.atomic);
    assert_true(f.noc.clock == 0.1);
    assert_int_equal(f.noc.nodes.v[1], 2);
    assert_true(f.other.clock == 2.5);
    assert_true(config_set(&f.config, "noc.vcs=7"));
    assert_true(config_set(&f.config, "other.nodes=[5]"));
    assert_true(config_set(&f.config, "other.seed=8999999999999999999"));
    assert_int_equal(f.noc.vcs, 7);
    assert_int_equal(f.other.nodes.n, 1);
    assert_true(f.other.seed == UINT64_C(8999999999999999999));
    end(&f);
}

// A printed configuration reads back unchanged.
static void round_trip(void **state)
{
    (void)state;
    struct fixture f, g;
    char *text;
    size_t length;
    begin(&f);
    begin(&g);
    assert_true(config_set(&f.config, "noc.clock=0.1"));
    assert_true(config_set(&f.config, "noc.nodes=[]"));
    assert_true(config_set(&f.config, "other.routing=adaptive"));
    FILE *to = open_memstream(&text, &length);
    config_print(&f.config, to);
    fclose(to);
    assert_true(config_load(&g.config, put(&g, "a.yaml", text)));
    free(text);
    assert_true(g.noc.clock == 0.1);
    assert_int_equal(g.noc.nodes.n, 0);
    assert_int_equal(g.other.routing, 2);
    assert_int_equal(g.other.vcs, 8);
    end(&f);
    end(&g);
}

static void faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"noc: {vc: 2}", "a.yaml:1:7: 'noc' has no key 'vc'; did you mean 'vcs'?"},
        {"nok: {vcs: 2}", "a.yaml:1:1: unknown section 'nok'; did you mean 'noc'?"},
        {"noc:\n  vcs: 0", "a.yaml:2:8: 'noc.vcs' must be at least 1"},
        {"noc:\n  vcs: 65", "a.yaml:2:8: 'noc.vcs' must be at most 64"},
        {"noc: {vcs: -1}", "a.yaml:1:12: 'noc.vcs' must be a non-negative whole number"},
        {"noc: {vcs: 1.5}", "a.yaml:1:12: 'noc.vcs' must be a non-negative whole number"},
        {"noc: {vcs: [1]}", "a.yaml:1:12: 'noc.vcs' must be one value"},
        {"noc: {clock: 11}", "a.yaml:1:14: 'noc.clock' must be at most 10 GHz"},
        {"noc: {clock: nan}", "a.yaml:1:14: 'noc.clock' must be a number"},
        {"noc: {atomic: yes}", "a.yaml:1:15: 'noc.atomic' must be true or false"},
        {"noc: {routing: zx}", "a.yaml:1:16: 'noc.routing' must be yx, xy or adaptive"},
        {"noc: {nodes: 3}", "a.yaml:1:14: 'noc.nodes' must be a list, such as [1, 2, 3]"},
        {"noc: {nodes: [3, 64]}", "a.yaml:1:18: an element of 'nodes' must be at most 63"},
        {"noc: {vcs: 1, vcs: 2}", "a.yaml:1:15: duplicate key 'vcs'"},
        {"noc: 3", "a.yaml:1:6: 'noc' must be a mapping of keys to values"},
        {"- 3", "a.yaml:1:1: a configuration must be a mapping of sections"},
        {"base: a.yaml", "a.yaml:1:7: 'a.yaml' is its own base"},
        {"base: b.yaml", "a.yaml:1:7: the base 'b.yaml' cannot be used "
                         "b.yaml:0:0: cannot read 'b.yaml': No such file or directory"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        assert_false(config_load(&f.config, put(&f, "a.yaml", cases[i].text)));
        assert_string_equal(said(&f), cases[i].said);
        end(&f);
    }
}

// A cycle of files, and a chain that is too long.
static void bad_bases(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f);
    put(&f, "b.yaml", "base: a.yaml");
    assert_false(config_load(&f.config, put(&f, "a.yaml", "base: b.yaml")));
    assert_string_equal(said(&f), "a.yaml:1:7: the base 'b.yaml' cannot be used "
                                  "b.yaml:1:7: 'a.yaml' is its own base");
    end(&f);
    begin(&f);
    const char *path = NULL;
    for (int i = 0; i < 20; i++)
        path = put(&f, arena_printf(&f.arena, "c%d.yaml", i),
                   arena_printf(&f.arena, "base: c%d.yaml", i - 1));
    assert_false(config_load(&f.config, path));
    assert_non_null(strstr(said(&f), "nested more than 16 deep"));
    end(&f);
}

static void bad_settings(void **state)
{
    (void)state;
    static const struct {
        const char *setting, *said;
    } cases[] = {
        {"vcs=3", "--set:0:0: 'vcs=3' is not SECTION.KEY=VALUE"},
        {"noc.vcs", "--set:0:0: 'noc.vcs' is not SECTION.KEY=VALUE"},
        {"noc.vcs=x", "--set:1:12: 'noc.vcs' must be a non-negative whole number"},
        {"noc.vcz=1", "--set:1:7: 'noc' has no key 'vcz'; did you mean 'vcs'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        begin(&f);
        assert_false(config_set(&f.config, cases[i].setting));
        assert_string_equal(said(&f), cases[i].said);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial), cmocka_unit_test(inheritance), cmocka_unit_test(round_trip),
        cmocka_unit_test(faults),  cmocka_unit_test(bad_bases),   cmocka_unit_test(bad_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
