// The CUDA runtime library on a device: state of the process, and what its parts share.
//
// A program that nvcc has linked registers its fatbins, kernels and variables before main. The
// first call that needs the device reads the PTX of all fatbins as one program (link.h) and begins
// the simulator through `struct cuda_front`. A fatbin that is registered later extends the program.
//
// Commands are works (work.h). They are issued through the host's clock (host/), and are executed
// when the host waits.
//
// The library interface has no context argument, so a process has one `struct cuda`; every entry
// locks it.
#pragma once
#include "runtime-sim/cuda/abi.h"
#include "runtime-sim/cuda/link.h"
#include "runtime-sim/cuda/program_tags.h"
#include "runtime-sim/host/host.h"

enum cuda_error {
#define CUDA_ERROR(number, name, text) name = number,
#include "runtime-sim/cuda/errors.def"
#undef CUDA_ERROR
};

#define CUDA_EXPORT __attribute__((visibility("default")))
// Defines a function of the interface under its name in this library. The libraries that programs
// are linked with jump to it.
#define CUDA_API(name, ...)                                                                        \
    CUDA_EXPORT int ptxo_##name(__VA_ARGS__);                                                      \
    int ptxo_##name(__VA_ARGS__)
// The value of an expression, an error, with the process's `cuda` locked.
#define CUDA_DO(expression)                                                                        \
    __extension__({                                                                                \
        struct cuda *cuda = cuda_enter();                                                          \
        if (setjmp(cuda->memory.on_failure))                                                       \
            cuda_out_of_memory(cuda);                                                              \
        cuda_leave(cuda, (expression));                                                            \
    })

// Ends the function with an error for NULL.
#define CUDA_NEEDS(pointer)                                                                        \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return CUDA_DO(cudaErrorInvalidValue);                                                 \
    } while (0)

struct cuda;
struct cuda_work;

enum cuda_loaded {
    LOAD_DONE,
    LOAD_REFUSED, // the program cannot be run
    LOAD_FAILED,  // nothing can
};

// Where the options of the simulator come from and its results go. Set before the first call.
struct cuda_front {
    void *context;
    // Reads the options and sets the fields of cuda->device and those above the line in `cuda`.
    // Returns false after reporting errors.
    bool (*begin)(void *context, struct cuda *cuda);
    // Reads the program, makes it that of the device, and begins or renews the machine. Reports
    // errors; a refused program leaves everything as it was.
    enum cuda_loaded (*load)(void *context, struct cuda *cuda, struct source *source);
    // Reports a launch that has not ended well.
    void (*report)(void *context, const struct device_result *result);
    // Reports a kernel that cannot be executed, with the place of the instruction.
    void (*refuse)(void *context, const struct program_function *entry, const char *name);
    // Reports a fault of the program or its use of the library.
    void (*complain)(void *context, enum severity severity, const char *text);
    // Writes the results at the end of the process.
    void (*end)(void *context);
    // The memory for what the library keeps is exhausted. Does not return.
    void (*out_of_memory)(void *context);
};

// A fatbin that the program has registered, or a module that it has loaded.
struct cuda_binary {
    const void *image; // fatbin, ELF or PTX text
    uint64_t readable; // bytes from there that can be read; UINT64_MAX: not looked for yet
    const char *text;  // PTX; NULL: not read, or without PTX
    uint32_t length, arch;
    uint32_t number;     // in the order of registration
    bool linked, failed; // its PTX is part of the program; it cannot be
    int failure;
    bool nvlinked;           // device code of several sources, which nvlink has linked
    struct link_names names; // of the linked program, where they differ
    struct tables *tables;   // of its tags; NULL: none
};

struct cuda_function {
    struct cuda_binary *binary;
    const void *host; // the stub that launches it; NULL: of a loaded module
    const char *name; // in the binary
    uint32_t program; // number of the program that `entry` is of; 0: not found yet
    const struct program_function *entry;
    int most_shared, carveout; // attributes that were set; 0: not set
    bool any_cluster;
    bool refused; // it cannot be executed, which was reported
};

