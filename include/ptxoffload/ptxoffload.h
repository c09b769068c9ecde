/* ptxoffload as a library: reads PTX, decides, tags it, and runs kernels on the simulated GPU.
 *
 * - Nothing here exits, prints or keeps global state. Objects of different contexts can be used by
 *   different threads at the same time; one context and its objects by one thread at a time.
 * - Functions that can fail return an enum ptxoffload_status. Reasons go to the context's function
 *   for diagnostics, each with its place.
 * - Bytes that a function is given are copied unless it says otherwise. Texts and records that are
 *   returned stay valid until the object they are asked of is freed.
 * - Structs begin with `size`, which the macro of the same name sets, so that later versions of the
 *   library can add members at the end. A size below that of `size` itself, or above that of the
 *   struct here, is PTXOFFLOAD_BAD_ARGUMENT.
 * - NULL is allowed where it says so, and as the object of functions that free or count; elsewhere
 *   it is PTXOFFLOAD_BAD_ARGUMENT.
 * - An object is freed before its context.
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

/* The numbers are the exit codes of the commands where these have one. */
enum ptxoffload_status {
    PTXOFFLOAD_OK = 0,
    PTXOFFLOAD_BAD_INPUT = 1,    /* the input has errors */
    PTXOFFLOAD_BAD_ARGUMENT = 2, /* an argument is not allowed: a fault of the caller */
    PTXOFFLOAD_NO_PROGRESS = 4,  /* the warps of a kernel wait for each other */
    PTXOFFLOAD_MEMORY_FAULT = 5, /* a kernel has accessed memory that it does not have */
    PTXOFFLOAD_NO_MEMORY = 6,    /* memory of this process, or the limit of the context */
    PTXOFFLOAD_LIMIT = 7         /* a limit of cycles or instructions has ended a launch */
};

/* "0.1.0" */
PTXOFFLOAD_API const char *ptxoffload_version(void);

/* Context: diagnostics and the limit of memory. */

enum ptxoffload_severity {
    PTXOFFLOAD_NOTE, /* belongs to the diagnostic before it */
    PTXOFFLOAD_WARNING,
    PTXOFFLOAD_ERROR
};

struct ptxoffload_diagnostic {
    size_t size;
    enum ptxoffload_severity severity;
    const char *rule;              /* stable id; docs/reference/diagnostics.md lists them */
    const char *message;           /* a sentence without a full stop */
    const char *file;              /* the name that the caller gave, or that of a configuration */
    uint32_t line, column;         /* from 1; 0: no place. Columns count bytes. */
    uint32_t end_line, end_column; /* after the last character */
};

/* Called while a function of the library runs. Must not call the library. The diagnostic is valid
 * during the call. */
typedef void ptxoffload_diagnose(void *user, const struct ptxoffload_diagnostic *diagnostic);

struct ptxoffload_context;
/* Returns NULL if there is no memory. */
PTXOFFLOAD_API struct ptxoffload_context *ptxoffload_context_new(void);
PTXOFFLOAD_API void ptxoffload_context_free(struct ptxoffload_context *context);
PTXOFFLOAD_API void ptxoffload_set_diagnose(struct ptxoffload_context *context,
                                            ptxoffload_diagnose *diagnose, void *user);
/* Limit of each object that is made later, in bytes; 0: none. */
PTXOFFLOAD_API void ptxoffload_set_memory_limit(struct ptxoffload_context *context, size_t bytes);

/* Input: PTX text, or a program, object, library, fatbin or cubin with modules of PTX. */

struct ptxoffload_input;

struct ptxoffload_module_info {
    size_t size;
    const char *name;      /* of the text that ptxoffload_read has: "a.out.2.sm_80.ptx" */
    int has_ptx;           /* else machine code */
    uint32_t architecture; /* 80 for sm_80; 0: unknown */
    uint32_t version;      /* of PTX, times 10; 0: unknown */
    uint64_t bytes;        /* unpacked; 0: unknown */
};
#define PTXOFFLOAD_MODULE_INFO                                                                     \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_module_info)                                              \
    }

/* `name` is for messages; NULL: "input.ptx". Bytes are not copied: they must stay until the input
 * is freed. On success *input is set, otherwise NULL. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_open(struct ptxoffload_context *context,
                                                      const char *name, const void *bytes,
                                                      size_t size, struct ptxoffload_input **input);
PTXOFFLOAD_API void ptxoffload_input_free(struct ptxoffload_input *input);
/* A text counts as one module. */
PTXOFFLOAD_API uint32_t ptxoffload_module_count(const struct ptxoffload_input *input);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_module_at(struct ptxoffload_input *input,
                                                           uint32_t module,
                                                           struct ptxoffload_module_info *to);
