// Parts that run files and command lines share: names, expressions, arguments.
#include "runtime-sim/run/run.h"
#include "backend/tables/build.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

// Names

// Finds the latest name with this spelling that is not closed.
static bool find_name(void *context, const char *text, size_t length, struct expr_ref *ref)
{
    struct run *run = context;
    uint32_t id = intern_find(&run->spellings, text, length);
    if (id == UINT32_MAX)
        return false;
    uint32_t *latest = &run->latest.v[id];
    while (*latest != UINT32_MAX && run->names.v[*latest].closed) // closed names are never reopened
        *latest = run->names.v[*latest].earlier;
    if (*latest == UINT32_MAX)
        return false;
    const struct run_name *name = &run->names.v[*latest];
    ref->kind = name->kind == NAME_BUFFER ? REF_BUFFER : REF_NUMBER;
    ref->index = name->kind == NAME_BUFFER ? name->buffer : *latest;
    return true;
}

uint32_t run_add_name(struct run *run, struct run_name name)
{
    uint32_t id = intern_add(&run->spellings, name.text, name.length);
    if (id == run->latest.n)
        vec_push(run->arena, &run->latest, UINT32_MAX);
    name.earlier = run->latest.v[id];
    run->latest.v[id] = run->names.n;
    vec_push(run->arena, &run->names, name);
    return run->names.n - 1;
}

static const char *load(void *context, struct expr_ref ref, int64_t element,
                        struct host_number *number)
{
    const struct run *run = context;
    if (ref.kind == REF_NUMBER) {
        const struct run_name *name = &run->names.v[ref.index];
        *number = name->number;
        return name->kind != NAME_TEXTURE || name->number.integer
                   ? NULL
                   : arena_printf(run->arena, "'%s' has no handle yet", name->text);
    }
    const struct run_buffer *buffer = &run->buffers.v[ref.index];
    if (!buffer->data)
        return arena_printf(run->arena, "'%s' has no contents yet", buffer->name);
    if ((uint64_t)element >= buffer->elements)
        return arena_printf(run->arena,
                            "'%s' has %" PRIu64 " elements and no element number %" PRId64,
                            buffer->name, buffer->elements, element);
    *number = scalar_load(buffer->type, buffer->data + (uint64_t)element * buffer->type->bytes);
    return NULL;
}

static const char *address(void *context, uint32_t index, int64_t element,
                           struct host_number *number)
{
    const struct run *run = context;
    const struct run_buffer *buffer = &run->buffers.v[index];
    if (!buffer->data)
        return arena_printf(run->arena, "'%s' has no address yet", buffer->name);
    if ((uint64_t)element > buffer->elements)
        return arena_printf(run->arena,
                            "'%s' has %" PRIu64 " elements and no element number %" PRId64,
                            buffer->name, buffer->elements, element);
    number->kind = NUMBER_ADDRESS;
    number->integer = (int64_t)(buffer->address + (uint64_t)element * buffer->type->bytes);
    return NULL;
}

void run_init(struct run *run, struct arena *arena, const struct source *source,
              struct diags *diags)
{
    *run = (struct run){.arena = arena, .source = source, .diags = diags, .folder = ""};
    intern_init(&run->spellings, arena);
    run->expr_names = (struct expr_names){run, find_name, load, address, false};
}

void run_set(struct run *run, const char *name, const char *value)
{
    static const char before[] = "values.";
    uint32_t at = (uint32_t)(sizeof before - 1), length = (uint32_t)strlen(name);
    const char *text = arena_printf(run->arena, "%s%s=%s", before, name, value);
    struct run_setting made = {
        .name = {name, length, at, at + length, at},
        .value = {value, (uint32_t)strlen(value), at + length + 1, (uint32_t)strlen(text),
                  at + length + 1},
    };
    source_init(&made.source, run->arena, "--set", text, (uint32_t)strlen(text));
    diags_init(&made.diags, run->arena);
    vec_push(run->arena, &run->settings, made);
}

static bool is_name(const struct run_text *at)
{
    bool good = at->length > 0;
    for (uint32_t i = 0; i < at->length; i++) {
        char c = at->text[i];
        good &= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                (i && c >= '0' && c <= '9');
    }
    return good;
}

uint32_t run_new_name(struct run *run, const struct run_text *at, enum run_name_kind kind)
{
    struct expr_ref ref;
    if (!is_name(at)) {
        run_fault(run, at, "'%s' is not a name: letters, digits and _", at->text);
        return UINT32_MAX;
    }
    bool special = !strcmp(at->text, "min") || !strcmp(at->text, "max") || !strcmp(at->text, "i");
    if (special || find_name(run, at->text, at->length, &ref)) {
        run_fault(run, at, "the name '%s' is taken", at->text);
        return UINT32_MAX;
    }
    struct run_name name = {.text = at->text, .length = at->length, .kind = kind};
    return run_add_name(run, name);
}

uint32_t run_find_buffer(struct run *run, const struct run_text *at)
{
    struct expr_ref ref;
    if (find_name(run, at->text, at->length, &ref) && ref.kind == REF_BUFFER)
        return ref.index;
    run_fault(run, at, "unknown buffer '%s'", at->text);
    return UINT32_MAX;
}

const char *run_path(const struct run *run, const char *path)
{
    return *path == '/' ? path : arena_printf(run->arena, "%s%s", run->folder, path);
}

