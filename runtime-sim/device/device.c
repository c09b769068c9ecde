#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/device/device.h"
#include "backend/tags/tags.h"
#include "ir/read.h"
#include "ir/schedule.h"
#include "runtime-sim/device/kernel_name.h"
#include "runtime-sim/device/spawn.h"
#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/decode/layout.h"
#include "runtime-sim/exec/memory/heap.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/gpu/core/sites.h"
#include <assert.h>
#include <string.h>
#include <time.h>

enum {
    BUFFER_ALIGN = 1024, // one chunk of 128 bytes in each of eight partitions
    MAX_REPORTS = 100,
};

// Orders the instructions of all functions except those with tags, which refer to the order of the
// text. Tags and functions are in the order of the text.
static void schedule(struct device_module *module, struct arena *arena)
{
    struct tags tags = {0};
    uint32_t tag = 0;
    tags_find(&tags, arena, &module->source);
    for (uint32_t i = 0; i < module->module.functions.n; i++) {
        struct ir_function *fn = &module->module.functions.v[i];
        const struct node *node = &module->tree.nodes.v[fn->node];
        while (tag < tags.list.n && tags.list.v[tag].begin < node->begin)
            tag++;
        bool tagged = tag < tags.list.n && tags.list.v[tag].begin < node->end;
        module->kept += tagged && fn->has_body;
        if (fn->has_body && !tagged)
            ir_schedule(&module->module, fn, module->schedule);
    }
}

bool device_module_read(struct device_module *module, struct arena *arena,
                        const struct lanes_table *lanes, struct diags *diags)
{
    uint32_t before = diags->errors;
    struct ir_reading reading = {.arena = arena,
                                 .source = &module->source,
                                 .tree = &module->tree,
                                 .module = &module->module,
                                 .diags = diags};
    ir_read_program(&reading);
    if (diags->errors == before && module->schedule)
        schedule(module, arena);
    if (diags->errors == before)
        program_build(&module->program, arena, &module->module, lanes);
    return diags->errors == before;
}

const char *device_load(struct device *device)
{
    struct arena *arena = device->arena;
    bool narrow = device->program->module->address_bits == 32;
    device->image = ARENA_NEW(arena, struct image);
    device->textures = ARENA_NEW(arena, struct textures);
    if (!device->first)
        device->first = narrow ? GLOBAL_FIRST : GLOBAL_FIRST_64;
    image_init(device->image, arena, device->first);
    arena_init(&device->queue_arena, arena->memory);
    device_spawns_begin(device);
    if (device->race || device->uninit) {
        device->check = ARENA_NEW(arena, struct check);
        check_init(device->check, arena, device->race, device->uninit, MAX_REPORTS);
    }
    device->variables = device->program->variables.n;
    const char *fault = grid_load(device->image, device->program, 0);
    if (device->grows)
        device_skip(device, device->first + VARIABLE_ROOM);
    return fault;
}

const char *device_extend(struct device *device)
{
    if (device->program->global_end > device->first + VARIABLE_ROOM)
        return "the variables of the loaded programs are too large in total";
    uint32_t first = device->variables;
    device->variables = device->program->variables.n;
    for (uint32_t i = 0; device->sites && i < device->kernels.n; i++)
        sites_extend(device->kernels.v[i]->sites, device->program->functions.n);
    return grid_load(device->image, device->program, first);
}

enum device_state device_state(const struct device *device)
{
    return !device->image    ? DEVICE_CREATED
           : device->running ? DEVICE_RUNNING
           : device->faulted ? DEVICE_FAULTED
                             : DEVICE_IDLE;
}

void device_enter(struct device *device)
{
    assert(device->image);
    device->faulted &= device->running > 0;
    device->running++;
}

void device_leave(struct device *device, bool complete)
{
    assert(device->running);
    device->running--;
    device->faulted |= !complete;
}