/* Parses and checks only. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_check(struct ptxoffload_input *input,
                                                       uint32_t module);

/* Decisions */

enum ptxoffload_model { PTXOFFLOAD_MODEL_TOM, PTXOFFLOAD_MODEL_REFINED };
/* Small tags have what the simulator reads, full ones all of the metadata. */
enum ptxoffload_tags {
    PTXOFFLOAD_TAGS_PRAGMA, /* small; full if the module has such */
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
    int keep_order;         /* 1: instructions are not moved */
    int split_fma;          /* enum ptxoffload_split: fused multiply-adds that end a chain */
    int restrict_;          /* 1: different pointers of a kernel point to different memory */
    uint32_t block[3];      /* threads of a block, if all are launched so; 0: unknown */
    double min_saving;      /* least expected saving of a chain in flits; NaN: any */
    const char *output;     /* name of the output in the metadata; NULL: the input's */
    const char *capability; /* YAML text: the unit near the data; NULL: that of [000] */
    int maps;               /* 1: kernels are also compiled to maps for spatial cores */
    uint32_t candidates;    /* bits PTXOFFLOAD_CANDIDATES_…: kinds of blocks; 0: all */
    const char *profile;    /* JSON text of ptxoffload-sim --profile-out; NULL: none */
};
/* The defaults of the command ptxoffload. */
PTXOFFLOAD_API void ptxoffload_options_init(struct ptxoffload_options *options, size_t size);

/* A program with decisions, and its tagged text. */
struct ptxoffload_program;

/* Reads a module, decides, tags the text and proves that it is equivalent to the input. `options`:
 * NULL for the defaults. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_analyse(struct ptxoffload_input *input,
                                                         uint32_t module,
                                                         const struct ptxoffload_options *options,
                                                         struct ptxoffload_program **program);
PTXOFFLOAD_API void ptxoffload_program_free(struct ptxoffload_program *program);

enum ptxoffload_product {
    PTXOFFLOAD_PTX,           /* the tagged text */
    PTXOFFLOAD_METADATA_JSON, /* docs/reference/metadata.md */
    PTXOFFLOAD_METADATA_ELF,  /* the object, with the PTX; include/ptxoffload/metadata.h */
    PTXOFFLOAD_REPORT_TEXT,
    PTXOFFLOAD_REPORT_JSON,
    PTXOFFLOAD_MAPS /* YAML, docs/reference/rgpu.md; a comment for a kernel without a map */
};
/* Sets *bytes and *size. Texts have a 0 byte after their end, which does not count. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_product(struct ptxoffload_program *program,
                                                         enum ptxoffload_product product,
                                                         const void **bytes, size_t *size);
/* The text of a module without tags of ptxoffload. It belongs to the input. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_strip(struct ptxoffload_input *input,
                                                       uint32_t module, const char **text,
                                                       size_t *length);

struct ptxoffload_kernel_info {
    size_t size;
    const char *name;
    uint32_t instructions;
    uint32_t chains, blocks, rejections; /* numbers of those below */
};
#define PTXOFFLOAD_KERNEL_INFO                                                                     \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_kernel_info)                                              \
    }

/* A Load-Compute-Store chain [000 Table 1]. */
struct ptxoffload_chain_info {
    size_t size;
    uint32_t pattern;      /* from 1: a row of Table 1 of [000] */
    const char *formula;   /* of the pattern: "C[k] = A[i] op B[j]" */
    uint32_t instructions; /* see ptxoffload_chain_instruction */
    uint32_t response_flits;
    uint32_t saving; /* flits per warp and hop */
    double expected_saving;
};
#define PTXOFFLOAD_CHAIN_INFO                                                                      \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_chain_info)                                               \
    }

struct ptxoffload_instruction_info {
    size_t size;
    uint32_t line, column; /* in the input */
    uint32_t index;        /* in its kernel in the output; PC = 8 x index */
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
    double bw_tx, bw_rx;   /* words per warp; negative values save */
    int candidate;         /* it saves */
    int chosen;            /* and no overlapping block saves more */
    const char *condition; /* trip count as an expression of live-ins; NULL: none */
    uint64_t threshold;    /* it saves if the condition is at least this */
};
#define PTXOFFLOAD_BLOCK_INFO                                                                      \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_block_info)                                               \
    }

/* A candidate that is not offloaded, and why. */
struct ptxoffload_rejection_info {
    size_t size;
    const char *kind; /* "load", "chain", "block", "store" or "kernel" */
    const char *rule;
    const char *text; /* one sentence */
    uint32_t line, column;
    uint32_t because_line; /* the instruction that causes it; 0: none */
};
#define PTXOFFLOAD_REJECTION_INFO                                                                  \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_rejection_info)                                           \
    }

