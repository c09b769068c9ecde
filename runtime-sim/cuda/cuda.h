// The CUDA runtime library on a simulated device: the state of the process, and the functions that
// its files share.
//
// A program linked by nvcc registers its fatbins, kernels and variables before main. The first call
// that needs the device reads the PTX of all fatbins as one program (frontend/link.h) and starts
// the simulator through `struct cuda_front`. A fatbin that is registered later extends the program.
//
// Commands are works (work.h). They are issued through the host's clock (host/) and executed when
// the host waits, or by a thread of ours (executor.h).
//
// The library interface has no context argument, so a process has one `struct cuda`; every entry
// point locks it.
#pragma once
#include "frontend/link.h"
#include "runtime-sim/cuda/abi.h"
#include "runtime-sim/cuda/program_tags.h"
#include "runtime-sim/host/host.h"
#include <pthread.h>

enum cuda_error {
#define CUDA_ERROR(number, name, text) name = number,
#include "runtime-sim/cuda/errors.def"
#undef CUDA_ERROR
};

#define CUDA_EXPORT __attribute__((visibility("default")))
// Defines an interface function under its name in this library. The libraries that programs are
// linked with jump to it.
#define CUDA_API(name, ...)                                                                        \
    CUDA_EXPORT int ptxo_##name(__VA_ARGS__);                                                      \
    int ptxo_##name(__VA_ARGS__)
// Evaluates an expression, an error code, with the process's `cuda` locked, and returns it.
#define CUDA_DO(expression)                                                                        \
    __extension__({                                                                                \
        struct cuda *cuda = cuda_enter();                                                          \
        if (setjmp(cuda->memory.on_failure))                                                       \
            cuda_out_of_memory(cuda);                                                              \
        cuda_leave(cuda, (expression));                                                            \
    })

// Returns an error from the calling function if the pointer is NULL.
#define CUDA_NEEDS(pointer)                                                                        \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return CUDA_DO(cudaErrorInvalidValue);                                                 \
    } while (0)

struct cuda;
struct cuda_linker;
struct cuda_work;

enum cuda_loaded {
    LOAD_DONE,
    LOAD_REFUSED, // the program cannot be run
    LOAD_FAILED,  // no program can be run
};

// Callbacks to the program that reads the simulator's options and writes its results. Set before
// the first call.
struct cuda_front {
    void *context;
    // Reads the options. Sets the fields of the devices and of `cuda` that are marked so. Returns
    // false after reporting errors.
    bool (*begin)(void *context, struct cuda *cuda);
    // Reads the program, loads it into the device, and starts or restarts the machine. Reports
    // errors. A rejected program changes nothing.
    enum cuda_loaded (*load)(void *context, struct cuda *cuda, struct source *source);
    // Reports a launch that ended with a fault, without progress, or at a limit.
    void (*report)(void *context, const struct device_result *result);
    // Reports a kernel that is not executable, with the place of the instruction.
    void (*refuse)(void *context, const struct program_function *entry, const char *name);
    // Reports a launch of a kernel that does not fit the machine.
    void (*unfit)(void *context, const char *name, const struct fault *fault);
    // Reports an error in the program or in its use of the library.
    void (*complain)(void *context, enum severity severity, const char *text);
    // Called when a kernel begins, with the number of launches so far; may be NULL.
    void (*progress)(void *context, const char *kernel, uint64_t launch);
    // Called when no kernel runs any longer; may be NULL.
    void (*pause)(void *context);
    // Writes the results at the end of the process.
    void (*end)(void *context);
    // Reports that memory ran out. Does not return.
    void (*out_of_memory)(void *context);
};

// A fatbin, an ELF file or PTX text in memory.
struct cuda_image {
    const void *bytes;
    uint64_t readable; // readable bytes; UINT64_MAX: not determined yet
};

// A module of PTX in a binary.
struct cuda_part {
    struct link_input input;
    struct tables *tables;         // its tags; NULL: no tags
    struct object_kernel *kernels; // of the machine code beside the PTX, with reads_registers
    uint32_t kernel_count;
};