void device_reset(struct device *device)
{
    const struct program *program = device->program;
    struct image *image = device->image;
    assert(!device->running);
    device->faulted = false;
    for (uint32_t i = 0; i < device->variables; i++) {
        const struct allocation *at = device_variable(device, i);
        memset(at->data, 0, at->bytes);
        layout_initial(program, &program->variables.v[i], at->data);
    }
    for (uint32_t i = 0; i < image->list.n; i++)
        if (image->list.v[i].heap && image->list.v[i].state == ALLOCATION_LIVE)
            heap_give(image, image->list.v[i].address);
}

void device_free_all(struct device *device)
{
    struct image *image = device->image;
    uint32_t first = (uint32_t)(device_variable(device, 0) - image->list.v);
    assert(!device->running);
    for (uint32_t i = 0; i < image->list.n; i++)
        if (i - first >= device->variables)
            image->list.v[i].state = ALLOCATION_FREED;
}

// Memory

void device_add_state(const struct device *device, uint64_t address)
{
    if (address && device->planes.initial)
        plane_add(device->image, address, device->planes);
}

static uint64_t allocate(const struct device *device, uint64_t bytes, const char *name)
{
    uint64_t address = image_allocate(device->image, bytes, BUFFER_ALIGN, name);
    device_add_state(device, address);
    return address;
}

uint64_t device_allocate(struct device *device, uint64_t bytes, const char *name)
{
    struct memory *memory = device->arena->memory;
    uint64_t address = 0;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (!setjmp(memory->on_failure))
        address = allocate(device, bytes, name);
    memcpy(memory->on_failure, outer, sizeof outer);
    return address;
}

bool device_allocate_at(struct device *device, uint64_t address, uint64_t bytes, const char *name)
{
    const struct image *image = device->image;
    uint32_t below = image_find(image, address), above = below + 1;
    bool narrow = device->program->module->address_bits == 32;
    bool free = address >= (narrow ? GLOBAL_FIRST : GLOBAL_FIRST_64) &&
                (below == UINT32_MAX ||
                 address - image->list.v[below].address >= image->list.v[below].bytes) &&
                (above == image->list.n || image->list.v[above].address - address >= bytes);
    if (free)
        image_allocate_at(device->image, address, bytes, name);
    return free;
}

bool device_free(struct device *device, uint64_t address)
{
    return image_free(device->image, address);
}

uint64_t device_next(const struct device *device, uint64_t bytes, uint64_t align)
{
    return image_next(device->image, bytes, align < BUFFER_ALIGN ? BUFFER_ALIGN : align);
}

void device_add(struct device *device, uint64_t address, uint64_t bytes, uint8_t *data,
                const char *name)
{
    image_add(device->image, address, bytes, data, name);
}

void device_add_remote(struct device *device, uint64_t address, uint64_t bytes, uint8_t *data,
                       const char *name, bool is_remote)
{
    uint64_t next = device->image->next; // own addresses stay as they are
    image_add(device->image, address, bytes, data, name)->remote = is_remote;
    device->image->has_remote |= is_remote;
    device->image->next = next;
}

bool device_owns(const struct device *device, uint64_t address, uint64_t bytes)
{
    return device_at(device, address, bytes) && !image_is_remote(device->image, address);
}

void device_remove(struct device *device, uint64_t address, uint64_t bytes)
{
    struct image *image = device->image;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < image->list.n; i++)
        if (image->list.v[i].address - address >= bytes)
            image->list.v[kept++] = image->list.v[i];
    image->list.n = kept;
}

void device_skip(struct device *device, uint64_t address)
{
    if (device->image->next < address)
        device->image->next = address;
}

void device_move(struct device *device, uint64_t address, uint8_t *data)
{
    struct allocation *at = &device->image->list.v[image_find(device->image, address)];
    if (at->data != data)
        memcpy(data, at->data, at->bytes);
    at->data = data;
}

uint8_t *device_at(const struct device *device, uint64_t address, uint64_t bytes)
{
    uint32_t hint = 0;
    return image_at(device->image, address, bytes, &hint);
}