/* Records are numbered from 0; a number that does not exist is PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API uint32_t ptxoffload_kernel_count(const struct ptxoffload_program *program);
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

/* Device: one module in memory of its own, and kernels that run on it. */

struct ptxoffload_device;

struct ptxoffload_device_options {
    size_t size;
    int functional;              /* 1: values only, without time */
    const char *config;          /* name of a configuration, or of a file; NULL: "isca19" */
    const char *policy;          /* as --policy; NULL: "baseline" */
    const char *const *settings; /* "SECTION.KEY=VALUE" each, up to a NULL; or NULL */
    uint32_t threads;            /* of this process, if functional; 0: one */
    uint64_t max_instructions;   /* of warps, if functional; 0: no limit */
    uint64_t max_cycles;         /* of all launches together; 0: no limit */
    /* Receives what kernels print; NULL: it is dropped. */
    void (*print)(void *user, const char *text, size_t length);
    void *print_user;
};
PTXOFFLOAD_API void ptxoffload_device_options_init(struct ptxoffload_device_options *options,
                                                   size_t size);

/* Makes a device for a module of the input. Policies offload what the tags of its text name. The
 * input may be freed before the device. `options`: NULL for the defaults. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_new(struct ptxoffload_input *input, uint32_t module,
                      const struct ptxoffload_device_options *options,
                      struct ptxoffload_device **device);
/* The same for the text and the decisions of a program, which is freed after the device. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_of(struct ptxoffload_program *program,
                     const struct ptxoffload_device_options *options,
                     struct ptxoffload_device **device);
PTXOFFLOAD_API void ptxoffload_device_free(struct ptxoffload_device *device);

/* Memory of the device. Addresses are aligned to 1024 bytes; new memory is zero. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_allocate(struct ptxoffload_device *device,
                                                          uint64_t bytes, uint64_t *address);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_release(struct ptxoffload_device *device,
                                                         uint64_t address);
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_write(struct ptxoffload_device *device, uint64_t to, const void *from, uint64_t bytes);
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_read(struct ptxoffload_device *device, void *to,
                                                      uint64_t from, uint64_t bytes);
/* Address and size of a variable of the module. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_variable(struct ptxoffload_device *device,
                                                          const char *name, uint64_t *address,
                                                          uint64_t *bytes);

struct ptxoffload_launch {
    size_t size;
    const char *kernel;         /* as in PTX, or as in C++: "scale", "ns::scale<float>" */
    uint32_t grid[3], block[3]; /* 0 is 1 */
    uint64_t shared;            /* bytes of dynamic shared memory */
    int cooperative;
    /* For each parameter of the kernel, a pointer to its value: as many bytes as the parameter has,
     * of its type, which cannot be checked. ptxoffload_parameter_at has names, types and sizes. */
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
    const char *name;   /* as in PTX */
    const char *type;   /* of the parameter or of its elements, as in PTX: "u64", "f32", "b8" */
    uint32_t bytes;     /* of the value that an argument points to */
    uint32_t alignment; /* in bytes */
    uint64_t elements;  /* of an array, as a struct that is passed by value; 0: no array */
};
#define PTXOFFLOAD_PARAMETER_INFO                                                                  \
    {                                                                                              \
        .size = sizeof(struct ptxoffload_parameter_info)                                           \
    }

/* Parameters are numbered from 0; a number that does not exist is PTXOFFLOAD_BAD_ARGUMENT without a
 * diagnostic. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameter_at(struct ptxoffload_device *device,
                                                              const char *kernel, uint32_t number,
                                                              struct ptxoffload_parameter_info *to);
/* Sets *count, and the sizes in bytes of at most `room` parameters. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameters(struct ptxoffload_device *device,
                                                            const char *kernel, uint32_t *sizes,
                                                            uint32_t room, uint32_t *count);
/* Runs the kernel to its end. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_run(struct ptxoffload_device *device,
                                                     const struct ptxoffload_launch *launch);

/* Statistics, as --list-stats of ptxoffload-sim has them. `kernel`: its name in PTX; NULL: of all
 * kernels. A name that the machine does not have, and any name on a functional device, is
 * PTXOFFLOAD_BAD_ARGUMENT without a diagnostic. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic(struct ptxoffload_device *device,
                                                           const char *kernel, const char *name,
                                                           double *value);
PTXOFFLOAD_API uint32_t ptxoffload_statistic_count(const struct ptxoffload_device *device);
/* Sets the name, unit and meaning of a statistic, numbered from 0; each may be NULL. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic_at(struct ptxoffload_device *device,
                                                              uint32_t number, const char **name,
                                                              const char **unit, const char **text);
/* The values of all statistics, by number: ptxoffload_statistic_count of them. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistics(struct ptxoffload_device *device,
                                                            const char *kernel, double *values);

#ifdef __cplusplus
}
#endif
#endif
