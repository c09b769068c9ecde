// Replaces the driver's assembler: checks a PTX module that the program loads, and writes logs for
// the program.
#include "runtime-sim/cuda/cuda.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/warp/builtin.h"
#include "support/diag.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_body(const struct ir_module *module, uint32_t name)
{
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].name == name && module->functions.v[i].has_body)
            return true;
    return false;
}

static bool is_declared_only(const struct ir_module *module, const struct ir_symbol *symbol)
{
    const struct name *name = tree_name(module->tree, symbol->name);
    if (symbol->space == W_func)
        return !has_body(module, symbol->name) && !builtin_named(name->text, name->length);
    if (symbol->function != IR_NONE || (symbol->space != W_global && symbol->space != W_const))
        return false;
    return ir_is_extern(module, symbol);
}

// Returns the first symbol that a function body uses but the module only declares, or NULL.
static const struct ir_symbol *find_undefined(const struct ir_module *module)
{
    for (uint32_t i = 0; i < module->functions.n; i++)
        for (uint32_t k = 0; k < module->functions.v[i].operands.n; k++) {
            const struct ir_operand *operand = &module->functions.v[i].operands.v[k];
            const struct ir_symbol *symbol =
                operand->kind == OPERAND_SYMBOL ? &module->symbols.v[operand->index] : NULL;
            if (symbol && is_declared_only(module, symbol))
                return symbol;
        }
    return NULL;
}

static const char *log_of(struct cuda *cuda, const struct device_module *module,
                          const struct diags *diags)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        return "";
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *one = &diags->list.v[i];
        struct source_position place = {0};
        if (one->severity != DIAG_ERROR)
            continue;
        if (one->begin != NO_OFFSET)
            place = source_position_at(&module->source, one->begin);
        fprintf(to, "ptxas application ptx input, line %u; error   : %s\n", place.line,
                one->message);
    }
    fputs("ptxas fatal   : Ptx assembly aborted due to errors\n", to);
    bool written = !fclose(to);
    const char *log = written ? arena_strndup(&cuda->arena, text, length) : "";
    free(text);
    return log;
}

static bool is_provided(const char *name, size_t length)
{
    return builtin_named(name, length);
}

const char *jit_link(struct cuda *cuda, const struct cuda_binary *binary, struct link *link,
                     struct link_names *names)
{
    uint32_t count = binary->parts.n;
    struct link_input *inputs = ARENA_ARRAY(&cuda->arena, struct link_input, count);
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = binary->parts.v[i].input;
    link->arena = &cuda->arena;
    link->provides = is_provided;
    return link_add(link, inputs, count, names);
}

const char *jit_check(struct cuda *cuda, const struct cuda_binary *binary, bool is_whole)
{
    struct link link = {0};
    struct link_names names = {0};
    const char *wrong = jit_link(cuda, binary, &link, &names);
    if (wrong)
        return arena_printf(&cuda->arena, "error   : %s\n", wrong);
    struct arena own;
    struct device_module module = {0};
    struct diags diags;
    const char *log = NULL;
    arena_init(&own, &cuda->memory);
    diags_init(&diags, &own);
    uint32_t length;
    const char *text = link_text(&link, &length);
    source_init(&module.source, &own, "ptx", text, length);
    if (!device_module_read(&module, &own, lanes_best(), &diags)) {
        log = log_of(cuda, &module, &diags);
    } else {
        const struct ir_symbol *symbol = is_whole ? find_undefined(&module.module) : NULL;
        const struct name *name = symbol ? tree_name(&module.tree, symbol->name) : NULL;
        if (symbol)
            log = arena_printf(&cuda->arena, "ptxas fatal   : Unresolved extern %s '%.*s'\n",
                               symbol->space == W_func ? "function" : "variable", (int)name->length,
                               name->text);
    }
    arena_free(&own);
    return log;
}

// Each log has two options: its buffer, and the buffer's size, which becomes the number of bytes
// written.

static void write_log(const char *log, unsigned count, const int *options, void **values,
                      int buffer)
{
    char *to = NULL;
    for (unsigned i = 0; i < count; i++)
        if (options[i] == buffer)
            to = values[i];
    for (unsigned i = 0; i < count; i++) {
        size_t room = (uint32_t)(uintptr_t)values[i], bytes = strlen(log) + 1;
        if (options[i] != buffer + 1 || !to || !room)
            continue;
        bytes = bytes < room ? bytes : room;
        memcpy(to, log, bytes - 1);
        to[bytes - 1] = 0;
        values[i] = (void *)(*log ? bytes : 0);
    }
}

void jit_write_logs(const char *errors, unsigned count, const int *options, void **values)
{
    enum { INFO_LOG = 3, ERROR_LOG = 5 };
    if (!count || !options || !values)
        return;
    write_log("", count, options, values, INFO_LOG);
    write_log(errors, count, options, values, ERROR_LOG);
}
