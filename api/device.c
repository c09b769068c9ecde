// Devices: a module with its own memory, timed or functional.
#include "api/device.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/schemes/schemes.h"
#include <inttypes.h>
#include <string.h>

// Configuration

static bool report_config(struct ptxoffload_device *device)
{
    bool good = true;
    for (uint32_t i = 0; i < device->resolved.texts.n; i++) {
        struct config_text *text = device->resolved.texts.v[i];
        good &= api_report(device->object.context, &text->diags, &text->source);
    }
    return good;
}

// Applies a policy. Returns false, with a diagnostic, if no scheme has it.
static bool set_policy(struct ptxoffload_device *device, const char *policy)
{
    struct arena *arena = &device->object.arena;
    const char *const *known = scheme_policies(arena, schemes);
    bool found = false;
    for (uint32_t i = 0; known[i]; i++)
        found |= !strcmp(known[i], policy);
    for (uint32_t i = 0; found && schemes[i]; i++) {
        const char *setting = scheme_policy_setting(arena, schemes[i], policy);
        if (setting)
            config_set(&device->resolved, setting);
    }
    if (!found)
        api_fault(device->object.context, "config", policy, "no scheme has this policy");
    return found;
}

static bool read_config(struct ptxoffload_device *device,
                        const struct ptxoffload_device_options *options)
{
    struct arena *arena = &device->object.arena;
    const char *name = options->config ? options->config : "isca19";
    uint32_t count;
    struct config_section *sections = machine_sections(&device->config, arena, schemes, &count);
    config_init(&device->resolved, arena, sections, count);
    bool good = config_load(&device->resolved, name);
    for (uint32_t i = 0; options->settings && options->settings[i]; i++)
        good &= config_set(&device->resolved, options->settings[i]);
    good &= !options->policy || set_policy(device, options->policy);
    if (!report_config(device) || !good)
        return false;
    const char *wrong = machine_check(arena, &device->config);
    if (wrong)
        api_fault(device->object.context, "config", name, wrong);
    device->options = (struct timed_options){.config = &device->config,
                                             .resolved = &device->resolved,
                                             .max_cycles = options->max_cycles};
    return !wrong;
}

// The program and its plans

static bool read_module(struct ptxoffload_device *device, const struct api_text *text,
                        const struct ptxoffload_device_options *options)
{
    struct diags diags;
    diags_init(&diags, &device->object.arena);
    api_source(&device->module.source, &device->object.arena, text);
    device->module.schedule =
        text->tables || options->functional ? 0 : device->config.core.schedule;
    bool good = device_module_read(&device->module, &device->object.arena, lanes_best(), &diags);
    return api_report(device->object.context, &diags, &device->module.source) && good;
}

// Returns the tables of the module's tags, or NULL if they are not needed or the text has no tags.
// Sets *good to false if the tags have faults.
static const struct tables *tags_of(struct ptxoffload_device *device, bool *good)
{
    struct tags tags = {0};
    struct diags diags;
    struct arena *arena = &device->object.arena;
    *good = true;
    if (!machine_reads_plans(&device->config))
        return NULL;
    tags_find(&tags, arena, &device->module.source);
    if (!tags.list.n)
        return NULL;
    struct tables *tables = ARENA_NEW(arena, struct tables);
    diags_init(&diags, arena);
    bool read = tags_read(tables, arena, &device->module.source, &diags);
    *good = api_report(device->object.context, &diags, &device->module.source) && read;
    return read ? tables : NULL;
}

static bool read_plan(struct ptxoffload_device *device, uint32_t scheme,
                      const struct tables *tables)
{
    const struct scheme_ops *ops = schemes[scheme];
    struct scheme_plan plan = {0};
    struct diags diags;
    if (!ops->configuration.read_plan || !machine_enables(&device->config, scheme))
        return true;
    diags_init(&diags, &device->object.arena);
    ops->configuration.read_plan(&plan, &device->object.arena, tables, &device->module.program,
                                 device->config.of_scheme[scheme], &diags);
    machine_plan_add(&device->plans, &device->object.arena, ops, plan.table);
    return api_report(device->object.context, &diags, &device->module.source);
}

