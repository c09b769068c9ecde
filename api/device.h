// The device of the public interface: device.c makes it and has its memory, launch.c runs kernels,
// progress.c runs them on a thread of their own.
#pragma once
#include "api/api.h"
#include "runtime-sim/device/command.h"
#include "runtime-sim/device/timed.h"
#include <pthread.h>

struct statistic {
    const char *name, *unit, *text;
};

// The caller's functions while a launch runs.
struct api_watch {
    ptxoffload_progress *progress; // NULL: not called
    void *user;
    uint32_t milliseconds;
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
    pthread_mutex_t lock; // held during calls of these functions
    struct launch_counts counts;
    atomic_int cancelled; // the launch that is running, or the next one, must end
    bool is_inside;       // the caller's thread is in ptxoffload_run
};

struct ptxoffload_device {
    struct api_object object;
    struct device_module module;
    struct machine_config config;
    struct config resolved;
    struct timed_options options;
    struct machine_plans plans;
    struct device device;
    struct timed timed;
    bool has_time;
    VEC(struct statistic) statistics; // empty for a functional device
    struct api_watch watch;
};

// As API_ENTER, for a device. The caller's functions must not use the device while they are called.
#define API_ENTER_DEVICE(of)                                                                       \
    do {                                                                                           \
        if ((of)->watch.is_inside)                                                                 \
            return PTXOFFLOAD_BAD_ARGUMENT;                                                        \
        API_ENTER(&(of)->object);                                                                  \
    } while (0)

// device.c

// Reports an argument that is not allowed. Returns PTXOFFLOAD_BAD_ARGUMENT.
enum ptxoffload_status api_argument_fault(const struct ptxoffload_device *device, const char *about,
                                          const char *text);
// Returns a kernel, or NULL with a diagnostic. `name` may be NULL, which has no diagnostic.
const struct program_function *api_find_kernel(struct ptxoffload_device *device, const char *name);
const struct program_parameter *api_parameters_of(const struct ptxoffload_device *device,
                                                  const struct program_function *kernel);

// progress.c

// Calls the caller's function for output of kernels. `context` is a struct api_watch.
void api_watch_print(void *context, const char *text, size_t length);
// Runs the launches that were issued, with the caller's functions. `kernel` is their name. Returns
// false if memory is exhausted; the device's object then has no memory any more.
bool api_watch_launch(struct ptxoffload_device *device, const char *kernel,
                      struct device_result *result);
