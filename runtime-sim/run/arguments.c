// Arguments → bytes of parameters.
#include "frontend/isa.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/run/session.h"
#include "support/nearest.h"
#include <string.h>

struct passing {
    struct session *session;
    const struct run_launch *launch;
    const struct program_function *function;
    uint8_t *to;
};

static const struct name *name_of(const struct passing *p,
                                  const struct program_parameter *parameter)
{
    const struct ir_module *module = p->session->program->module;
    return tree_name(module->tree, module->symbols.v[parameter->symbol].name);
}

// How a plain value is written: by the parameter's type, or as bits of its size. A .texref or
// .samplerref is a handle.
static const struct scalar *type_of(const struct passing *p,
                                    const struct program_parameter *parameter)
{
    uint16_t id = p->session->program->module->symbols.v[parameter->symbol].type;
    bool handle = id == W_texref || id == W_samplerref;
    const char *word = handle ? "u64" : isa_is_type(id) ? isa_words[id].text + 1 : "";
    const struct scalar *type = scalar_find(word, strlen(word));
    return type && type->bytes == parameter->bytes ? type : NULL;
}

static bool store(struct passing *p, const struct run_argument *argument, const struct scalar *type,
                  bool strict, uint8_t *to)
{
    struct run *run = p->session->run;
    struct number number;
    if (!run_value(run, &argument->value, &number))
        return false;
    if (number.kind == NUMBER_ADDRESS && (type->class == SCALAR_FLOAT || type->bytes < 4)) {
        run_fault(run, &argument->at, "a %s holds no address: write buffer[0] for an element",
                  type->name);
        return false;
    }
    if (number.kind == NUMBER_HANDLE && !scalar_holds_handle(type)) {
        run_fault(run, &argument->at, "a %s holds no texture's handle: that is a u64", type->name);
        return false;
    }
    // nvcc has .u32 for a C int: a negative number is meant as it is.
    struct scalar any = *type;
    if (!strict && number.kind == NUMBER_INTEGER && number.integer < 0 &&
        any.class == SCALAR_UNSIGNED)
        any.class = SCALAR_SIGNED;
    const char *error = scalar_store(&any, &number, to);
    if (error)
        run_fault(run, &argument->at, "the value does not fit a %s: %s", type->name, error);
    return !error;
}

// A structure: its parts, each at a multiple of its size.
static bool pass_parts(struct passing *p, const struct run_argument *argument,
                       const struct program_parameter *parameter)
{
    uint32_t at = 0, align = 1;
    for (uint32_t i = 0; i < argument->part_count; i++) {
        const struct run_argument *part = &argument->parts[i];
        at = (uint32_t)align_up(at, part->type->bytes);
        if (at + part->type->bytes > parameter->bytes) {
            run_fault(p->session->run, &part->at,
                      "the parameter has %u bytes, and ends before this", parameter->bytes);
            return false;
        }
        if (!store(p, part, part->type, true, p->to + parameter->offset + at))
            return false;
        at += part->type->bytes;
        align = part->type->bytes > align ? part->type->bytes : align;
    }
    uint32_t own = p->session->program->module->symbols.v[parameter->symbol].align;
    if (align_up(at, own > align ? own : align) >= parameter->bytes)
        return true;
    run_fault(p->session->run, &argument->at, "the parameter has %u bytes, and these are %u",
              parameter->bytes, at);
    return false;
}

static bool pass(struct passing *p, const struct run_argument *argument,
                 const struct program_parameter *parameter)
{
    const struct name *name = name_of(p, parameter);
    if (argument->parts)
        return pass_parts(p, argument, parameter);
    const struct scalar *type = argument->type ? argument->type : type_of(p, parameter);
    if (!type)
        run_fault(p->session->run, &argument->at,
                  "'%.*s' is a structure of %u bytes: give a list of TYPE:EXPRESSION",
                  (int)name->length, name->text, parameter->bytes);
    else if (type->bytes != parameter->bytes)
        run_fault(p->session->run, &argument->at, "'%.*s' has %u bytes, and a %s has %u",
                  (int)name->length, name->text, parameter->bytes, type->name, type->bytes);
    else
        return store(p, argument, type, argument->type, p->to + parameter->offset);
    return false;
}

static const struct program_parameter *parameters(const struct passing *p)
{
    return vec_from(&p->session->program->parameters, p->function->params);
}

static bool pass_in_order(struct passing *p)
{
    const struct run_launch *launch = p->launch;
    bool good = true;
    uint32_t count = p->function->param_count;
    if (launch->args.n != count) {
        const struct run_text *at =
            launch->args.n > count ? &launch->args.v[count].at : &launch->at;
        run_fault(p->session->run, at, "the kernel has %u parameter%s, and %u argument%s given",
                  count, count == 1 ? "" : "s", launch->args.n,
                  launch->args.n == 1 ? " is" : "s are");
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        good &= pass(p, &launch->args.v[i], &parameters(p)[i]);
    return good;
}

static const struct program_parameter *find(const struct passing *p, const struct run_text *name)
{
    for (uint32_t i = 0; i < p->function->param_count; i++) {
        const struct name *known = name_of(p, &parameters(p)[i]);
        if (known->length == name->length && !memcmp(known->text, name->text, name->length))
            return &parameters(p)[i];
    }
    return NULL;
}

static void unknown(const struct passing *p, const struct run_text *name)
{
    struct nearest nearest;
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < p->function->param_count; i++) {
        const struct name *known = name_of(p, &parameters(p)[i]);
        nearest_offer(&nearest, known->text, known->length);
    }
    if (nearest.best)
        run_fault(p->session->run, name, "the kernel has no parameter '%s'; did you mean '%.*s'?",
                  name->text, (int)nearest.best_length, nearest.best);
    else
        run_fault(p->session->run, name, "the kernel has no parameter '%s'", name->text);
}

static bool pass_by_name(struct passing *p)
{
    bool good = true;
    VEC(const struct program_parameter *) seen = {0};
    for (uint32_t i = 0; i < p->launch->args.n; i++) {
        const struct run_argument *argument = &p->launch->args.v[i];
        const struct program_parameter *parameter = find(p, &argument->name);
        bool again = false;
        for (uint32_t k = 0; k < seen.n; k++)
            again |= seen.v[k] == parameter;
        if (!parameter)
            unknown(p, &argument->name);
        else if (again)
            run_fault(p->session->run, &argument->name, "'%s' is there a second time",
                      argument->name.text);
        good &= parameter && !again && pass(p, argument, parameter);
        vec_push(p->session->arena, &seen, parameter);
    }
    for (uint32_t i = 0; good && i < p->function->param_count; i++) {
        bool given = false;
        for (uint32_t k = 0; k < seen.n; k++)
            given |= seen.v[k] == &parameters(p)[i];
        const struct name *name = name_of(p, &parameters(p)[i]);
        if (!given)
            run_fault(p->session->run, &p->launch->at, "the parameter '%.*s' has no argument",
                      (int)name->length, name->text);
        good = given;
    }
    return good;
}

bool session_arguments(struct session *session, const struct run_launch *launch,
                       const struct program_function *function, uint8_t *to)
{
    struct passing passing = {session, launch, function, to};
    return launch->by_name ? pass_by_name(&passing) : pass_in_order(&passing);
}