struct cuda_symbol {
    struct cuda_binary *binary;
    const void *host;
    void **managed; // the host's pointer to it, to be set; NULL: no managed variable
    const char *name;
    uint64_t bytes;
};

enum cuda_memory_kind { KIND_DEVICE, KIND_MANAGED, KIND_PINNED, KIND_REGISTERED, KIND_ARRAY };

// An allocation of the host. Addresses increase, and the list is sorted.
struct cuda_memory {
    uint64_t address, bytes;
    enum cuda_memory_kind kind;
    void *host;             // the same bytes for the host; NULL: not accessible
    uint64_t mapped, slack; // slack: bytes before and behind it
    unsigned flags;
    uint64_t id;
    struct cuda_pool *pool;
};

struct cuda_pool {
    bool is_default;
    uint64_t used, used_high, threshold;
    int reuse[3];
};

struct cuda_array {
    struct cuda_channels channels;
    struct cuda_extent extent; // in elements; height and depth may be 0
    unsigned flags;
    uint64_t address, pitch, element; // bytes
};

struct cuda_texture {
    uint64_t handle;
    struct cuda_resource resource;
    struct cuda_texture_how how;
};

struct cuda_event {
    unsigned flags;
    bool recorded;
    struct host_event at;
    struct cuda_stream *capture; // recorded in this stream while it captured; NULL: it did not
};

struct cuda_stream {
    struct host_stream on;
    bool is_legacy;
    int priority;
    unsigned flags;
    uint64_t id;
    struct cuda_graph *capturing; // NULL: works are issued
    bool owns_capture, capture_failed;
    uint64_t capture_id;
};

struct cuda_unsupported {
    const char *name;
    uint64_t calls;
};

struct cuda {
    struct memory memory;
    struct arena arena;
    const struct cuda_front *front;
    // Set by front->begin
    struct device *device;
    struct timed *timed; // NULL: without time
    struct host host;    // begun with the first program
    const struct machine_config *machine;
    const char *program_name, *machine_name;
    uint64_t device_bytes; // memory of the device
    uint64_t slack;        // bytes around each allocation of the device that kernels can access
    uint32_t arch;         // of the modules to take; 0: the newest
    const char *record;    // folder for a run file of the program; NULL: none
    bool reads_tags;       // of the program's PTX; else they have no effect

    enum { CUDA_IDLE, CUDA_READY, CUDA_FAILED } state;
    int failure; // of CUDA_FAILED
    // After a fault of a kernel nothing runs any more. Its error is returned by the call that waits
    // for the kernel, and by all later ones.
    int fault, sticky;
    int refused;           // no module can be run: the error of all calls, which do what they can
    int calling;           // depth of calls of the host's functions by works
    uint64_t shared_until; // end of the variables that the host accesses; 0: it does not
    bool profiling, ended;
    int depth; // of entries by the thread that holds the lock
    VEC(struct cuda_binary *) binaries;
    VEC(struct cuda_function *) functions;
    struct cuda_function **by_host; // open addressing, by the stub's address
    uint32_t by_host_size;
    VEC(struct cuda_symbol *) symbols;
    // The linked program
    struct source source;
    struct link link;
    uint32_t programs;      // number of times that it was linked
    uint32_t seen_binaries; // of `binaries`
    uint32_t capability;    // 80 for 8.0

    VEC(struct cuda_memory) memories;
    uint64_t used_bytes, allocations;
    VEC(uint64_t) to_free; // addresses, when the works that were issued have run
    VEC(struct cuda_stream *) streams, dying;
    VEC(struct cuda_event *) events;
    VEC(struct cuda_array *) arrays;
    VEC(struct cuda_texture) textures;
    VEC(struct cuda_graph *) graphs;
    VEC(struct cuda_graph_exec *) execs;
    VEC(struct cuda_pool *) pools;
    VEC(struct cuda_unsupported) unsupported;
    struct cuda_stream legacy, per_thread;
    struct cuda_pool default_pool, *current_pool;
    uint64_t stream_ids, captures, texture_handles;
    struct arena staging; // host bytes of works that have not run
    uint64_t staged;
    VEC(char) printed; // output of kernels that the host has not waited for
    uint64_t limits[8];
    struct launch_record *recorded; // NULL: --record is not given
};