// A fatbin that the program has registered, or a module that it has loaded.
struct cuda_binary {
    struct cuda_image image;
    const void *const *objects; // fatbins that a device linker has joined, NULL-terminated; or NULL
    VEC(struct cuda_part) parts; // PTX; empty: not read yet, or no device code
    uint32_t arch;
    bool was_read, linked, failed; // the PTX is part of the program; it cannot be
    int failure;
    bool missed;             // a kernel that is not in its device code was reported
    struct link_names names; // names that differ in the linked program
};

struct cuda_function {
    struct cuda_binary *binary;
    const void *host; // host stub; NULL: a kernel of a loaded module
    const char *name; // name in the binary
    uint32_t program; // number of the program that has `entry`; 0: not found yet
    const struct program_function *entry;
    int max_shared, carveout; // attributes set by the program; 0: not set
    bool any_cluster;
    bool refused; // not executable, and already reported
};

struct cuda_symbol {
    struct cuda_binary *binary;
    const void *host;
    void **managed; // host's pointer to a managed variable, to be set; or NULL
    const char *name;
    uint64_t bytes;
    bool reads_numbers; // of a texture reference: integers are read as numbers from 0 or -1 to 1
};

enum cuda_memory_kind {
    KIND_DEVICE,
    KIND_MANAGED,
    KIND_PINNED,
    KIND_REGISTERED,
    KIND_ARRAY,
    KIND_MAPPED
};

// An allocation by the host. The list is sorted by address.
struct cuda_memory {
    uint64_t address, bytes;
    enum cuda_memory_kind kind;
    uint32_t gpu;           // number of the device that has it
    uint32_t access;        // of KIND_MAPPED: set of devices that may access it
    void *host;             // the host's view of the bytes; NULL: not accessible
    uint8_t *data;          // the bytes in this process, after the padding
    const char *name;       // for reports
    uint64_t mapped, slack; // mapped bytes, or 0; bytes of padding on either side
    unsigned flags;
    uint64_t id;
    struct cuda_pool *pool;
    bool of_graph; // made by a node of a graph: the program's releases have no effect
};

struct cuda_pool {
    bool is_default;
    uint32_t gpu, access; // number of its device; set of the other devices that may access it
    uint64_t used, used_high, threshold;
    int reuse[3];
};

struct cuda_array {
    struct cuda_channels channels;
    struct cuda_extent extent; // in elements; height and depth may be 0; depth may count layers
    unsigned flags;
    uint64_t address, pitch, slice, element; // bytes
    bool is_level;                           // of a mipmapped array
};

struct cuda_mipmap {
    uint64_t address;
    uint32_t count;
    struct cuda_array *levels;
};

// A texture or surface object.
struct cuda_texture {
    uint64_t handle;
    struct cuda_gpu *gpu;
    bool is_surface, has_view;
    struct cuda_resource resource;
    struct cuda_texture_how how;
    struct cuda_view view;
};

// Attributes of a stream or of a kernel's node, as the program has set them.
struct cuda_attributes {
    VEC(struct cuda_launch_attribute) list;
};

struct cuda_event {
    struct cuda_gpu *gpu;
    unsigned flags;
    bool recorded;
    struct host_event at;
    struct cuda_stream *capture; // capturing stream that recorded the event, or NULL
};

struct cuda_stream {
    struct host_stream on;
    struct cuda_gpu *gpu;
    bool is_legacy;
    int priority;
    unsigned flags;
    uint64_t id;
    struct cuda_graph *capturing; // NULL: works are issued immediately
    bool owns_capture, capture_failed;
    uint64_t capture_id;
    const void *capture_last; // node that the next captured work follows
    struct cuda_attributes attributes;
};

struct cuda_unsupported {
    const char *name;
    uint64_t calls;
};

