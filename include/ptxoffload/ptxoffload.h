/* ptxoffload as a library: reads PTX, decides, tags it, and runs kernels on the simulated GPU.
 *
 * - Nothing here exits, prints or keeps global state. Objects of different contexts can be used by
 *   different threads at the same time; one context and its objects by one thread at a time.
 * - Functions that can fail return an enum ptxoffload_status. Reasons go to the context's function
 *   for diagnostics, each with its location.
 * - Bytes that the caller passes are copied unless the comment says otherwise. Returned texts and
 *   records stay valid until the object that returned them is freed.
 * - Structs begin with `size`, which the macro of the same name sets, so that later versions of the
 *   library can add members at the end. A size below that of `size` itself, or above that of the
 *   struct here, gives PTXOFFLOAD_BAD_ARGUMENT.
 * - NULL is allowed where the comment says so, and as the object of functions that free or count.
 *   Elsewhere it gives PTXOFFLOAD_BAD_ARGUMENT.
 * - Free objects before their context.
 *
 * Link with pkg-config --libs libptxoffload. docs/guide/api.md is the guide.
 */
#ifndef PTXOFFLOAD_PTXOFFLOAD_H
#define PTXOFFLOAD_PTXOFFLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PTXOFFLOAD_API __attribute__((visibility("default")))

/* Status codes, equal to the exit codes of the commands that have one. */
enum ptxoffload_status {
    PTXOFFLOAD_OK = 0,
    PTXOFFLOAD_BAD_INPUT = 1,    /* the input has errors */
    PTXOFFLOAD_BAD_ARGUMENT = 2, /* an argument is not allowed: an error of the caller */
    PTXOFFLOAD_NO_PROGRESS = 4,  /* the warps of a kernel wait for each other */
    PTXOFFLOAD_MEMORY_FAULT = 5, /* a kernel has accessed memory that is not allocated */
    PTXOFFLOAD_NO_MEMORY = 6,    /* out of memory, or the context's memory limit was reached */
    PTXOFFLOAD_LIMIT = 7         /* a limit of cycles or instructions has ended a launch */
};

/* Returns the library's version, such as "0.1.0". */
PTXOFFLOAD_API const char *ptxoffload_version(void);

/* Context: diagnostics and the memory limit. */

enum ptxoffload_severity {
    PTXOFFLOAD_NOTE, /* belongs to the previous diagnostic */
    PTXOFFLOAD_WARNING,
    PTXOFFLOAD_ERROR
};

struct ptxoffload_diagnostic {
    size_t size;
    enum ptxoffload_severity severity;
    const char *rule;              /* stable id; docs/reference/diagnostics.md lists them */
    const char *message;           /* a sentence without a full stop */
    const char *file;              /* name given by the caller, or of a configuration; or NULL */
    uint32_t line, column;         /* from 1; 0: no location. Columns count bytes. */
    uint32_t end_line, end_column; /* after the last character */
};

/* Called while a function of the library runs. Must not call the library. The diagnostic is valid
 * only during the call. */
typedef void ptxoffload_diagnose(void *user, const struct ptxoffload_diagnostic *diagnostic);

struct ptxoffload_context;
/* Returns a new context, or NULL if there is no memory. */
PTXOFFLOAD_API struct ptxoffload_context *ptxoffload_context_new(void);
/* Frees a context. Requires that its objects have been freed. */
PTXOFFLOAD_API void ptxoffload_context_free(struct ptxoffload_context *context);
/* Sets the function that receives diagnostics, with `user` as its argument. If `diagnose` is NULL,
 * diagnostics are discarded. */
PTXOFFLOAD_API void ptxoffload_set_diagnose(struct ptxoffload_context *context,
                                            ptxoffload_diagnose *diagnose, void *user);
/* Sets the memory limit of each object that is created later, in bytes; 0: no limit. */
PTXOFFLOAD_API void ptxoffload_set_memory_limit(struct ptxoffload_context *context, size_t bytes);

/* Input: PTX text, or a program, object, library, fatbin or cubin with modules of PTX. */

struct ptxoffload_input;

struct ptxoffload_module_info {
    size_t size;
    const char *name;      /* file name for the module's text: "a.out.2.sm_80.ptx" */
    int has_ptx;           /* 1: PTX; 0: machine code */
    uint32_t architecture; /* 80 for sm_80; 0: unknown */
    uint32_t version;      /* PTX version times 10; 0: unknown */
    uint64_t bytes;        /* size when unpacked; 0: unknown */
};
#define PTXOFFLOAD_MODULE_INFO                                                                     \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_module_info)                                              \
    }

