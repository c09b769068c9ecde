#include "api/api.h"
#include <stdlib.h>
#include <string.h>

const char *ptxoffload_version(void)
{
    return PTXOFFLOAD_VERSION;
}

// Contexts

struct ptxoffload_context *ptxoffload_context_new(void)
{
    return calloc(1, sizeof(struct ptxoffload_context));
}

void ptxoffload_context_free(struct ptxoffload_context *context)
{
    free(context);
}

void ptxoffload_set_diagnose(struct ptxoffload_context *context, ptxoffload_diagnose *diagnose,
                             void *user)
{
    if (!context)
        return;
    context->diagnose = diagnose;
    context->user = user;
}

void ptxoffload_set_memory_limit(struct ptxoffload_context *context, size_t bytes)
{
    if (context)
        context->limit = bytes;
}

// Objects

void *api_new(struct ptxoffload_context *context, size_t size)
{
    struct api_object *object = calloc(1, size);
    if (!object) {
        api_fault(context, "memory", NULL, "out of memory");
        return NULL;
    }
    object->context = context;
    object->memory.limit = context->limit;
    arena_init(&object->arena, &object->memory);
    return object;
}

void api_free(void *object)
{
    struct api_object *of = object;
    if (of)
        memory_free(&of->memory);
    free(of);
}

enum ptxoffload_status api_lose(struct api_object *object)
{
    bool limited = object->memory.limited;
    memory_free(&object->memory);
    object->lost = true;
    api_fault(object->context, "memory", NULL,
              limited ? "more memory is needed than the limit of the context allows"
                      : "out of memory");
    return PTXOFFLOAD_NO_MEMORY;
}

// Diagnostics

static void call(const struct ptxoffload_context *context,
                 const struct ptxoffload_diagnostic *diagnostic)
{
    if (context->diagnose)
        context->diagnose(context->user, diagnostic);
}

void api_fault(const struct ptxoffload_context *context, const char *rule, const char *file,
               const char *message)
{
    struct ptxoffload_diagnostic to = {.size = sizeof to,
                                       .severity = PTXOFFLOAD_ERROR,
                                       .rule = rule,
                                       .message = message,
                                       .file = file};
    call(context, &to);
}

static enum ptxoffload_severity severity_of(const struct diag *diag)
{
    switch (diag->severity) {
    case DIAG_ERROR: return PTXOFFLOAD_ERROR;
    case DIAG_WARNING: return PTXOFFLOAD_WARNING;
    default: return PTXOFFLOAD_NOTE;
    }
}

bool api_report(const struct ptxoffload_context *context, struct diags *diags,
                const struct source *source)
{
    diags_sort(diags);
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        struct ptxoffload_diagnostic to = {.size = sizeof to,
                                           .severity = severity_of(diag),
                                           .rule = diag->id,
                                           .message = diag->message,
                                           .file = source ? source->name : NULL};
        if (source && source->text && diag->begin != NO_OFFSET) {
            struct source_position begin = source_position_at(source, diag->begin);
            struct source_position end = source_position_at(source, diag->end);
            to.line = begin.line, to.column = begin.column;
            to.end_line = end.line, to.end_column = end.column;
        }
        call(context, &to);
    }
    return !diags->errors;
}

bool api_sized(const void *of, size_t known)
{
    size_t size;
    if (!of)
        return false;
    memcpy(&size, of, sizeof size);
    return size >= sizeof size && size <= known;
}

void api_init(void *to, const void *from, size_t size, size_t known)
{
    if (!to || size < sizeof size)
        return;
    memset(to, 0, size);
    memcpy(to, from, size < known ? size : known);
    memcpy(to, &size, sizeof size);
}

enum ptxoffload_status api_give(void *to, const void *from, size_t known)
{
    size_t size;
    if (!api_sized(to, known))
        return PTXOFFLOAD_BAD_ARGUMENT;
    memcpy(&size, to, sizeof size);
    memcpy(to, from, size);
    memcpy(to, &size, sizeof size);
    return PTXOFFLOAD_OK;
}

bool api_copy_in(void *to, const void *from, size_t known)
{
    size_t size;
    if (!from)
        return true;
    if (!api_sized(from, known))
        return false;
    memcpy(&size, from, sizeof size);
    memcpy(to, from, size);
    memcpy(to, &known, sizeof known);
    return true;
}