// Options of the library.
struct cuda_options {
    const char *program_name;
    uint64_t device_bytes; // memory of each device
    uint64_t slack;        // padding around device allocations that kernels can access
    uint32_t arch;         // highest architecture of modules to use; 0: no limit
    const char *record;    // folder of --record; NULL: not given
    const struct timed_options *recorded; // --record writes the launches in its regions
    bool expects;                         // --record also writes the results of the launches
    bool reads_tags;                      // tags in the program's PTX have an effect
    bool reads_registers;                 // of machine code
};

// Progress and errors of the process's use of the library.
struct cuda_status {
    enum { CUDA_IDLE, CUDA_READY, CUDA_FAILED } state;
    int failure; // error of CUDA_FAILED
    // After a fault of a kernel nothing is executed any more. The error is returned by the call
    // that waits for the kernel, and by all later calls.
    int fault, sticky;
    int refused; // no module can be run: error returned by all calls
    bool profiling, ended;
};

// Binaries that the program has registered or loaded, with their functions and variables.
struct cuda_registry {
    VEC(struct cuda_binary *) binaries;
    VEC(struct cuda_linker *) linkers; // of cuLinkCreate
    VEC(struct cuda_function *) functions;
    struct cuda_function **by_host; // open addressing, by the stub's address
    uint32_t by_host_size;
    VEC(struct cuda_symbol *) symbols;
};

// The linked program.
struct cuda_program {
    struct source source;
    struct link link;
    uint32_t links;         // number of links so far
    uint32_t seen_binaries; // number of registered binaries examined
    uint32_t capability;    // 80 for 8.0
};

// Allocations of the host.
struct cuda_heap {
    VEC(struct cuda_memory) memories;
    uint64_t allocations;
    VEC(uint64_t) to_free; // addresses to free when the issued works have run
    uint64_t shared_until; // end of the variables that the host can access; 0: no access
};

// Streams and events.
struct cuda_streams {
    VEC(struct cuda_stream *) all, dying;
    VEC(struct cuda_event *) events;
    uint64_t ids;
};

// Graphs, and what has been instantiated from them.
struct cuda_graphs {
    VEC(struct cuda_graph *) all;
    VEC(struct cuda_graph_exec *) execs;
    uint64_t captures;
};

struct cuda_context {
    struct cuda_gpu *gpu;
    bool destroyed;
};

// Contexts of the driver.
struct cuda_contexts {
    VEC(struct cuda_context *) all; // without primary ones
    bool of_runtime; // the program uses the runtime library, which makes the primary one current
};

// Memory pools.
struct cuda_pools {
    VEC(struct cuda_pool *) all; // without default ones
};

// Virtual memory management: addresses, memory, and what is mapped.
struct cuda_virtual {
    VEC(struct cuda_reservation *) reservations;
    VEC(struct cuda_physical *) physicals;
};

// Texture and surface objects, and arrays.
struct cuda_textures {
    VEC(struct cuda_texture) all;
    VEC(struct cuda_array *) arrays; // and levels of mipmaps
    VEC(struct cuda_mipmap *) mipmaps;
    uint64_t handles;
};

// Host data of works that have not run.
struct cuda_staging {
    struct arena arena;
    uint64_t bytes;
    uint64_t first; // commands before it had ended at the last wait
};

// A function of the program that is to be called.
struct cuda_posted {
    struct host_command *command;
    uint64_t era; // of the host
};

// A thread of ours.
struct cuda_thread {
    pthread_t id;
    bool exists;
    void *stack;
};

