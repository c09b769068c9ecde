// Encodes the arguments of a launch as the bytes of its kernel's parameters.
#include "frontend/isa.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/device/kernel_name.h"
#include "runtime-sim/run/session.h"
#include "support/demangle.h"
#include "support/nearest.h"
#include <string.h>

struct passing {
    struct session *session;
    const struct run_launch *launch;
    const struct program_function *function;
    struct demangled cxx; // the kernel's name; text NULL: not a C++ name
    uint8_t *to;
};

static const struct name *name_of(const struct passing *p,
                                  const struct program_parameter *parameter)
{
    const struct ir_module *module = p->session->device.program->module;
    return tree_name(module->tree, module->symbols.v[parameter->symbol].name);
}

// Returns the type of an argument that is given without one: the parameter's type, or an unsigned
// type for a .texref or .samplerref, which is a handle. Returns NULL for a structure.
static const struct scalar *type_of(const struct passing *p,
                                    const struct program_parameter *parameter)
{
    uint16_t id = p->session->device.program->module->symbols.v[parameter->symbol].type;
    bool handle = id == W_texref || id == W_samplerref;
    const char *word = handle ? "u64" : isa_is_type(id) ? isa_words[id].text + 1 : "";
    const struct scalar *type = scalar_find(word, strlen(word));
    return type && type->bytes == parameter->bytes ? type : NULL;
}

// Returns the parameter's type in the CUDA source, or NULL if the kernel's name has no types.
static const char *source_type(const struct passing *p, const struct program_parameter *parameter)
{
    const struct program_parameter *first =
        vec_from(&p->session->device.program->parameters, p->function->params);
    if (!p->cxx.text || p->cxx.parameters.n != p->function->param_count)
        return NULL;
    return p->cxx.parameters.v[parameter - first];
}

// Returns true if the program declares the parameter as a pointer, by `.ptr` or in the kernel's C++
// name.
static bool is_pointer(const struct passing *p, const struct program_parameter *parameter)
{
    const struct ir_module *module = p->session->device.program->module;
    const struct node *nodes = module->tree->nodes.v;
    const char *type = source_type(p, parameter);
    size_t length = type ? strlen(type) : 0;
    if (length && strchr("*&", type[length - 1]))
        return true;
    // The attributes of a declarator directly precede it.
    for (uint32_t i = module->symbols.v[parameter->symbol].node;
         i-- > 0 && (nodes[i].kind == NODE_SPEC || nodes[i].kind == NODE_INT);)
        if (nodes[i].kind == NODE_SPEC && nodes[i].aux == W_ptr)
            return true;
    return false;
}

// Returns "'n' is a u32 (int)", in the run's arena.
static const char *say_parameter(const struct passing *p, const struct program_parameter *parameter)
{
    struct arena *arena = p->session->run->arena;
    const struct name *name = name_of(p, parameter);
    const struct scalar *own = type_of(p, parameter);
    const char *type = source_type(p, parameter);
    const char *what = is_pointer(p, parameter) ? "pointer"
                       : own                    ? own->name
                             : arena_printf(arena, "structure of %u bytes", parameter->bytes);
    return arena_printf(arena, "'%.*s' is a %s%s%s%s", (int)name->length, name->text, what,
                        type ? " (" : "", type ? type : "", type ? ")" : "");
}

// Stores a value. `what` describes the parameter in messages.
static bool store(struct passing *p, const struct run_argument *argument, const struct scalar *type,
                  bool strict, const char *what, uint8_t *to)
{
    struct run *run = p->session->run;
    uint32_t address_bytes = p->session->device.program->module->address_bits / 8u;
    struct host_number number;
    if (!run_value(run, &argument->value, &number))
        return false;
    if (number.kind == NUMBER_ADDRESS &&
        (type->class == SCALAR_FLOAT || type->bytes < address_bytes)) {
        run_fault(run, &argument->at,
                  "%s, but this is the address of a buffer: give a number, or buffer[0] for an "
                  "element",
                  what);
        return false;
    }
    if (number.kind == NUMBER_HANDLE && !scalar_holds_handle(type)) {
        run_fault(run, &argument->at, "%s, but this is the handle of a texture, which is a u64",
                  what);
        return false;
    }
    // nvcc declares a C int as .u32, so a negative number is stored as signed.
    struct scalar any = *type;
    if (!strict && number.kind == NUMBER_INTEGER && number.integer < 0 &&
        any.class == SCALAR_UNSIGNED)
        any.class = SCALAR_SIGNED;
    const char *error = scalar_store(&any, &number, to);
    if (error)
        run_fault(run, &argument->at, "the value does not fit into a %s: %s", type->name, error);
    return !error;
}

// Returns true, after an error, for a number where the program has a pointer. 0 is a null pointer;
// `u64:N` passes N.
static bool is_stray_number(struct passing *p, const struct run_argument *argument,
                            const struct program_parameter *parameter)
{
    struct host_number number;
    if (argument->type || !is_pointer(p, parameter) ||
        !run_value(p->session->run, &argument->value, &number) || number_is_reference(&number) ||
        (number.kind == NUMBER_INTEGER && !number.integer))
        return false;
    run_fault(p->session->run, &argument->at,
              "%s, but this is a number: give a buffer, or u64:NUMBER for an address",
              say_parameter(p, parameter));
    return true;
}