/* Opens an input. `name` is used in messages; NULL: "input.ptx". Bytes are not copied and must stay
 * valid until the input is freed. Sets *input, to NULL on failure. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_open(struct ptxoffload_context *context,
                                                      const char *name, const void *bytes,
                                                      size_t size, struct ptxoffload_input **input);
/* Frees an input with its texts and records. */
PTXOFFLOAD_API void ptxoffload_input_free(struct ptxoffload_input *input);
/* Returns the number of modules. A text counts as one module. */
PTXOFFLOAD_API uint32_t ptxoffload_module_count(const struct ptxoffload_input *input);
/* Fills *to for a module, numbered from 0. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_module_at(struct ptxoffload_input *input,
                                                           uint32_t module,
                                                           struct ptxoffload_module_info *to);
/* Parses and checks a module, and does nothing else. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_check(struct ptxoffload_input *input,
                                                       uint32_t module);

/* Decisions */

enum ptxoffload_model { PTXOFFLOAD_MODEL_TOM, PTXOFFLOAD_MODEL_REFINED };
/* Small tags contain what the simulator reads, full tags all metadata. */
enum ptxoffload_tags {
    PTXOFFLOAD_TAGS_PRAGMA, /* small tags; full tags if the module already has these */
    PTXOFFLOAD_TAGS_COMMENT,
    PTXOFFLOAD_TAGS_PAPER, /* for reading only */
    PTXOFFLOAD_TAGS_NONE,
    PTXOFFLOAD_TAGS_FULL,
    PTXOFFLOAD_TAGS_FULL_COMMENT
};

/* Values of split_fma: --fma=fused, split, saving. */
enum ptxoffload_split {
    PTXOFFLOAD_SPLIT_NEVER,
    PTXOFFLOAD_SPLIT_ALWAYS,
    PTXOFFLOAD_SPLIT_SAVING /* only for chains with an expected saving of 0 or more */
};

enum {
    PTXOFFLOAD_CANDIDATES_LOOPS = 1,
    PTXOFFLOAD_CANDIDATES_BLOCKS = 2,
    PTXOFFLOAD_CANDIDATES_REGIONS = 4,
    PTXOFFLOAD_CANDIDATES_ALL = 7
};

struct ptxoffload_options {
    size_t size;
    enum ptxoffload_model cost;
    enum ptxoffload_tags tags;
    int keep_order;         /* 1: do not move instructions */
    int split_fma;          /* enum ptxoffload_split, for fused multiply-adds that end a chain */
    int restrict_;          /* 1: different pointers of a kernel point to different memory */
    uint32_t block[3];      /* threads of a block, if equal in all launches; 0: unknown */
    double min_saving;      /* minimum expected saving of a chain in flits; NaN: any */
    const char *output;     /* name of the output in the metadata; NULL: the input's */
    const char *capability; /* YAML text: the near-data unit; NULL: that of [000] */
    int maps;               /* 1: also compile kernels to maps for spatial cores */
    uint32_t candidates;    /* bits PTXOFFLOAD_CANDIDATES_…: kinds of blocks; 0: all */
    const char *profile;    /* JSON text of ptxoffload-sim --profile-out; may be NULL */
};
/* Sets the defaults of the command ptxoffload. `size` is that of the caller's struct. */
PTXOFFLOAD_API void ptxoffload_options_init(struct ptxoffload_options *options, size_t size);

/* A program with decisions, and its tagged text. */
struct ptxoffload_program;

/* Reads a module, decides, tags the text, and proves that it is equivalent to the input. `options`
 * may be NULL for the defaults. Sets *program, to NULL on failure. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_analyse(struct ptxoffload_input *input,
                                                         uint32_t module,
                                                         const struct ptxoffload_options *options,
                                                         struct ptxoffload_program **program);
/* Frees a program with its products and records. */
PTXOFFLOAD_API void ptxoffload_program_free(struct ptxoffload_program *program);

