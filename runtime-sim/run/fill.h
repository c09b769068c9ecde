// The initial values of buffers.
#pragma once
#include "runtime-sim/run/run.h"

// Determines the buffer's type and number of elements, from its fill's file if it has one. `data`
// of the buffer can then be allocated and filled. Returns false after errors.
bool fill_measure(struct run *run, struct run_buffer *buffer);
// Determines only the type of a buffer that already has its memory. Returns false after errors.
bool fill_type(struct run *run, struct run_buffer *buffer);
// Fills `data` according to the buffer's type and number of elements. Returns false after errors.
bool fill_do(struct run *run, const struct fill *fill, const struct run_buffer *buffer,
             uint8_t *data);

// A mapped data file: .npy or raw bytes.
struct data_file;
// Opens a data file and checks that it holds the buffer's type and number of elements. Returns NULL
// after errors.
struct data_file *data_open(struct run *run, const struct run_text *at, const char *path,
                            const struct run_buffer *buffer);
// Returns the elements. They are valid until data_close.
const uint8_t *data_bytes(const struct data_file *file);
// Unmaps the file.
void data_close(struct data_file *file);