// Stores the members of a structure, each aligned to its size.
static bool pass_parts(struct passing *p, const struct run_argument *argument,
                       const struct program_parameter *parameter)
{
    uint32_t at = 0, align = 1;
    for (uint32_t i = 0; i < argument->part_count; i++) {
        const struct run_argument *part = &argument->parts[i];
        at = (uint32_t)align_up(at, part->type->bytes);
        if (at + part->type->bytes > parameter->bytes) {
            run_fault(p->session->run, &part->at, "the parameter has %u bytes and ends before this",
                      parameter->bytes);
            return false;
        }
        if (!store(p, part, part->type, true,
                   arena_printf(p->session->run->arena, "this part is a %s", part->type->name),
                   p->to + parameter->offset + at))
            return false;
        at += part->type->bytes;
        align = part->type->bytes > align ? part->type->bytes : align;
    }
    uint32_t own = p->session->device.program->module->symbols.v[parameter->symbol].align;
    if (align_up(at, own > align ? own : align) >= parameter->bytes)
        return true;
    run_fault(p->session->run, &argument->at, "the parameter has %u bytes, but these are %u",
              parameter->bytes, at);
    return false;
}

// Returns why the argument's type does not fit the parameter, or NULL. Bit types such as b32 fit
// any type of their size.
static const char *wrong_type(const struct passing *p, const struct run_argument *argument,
                              const struct program_parameter *parameter)
{
    const struct scalar *given = argument->type, *own = type_of(p, parameter);
    struct arena *arena = p->session->run->arena;
    const char *what = say_parameter(p, parameter);
    if (given->bytes != parameter->bytes)
        return arena_printf(arena, "%s of %u bytes, but a %s has %u%s", what, parameter->bytes,
                            given->name, given->bytes,
                            is_pointer(p, parameter) ? ": give a buffer" : "");
    bool differs = own && own->name[0] != 'b' && given->name[0] != 'b' &&
                   (own->class == SCALAR_FLOAT) != (given->class == SCALAR_FLOAT);
    return differs ? arena_printf(arena, "%s, but this is a %s; b%u:BITS passes bits unchanged",
                                  what, given->name, 8 * given->bytes)
                   : NULL;
}

static bool pass(struct passing *p, const struct run_argument *argument,
                 const struct program_parameter *parameter)
{
    struct run *run = p->session->run;
    if (argument->parts)
        return pass_parts(p, argument, parameter);
    const struct scalar *type = argument->type ? argument->type : type_of(p, parameter);
    const char *wrong = argument->type ? wrong_type(p, argument, parameter) : NULL;
    if (!type)
        run_fault(run, &argument->at, "%s: give a list of TYPE:EXPRESSION",
                  say_parameter(p, parameter));
    else if (wrong)
        run_fault(run, &argument->at, "%s", wrong);
    else
        return !is_stray_number(p, argument, parameter) &&
               store(p, argument, type, argument->type, say_parameter(p, parameter),
                     p->to + parameter->offset);
    return false;
}

static const struct program_parameter *parameters(const struct passing *p)
{
    return vec_from(&p->session->device.program->parameters, p->function->params);
}

static const char *add_word(struct arena *arena, const char *list, const char *word)
{
    enum { MAX_LIST = 160 };
    const char *dots = "…";
    size_t length = strlen(list);
    if (length >= strlen(dots) && !strcmp(list + length - strlen(dots), dots))
        return list;
    return arena_printf(arena, "%s%s%s", list, *list ? ", " : "",
                        length + strlen(word) > MAX_LIST ? dots : word);
}

// Reports a wrong number of arguments, with the types of the parameters and the values given.
static void say_count(const struct passing *p)
{
    const struct run_launch *launch = p->launch;
    struct arena *arena = p->session->run->arena;
    uint32_t count = p->function->param_count, given = launch->args.n;
    const struct run_text *at = given > count ? &launch->args.v[count].at : &launch->at;
    const char *types = "", *values = "";
    for (uint32_t i = 0; i < count; i++) {
        const struct program_parameter *parameter = &parameters(p)[i];
        const struct scalar *own = type_of(p, parameter);
        const char *type = source_type(p, parameter);
        types = add_word(arena, types,
                         type  ? type
                         : own ? own->name
                               : arena_printf(arena, "a structure of %u bytes", parameter->bytes));
    }
    for (uint32_t i = 0; i < given; i++) {
        const struct run_argument *argument = &launch->args.v[i];
        values = add_word(arena, values, argument->parts ? "a structure" : argument->at.text);
    }
    run_fault(p->session->run, at,
              "the kernel has %u parameter%s%s%s%s, but %u argument%s given%s%s%s", count,
              count == 1 ? "" : "s", count ? " (" : "", types, count ? ")" : "", given,
              given == 1 ? " is" : "s are", given ? " (" : "", values, given ? ")" : "");
}

static bool pass_in_order(struct passing *p)
{
    const struct run_launch *launch = p->launch;
    bool good = launch->args.n == p->function->param_count;
    if (!good)
        say_count(p);
    for (uint32_t i = 0; good && i < launch->args.n; i++)
        good = pass(p, &launch->args.v[i], &parameters(p)[i]);
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
            run_fault(p->session->run, &argument->name, "'%s' is given twice", argument->name.text);
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
    struct passing passing = {session, launch, function, {0}, to};
    struct arena *arena = session->run->arena;
    if (!demangle(&passing.cxx, arena, kernel_name(session->device.program, arena, function)))
        passing.cxx.text = NULL;
    return launch->by_name ? pass_by_name(&passing) : pass_in_order(&passing);
}