// State of the threads of ours: executor.c.
struct cuda_executor {
    struct cuda_thread thread, caller;
    bool failed; // the executor cannot be started
    bool asleep, is_computing, is_calling, ends;
    uint64_t entries, seen;     // calls of the library; at the executor's last look
    uint64_t since, since_time; // time, and processor's time of other threads, at the last call
    uint64_t stalled;           // `entries` when only the program could continue
    uint64_t quiet;             // last result of threads_quiet
    uint32_t awaiting;          // threads in a call that wait for others
    // Number of changes; at the last look, their number, and the time of the last one.
    uint64_t changes, seen_changes, changed;
    bool noted; // its absence is reported
    // The kernel that began last; one that polls, by number of launch, since this time.
    const char *kernel;
    uint64_t polling, polling_since;
    bool polling_noted, polling_quiet; // its last poll found no thread that can continue
    VEC(struct cuda_posted) posted;
    uint32_t called; // number of these that have been called
};

// A device, and what belongs to it.
struct cuda_gpu {
    uint32_t number;
    // Set by front->begin
    struct device *device;
    struct timed *timed; // NULL: without time
    const struct machine_config *machine;
    const char *machine_name;

    struct host_gpu *on; // set with the first program
    uint64_t used_bytes;
    struct cuda_stream legacy, per_thread;
    struct cuda_pool default_pool, *pool;
    struct cuda_context primary;
    uint64_t limits[8];
    uint32_t peers; // set of devices whose memory its kernels may access
};

struct cuda {
    struct memory memory;
    struct arena arena;
    const struct cuda_front *front;
    struct cuda_gpu gpus[HOST_GPUS];
    uint32_t gpu_count;   // set by front->begin
    struct cuda_gpu *gpu; // current device of the thread that has the lock
    struct host host;     // started with the first program
    struct cuda_options options;

    struct cuda_status status;
    struct cuda_registry registry;
    struct cuda_program program;
    struct cuda_heap heap;
    struct cuda_streams streams;
    struct cuda_graphs graphs;
    struct cuda_contexts contexts;
    struct cuda_pools pools;
    struct cuda_textures textures;
    struct cuda_virtual virtual;
    VEC(struct cuda_unsupported) unsupported;
    struct cuda_staging staging;
    VEC(char) printed;              // kernel output not shown yet
    struct launch_record *recorded; // NULL: no --record
    struct cuda_executor executor;
};

// Sets the callbacks. Required before any other call.
void cuda_set_front(const struct cuda_front *front);
// Locks and returns the state of the process.
struct cuda *cuda_enter(void);
// Stores a nonzero error as the thread's last error, unlocks, and returns the error to report.
int cuda_leave(struct cuda *cuda, int error);
// Like cuda_leave, for results that are not failures of the call, such as that of a query.
int cuda_leave_quietly(struct cuda *cuda, int result);
// Reports that memory ran out, and ends the process.
void cuda_out_of_memory(struct cuda *cuda) __attribute__((noreturn));
// Returns the last error of the thread, and clears it with `forget`.
int cuda_last_error(bool forget);

