// Names and texts of errors.
#include "runtime-sim/cuda/cuda.h"

static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define CUDA_ERROR(number, name, text) {number, #name, text},
#include "runtime-sim/cuda/errors.def"
#undef CUDA_ERROR
};

static const struct {
    int number;
    const char *name;
} driver_errors[] = {
#define DRIVER_ERROR(number, name) {number, #name},
#include "runtime-sim/cuda/driver_errors.def"
#undef DRIVER_ERROR
};

enum { ERRORS = ARRAY_LENGTH(errors), DRIVER_ERRORS = ARRAY_LENGTH(driver_errors) };

static const char *error_name(int error)
{
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == error)
            return errors[i].name;
    return NULL;
}

const char *driver_error_name(int error)
{
    for (int i = 0; i < DRIVER_ERRORS; i++)
        if (driver_errors[i].number == error)
            return driver_errors[i].name;
    return NULL;
}

int driver_error(int error)
{
    return driver_error_name(error) ? error : cudaErrorInvalidValue;
}

const char *cuda_error_text(int error)
{
    for (int i = 0; i < ERRORS; i++)
        if (errors[i].number == error)
            return errors[i].text;
    return NULL;
}

CUDA_EXPORT const char *ptxo_cudaGetErrorName(int error);
const char *ptxo_cudaGetErrorName(int error)
{
    const char *name = error_name(error);
    return name ? name : "unrecognized error code";
}

CUDA_EXPORT const char *ptxo_cudaGetErrorString(int error);
const char *ptxo_cudaGetErrorString(int error)
{
    const char *text = cuda_error_text(error);
    return text ? text : "unrecognized error code";
}

CUDA_API(cudaGetLastError, void)
{
    return cuda_last_error(true);
}

CUDA_API(cudaPeekAtLastError, void)
{
    return cuda_last_error(false);
}