void device_copied(struct device *device, uint64_t address, uint64_t bytes)
{
    enum { KEPT = 4096 }; // more data than any LLC has
    struct device_range range = {address, bytes};
    if (!device->keeps_copies || !bytes)
        return;
    if (device->copied.n == KEPT) {
        memmove(device->copied.v, device->copied.v + 1, (KEPT - 1) * sizeof range);
        device->copied.n--;
    }
    vec_push(device->arena, &device->copied, range);
}

uint8_t *device_at_written(struct device *device, uint64_t address, uint64_t bytes)
{
    uint8_t *at = device_at(device, address, bytes);
    if (at)
        image_filled(device->image,
                     device->image->list.v[image_find(device->image, address)].address);
    return at;
}

uint32_t device_find_variable(const struct device *device, const char *name)
{
    for (uint32_t i = 0; i < device->program->variables.n; i++)
        if (!strcmp(device_variable(device, i)->name, name))
            return i;
    return UINT32_MAX;
}

// Variables are the first allocations at the device's own addresses. Those of other devices may be
// before them.
const struct allocation *device_variable(const struct device *device, uint32_t variable)
{
    return &device->image->list.v[image_find(device->image, device->first - 1) + 1 + variable];
}

// The value must not be reached by counting, or by adding to an address.
uint64_t device_texture_handle(uint32_t number)
{
    return UINT64_C(0x7465780000000001) + number;
}

// Kernels

struct device_kernel *device_kernel_of(struct device *device,
                                       const struct program_function *function)
{
    const char *name = kernel_name(device->program, device->arena, function);
    for (uint32_t i = 0; i < device->kernels.n; i++)
        if (!strcmp(device->kernels.v[i]->name, name))
            return device->kernels.v[i];
    struct device_kernel *kernel = ARENA_NEW(device->arena, struct device_kernel);
    *kernel = (struct device_kernel){.name = name};
    if (device->profiled) {
        kernel->profile = ARENA_NEW(device->arena, struct profile);
        profile_init(kernel->profile, device->arena, device->program);
        kernel->profile->watch = device->watch;
    }
    if (device->sites)
        kernel->sites = sites_of_kernel(device->sites, device->program->functions.n);
    vec_push(device->arena, &device->kernels, kernel);
    return kernel;
}

uint64_t device_reports(const struct device *device)
{
    return device->check ? device->check->found : 0;
}

double device_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// To read the CPU time of a process with several threads takes as long as a launch of one warp. So
// of consecutive spells that are this short, one in MOST_SKIPPED is measured and counts for all.
#define SHORT_SPELL 20e-6 // seconds
enum { MOST_SKIPPED = 32 };

// A spell that is not measured is long if its wall time, which is cheap to read, is not 0.
static uint64_t coarse_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

struct device_spell device_spell_begin(struct device *device)
{
    struct device_cpu *cpu = &device->cpu;
    struct device_spell spell = {.is_measured = ++cpu->skipped >= cpu->every,
                                 .seconds = cpu->seconds};
    if (spell.is_measured)
        spell.cpu = device_cpu_seconds();
    else
        spell.time = coarse_time();
    return spell;
}

void device_spell_end(struct device *device, const struct device_spell *spell)
{
    struct device_cpu *cpu = &device->cpu;
    double took = spell->is_measured ? device_cpu_seconds() - spell->cpu
                                     : (double)(coarse_time() - spell->time) * 1e-9;
    bool is_short = spell->is_measured && took < SHORT_SPELL;
    if (!spell->is_measured && !took)
        return;
    // This spell includes the spells within it, which have been counted.
    cpu->seconds = spell->seconds + took * (is_short && cpu->every ? cpu->every : 1);
    cpu->skipped = 0;
    cpu->every = !is_short                   ? 1
                 : cpu->every < MOST_SKIPPED ? 2 * cpu->every + !cpu->every
                                             : cpu->every;
}
