// The initial values of buffers.
#pragma once
#include "runtime-sim/run/run.h"

// Opens the file of the fill, if it has one, and finds the buffer's type and number of elements.
// Then `data` of the buffer, zeroed, can be filled.
bool fill_measure(struct run *run, struct run_buffer *buffer);
// Finds the type alone, of a buffer that has its memory. Returns false after errors.
bool fill_type(struct run *run, struct run_buffer *buffer);
// Fills `data` by the buffer's type and number of elements. Returns false after errors.
bool fill_do(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
             uint8_t *data);

// A data file in memory, .npy or bytes.
struct data_file;
// Opens it for values of the buffer's type and number. Returns NULL after errors.
struct data_file *data_open(struct run *run, const struct run_text *at, const char *path,
                            const struct run_buffer *buffer);
const uint8_t *data_bytes(const struct data_file *file);
void data_close(struct data_file *file);
