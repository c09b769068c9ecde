#include "ir/schedule.h"
#include "tests/fuzz/launch_internal.h"
#include "runtime-sim/exec/lanes/rows.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void launch_refuse(struct executed *done, enum execution how, const char *why, uint32_t line)
{
    done->how = how;
    snprintf(done->why, sizeof done->why, "line %u: %s", line, why);
}

static uint32_t mixed_word(uint64_t *random)
{
    static const uint32_t corners[] = {
        0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x80000001, 0x00800000,
        0x007fffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f7fffff,
        0x4f000000, 0xcf000000, 0x3effffff, 0x0000ffff, 0x00010000, 0x33000000,
    };
    uint64_t r = random_next(random);
    uint32_t word = (uint32_t)(r >> 32);
    switch (r % 4) {
    case 0: return corners[word % (sizeof corners / sizeof *corners)];
    case 1: return word % 64;
    case 2: return (word & 0x81ffffff) | 0x3e000000; // floats around 1
    default: return word;
    }
}

static uint32_t float_word(float real)
{
    uint32_t word;
    memcpy(&word, &real, 4);
    return word;
}

static uint32_t word_of(const struct input *input, uint32_t index, uint64_t *random)
{
    switch (input->fill) {
    case FILL_ZERO: return 0;
    case FILL_MIXED: return mixed_word(random);
    case FILL_BELOW: return (uint32_t)(random_next(random) % input->value);
    case FILL_ABOVE: return input->value + (uint32_t)(random_next(random) % input->value);
    case FILL_STEPS: return index * input->value;
    case FILL_REAL: return float_word(0.5f + (float)(random_next(random) >> 40) / 16777216.0f);
    case FILL_WHOLE: return float_word((float)(random_next(random) % 17) - 8.0f);
    }
    return 0;
}

static void fill(uint8_t *bytes, const struct input *input, uint64_t seed)
{
    for (uint32_t i = 0; i < input->bytes / 4; i++) {
        uint32_t word = word_of(input, i, &seed);
        memcpy(bytes + 4 * i, &word, 4);
    }
}

static void add_parameter(struct loaded *l, uint64_t value, uint32_t bytes)
{
    l->param_bytes = (l->param_bytes + bytes - 1) & ~(bytes - 1);
    memcpy(l->params + l->param_bytes, &value, bytes);
    l->param_bytes += bytes;
}

void launch_add_inputs(struct loaded *l, const struct launch_inputs *inputs)
{
    uint32_t pointer = l->module.address_bits / 8;
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->list[i];
        if (input->kind == INPUT_WORD) {
            add_parameter(l, input->value, 4);
        } else if (input->kind == INPUT_ALIAS) {
            const struct allocation *of = &l->image.list.v[l->allocation[input->of]];
            add_parameter(l, of->address + input->value, pointer);
        } else {
            uint64_t address = image_allocate(&l->image, input->bytes, 256, "buffer");
            l->allocation[i] = l->image.list.n - 1;
            fill(l->image.list.v[l->allocation[i]].data, input, inputs->seed * INPUTS + i);
            add_parameter(l, address, pointer);
        }
    }
}

const struct program_function *launch_load(struct loaded *l, struct executed *done,
                                           const char *text, size_t length, const char *entry,
                                           const char *lanes, uint32_t schedule)
{
    char *copy = arena_alloc(l->arena, length + 2);
    memcpy(copy, text, length);
    source_init(&l->source, l->arena, "kernel.ptx", copy, (uint32_t)length);
    diags_init(&l->diags, l->arena);
    ptx_parse(&l->tree, l->arena, &l->source, &l->diags);
    ir_build(&l->module, l->arena, &l->tree, &l->diags);
    for (uint32_t i = 0; i < l->diags.list.n && l->diags.errors; i++) {
        const struct diag *diag = &l->diags.list.v[i];
        launch_refuse(done, REFUSED, diag->message,
                      source_position_at(&l->source, diag->begin).line);
        return NULL;
    }
    for (uint32_t i = 0; i < l->module.functions.n && schedule; i++)
        if (l->module.functions.v[i].has_body)
            ir_schedule(&l->module, &l->module.functions.v[i], schedule);
    const struct lanes_table *table = lanes_named(lanes);
    program_build(&l->program, l->arena, &l->module, table);
    image_init(&l->image, l->arena, l->module.address_bits == 64 ? GLOBAL_FIRST_64 : GLOBAL_FIRST);
    const char *wrong = grid_load(&l->image, &l->program, 0);
    const struct program_function *function = program_find(&l->program, entry);
    if (wrong || !function)
        launch_refuse(done, REFUSED, wrong ? wrong : "there is no such kernel", 0);
    else if (function->refusal)
        launch_refuse(
            done, REFUSED, function->refusal,
            source_position_at(&l->source, l->tree.nodes.v[function->refused_node].begin).line);
    else
        return function;
    return NULL;
}

void launch_keep_buffers(const struct loaded *l, const struct launch_inputs *inputs,
                         struct executed *done)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->list[i];
        if (input->kind != INPUT_BUFFER)
            continue;
        done->bytes = realloc(done->bytes, done->size + input->bytes);
        if (!done->bytes)
            abort();
        memcpy(done->bytes + done->size, l->image.list.v[l->allocation[i]].data, input->bytes);
        done->size += input->bytes;
    }
}

struct launch launch_of(struct loaded *l, const struct program_function *function,
                        const struct launch_inputs *inputs)
{
    struct launch launch = {.program = &l->program,
                            .function = (uint32_t)(function - l->program.functions.v),
                            .params = l->params,
                            .image = &l->image};
    memcpy(launch.grid, inputs->grid, sizeof launch.grid);
    memcpy(launch.block, inputs->block, sizeof launch.block);
    return launch;
}

static void run(struct loaded *l, struct executed *done, const struct program_function *function,
                const struct launch_inputs *inputs)
{
    struct launch launch = launch_of(l, function, inputs);
    struct grid_options options = {.threads = 1, .max_idle = 1 << 12};
    struct grid_result result = {0};
    launch_add_inputs(l, inputs);
    grid_run(&launch, l->arena, &options, &result);
    done->thread_instructions = result.thread_instructions;
    if (result.fault.happened || result.stuck) {
        done->how = FAULTED;
        snprintf(done->why, sizeof done->why, "thread %u of CTA %u: %.200s", result.fault.thread[0],
                 result.fault.cta[0], result.fault.happened ? result.fault.text : "no progress");
    }
    launch_keep_buffers(l, inputs, done);
}

void launch_execute(struct executed *done, const char *text, size_t length,
                    const struct launch_inputs *inputs, const char *lanes, uint32_t schedule)
{
    struct memory memory = {0};
    struct arena arena;
    struct loaded *l;
    memset(done, 0, sizeof *done);
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    l = ARENA_NEW(&arena, struct loaded);
    l->arena = &arena;
    const struct program_function *function =
        launch_load(l, done, text, length, inputs->entry, lanes, schedule);
    if (function)
        run(l, done, function, inputs);
    arena_free(&arena);
}
