// Containers: any bytes give a list of modules, and for every module its PTX or a reason. The bytes
// end at the end of accessible memory, so that over-reads of libraries are caught too.
#include "frontend/container.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

static void check_module(const struct container *container, uint32_t index)
{
    const struct container_module *module = &container->modules.v[index];
    must(module->kind <= MODULE_OTHER, "a module of no kind");
    must(module->packing < PACKINGS, "a packing that there is not");
    must(module->payload_size <= container->size &&
             module->payload <= container->size - module->payload_size,
         "a module outside of the file");
}

static void read_module(const struct container *container, uint32_t index, struct arena *arena,
                        struct diags *diags)
{
    char *text;
    uint32_t length, errors = diags->errors;
    if (!container_text(container, index, arena, &text, &length, diags)) {
        must(diags->errors == errors + 1, "a module could not be read, and nobody said why");
        return;
    }
    must(length && length <= INT32_MAX, "a text that is empty or too long");
    must(!text[length] && !text[length + 1], "a text without an end");
}

static void print(const struct container *container)
{
    static struct fuzz_sink sink;
    container_print(container, sink_begin(&sink));
    container_print_json(container, sink_begin(&sink));
    sink_end(&sink);
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    const char *bytes = guarded_input(&guarded, input->data, input->size);
    struct diags diags;
    struct container container;
    uint32_t *chosen;
    diags_init(&diags, arena);
    bool is_good = container_open(&container, arena, "fuzz", bytes, input->size, &diags);
    must(is_good == !diags.errors, "the answer is not what the diagnostics say");
    for (uint32_t i = 0; i < container.modules.n; i++) {
        check_module(&container, i);
        read_module(&container, i, arena, &diags);
    }
    print(&container);
    diags_init(&diags, arena);
    uint32_t count = container_choose(&container, (struct container_choice){0}, &chosen, &diags);
    must(!count == !!diags.errors, "nothing was chosen, and nobody said why");
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
