// Objects of the public interface, include/ptxoffload/ptxoffload.h.
//
// Each object has memory of its own. A function that allocates enters the object first; if memory
// is exhausted, control returns there, the object's memory is freed, and every later use of the
// object but its release fails.
#pragma once
#include "backend/emit/backend.h"
#include "include/ptxoffload/ptxoffload.h"
#include "support/diag.h"

struct ptxoffload_context {
    ptxoffload_diagnose *diagnose; // NULL: diagnostics are dropped
    void *user;
    size_t limit;
};

// What all objects begin with.
struct api_object {
    struct ptxoffload_context *context;
    struct memory memory;
    struct arena arena;
    bool lost; // its memory was freed after it was exhausted
};

// Returns a zeroed object of `size` bytes, which begins with a struct api_object; NULL: no memory.
void *api_new(struct ptxoffload_context *context, size_t size);
// Frees the object and its memory.
void api_free(void *object);

// Frees the memory of an object that has exhausted it, reports that, and returns
// PTXOFFLOAD_NO_MEMORY.
enum ptxoffload_status api_lose(struct api_object *object);

// Enters an object before the first allocation of a function that returns a status. Local variables
// that are changed after it must not be read after a failure; there are none, since it returns.
#define API_ENTER(object)                                                                          \
    do {                                                                                           \
        if ((object)->lost)                                                                        \
            return PTXOFFLOAD_NO_MEMORY;                                                           \
        if (setjmp((object)->memory.on_failure))                                                   \
            return api_lose(object);                                                               \
    } while (0)

// Calls the context's function for each diagnostic, in their order. `source`: the text they are
// about, NULL: none. Returns true if none of them is an error.
bool api_report(const struct ptxoffload_context *context, struct diags *diags,
                const struct source *source);
// An error without a place about the file or argument of that name.
void api_fault(const struct ptxoffload_context *context, const char *rule, const char *file,
               const char *message);

// A struct of the caller begins with its size: that of this version or of an earlier one. Returns
// false for NULL, and for a size that is too small to be one or has members that this version does
// not know.
bool api_sized(const void *of, size_t known);
// Initialises the caller's struct of `size` bytes with a record of `known` bytes; the rest is 0.
void api_init(void *to, const void *from, size_t size, size_t known);
// Fills the caller's struct with as much of a record of `known` bytes as it has; its `size` stays.
enum ptxoffload_status api_give(void *to, const void *from, size_t known);
// Replaces the members of a record of `known` bytes by those that the caller's struct has; NULL: no
// struct. Returns false if its size is not allowed.
bool api_take(void *to, const void *from, size_t known);

// A text of another object, valid as long as this object does not work.
struct api_text {
    const char *name, *text;
    uint32_t length;
    const struct tables *tables; // of the text, if they are known; or NULL
};

// input.c

struct ptxoffload_context *api_input_context(const struct ptxoffload_input *input);
// Unpacks a module. The text is valid until the next call or api_drop_unpacked.
enum ptxoffload_status api_unpack(struct ptxoffload_input *input, uint32_t module,
                                  struct api_text *to);
void api_drop_unpacked(struct ptxoffload_input *input);
// Copies the text into the arena.
void api_source(struct source *source, struct arena *arena, const struct api_text *text);

// program.c

struct ptxoffload_context *api_program_context(const struct ptxoffload_program *program);
// The tagged text of a program. Returns false if the program has lost its memory.
bool api_program_text(const struct ptxoffload_program *program, struct api_text *to);
