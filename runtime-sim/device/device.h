// The device as a host sees it: a module, memory, kernels, launches. It uses no files.
//
// A device runs one module. Its memory is an image, which launches read and write. Without an
// executor, launches and copies take no time; timed.h makes a machine the executor.
//
// Order of use: device_module_read, the members of struct device that the caller sets, device_load,
// memory, launch.h (checks of a launch), command.h (order, synchronisation).
#pragma once
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/exec/warp/grid.h"
#include <stdatomic.h>

struct check;
struct device_command;
struct diags;
struct kernel_sites;
struct lanes_table;
struct machine_plans;
struct profile;
struct profile_watch;
struct sites;
struct spawns;
struct textures;
struct timed_kernel;

// A program that has been read.
struct device_module {
    struct source source; // set by the caller
    uint32_t schedule;    // argument of ir_schedule, set by the caller; 0: the order of the text
    uint32_t kept;        // number of functions with tags, which keep the order of the text
    struct tree tree;
    struct ir_module module;
    struct program program;
};

// Reads the PTX text of `module->source` and decodes it for these lanes. Returns false after errors
// in `diags`.
bool device_module_read(struct device_module *module, struct arena *arena,
                        const struct lanes_table *lanes, struct diags *diags);

// Statistics of all launches of a kernel.
struct device_kernel {
    const char *name;
    uint64_t launches, warp_instructions, thread_instructions;
    struct profile *profile;    // NULL: device->profiled is not set
    struct kernel_sites *sites; // NULL: device->sites is not set
    struct timed_kernel *timed; // counts of timed launches; NULL: no timed launch
};

// A launch that has passed the checks of launch.h, and its counts.
struct device_launch {
    struct device *device;
    struct device_kernel *kernel;
    struct launch *launch;
    uint8_t *parameters; // bytes of the kernel's parameters; zero until the caller writes them
    uint64_t warp_instructions, thread_instructions;
};

struct device_range {
    uint64_t address, bytes;
};

// CPU time of kernels, of all host threads. Short spells are sampled.
struct device_cpu {
    double seconds;
    uint32_t every, skipped; // every how many short spells is measured; spells since the last one
};

// A device is created by the caller, idle once it is loaded, and running while commands are
// executed on it. If they end early (fault, no progress, limit, stop), it is faulted: its memory
// has what was written until then. The next command, or device_reset, leaves this state.
enum device_state { DEVICE_CREATED, DEVICE_IDLE, DEVICE_RUNNING, DEVICE_FAULTED };

struct device {
    struct arena *arena;
    const struct program *program;
    const struct source *source; // source of the program
    uint32_t threads;            // host threads for untimed launches; 0 or 1: one
    uint64_t max_instructions;   // limit of warp instructions in untimed launches; 0: no limit
    bool grows;                  // the program can be replaced by a longer one
    uint64_t first;              // first address of its memory; 0: as in exec/decode/program.h
    struct plane_kind planes;    // state planes of allocations
    bool race, uninit;           // check for races, and for reads of bytes that were never written
    bool profiled;               // count each instruction
    bool keeps_copies;           // device_copied is noted for the executor
    // With `profiled`: callbacks that observe untimed launches, which then use one host thread. May
    // be NULL.
    const struct profile_watch *watch;
    struct sites *sites;               // counts of timed launches by instruction; NULL: not counted
    const atomic_int *stop;            // execution stops when this is not 0; may be NULL
    const struct machine_plans *plans; // plans of the program for schemes; may be NULL
    // Called before each launch, with the number of launches so far.
    void (*progress)(void *context, const char *kernel, uint64_t launch);
    void *progress_context;
    struct launch_counts *counts; // counts of the current launch without time; NULL: not counted
    // Called with output of kernels. NULL: output is discarded.
    void (*print)(void *context, const char *text, size_t length);
    void *print_context;
    bool (*pause)(void *context, bool stuck); // of launches without time (struct launch); or NULL
    void *pause_context;
    // Executes timed launches, all at the same time. Sets their cycles and counts. NULL: all
    // launches are untimed.
    void (*execute)(void *executor, struct device_command *const *commands, uint32_t count,
                    struct grid_result *result);
    // Returns true if `execute` accepts this launch: the kernel's `number`th, counted from 1, and
    // the `launch`th of the device, counted from 0.
    bool (*accepts)(const void *executor, const struct device_kernel *kernel, uint64_t number,
                    uint64_t launch);
    void *executor;

    // Set by device_load.
    uint32_t running;    // launches without time, and busy periods of the executor, that are open
    bool faulted;        // the last of them that ended has ended early
    uint32_t variables;  // number of variables of the loaded program
    struct check *check; // NULL: neither `race` nor `uninit`
    struct image *image;
    // With keeps_copies: memory that copies without time have written since the last timed launch.
    VEC(struct device_range) copied;
    struct spawns *spawns;     // launches by kernels
    struct textures *textures; // extended by texture_bind and sampler_bind
    struct arena queue_arena;
    VEC(struct device_command *) queue; // in the order of issue, since the last synchronisation
    // Counts.
    VEC(struct device_kernel *) kernels; // in the order of their first launches
    uint64_t launches;
    uint64_t instructions; // warp instructions in untimed launches
    struct device_cpu cpu;
};