// Reads the plans of all schemes, from the tables of a program, or from the module's tags if
// `known` is NULL.
static bool read_plans(struct ptxoffload_device *device, const struct tables *known)
{
    bool good = true;
    const struct tables *tables = known ? known : tags_of(device, &good);
    for (uint32_t i = 0; good && schemes[i]; i++)
        good = read_plan(device, i, tables);
    return good;
}

// Creation

void ptxoffload_device_options_init(struct ptxoffload_device_options *options, size_t size)
{
    struct ptxoffload_device_options usual = {.functional = 0};
    api_init(options, &usual, size, sizeof usual);
}

static void add_statistic(void *context, const struct stat_group *group, const struct stat_key *key,
                          double value)
{
    struct ptxoffload_device *device = context;
    struct arena *arena = &device->object.arena;
    struct statistic statistic = {arena_printf(arena, "%s.%s", group->name, key->name), key->unit,
                                  key->text};
    (void)value;
    vec_push(arena, &device->statistics, statistic);
}

static enum ptxoffload_status start(struct ptxoffload_device *device, const struct api_text *text,
                                    const struct ptxoffload_device_options *options)
{
    API_ENTER_DEVICE(device);
    if (!read_config(device, options) || !read_module(device, text, options) ||
        !read_plans(device, text->tables))
        return PTXOFFLOAD_BAD_INPUT;
    device->device = (struct device){.arena = &device->object.arena,
                                     .program = &device->module.program,
                                     .source = &device->module.source,
                                     .threads = options->threads,
                                     .max_instructions = options->max_instructions,
                                     .plans = &device->plans,
                                     .stop = &device->watch.cancelled,
                                     .counts = &device->watch.counts,
                                     .print = options->print ? api_watch_print : NULL,
                                     .print_context = &device->watch};
    device->has_time = !options->functional;
    if (device->has_time) {
        timed_begin(&device->timed, &device->device, &device->options);
        stats_each(&device->timed.stats, NULL, add_statistic, device);
    }
    const char *fault = device_load(&device->device);
    if (fault)
        api_fault(device->object.context, "fault", device->module.source.name, fault);
    return fault ? PTXOFFLOAD_BAD_INPUT : PTXOFFLOAD_OK;
}

static enum ptxoffload_status make_device(struct ptxoffload_context *context,
                                          const struct api_text *text,
                                          const struct ptxoffload_device_options *options,
                                          struct ptxoffload_device **device)
{
    struct ptxoffload_device_options all;
    *device = NULL;
    ptxoffload_device_options_init(&all, sizeof all);
    if (!api_copy_in(&all, options, sizeof all))
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct ptxoffload_device *made = api_new(context, sizeof *made);
    if (!made)
        return PTXOFFLOAD_NO_MEMORY;
    pthread_mutex_init(&made->watch.lock, NULL);
    made->watch.print = all.print;
    made->watch.print_user = all.print_user;
    enum ptxoffload_status status = start(made, text, &all);
    if (status == PTXOFFLOAD_OK)
        *device = made;
    else
        ptxoffload_device_free(made);
    return status;
}

enum ptxoffload_status ptxoffload_device_new(struct ptxoffload_input *input, uint32_t module,
                                             const struct ptxoffload_device_options *options,
                                             struct ptxoffload_device **device)
{
    struct api_text text;
    if (!input || !device)
        return PTXOFFLOAD_BAD_ARGUMENT;
    *device = NULL;
    enum ptxoffload_status status = api_unpack(input, module, &text);
    if (status == PTXOFFLOAD_OK)
        status = make_device(api_input_context(input), &text, options, device);
    api_drop_unpacked(input);
    return status;
}

enum ptxoffload_status ptxoffload_device_of(struct ptxoffload_program *program,
                                            const struct ptxoffload_device_options *options,
                                            struct ptxoffload_device **device)
{
    struct api_text text;
    if (!program || !device)
        return PTXOFFLOAD_BAD_ARGUMENT;
    *device = NULL;
    if (!api_program_text(program, &text))
        return PTXOFFLOAD_NO_MEMORY;
    return make_device(api_program_context(program), &text, options, device);
}