// Starts the simulator with the programs of all binaries, if it has not started. Returns an error.
int cuda_start(struct cuda *cuda);
// Like cuda_start, for calls that need a current context.
int cuda_begin(struct cuda *cuda);
// Wait for all works, and for those in streams of the current device. Return an error; a kernel's
// fault is permanent.
int cuda_synchronise(struct cuda *cuda);
int cuda_synchronise_gpu(struct cuda *cuda);
// Completes a wait: reports a kernel's fault, shows the output of kernels, and frees the resources
// of ended works. Returns an error.
int cuda_waited(struct cuda *cuda, enum device_end end, const struct device_result *result);
// Ends the process's use of the library, and writes the results.
void cuda_end(void);
// Like cuda_end, for a process that ends without running destructors. Returns false, without
// effect, if this thread is inside a library call. Without `waits`, for a signal, issued works are
// not executed any more, and false is also returned if another thread is inside a call.
bool cuda_end_early(bool waits);
// Counts an unsupported call for the list at the end. Returns cudaErrorNotSupported.
int cuda_not_supported(struct cuda *cuda, const char *name);
// Reports an error or note through `front`.
void cuda_complain(struct cuda *cuda, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Return the text of an error of the runtime, and the driver's name of an error. NULL: unknown
// error.
const char *cuda_error_text(int error);
const char *driver_error_name(int error);
// Returns the driver's error for one of the runtime library.
int driver_error(int error);

// contexts.c
// Returns the current device of the calling thread.
struct cuda_gpu *context_gpu(struct cuda *cuda);
// Like cuda_begin, and makes a device the current one until the call ends. Returns an error if
// there is no such device.
int context_select(struct cuda *cuda, int device);
// Returns the number of a context's device, or -1.
int context_device(struct cuda *cuda, const void *handle);
// Returns an error if the thread has no current context.
int context_check(struct cuda *cuda);

// peers.c
// Returns true if kernels of the device may access an allocation.
bool peers_allow(const struct cuda_gpu *gpu, const struct cuda_memory *memory);
// Makes memory and variables of other devices known to the devices that may access them.
void peers_publish(struct cuda *cuda);
// Disables the current device's access to other devices.
void peers_reset(struct cuda *cuda);

// binaries.c
// Registers a binary. `readable` is UINT64_MAX or the number of readable bytes.
struct cuda_binary *binary_add(struct cuda *cuda, const void *image, uint64_t readable);

// images.c
// Extracts the PTX of a binary for the device. Returns an error.
int binary_read(struct cuda *cuda, struct cuda_binary *binary);
// Returns the number of readable bytes of this process from `image` on.
uint64_t binary_readable(const void *image);

// functions.c
// Adds a kernel. Its entry in the program is found when it is first needed.
struct cuda_function *function_add(struct cuda *cuda, struct cuda_binary *binary, const void *host,
                                   const char *name);
// Returns the kernel of a host stub or handle, or NULL.
struct cuda_function *function_of(struct cuda *cuda, const void *host);
// Returns the kernel's entry in the program, or NULL after setting *error.
const struct program_function *function_entry(struct cuda *cuda, struct cuda_function *function,
                                              int *error);
// Returns the device variable of a host variable, or NULL after setting *error.
const struct allocation *symbol_variable(struct cuda *cuda, const void *host, int *error);
// Adds a variable or a reference.
void symbol_add(struct cuda *cuda, struct cuda_symbol symbol);
// Returns the symbol of a host variable, or NULL.
const struct cuda_symbol *symbol_of(struct cuda *cuda, const void *host);
// Returns the variable with this name in a binary, or NULL.
const struct allocation *binary_variable(struct cuda *cuda, const struct cuda_binary *binary,
                                         const char *name);

// program.c
// Links the binaries that are not part of the program yet, and loads the program. Returns an error.
int program_link(struct cuda *cuda);
// Sets the registers of the program's functions to those of the binaries' machine code. Returns
// true if it was found for every kernel.
bool program_put_registers(const struct cuda *cuda, struct program *program);

// attributes.c
// Read and set attributes of a kernel. Return an error.
int function_attributes(struct cuda *cuda, struct cuda_function_attributes *to,
                        struct cuda_function *function);
// Returns an error.
int function_set_attribute(struct cuda *cuda, struct cuda_function *function, int attribute,
                           int value);
// Sets *ctas to the number of CTAs of this shape that are resident on one multiprocessor. Returns
// an error.
int function_occupancy(struct cuda *cuda, struct cuda_function *function, int threads,
                       size_t shared, int *ctas);

// jit.c
// Checks a binary's PTX on its own. If it is whole, functions and variables that are used must be
// defined. Returns the log of its errors, or NULL.
const char *jit_check(struct cuda *cuda, const struct cuda_binary *binary, bool is_whole);
// Appends the modules of a binary to a linked text. Returns as link_add does.
const char *jit_link(struct cuda *cuda, const struct cuda_binary *binary, struct link *link,
                     struct link_names *names);
// Writes the logs that the program requests through options of the driver's assembler.
void jit_write_logs(const char *errors, unsigned count, const int *options, void **values);

// entry_points.c
// Returns the driver function with this name, or NULL.
void *entry_point_find(const char *name);