enum ptxoffload_product {
    PTXOFFLOAD_PTX,           /* the tagged text */
    PTXOFFLOAD_METADATA_JSON, /* docs/reference/metadata.md */
    PTXOFFLOAD_METADATA_ELF,  /* object with the PTX; include/ptxoffload/metadata.h */
    PTXOFFLOAD_REPORT_TEXT,
    PTXOFFLOAD_REPORT_JSON,
    PTXOFFLOAD_MAPS /* YAML, docs/reference/rgpu.md; a kernel without a map has a comment */
};
/* Sets *bytes and *size. Texts are followed by a 0 byte, which *size does not include. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_product(struct ptxoffload_program *program,
                                                         enum ptxoffload_product product,
                                                         const void **bytes, size_t *size);
/* Sets *text to the module's text without tags of ptxoffload, and *length to its bytes. The text
 * belongs to the input. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_strip(struct ptxoffload_input *input,
                                                       uint32_t module, const char **text,
                                                       size_t *length);

struct ptxoffload_kernel_info {
    size_t size;
    const char *name;
    uint32_t instructions;
    uint32_t chains, blocks, rejections; /* numbers of records */
};
#define PTXOFFLOAD_KERNEL_INFO                                                                     \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_kernel_info)                                              \
    }

/* A Load-Compute-Store chain [000 Table 1]. */
struct ptxoffload_chain_info {
    size_t size;
    uint32_t pattern;      /* row of [000 Table 1], from 1 */
    const char *formula;   /* formula of the pattern: "C[k] = A[i] op B[j]" */
    uint32_t instructions; /* number of instructions, see ptxoffload_chain_instruction */
    uint32_t response_flits;
    uint32_t saving;        /* flits per warp and hop */
    double expected_saving; /* saving with the expected lines of the accesses and misses of L1 */
};
#define PTXOFFLOAD_CHAIN_INFO                                                                      \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_chain_info)                                               \
    }

struct ptxoffload_instruction_info {
    size_t size;
    uint32_t line, column; /* location in the input */
    uint32_t index;        /* index in its kernel in the output; PC = 8 x index */
    const char *opcode;
};
#define PTXOFFLOAD_INSTRUCTION_INFO                                                                \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_instruction_info)                                         \
    }

/* A candidate block [002 3.1]. */
struct ptxoffload_block_info {
    size_t size;
    const char *kind; /* "loop", "block" or "region" */
    uint32_t begin_line, end_line;
    uint32_t loads, stores;
    double bw_tx, bw_rx;   /* change of traffic in words per warp; negative values save */
    int candidate;         /* 1: the block saves */
    int chosen;            /* 1: it saves, and no overlapping block saves more */
    const char *condition; /* trip count as an expression of live-ins; NULL: no condition */
    uint64_t threshold;    /* the block saves if the condition is at least this */
};
#define PTXOFFLOAD_BLOCK_INFO                                                                      \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_block_info)                                               \
    }

/* A candidate that is not offloaded, and the reason. */
struct ptxoffload_rejection_info {
    size_t size;
    const char *kind; /* "load", "chain", "block", "store" or "kernel" */
    const char *rule;
    const char *text; /* one sentence */
    uint32_t line, column;
    uint32_t because_line; /* line of the instruction that causes it; 0: no such instruction */
};
#define PTXOFFLOAD_REJECTION_INFO                                                                  \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_rejection_info)                                           \
    }

/* Returns the number of kernels. */
PTXOFFLOAD_API uint32_t ptxoffload_kernel_count(const struct ptxoffload_program *program);
/* Fill *to with a record. Records are numbered from 0. A number that does not exist gives
 * PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_kernel_at(const struct ptxoffload_program *program,
                                                           uint32_t kernel,
                                                           struct ptxoffload_kernel_info *to);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_chain_at(const struct ptxoffload_program *program,
                                                          uint32_t kernel, uint32_t chain,
                                                          struct ptxoffload_chain_info *to);
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_chain_instruction(const struct ptxoffload_program *program, uint32_t kernel,
                             uint32_t chain, uint32_t instruction,
                             struct ptxoffload_instruction_info *to);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_block_at(const struct ptxoffload_program *program,
                                                          uint32_t kernel, uint32_t block,
                                                          struct ptxoffload_block_info *to);
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_rejection_at(const struct ptxoffload_program *program, uint32_t kernel,
                        uint32_t rejection, struct ptxoffload_rejection_info *to);

/* Device: a module with its own memory, and kernels that run on it. */

struct ptxoffload_device;

struct ptxoffload_device_options {
    size_t size;
    int functional;              /* 1: compute values only, without time */
    const char *config;          /* name of a configuration or of a file; NULL: "isca19" */
    const char *policy;          /* value of --policy; NULL: "baseline" */
    const char *const *settings; /* list of "SECTION.KEY=VALUE", NULL-terminated; may be NULL */
    uint32_t threads;            /* host threads of a functional device; 0: one */
    uint64_t max_instructions;   /* warp instructions of a functional device; 0: no limit */
    uint64_t max_cycles;         /* cycles of all launches together; 0: no limit */
    /* Receives the output of kernels. NULL: output is discarded. */
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
};
/* Sets the defaults. `size` is that of the caller's struct. */
PTXOFFLOAD_API void ptxoffload_device_options_init(struct ptxoffload_device_options *options,
                                                   size_t size);