// Creates the memory of the device and places the module's variables in it. Returns NULL, or the
// fault of the module as a sentence without a full stop.
const char *device_load(struct device *device);
#define DEVICE_ROOM (UINT64_C(512) << 30)   // addresses of a device, if there are several
#define VARIABLE_ROOM (UINT64_C(256) << 20) // bytes for variables of programs that grow
// As device_load, after device->program was replaced by a program that begins with the previous
// one. Existing variables keep their contents. Requires `grows`, and that no command is running.
const char *device_extend(struct device *device);

enum device_state device_state(const struct device *device);
// Enter and leave DEVICE_RUNNING, once for all commands that run at the same time. The device is
// faulted after the last one if one of them was not `complete`.
void device_enter(struct device *device);
void device_leave(struct device *device, bool complete);
// Gives all variables their initial values, and frees what kernels have allocated. Requires that no
// command is running.
void device_reset(struct device *device);
// Frees all allocations except variables. Requires that no command is running.
void device_free_all(struct device *device);

// Memory

// Returns the address of `bytes` zeroed bytes, or 0 if there is no memory for them.
uint64_t device_allocate(struct device *device, uint64_t bytes, const char *name);
// Allocates at this address. Returns false if it is not free, or not in global memory.
bool device_allocate_at(struct device *device, uint64_t address, uint64_t bytes, const char *name);
// Frees an allocation. Returns false if none begins at this address.
bool device_free(struct device *device, uint64_t address);
// Returns a pointer to `bytes` bytes in this process, or NULL if they are not in one allocation.
uint8_t *device_at(const struct device *device, uint64_t address, uint64_t bytes);
// Returns true if the bytes are in one allocation, and not in memory of another device.
bool device_owns(const struct device *device, uint64_t address, uint64_t bytes);
// As device_at, for bytes that the host is about to write: marks the allocation as written.
uint8_t *device_at_written(struct device *device, uint64_t address, uint64_t bytes);
// Must be called when a copy from the host was made without time.
void device_copied(struct device *device, uint64_t address, uint64_t bytes);
// For memory that the caller provides. device_next returns the address that it would get, or 0 if
// there is no room; device_add adds it at that address.
uint64_t device_next(const struct device *device, uint64_t bytes, uint64_t align);
void device_add(struct device *device, uint64_t address, uint64_t bytes, uint8_t *data,
                const char *name);
// Adds memory at an address of another device. `is_remote`: kernels access it through the link
// between devices.
void device_add_remote(struct device *device, uint64_t address, uint64_t bytes, uint8_t *data,
                       const char *name, bool is_remote);
// Forgets all allocations that begin in a range of addresses, also freed ones. Requires that no
// command is running, and that they are not variables.
void device_remove(struct device *device, uint64_t address, uint64_t bytes);
// Gives an allocation the state planes of host-allocated memory (device->planes).
void device_add_state(const struct device *device, uint64_t address);
// Leaves the addresses below `address` unused.
void device_skip(struct device *device, uint64_t address);
// Moves the bytes of an allocation to `data`.
void device_move(struct device *device, uint64_t address, uint8_t *data);
// Returns the number of a variable of the program, or UINT32_MAX. device_variable returns its
// allocation.
uint32_t device_find_variable(const struct device *device, const char *name);
const struct allocation *device_variable(const struct device *device, uint32_t variable);
// Returns a handle for a texture or sampler that is not a variable of the program.
uint64_t device_texture_handle(uint32_t number);

// Kernels

// Returns the counts of a kernel. The pointer stays valid.
struct device_kernel *device_kernel_of(struct device *device,
                                       const struct program_function *function);
// Returns the number of reports on races and unwritten bytes.
uint64_t device_reports(const struct device *device);
// Returns the CPU time of all threads of this process, in seconds.
double device_cpu_seconds(void);
// Measure a spell in which kernels run, which may contain others.
struct device_spell {
    bool is_measured;
    double seconds, cpu; // counted so far, and CPU time, at its beginning
    uint64_t time;       // coarse, in ns
};
struct device_spell device_spell_begin(struct device *device);
void device_spell_end(struct device *device, const struct device_spell *spell);

// Writes the counts of each instruction of the kernels as JSON.

struct json;
// Writes the member `opcode` of an instruction: the opcode with its modifiers, as in the text.
void device_write_opcode(struct json *json, const struct tree *tree, uint32_t node);
// Adds members to the document.
typedef void profile_more(void *context, struct json *json);
// Writes the document. Requires device->profiled. `more` may be NULL.
void profile_write(const struct device *device, profile_more *more, void *context, FILE *to);