void ptxoffload_device_free(struct ptxoffload_device *device)
{
    if (!device || device->watch.is_inside)
        return;
    pthread_mutex_destroy(&device->watch.lock);
    api_free(device);
}

enum ptxoffload_status ptxoffload_device_reset(struct ptxoffload_device *device)
{
    if (!device)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    device_reset(&device->device);
    device_free_all(&device->device);
    if (device->has_time)
        timed_discard(&device->timed);
    atomic_store(&device->watch.cancelled, false);
    return PTXOFFLOAD_OK;
}

// Memory

enum ptxoffload_status api_argument_fault(const struct ptxoffload_device *device, const char *about,
                                          const char *text)
{
    api_fault(device->object.context, "argument", about, text);
    return PTXOFFLOAD_BAD_ARGUMENT;
}

enum ptxoffload_status ptxoffload_allocate(struct ptxoffload_device *device, uint64_t bytes,
                                           uint64_t *address)
{
    if (!device || !address)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    *address = device_allocate(&device->device, bytes, "allocation");
    return *address ? PTXOFFLOAD_OK : PTXOFFLOAD_NO_MEMORY;
}

enum ptxoffload_status ptxoffload_release(struct ptxoffload_device *device, uint64_t address)
{
    if (!device)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    return device_free(&device->device, address)
               ? PTXOFFLOAD_OK
               : api_argument_fault(device, NULL, "no allocation starts at this address");
}

static enum ptxoffload_status range_fault(struct ptxoffload_device *device, uint64_t address,
                                          uint64_t bytes)
{
    return api_argument_fault(device, NULL,
                              arena_printf(&device->object.arena,
                                           "the %" PRIu64 " bytes at 0x%" PRIx64
                                           " are not in one allocation",
                                           bytes, address));
}