/* Creates a device for a module of the input. Policies offload the candidates that the tags of its
 * text name. The input may be freed before the device. `options` may be NULL for the defaults. Sets
 * *device, to NULL on failure. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_new(struct ptxoffload_input *input, uint32_t module,
                      const struct ptxoffload_device_options *options,
                      struct ptxoffload_device **device);
/* Creates a device for the text and decisions of a program. Free the device before the program. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_of(struct ptxoffload_program *program,
                     const struct ptxoffload_device_options *options,
                     struct ptxoffload_device **device);
/* Frees a device with its memory. */
PTXOFFLOAD_API void ptxoffload_device_free(struct ptxoffload_device *device);

/* Allocate, free, write and read memory of the device. Addresses are aligned to 1024 bytes. New
 * memory is zero. Ranges outside one allocation give PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_allocate(struct ptxoffload_device *device,
                                                          uint64_t bytes, uint64_t *address);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_release(struct ptxoffload_device *device,
                                                         uint64_t address);
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_write(struct ptxoffload_device *device, uint64_t to, const void *from, uint64_t bytes);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_read(struct ptxoffload_device *device, void *to,
                                                      uint64_t from, uint64_t bytes);
/* Sets *address and *bytes to the address and size of a variable of the module. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_variable(struct ptxoffload_device *device,
                                                          const char *name, uint64_t *address,
                                                          uint64_t *bytes);

struct ptxoffload_launch {
    size_t size;
    const char *kernel;         /* name in PTX or in C++: "scale", "ns::scale<float>" */
    uint32_t grid[3], block[3]; /* 0 means 1 */
    uint64_t shared;            /* bytes of dynamic shared memory */
    int cooperative;            /* 1: cooperative launch */
    /* For each parameter of the kernel, a pointer to a value of its type and size, which cannot be
     * checked. ptxoffload_parameter_at returns names, types and sizes. */
    const void *const *arguments;
    uint32_t argument_count;
};
#define PTXOFFLOAD_LAUNCH                                                                          \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_launch)                                                   \
    }

/* A parameter of a kernel. */
struct ptxoffload_parameter_info {
    size_t size;
    const char *name;   /* name in PTX */
    const char *type;   /* PTX type of the parameter or of its elements: "u64", "f32", "b8" */
    uint32_t bytes;     /* size of the value to which an argument points */
    uint32_t alignment; /* in bytes */
    uint64_t elements;  /* of an array, such as a struct passed by value; 0: not an array */
};
#define PTXOFFLOAD_PARAMETER_INFO                                                                  \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_parameter_info)                                           \
    }

/* Fills *to for a parameter of a kernel, numbered from 0. A number that does not exist gives
 * PTXOFFLOAD_BAD_ARGUMENT without a diagnostic. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameter_at(struct ptxoffload_device *device,
                                                              const char *kernel, uint32_t number,
                                                              struct ptxoffload_parameter_info *to);
/* Sets *count to the number of parameters, and `sizes` to the sizes in bytes of at most `room`
 * parameters. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameters(struct ptxoffload_device *device,
                                                            const char *kernel, uint32_t *sizes,
                                                            uint32_t room, uint32_t *count);
/* Runs a kernel to its end. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_run(struct ptxoffload_device *device,
                                                     const struct ptxoffload_launch *launch);

/* Sets *value to a statistic (ptxoffload-sim --list-stats) of a kernel, named as in PTX, or of all
 * kernels if `kernel` is NULL. A name that the machine does not have, and any name on a functional
 * device, gives PTXOFFLOAD_BAD_ARGUMENT without a diagnostic. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic(struct ptxoffload_device *device,
                                                           const char *kernel, const char *name,
                                                           double *value);
/* Returns the number of statistics; 0 for a functional device. */
PTXOFFLOAD_API uint32_t ptxoffload_statistic_count(const struct ptxoffload_device *device);
/* Sets the name, unit and meaning of a statistic, numbered from 0; each may be NULL. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic_at(struct ptxoffload_device *device,
                                                              uint32_t number, const char **name,
                                                              const char **unit, const char **text);
/* Sets `values` to the values of all ptxoffload_statistic_count statistics, by number. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistics(struct ptxoffload_device *device,
                                                            const char *kernel, double *values);

#ifdef __cplusplus
}
#endif
#endif
