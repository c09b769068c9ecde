// Run files, .npy files and mangled names: any bytes are a run or a fault with a place in the text;
// all expressions of a run have a value or a fault, and its buffers can be filled; an array that
// was read is written and reads back unchanged; a demangled name has its parts in its text.
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/npy.h"
#include "support/demangle.h"
#include "tests/fuzz/lib.h"
#include "tests/lib/guarded.h"

// .npy

static const struct scalar *scalar_of(const struct npy *npy)
{
    for (const struct scalar *type = scalars; type->name; type++)
        if (npy_fits(npy, type))
            return type;
    return NULL;
}

static void check_array(const struct fuzz_input *input, struct arena *arena, const struct npy *npy)
{
    static struct fuzz_sink sink;
    struct npy again;
    uint64_t count = 1;
    const char *bytes = (const char *)input->data;
    for (uint32_t i = 0; i < npy->dimensions; i++)
        count *= npy->shape[i];
    must(count == npy->count, "the shape has another number of elements");
    must(npy->data >= bytes && npy->count <= input->size &&
             npy->data + npy->count * npy->bytes == bytes + input->size,
         "the elements are not what follows the header");
    const struct scalar *type = scalar_of(npy);
    if (!type)
        return;
    npy_write(sink_begin(&sink), type, npy->shape, npy->dimensions, npy->data, npy->count,
              !(npy->count & 1));
    sink_end(&sink);
    const char *error = npy_read(&again, arena, sink.text, sink.length);
    must(!error, error);
    must(again.count == npy->count && again.bytes == npy->bytes &&
             again.dimensions == (npy->dimensions ? npy->dimensions : 1) &&
             (!npy->dimensions || !memcmp(again.shape, npy->shape, sizeof npy->shape)) &&
             !memcmp(again.data, npy->data, npy->count * npy->bytes),
         "the array is another when it is read again");
}

static void read_array(const struct fuzz_input *input, struct arena *arena)
{
    struct npy npy;
    const char *error = npy_read(&npy, arena, (const char *)input->data, input->size);
    must(!error || *error, "no reason");
    if (!error)
        check_array(input, arena, &npy);
}

// Run files

static void evaluate(struct run *run, const struct run_expr *expr)
{
    struct host_number number;
    uint32_t errors = run->diags->errors;
    if (!expr->expr)
        return;
    bool good = run_value(run, expr, &number);
    must(good == (run->diags->errors == errors), "no value, and nobody said why");
}

static void fill(struct run *run, struct run_buffer *buffer)
{
    enum { LIMIT = 64 };
    int64_t count;
    if (!buffer->type || buffer->fill.path || buffer->variable.text)
        return;
    buffer->elements = 1;
    if (buffer->count.expr && run_integer(run, &buffer->count, 0, LIMIT, "the count", &count))
        buffer->elements = (uint64_t)count;
    buffer->address = 1 << 20;
    buffer->data = arena_alloc(run->arena, buffer->elements * buffer->type->bytes + 1);
    fill_do(run, &buffer->fill, buffer, buffer->data);
}

static void evaluate_argument(struct run *run, const struct run_argument *argument)
{
    evaluate(run, &argument->value);
    for (uint32_t i = 0; i < argument->part_count; i++)
        evaluate(run, &argument->parts[i].value);
}

static void evaluate_launch(struct run *run, const struct run_launch *launch)
{
    for (int i = 0; i < 3; i++) {
        evaluate(run, &launch->grid[i]);
        evaluate(run, &launch->block[i]);
        evaluate(run, &launch->cluster[i]);
    }
    evaluate(run, &launch->shared);
    for (uint32_t i = 0; i < launch->args.n; i++)
        evaluate_argument(run, &launch->args.v[i]);
}

static void evaluate_steps(struct run *run, const struct run_steps *steps)
{
    for (uint32_t i = 0; i < steps->list.n; i++) {
        const struct run_step *step = &steps->list.v[i];
        const struct run_repeat *repeat = step->repeat;
        for (uint32_t k = 0; step->together && k < step->together->launches.n; k++)
            evaluate_launch(run, step->together->launches.v[k]);
        if (step->launch)
            evaluate_launch(run, step->launch);
        if (!repeat)
            continue;
        evaluate(run, &repeat->times);
        evaluate(run, &repeat->max);
        evaluate_steps(run, &repeat->steps);
        evaluate(run, &repeat->condition);
    }
}

static void check_run(struct run *run)
{
    for (uint32_t i = 0; i < run->buffers.n; i++)
        fill(run, &run->buffers.v[i]);
    evaluate_steps(run, &run->steps);
    for (uint32_t i = 0; i < run->checks.n; i++) {
        evaluate(run, &run->checks.v[i].rtol);
        evaluate(run, &run->checks.v[i].atol);
    }
}

static void check_places(const struct diags *diags, const struct source *source)
{
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        must(*diag->message, "a message without words");
        must(diag->begin == NO_OFFSET ||
                 (diag->begin <= diag->end && diag->begin <= source->length),
             "a message about a place outside of the text");
    }
}

static void read_file(const struct fuzz_input *input, struct arena *arena)
{
    struct source source;
    struct diags diags;
    struct run run;
    make_source(&source, arena, (const char *)input->data, input->size);
    diags_init(&diags, arena);
    run_init(&run, arena, &source, &diags);
    // The first bytes as the value of a name that run files often have.
    run_set(&run, "n", arena_strndup(arena, source.text, source.length < 16 ? source.length : 16));
    bool good = run_read(&run, arena);
    const struct run_setting *setting = &run.settings.v[0];
    check_places(&setting->diags, &setting->source);
    must(good == !(diags.errors + setting->diags.errors),
         "the answer is not what the diagnostics say");
    if (good)
        check_run(&run);
    check_places(&diags, &source);
}

// Mangled names

static void read_name(const struct fuzz_input *input, struct arena *arena)
{
    struct demangled found;
    const char *name = arena_strndup(arena, (const char *)input->data, input->size);
    if (!demangle(&found, arena, name))
        return;
    size_t length = strlen(found.text);
    must(found.name <= found.bare_end && found.bare_end <= found.name_end &&
             found.name_end <= length,
         "a part of the name is not in it");
    for (uint32_t i = 0; i < found.parameters.n; i++)
        must(strstr(found.text + found.name_end, found.parameters.v[i]),
             "a type is not in the list of parameters");
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct guarded guarded;
    struct fuzz_input copy = *input;
    copy.data = (const uint8_t *)guarded_input(&guarded, input->data, input->size);
    if (npy_is((const char *)copy.data, copy.size))
        read_array(&copy, arena);
    else if (copy.size > 2 && !memcmp(copy.data, "_Z", 2))
        read_name(&copy, arena);
    else
        read_file(&copy, arena);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