enum ptxoffload_status ptxoffload_write(struct ptxoffload_device *device, uint64_t to,
                                        const void *from, uint64_t bytes)
{
    if (!device || (!from && bytes))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    uint8_t *at = bytes ? device_at_written(&device->device, to, bytes) : NULL;
    if (!at && bytes)
        return range_fault(device, to, bytes);
    if (bytes)
        memcpy(at, from, bytes);
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_read(struct ptxoffload_device *device, void *to, uint64_t from,
                                       uint64_t bytes)
{
    if (!device || (!to && bytes))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    const uint8_t *at = bytes ? device_at(&device->device, from, bytes) : NULL;
    if (!at && bytes)
        return range_fault(device, from, bytes);
    if (bytes)
        memcpy(to, at, bytes);
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_variable(struct ptxoffload_device *device, const char *name,
                                           uint64_t *address, uint64_t *bytes)
{
    if (!device || !name || !address || !bytes)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    uint32_t variable = device_find_variable(&device->device, name);
    if (variable == UINT32_MAX)
        return api_argument_fault(device, name, "the module has no such variable");
    const struct program_variable *found = &device->module.program.variables.v[variable];
    *address = found->address;
    *bytes = found->bytes;
    return PTXOFFLOAD_OK;
}

// Parameters

const struct program_function *api_find_kernel(struct ptxoffload_device *device, const char *name)
{
    struct kernel_fault fault;
    if (!name)
        return NULL;
    const struct program_function *found =
        kernel_find(&device->module.program, &device->object.arena, name, &fault);
    if (!found)
        api_argument_fault(
            device, name, arena_printf(&device->object.arena, "%s; %s", fault.text, fault.kernels));
    return found;
}

const struct program_parameter *api_parameters_of(const struct ptxoffload_device *device,
                                                  const struct program_function *kernel)
{
    return vec_from(&device->module.program.parameters, kernel->params);
}

// Returns the number of elements of an array, or 0 for a scalar.
static uint64_t count_elements(const struct ptxoffload_device *device,
                               const struct program_parameter *parameter,
                               const struct ir_symbol *symbol)
{
    const struct tree *tree = &device->module.tree;
    uint32_t bits = ir_type_bits(symbol->type);
    bool is_array = false;
    NODE_EACH (child, tree, parameter->node)
        is_array |= tree->nodes.v[child].kind == NODE_DIMENSION;
    return is_array && bits >= 8 ? symbol->size / (bits / 8) : 0;
}

enum ptxoffload_status ptxoffload_parameter_at(struct ptxoffload_device *device, const char *kernel,
                                               uint32_t number,
                                               struct ptxoffload_parameter_info *to)
{
    if (!device || !kernel || !api_sized(to, sizeof *to))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    const struct program_function *found = api_find_kernel(device, kernel);
    if (!found || number >= found->param_count)
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct program_parameter *parameter = &api_parameters_of(device, found)[number];
    const struct ir_symbol *symbol = &device->module.module.symbols.v[parameter->symbol];
    const struct name *name = tree_name(&device->module.tree, symbol->name);
    struct ptxoffload_parameter_info info = {
        .name = arena_strndup(&device->object.arena, name->text, name->length),
        .type = isa_words[symbol->type].text,
        .bytes = parameter->bytes,
        .alignment = symbol->align ? symbol->align : ir_type_bits(symbol->type) / 8,
        .elements = count_elements(device, parameter, symbol),
    };
    return api_give(to, &info, sizeof info);
}

enum ptxoffload_status ptxoffload_parameters(struct ptxoffload_device *device, const char *kernel,
                                             uint32_t *sizes, uint32_t room, uint32_t *count)
{
    if (!device || !count || (!sizes && room))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    const struct program_function *found = api_find_kernel(device, kernel);
    if (!found)
        return PTXOFFLOAD_BAD_ARGUMENT;
    *count = found->param_count;
    for (uint32_t i = 0; i < room && i < *count; i++)
        sizes[i] = api_parameters_of(device, found)[i].bytes;
    return PTXOFFLOAD_OK;
}

// Statistics

static const struct timed_kernel *counts_of(const struct ptxoffload_device *device,
                                            const char *kernel)
{
    for (uint32_t i = 0; kernel && i < device->device.kernels.n; i++)
        if (!strcmp(device->device.kernels.v[i]->name, kernel))
            return device->device.kernels.v[i]->timed;
    return NULL;
}

enum ptxoffload_status ptxoffload_statistic(struct ptxoffload_device *device, const char *kernel,
                                            const char *name, double *value)
{
    if (!device || !name || !value)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    const struct timed_kernel *counts = counts_of(device, kernel);
    bool known =
        device->has_time && (counts || !kernel) && timed_value(&device->timed, counts, name, value);
    return known ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_ARGUMENT;
}

uint32_t ptxoffload_statistic_count(const struct ptxoffload_device *device)
{
    return !device || device->object.lost ? 0 : device->statistics.n;
}

enum ptxoffload_status ptxoffload_statistic_at(struct ptxoffload_device *device, uint32_t number,
                                               const char **name, const char **unit,
                                               const char **text)
{
    if (!device || number >= ptxoffload_statistic_count(device))
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct statistic *statistic = &device->statistics.v[number];
    if (name)
        *name = statistic->name;
    if (unit)
        *unit = statistic->unit;
    if (text)
        *text = statistic->text;
    return PTXOFFLOAD_OK;
}

static void record_value(void *context, const struct stat_group *group, const struct stat_key *key,
                         double value)
{
    double **to = context;
    (void)group, (void)key;
    *(*to)++ = value;
}

enum ptxoffload_status ptxoffload_statistics(struct ptxoffload_device *device, const char *kernel,
                                             double *values)
{
    if (!device || !values || !device->has_time)
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER_DEVICE(device);
    const struct timed_kernel *counts = kernel ? counts_of(device, kernel) : &device->timed.total;
    if (!counts)
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct arena own;
    arena_init(&own, &device->object.memory);
    struct stats_mark since = stats_since(&device->timed.stats, &counts->sum, &own);
    stats_each(&device->timed.stats, &since, record_value, &values);
    arena_free(&own);
    return PTXOFFLOAD_OK;
}