void run_note_input(struct run *run, const char *name, const void *bytes, size_t size)
{
    char digest[SHA256_HEX + 1];
    for (uint32_t i = 0; i < run->inputs.n; i++)
        if (!strcmp(run->inputs.v[i].file, name))
            return;
    tables_digest(digest, bytes, size);
    struct run_input input = {name, arena_strndup(run->arena, digest, SHA256_HEX)};
    vec_push(run->arena, &run->inputs, input);
}

// Faults

static void __attribute__((format(printf, 4, 0)))
add_fault(struct run *run, enum severity severity, const struct run_text *at, const char *format,
          va_list args)
{
    char text[512];
    vsnprintf(text, sizeof text, format, args);
    diag_add(run->diags, severity, "run-file", at->begin, at->end, "%s", text);
}

void run_fault(struct run *run, const struct run_text *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_fault(run, DIAG_ERROR, at, format, args);
    va_end(args);
}

void run_note(struct run *run, const char *format, ...)
{
    const struct run_text file = {.begin = NO_OFFSET, .end = NO_OFFSET};
    va_list args;
    va_start(args, format);
    add_fault(run, DIAG_NOTE, &file, format, args);
    va_end(args);
}

void run_fault_in(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end,
                  const char *text)
{
    struct run_text part = run_part(run, at, begin, end);
    run_fault(run, &part, "%s", text);
}

struct run_text run_part(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end)
{
    while (begin < end && at->text[begin] == ' ')
        begin++;
    while (end > begin && at->text[end - 1] == ' ')
        end--;
    struct run_text part = *at;
    part.text = arena_strndup(run->arena, at->text + (begin < at->length ? begin : at->length),
                              begin < end && end <= at->length ? end - begin : 0);
    part.length = (uint32_t)strlen(part.text);
    if (at->inner == UINT32_MAX)
        return part;
    part.begin = part.inner = at->inner + begin;
    part.end = at->inner + (end > begin ? end : begin + 1);
    return part;
}

struct run_text run_text_of(const struct yaml_node *node)
{
    struct run_text text = {0};
    if (node)
        text = (struct run_text){node->text, node->length, node->begin, node->end, node->inner};
    if (node && node->kind != YAML_SCALAR) {
        text.text = "";
        text.inner = UINT32_MAX;
    }
    return text;
}

// Expressions

bool run_expression(struct run *run, const struct run_text *at, struct run_expr *to)
{
    struct expr_fault fault;
    to->at = *at;
    to->expr = expr_parse(run->arena, at->text, at->length, &run->expr_names, &fault);
    if (!to->expr)
        run_fault_in(run, at, fault.begin, fault.end, fault.text);
    return to->expr;
}

bool run_value(struct run *run, const struct run_expr *expr, struct host_number *number)
{
    struct expr_fault fault;
    if (expr_evaluate(expr->expr, &run->expr_names, number, &fault))
        return true;
    run_fault_in(run, &expr->at, fault.begin, fault.end, fault.text);
    return false;
}

bool run_integer(struct run *run, const struct run_expr *expr, int64_t min, int64_t max,
                 const char *what, int64_t *value)
{
    struct host_number number;
    if (!run_value(run, expr, &number))
        return false;
    if (number_is_reference(&number) || !number_integer(&number, value)) {
        run_fault(run, &expr->at, "%s is not an integer", what);
        return false;
    }
    if (number.wrapped) {
        run_fault(run, &expr->at, "%s has more than 64 bits", what);
        return false;
    }
    if (*value >= min && *value <= max)
        return true;
    run_fault(run, &expr->at, "%s is %" PRId64 ", but must be %" PRId64 " to %" PRId64, what,
              *value, min, max);
    return false;
}

bool run_shape(struct run *run, const struct run_text *at, struct run_expr shape[3])
{
    uint32_t begin = 0, count = 0, depth = 0;
    for (uint32_t i = 0; i <= at->length; i++) {
        char c = at->text[i];
        depth += c == '(' || c == '[';
        depth -= depth && (c == ')' || c == ']');
        if (i < at->length && (c != ',' || depth))
            continue;
        if (count == 3) {
            run_fault_in(run, at, begin, i, "expected at most three dimensions");
            return false;
        }
        struct run_text part = run_part(run, at, begin, i);
        if (!run_expression(run, &part, &shape[count++]))
            return false;
        begin = i + 1;
    }
    return true;
}

bool run_type(struct run *run, const struct run_text *at, const struct scalar **type)
{
    *type = scalar_find(at->text, at->length);
    if (*type)
        return true;
    const char *nearest = scalar_nearest(at->text, at->length);
    run_fault(run, at, nearest ? "unknown type '%s'; did you mean '%s'?" : "unknown type '%s'",
              at->text, nearest);
    return false;
}

bool run_argument(struct run *run, const struct run_text *at, struct run_argument *to)
{
    const char *colon = strchr(at->text, ':'), *choice = strchr(at->text, '?');
    struct run_text value = *at;
    to->at = *at;
    if (colon && !(choice && choice < colon)) {
        uint32_t length = (uint32_t)(colon - at->text);
        struct run_text type = run_part(run, at, 0, length);
        value = run_part(run, at, length + 1, at->length);
        if (!run_type(run, &type, &to->type))
            return false;
    }
    return run_expression(run, &value, &to->value);
}