// Sets where options come from.
void cuda_set_front(const struct cuda_front *front);
// Locks the state of the process.
struct cuda *cuda_enter(void);
// Keeps an error other than 0 as the thread's last one, unlocks, and returns the error.
int cuda_leave(struct cuda *cuda, int error);
// cuda_leave for results that are no failure of a call, as that of a query.
int cuda_leave_quietly(struct cuda *cuda, int result);
void cuda_out_of_memory(struct cuda *cuda) __attribute__((noreturn));
// Returns the last error of the thread, and forgets it if `forget`.
int cuda_last_error(bool forget);

// Begins the simulator, with the programs of all binaries. Returns an error.
int cuda_begin(struct cuda *cuda);
// Waits for all works. Returns an error: that of a kernel stays.
int cuda_synchronise(struct cuda *cuda);
// Takes the end of a wait: reports the fault of a kernel, shows the output of kernels, frees what
// works needed. Returns an error.
int cuda_waited(struct cuda *cuda, enum device_end end, const struct device_result *result);
// Ends the process's use of the library, and writes the results.
void cuda_end(void);
// The same where the process ends without destructors. Returns false, and does nothing, if this
// thread is inside of a call of the library; or another one, unless `waits`.
bool cuda_end_early(bool waits);
// Notes a call that is not supported, for the list at the end. Returns cudaErrorNotSupported.
int cuda_not_supported(struct cuda *cuda, const char *name);
void cuda_complain(struct cuda *cuda, enum severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Returns the text of an error, or the driver's name; NULL: there is no such error.
const char *cuda_error_text(int error);
const char *driver_error_name(int error);
// Returns the error that the driver has for one of the runtime library.
int driver_error(int error);

// binaries.c
// Reads the PTX of a binary for the device. Returns an error.
int binary_read(struct cuda *cuda, struct cuda_binary *binary);
struct cuda_binary *binary_add(struct cuda *cuda, const void *image, uint64_t readable);
// Returns how many bytes of this process can be read from there on.
uint64_t binary_readable(const void *image);

// functions.c
// Adds a function; its program function is found when it is needed.
struct cuda_function *function_add(struct cuda *cuda, struct cuda_binary *binary, const void *host,
                                   const char *name);
// Returns the function of a stub or handle, or NULL.
struct cuda_function *function_of(struct cuda *cuda, const void *host);
// Returns the function's entry in the program, or NULL after setting *error.
const struct program_function *function_entry(struct cuda *cuda, struct cuda_function *function,
                                              int *error);
// Returns the variable of a host's variable, or NULL after setting *error.
const struct allocation *symbol_variable(struct cuda *cuda, const void *host, int *error);
// Returns the variable of this name in a binary, or NULL.
const struct allocation *binary_variable(struct cuda *cuda, const struct cuda_binary *binary,
                                         const char *name);

// program.c
// Makes the binaries part of the program that are not yet. Returns an error.
int program_link(struct cuda *cuda);

// attributes.c
int function_attributes(struct cuda *cuda, struct cuda_function_attributes *to,
                        struct cuda_function *function);
// Returns an error.
int function_set_attribute(struct cuda *cuda, struct cuda_function *function, int attribute,
                           int value);
// Sets *ctas to the number of CTAs of this shape that fit a multiprocessor. Returns an error.
int function_occupancy(struct cuda *cuda, struct cuda_function *function, int threads,
                       size_t shared, int *ctas);

// jit.c
// Checks a module of PTX text alone. Returns the log of its errors, or NULL.
const char *jit_check(struct cuda *cuda, const char *text, uint32_t length);
// Writes the logs that options of the driver's assembler ask for.
void jit_write_logs(const char *errors, unsigned count, const int *options, void **values);

// entry_points.c
// Returns the driver's function of this name, or NULL.
void *entry_point_find(const char *name);
