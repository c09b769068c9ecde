// Objects of the public interface, include/ptxoffload/ptxoffload.h.
//
// Each object has its own memory. A function that allocates enters the object first. If memory is
// exhausted, control returns there, the object's memory is freed, and every later use of the object
// except its release fails.
#pragma once
#include "backend/emit/backend.h"
#include "include/ptxoffload/ptxoffload.h"
#include "support/diag.h"

struct ptxoffload_context {
    ptxoffload_diagnose *diagnose; // NULL: diagnostics are discarded
    void *user;
    size_t limit; // bytes of each later object; 0: no limit
};

// First member of all objects.
struct api_object {
    struct ptxoffload_context *context;
    struct memory memory;
    struct arena arena;
    bool lost; // memory was exhausted, and has been freed
};

// Returns a zeroed object of `size` bytes, which begins with a struct api_object. Returns NULL,
// with a diagnostic, if there is no memory.
void *api_new(struct ptxoffload_context *context, size_t size);
// Frees the object and its memory. `object` may be NULL.
void api_free(void *object);

// Frees the memory of an object that has exhausted it, reports this, and returns
// PTXOFFLOAD_NO_MEMORY.
enum ptxoffload_status api_lose(struct api_object *object);

// Enters an object before the first allocation of a function that returns a status. After a failure
// the function returns immediately, so it reads no local variable that was changed since.
#define API_ENTER(object)                                                                          \
    do {                                                                                           \
        if ((object)->lost)                                                                        \
            return PTXOFFLOAD_NO_MEMORY;                                                           \
        if (setjmp((object)->memory.on_failure))                                                   \
            return api_lose(object);                                                               \
    } while (0)

// Calls the context's function for each diagnostic, in the order of locations. `source` is the text
// of the locations, and may be NULL. Returns true if no diagnostic is an error.
bool api_report(const struct ptxoffload_context *context, struct diags *diags,
                const struct source *source);
// Reports an error without a location about the file or argument named `file`, which may be NULL.
void api_fault(const struct ptxoffload_context *context, const char *rule, const char *file,
               const char *message);

// Structs of the caller begin with their size, which is that of this version or of an earlier one.
// Returns false for NULL, for a size below that of the member `size`, and for a size above `known`.
bool api_sized(const void *of, size_t known);
// Initialises the caller's struct of `size` bytes with a record of `known` bytes; the rest is 0.
void api_init(void *to, const void *from, size_t size, size_t known);
// Copies as much of a record of `known` bytes to the caller's struct as fits. Its `size` is kept.
// Returns PTXOFFLOAD_BAD_ARGUMENT if the size is not allowed.
enum ptxoffload_status api_give(void *to, const void *from, size_t known);
// Replaces the members of a record of `known` bytes by those of the caller's struct `from`, which
// may be NULL. Returns false if its size is not allowed.
bool api_copy_in(void *to, const void *from, size_t known);

// A text of another object, valid until a function of this object is called.
struct api_text {
    const char *name, *text;
    uint32_t length;
    const struct tables *tables; // tables of the text if they are known, or NULL
};

// input.c

// Returns the context of an input.
struct ptxoffload_context *api_input_context(const struct ptxoffload_input *input);
// Unpacks a module. The text is valid until the next call or api_drop_unpacked.
enum ptxoffload_status api_unpack(struct ptxoffload_input *input, uint32_t module,
                                  struct api_text *to);
// Frees the text that was unpacked last.
void api_drop_unpacked(struct ptxoffload_input *input);
// Initialises a source with a copy of the text in the arena.
void api_source(struct source *source, struct arena *arena, const struct api_text *text);

// program.c

// Returns the context of a program.
struct ptxoffload_context *api_program_context(const struct ptxoffload_program *program);
// Sets *to to the tagged text of a program. Returns false if the program has lost its memory.
bool api_program_text(const struct ptxoffload_program *program, struct api_text *to);
