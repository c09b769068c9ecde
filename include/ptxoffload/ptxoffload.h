/** @file
 * ptxoffload as a library: reads PTX, decides, tags it, and runs kernels on the simulated GPU.
 *
 * - Nothing here exits, prints or keeps global state.
 * - Threads: objects of different contexts can be used by different threads at the same time; one
 *   context and its objects by one thread at a time, except where the comment says otherwise.
 * - Functions that can fail return an enum ptxoffload_status. Reasons go to the context's function
 *   for diagnostics, each with its location.
 * - Ownership: bytes that the caller passes are copied unless the comment says otherwise. Returned
 *   texts and records belong to the object that returned them, and stay valid until it is freed.
 * - Structs begin with `size`, which the macro of the same name, or the function `…_init`, sets. So
 *   later versions of the library can add members at the end. A size below that of `size` itself,
 *   or above that of the struct here, gives PTXOFFLOAD_BAD_ARGUMENT.
 * - NULL is allowed where the comment says so, and as the object of functions that free or count.
 *   Elsewhere it gives PTXOFFLOAD_BAD_ARGUMENT.
 * - Every function that has an object and a status may also return PTXOFFLOAD_NO_MEMORY. The object
 *   is then lost: all later calls return the same, and it can only be freed.
 * - Free objects before their context.
 *
 * C99 or C++11. Link with pkg-config --libs libptxoffload. docs/guide/api.md is the guide.
 */
#ifndef PTXOFFLOAD_PTXOFFLOAD_H
#define PTXOFFLOAD_PTXOFFLOAD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Version of this header. Until 1.0 each minor version has an interface of its own, and a shared
 * library of its own name. */
#define PTXOFFLOAD_VERSION_MAJOR 0
#define PTXOFFLOAD_VERSION_MINOR 2
#define PTXOFFLOAD_VERSION_PATCH 0

#define PTXOFFLOAD_API __attribute__((visibility("default")))

/** Status codes, equal to the exit codes of the commands that have one. */
enum ptxoffload_status {
    PTXOFFLOAD_OK = 0,
    PTXOFFLOAD_BAD_INPUT = 1,    /**< the input has errors */
    PTXOFFLOAD_BAD_ARGUMENT = 2, /**< an argument is not allowed: an error of the caller */
    PTXOFFLOAD_NO_PROGRESS = 4,  /**< the warps of a kernel wait for each other */
    PTXOFFLOAD_MEMORY_FAULT = 5, /**< a kernel has accessed memory that is not allocated */
    PTXOFFLOAD_NO_MEMORY = 6,    /**< out of memory, or the context's memory limit was reached */
    PTXOFFLOAD_LIMIT = 7,        /**< a limit of cycles or instructions has ended a launch */
    PTXOFFLOAD_CANCELLED = 8     /**< the caller has ended a launch */
};

/** Returns the version of the library at run time.
 * @return "MAJOR.MINOR.PATCH", such as "0.2.0". The text is static. Can be called by any thread. */
PTXOFFLOAD_API const char *ptxoffload_version(void);

/* Context: diagnostics and the memory limit. */

/** Severity of a diagnostic. */
enum ptxoffload_severity {
    PTXOFFLOAD_NOTE, /**< belongs to the previous diagnostic */
    PTXOFFLOAD_WARNING,
    PTXOFFLOAD_ERROR
};

/** What was found, and where. */
struct ptxoffload_diagnostic {
    size_t size;
    enum ptxoffload_severity severity;
    const char *rule;              /**< stable id; docs/reference/diagnostics.md lists them */
    const char *message;           /**< a sentence without a full stop */
    const char *file;              /**< name given by the caller, or of a configuration; or NULL */
    uint32_t line, column;         /**< from 1; 0: no location. Columns count bytes. */
    uint32_t end_line, end_column; /**< after the last character */
};

/** Receives a diagnostic while a function of the library runs. Must not call the library.
 * @param user As given to ptxoffload_set_diagnose().
 * @param diagnostic The diagnostic, which is valid only during the call. */
typedef void ptxoffload_diagnose(void *user, const struct ptxoffload_diagnostic *diagnostic);

/** Function for diagnostics, and the memory limit. */
struct ptxoffload_context;
/** Makes a context: the function for diagnostics, and the memory limit of its objects.
 * @return The context, which the caller frees with ptxoffload_context_free(), or NULL if there is
 *     no memory. */
PTXOFFLOAD_API struct ptxoffload_context *ptxoffload_context_new(void);
/** Frees a context. Requires that its objects have been freed.
 * @param context A context, or NULL. */
PTXOFFLOAD_API void ptxoffload_context_free(struct ptxoffload_context *context);
/** Sets the function that receives diagnostics of the context and of its objects.
 * @param context A context, or NULL, which has no effect.
 * @param diagnose The function; NULL: diagnostics are discarded.
 * @param user First argument of the function. Belongs to the caller, and must stay valid while it
 *     is set. */
PTXOFFLOAD_API void ptxoffload_set_diagnose(struct ptxoffload_context *context,
                                            ptxoffload_diagnose *diagnose, void *user);
/** Sets the memory limit of each object that is created later.
 * @param context A context, or NULL, which has no effect.
 * @param bytes Bytes of each object; 0: no limit. */
PTXOFFLOAD_API void ptxoffload_set_memory_limit(struct ptxoffload_context *context, size_t bytes);

/* Input: PTX text, or a program, object, library, fatbin or cubin with modules of PTX. */

/** The modules of a text, program, object, library, fatbin or cubin. */
struct ptxoffload_input;

/** A module of an input. */
struct ptxoffload_module_info {
    size_t size;
    const char *name;      /**< file name for the module's text: "a.out.2.sm_80.ptx" */
    int has_ptx;           /**< 1: PTX; 0: machine code */
    uint32_t architecture; /**< 80 for sm_80; 0: unknown */
    uint32_t version;      /**< PTX version times 10; 0: unknown */
    uint64_t bytes;        /**< size when unpacked; 0: unknown */
};

/** Opens an input and finds its modules. Texts are not parsed yet.
 * @param context The context of the input.
 * @param name Name of the input in messages; NULL: "input.ptx". It is copied.
 * @param bytes The contents of the file. They are not copied, and must stay valid until the input
 *     is freed.
 * @param size Number of bytes.
 * @param input Set to the input, which the caller frees with ptxoffload_input_free(), or to NULL on
 *     failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the bytes are neither a text nor a readable
 *     container; PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_open(struct ptxoffload_context *context,
                                                      const char *name, const void *bytes,
                                                      size_t size, struct ptxoffload_input **input);
/** Frees an input with its texts and records.
 * @param input An input, or NULL. */
PTXOFFLOAD_API void ptxoffload_input_free(struct ptxoffload_input *input);
/** Returns the number of modules.
 * @param input An input, or NULL.
 * @return The number of modules; a text counts as one. 0 for NULL and for a lost input. */
PTXOFFLOAD_API uint32_t ptxoffload_module_count(const struct ptxoffload_input *input);
/** Describes a module.
 * @param input An input.
 * @param module Number of the module, from 0.
 * @param to Filled with the description. Its texts belong to the input.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if there is no such module, or if `size` is not
 *     allowed. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_module_at(struct ptxoffload_input *input,
                                                           uint32_t module,
                                                           struct ptxoffload_module_info *to);
/** Parses and checks a module, and does nothing else. Findings are diagnostics.
 * @param input An input.
 * @param module Number of the module, from 0.
 * @return PTXOFFLOAD_OK if no diagnostic is an error; PTXOFFLOAD_BAD_INPUT;
 *     PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_check(struct ptxoffload_input *input,
                                                       uint32_t module);

/* Decisions */

/** Model of costs: that of [002], or with the lines of the accesses. */
enum ptxoffload_model { PTXOFFLOAD_MODEL_TOM, PTXOFFLOAD_MODEL_REFINED };
/** Small tags contain what the simulator reads, full tags all metadata. */
enum ptxoffload_tags {
    PTXOFFLOAD_TAGS_PRAGMA, /**< small tags; full tags if the module already has these */
    PTXOFFLOAD_TAGS_COMMENT,
    PTXOFFLOAD_TAGS_PAPER, /**< for reading only */
    PTXOFFLOAD_TAGS_NONE,
    PTXOFFLOAD_TAGS_FULL,
    PTXOFFLOAD_TAGS_FULL_COMMENT
};

/** Values of split_fma: --fma=fused, split, saving. */
enum ptxoffload_split {
    PTXOFFLOAD_SPLIT_NEVER,
    PTXOFFLOAD_SPLIT_ALWAYS,
    PTXOFFLOAD_SPLIT_SAVING /**< only for chains with an expected saving of 0 or more */
};

/** Kinds of candidate blocks. */
enum ptxoffload_candidates {
    PTXOFFLOAD_CANDIDATES_LOOPS = 1,
    PTXOFFLOAD_CANDIDATES_BLOCKS = 2,
    PTXOFFLOAD_CANDIDATES_REGIONS = 4,
    PTXOFFLOAD_CANDIDATES_ALL = 7
};

/** Options of the command ptxoffload. */
struct ptxoffload_options {
    size_t size;
    enum ptxoffload_model cost;
    enum ptxoffload_tags tags;
    int keep_order;         /**< 1: do not move instructions */
    int split_fma;          /**< enum ptxoffload_split, for fused multiply-adds that end a chain */
    int restrict_;          /**< 1: different pointers of a kernel point to different memory */
    uint32_t block[3];      /**< threads of a block, if equal in all launches; 0: unknown */
    double min_saving;      /**< minimum expected saving of a chain in flits; NaN: any */
    const char *output;     /**< name of the output in the metadata; NULL: the input's */
    const char *capability; /**< YAML text: the near-data unit; NULL: that of [000] */
    int maps;               /**< 1: also compile kernels to maps for spatial cores */
    uint32_t candidates;    /**< bits PTXOFFLOAD_CANDIDATES_…: kinds of blocks; 0: all */
    const char *profile;    /**< JSON text of ptxoffload-sim --profile-out; may be NULL */
};
/** Sets the defaults of the command ptxoffload.
 * @param options The caller's struct.
 * @param size Size of the caller's struct in bytes: sizeof *options. A smaller size than that of
 *     `size` itself has no effect. */
PTXOFFLOAD_API void ptxoffload_options_init(struct ptxoffload_options *options, size_t size);

/** A program with decisions, and its tagged text. */
struct ptxoffload_program;

/** Reads a module, decides, tags the text, and proves that it is equivalent to the input. Parts
 * that the proof refutes are left out, with a warning.
 * @param input An input. It may be freed before the program.
 * @param module Number of the module, from 0.
 * @param options Options; NULL: the defaults. Their texts are copied.
 * @param program Set to the program, which the caller frees with ptxoffload_program_free(), or to
 *     NULL on failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the module, the capability or the profile has
 *     errors; PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_analyse(struct ptxoffload_input *input,
                                                         uint32_t module,
                                                         const struct ptxoffload_options *options,
                                                         struct ptxoffload_program **program);
/** Frees a program with its products and records. Requires that its devices have been freed.
 * @param program A program, or NULL. */
PTXOFFLOAD_API void ptxoffload_program_free(struct ptxoffload_program *program);

/** Texts and objects that a program can be written as. */
enum ptxoffload_product {
    PTXOFFLOAD_PTX,           /**< the tagged text */
    PTXOFFLOAD_METADATA_JSON, /**< docs/reference/metadata.md */
    PTXOFFLOAD_METADATA_ELF,  /**< object with the PTX; include/ptxoffload/metadata.h */
    PTXOFFLOAD_REPORT_TEXT,
    PTXOFFLOAD_REPORT_JSON,
    PTXOFFLOAD_MAPS /**< YAML, docs/reference/rgpu.md; a kernel without a map has a comment */
};
/** Writes a product, when it is asked for first.
 * @param program A program.
 * @param product Which one.
 * @param bytes Set to the bytes, which belong to the program. Texts are followed by a 0 byte.
 * @param size Set to the number of bytes, without this 0 byte.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_product(struct ptxoffload_program *program,
                                                         enum ptxoffload_product product,
                                                         const void **bytes, size_t *size);
/** Removes the tags of ptxoffload from the text of a module.
 * @param input An input.
 * @param module Number of the module, from 0.
 * @param text Set to the text, which belongs to the input and is followed by a 0 byte.
 * @param length Set to its bytes, without this 0 byte.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the module has errors; PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_strip(struct ptxoffload_input *input,
                                                       uint32_t module, const char **text,
                                                       size_t *length);

/** A kernel of a program. */
struct ptxoffload_kernel_info {
    size_t size;
    const char *name;
    uint32_t instructions;
    uint32_t chains, blocks, rejections; /**< numbers of records */
};

/** A Load-Compute-Store chain [000 Table 1]. */
struct ptxoffload_chain_info {
    size_t size;
    uint32_t pattern;      /**< row of [000 Table 1], from 1 */
    const char *formula;   /**< formula of the pattern: "C[k] = A[i] op B[j]" */
    uint32_t instructions; /**< number of instructions, see ptxoffload_chain_instruction */
    uint32_t response_flits;
    uint32_t saving;        /**< flits per warp and hop */
    double expected_saving; /**< saving with the expected lines of the accesses and misses of L1 */
};

/** An instruction of a chain. */
struct ptxoffload_instruction_info {
    size_t size;
    uint32_t line, column; /**< location in the input */
    uint32_t index;        /**< index in its kernel in the output; PC = 8 x index */
    const char *opcode;
};

/** A candidate block [002 3.1]. */
struct ptxoffload_block_info {
    size_t size;
    const char *kind; /**< "loop", "block" or "region" */
    uint32_t begin_line, end_line;
    uint32_t loads, stores;
    double bw_tx, bw_rx;   /**< change of traffic in words per warp; negative values save */
    int candidate;         /**< 1: the block saves */
    int chosen;            /**< 1: it saves, and no overlapping block saves more */
    const char *condition; /**< trip count as an expression of live-ins; NULL: no condition */
    uint64_t threshold;    /**< the block saves if the condition is at least this */
};

/** A candidate that is not offloaded, and the reason. */
struct ptxoffload_rejection_info {
    size_t size;
    const char *kind; /**< "load", "chain", "block", "store" or "kernel" */
    const char *rule;
    const char *text; /**< one sentence */
    uint32_t line, column;
    uint32_t because_line; /**< line of the instruction that causes it; 0: no such instruction */
};

/** Returns the number of kernels.
 * @param program A program, or NULL.
 * @return The number of kernels; 0 for NULL and for a lost program. */
PTXOFFLOAD_API uint32_t ptxoffload_kernel_count(const struct ptxoffload_program *program);
/** Describes a kernel.
 * @param program A program.
 * @param kernel Number of the kernel, from 0.
 * @param to Filled with the description. Its texts belong to the program.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic if a number does not exist,
 *     or if `size` is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_kernel_at(const struct ptxoffload_program *program,
                                                           uint32_t kernel,
                                                           struct ptxoffload_kernel_info *to);
/** Describes a Load-Compute-Store chain.
 * @param program A program.
 * @param kernel Number of the kernel, from 0.
 * @param chain Number of the chain, from 0.
 * @param to Filled with the description. Its texts belong to the program.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic if a number does not exist,
 *     or if `size` is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_chain_at(const struct ptxoffload_program *program,
                                                          uint32_t kernel, uint32_t chain,
                                                          struct ptxoffload_chain_info *to);
/** Describes an instruction of a chain.
 * @param program A program.
 * @param kernel Number of the kernel, from 0.
 * @param chain Number of the chain, from 0.
 * @param instruction Number of the instruction, from 0.
 * @param to Filled with the description. Its texts belong to the program.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic if a number does not exist,
 *     or if `size` is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_chain_instruction(const struct ptxoffload_program *program, uint32_t kernel,
                             uint32_t chain, uint32_t instruction,
                             struct ptxoffload_instruction_info *to);
/** Describes a candidate block.
 * @param program A program.
 * @param kernel Number of the kernel, from 0.
 * @param block Number of the block, from 0.
 * @param to Filled with the description. Its texts belong to the program.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic if a number does not exist,
 *     or if `size` is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_block_at(const struct ptxoffload_program *program,
                                                          uint32_t kernel, uint32_t block,
                                                          struct ptxoffload_block_info *to);
/** Describes a rejected candidate.
 * @param program A program.
 * @param kernel Number of the kernel, from 0.
 * @param rejection Number of the rejected candidate, from 0.
 * @param to Filled with the description. Its texts belong to the program.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic if a number does not exist,
 *     or if `size` is not allowed. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_rejection_at(const struct ptxoffload_program *program, uint32_t kernel,
                        uint32_t rejection, struct ptxoffload_rejection_info *to);

/* Device: a module with its own memory, and kernels that run on it. */

/** A module in the memory of a simulated GPU. */
struct ptxoffload_device;

/** Machine and limits of a device. */
struct ptxoffload_device_options {
    size_t size;
    int functional;              /**< 1: compute values only, without time */
    const char *config;          /**< name of a configuration or of a file; NULL: "isca19" */
    const char *policy;          /**< value of --policy; NULL: "baseline" */
    const char *const *settings; /**< list of "SECTION.KEY=VALUE", NULL-terminated; may be NULL */
    uint32_t threads;            /**< host threads of a functional device; 0: one */
    uint64_t max_instructions;   /**< warp instructions of a functional device; 0: no limit */
    uint64_t max_cycles;         /**< cycles of all launches together; 0: no limit */
    /** Receives the output of kernels. NULL: output is discarded. */
    void (*print)(void *user, const char *text, size_t length);
    void *print_user; /**< first argument of `print` */
};
/** Sets the defaults: a timed device with the configuration isca19 and without limits.
 * @param options The caller's struct.
 * @param size Size of the caller's struct in bytes: sizeof *options. A smaller size than that of
 *     `size` itself has no effect. */
PTXOFFLOAD_API void ptxoffload_device_options_init(struct ptxoffload_device_options *options,
                                                   size_t size);

/** Creates a device for a module of an input. Policies offload the candidates that the tags of its
 * text name.
 * @param input An input. It may be freed before the device.
 * @param module Number of the module, from 0.
 * @param options Options; NULL: the defaults. Their texts are copied.
 * @param device Set to the device, which the caller frees with ptxoffload_device_free(), or to NULL
 *     on failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the module, its tags or the configuration has
 *     errors; PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_new(struct ptxoffload_input *input, uint32_t module,
                      const struct ptxoffload_device_options *options,
                      struct ptxoffload_device **device);
/** Creates a device for the text and decisions of a program.
 * @param program A program, which must not be freed before the device.
 * @param options Options; NULL: the defaults. Their texts are copied.
 * @param device Set to the device, which the caller frees with ptxoffload_device_free(), or to NULL
 *     on failure.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_INPUT if the configuration has errors;
 *     PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_device_of(struct ptxoffload_program *program,
                     const struct ptxoffload_device_options *options,
                     struct ptxoffload_device **device);
/** Frees a device with its memory. Has no effect while a launch is running.
 * @param device A device, or NULL. */
PTXOFFLOAD_API void ptxoffload_device_free(struct ptxoffload_device *device);

/** States of a device. A launch can be run in the states idle and faulted. */
enum ptxoffload_device_state {
    PTXOFFLOAD_DEVICE_IDLE,
    PTXOFFLOAD_DEVICE_RUNNING, /**< a launch is running */
    PTXOFFLOAD_DEVICE_FAULTED, /**< the last launch has ended early */
    PTXOFFLOAD_DEVICE_LOST     /**< memory was exhausted */
};
/** Returns the state of a device.
 * @param device A device, or NULL, which counts as lost.
 * @return The state. PTXOFFLOAD_DEVICE_RUNNING is seen by the function for progress only. */
PTXOFFLOAD_API enum ptxoffload_device_state
ptxoffload_device_state(const struct ptxoffload_device *device);
/** Frees all memory that was allocated, gives the variables of the module their initial values, and
 * continues with an empty machine. Statistics and limits continue to count. Addresses are not used
 * again. Requests to cancel are forgotten.
 * @param device A device.
 * @return PTXOFFLOAD_OK; the device is idle. PTXOFFLOAD_BAD_ARGUMENT while a launch is running. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_device_reset(struct ptxoffload_device *device);

/** Progress of a launch. */
struct ptxoffload_progress_info {
    size_t size;
    const char *kernel;        /**< name in PTX */
    uint64_t ctas, ended_ctas; /**< of the launch */
    uint64_t cycles;           /**< of the launch; 0 for a functional device */
    uint64_t instructions;     /**< warp instructions of CTAs, functional devices only; or 0 */
};
/** Receives the progress of a launch, on the thread that has called ptxoffload_run(). May call
 * ptxoffload_cancel() and ptxoffload_device_state(); other functions refuse the device.
 * @param user As given to ptxoffload_set_progress().
 * @param info The progress, which is valid only during the call.
 * @return 0 to continue; otherwise the launch is cancelled. */
typedef int ptxoffload_progress(void *user, const struct ptxoffload_progress_info *info);
/** Sets a function that reports the progress of launches and can cancel them. Launches then run on
 * a thread of the library, on which `print` is called as well. The two functions are never called
 * at the same time.
 * @param device A device.
 * @param progress The function; NULL: none.
 * @param user First argument of the function. Belongs to the caller, and must stay valid while it
 *     is set.
 * @param milliseconds Time between two calls. The first call is after this time, so that short
 *     launches have none.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if the time is 0, or while a launch is running. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_set_progress(struct ptxoffload_device *device,
                                                              ptxoffload_progress *progress,
                                                              void *user, uint32_t milliseconds);
/** Ends the launch that is running, or the next one if none is running, which then does nothing.
 * That launch returns PTXOFFLOAD_CANCELLED. Can be called by any thread, also while
 * ptxoffload_run() is running, and by handlers of signals.
 * @param device A device, or NULL, which has no effect. */
PTXOFFLOAD_API void ptxoffload_cancel(struct ptxoffload_device *device);

/** Allocates memory of the device. It is zero.
 * @param device A device.
 * @param bytes Size in bytes; 0 gives an address of its own.
 * @param address Set to the address in the device, a multiple of 1024, or to 0 on failure.
 *     ptxoffload_release() or ptxoffload_device_reset() frees the memory.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_NO_MEMORY, after which the device stays usable;
 *     PTXOFFLOAD_BAD_ARGUMENT. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_allocate(struct ptxoffload_device *device,
                                                          uint64_t bytes, uint64_t *address);
/** Frees memory of the device. Later accesses of kernels to it are faults.
 * @param device A device.
 * @param address Address that ptxoffload_allocate() has set.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if no allocation starts at this address. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_release(struct ptxoffload_device *device,
                                                         uint64_t address);
/** Copies bytes to memory of the device.
 * @param device A device.
 * @param to Address in the device.
 * @param from Bytes of the caller; may be NULL if `bytes` is 0.
 * @param bytes Number of bytes.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if the range is not in one allocation. */
PTXOFFLOAD_API enum ptxoffload_status
ptxoffload_write(struct ptxoffload_device *device, uint64_t to, const void *from, uint64_t bytes);
/** Copies bytes from memory of the device.
 * @param device A device.
 * @param to Memory of the caller; may be NULL if `bytes` is 0.
 * @param from Address in the device.
 * @param bytes Number of bytes.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if the range is not in one allocation. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_read(struct ptxoffload_device *device, void *to,
                                                      uint64_t from, uint64_t bytes);
/** Finds a variable of the module.
 * @param device A device.
 * @param name Name in PTX.
 * @param address Set to its address in the device.
 * @param bytes Set to its size in bytes.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if there is no such variable. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_variable(struct ptxoffload_device *device,
                                                          const char *name, uint64_t *address,
                                                          uint64_t *bytes);

/** A launch of a kernel. */
struct ptxoffload_launch {
    size_t size;
    const char *kernel;         /**< name in PTX or in C++: "scale", "ns::scale<float>" */
    uint32_t grid[3], block[3]; /**< 0 means 1 */
    uint64_t shared;            /**< bytes of dynamic shared memory */
    int cooperative;            /**< 1: cooperative launch */
    /** For each parameter of the kernel, a pointer to a value of its type and size, which cannot be
     * checked. ptxoffload_parameter_at returns names, types and sizes. */
    const void *const *arguments;
    uint32_t argument_count;
};

/** A parameter of a kernel. */
struct ptxoffload_parameter_info {
    size_t size;
    const char *name;   /**< name in PTX */
    const char *type;   /**< PTX type of the parameter or of its elements: "u64", "f32", "b8" */
    uint32_t bytes;     /**< size of the value to which an argument points */
    uint32_t alignment; /**< in bytes */
    uint64_t elements;  /**< of an array, such as a struct passed by value; 0: not an array */
};

/** Describes a parameter of a kernel.
 * @param device A device.
 * @param kernel Name of the kernel in PTX or in C++.
 * @param number Number of the parameter, from 0.
 * @param to Filled with the description. Its texts belong to the device.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if there is no such kernel, and without a
 *     diagnostic if there is no such parameter. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameter_at(struct ptxoffload_device *device,
                                                              const char *kernel, uint32_t number,
                                                              struct ptxoffload_parameter_info *to);
/** Returns the sizes of the parameters of a kernel.
 * @param device A device.
 * @param kernel Name of the kernel in PTX or in C++.
 * @param sizes Set to the sizes in bytes; may be NULL if `room` is 0.
 * @param room Number of sizes for which there is room.
 * @param count Set to the number of parameters, which may be larger than `room`.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if there is no such kernel. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_parameters(struct ptxoffload_device *device,
                                                            const char *kernel, uint32_t *sizes,
                                                            uint32_t room, uint32_t *count);
/** Runs a kernel to its end. After a failure of the kernel the memory has what was written until
 * then; the next launch finds empty caches.
 * @param device A device that is idle or faulted.
 * @param launch Kernel, shape and arguments. They are read before the kernel starts.
 * @return PTXOFFLOAD_OK: the device is idle. PTXOFFLOAD_MEMORY_FAULT, PTXOFFLOAD_NO_PROGRESS,
 *     PTXOFFLOAD_LIMIT or PTXOFFLOAD_CANCELLED: the kernel has ended early, and the device is
 *     faulted. PTXOFFLOAD_BAD_INPUT or PTXOFFLOAD_BAD_ARGUMENT: the launch was rejected and has
 *     changed nothing. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_run(struct ptxoffload_device *device,
                                                     const struct ptxoffload_launch *launch);

/** Finds the value of a statistic.
 * @param device A timed device.
 * @param kernel Name of a kernel in PTX; NULL: all kernels.
 * @param name Name in ptxoffload-sim --list-stats.
 * @param value Set to the value, in the unit of the statistic.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic for a name that the machine
 *     does not have, a kernel that has not run, and a functional device. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic(struct ptxoffload_device *device,
                                                           const char *kernel, const char *name,
                                                           double *value);
/** Returns the number of statistics.
 * @param device A device, or NULL.
 * @return The number of statistics; 0 for NULL and for a functional or lost device. */
PTXOFFLOAD_API uint32_t ptxoffload_statistic_count(const struct ptxoffload_device *device);
/** Describes a statistic.
 * @param device A device.
 * @param number Number of the statistic, from 0.
 * @param name Set to its name; may be NULL. The texts belong to the device.
 * @param unit Set to its unit; may be NULL.
 * @param text Set to its meaning; may be NULL.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT if there is no such statistic. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistic_at(struct ptxoffload_device *device,
                                                              uint32_t number, const char **name,
                                                              const char **unit, const char **text);
/** Returns the values of all statistics.
 * @param device A timed device.
 * @param kernel Name of a kernel in PTX; NULL: all kernels.
 * @param values Set to ptxoffload_statistic_count() values, by number.
 * @return PTXOFFLOAD_OK; PTXOFFLOAD_BAD_ARGUMENT without a diagnostic for a kernel that has not
 *     run, and a functional device. */
PTXOFFLOAD_API enum ptxoffload_status ptxoffload_statistics(struct ptxoffload_device *device,
                                                            const char *kernel, double *values);

/* Initial values of structs: the size, and 0 for all other members. */
#ifdef __cplusplus
extern "C++" {
/** Returns a struct of this interface with its size, and 0 for all other members. */
template <class T> inline T ptxoffload_sized()
{
    T made = T();
    made.size = sizeof made;
    return made;
}
}
#define PTXOFFLOAD_SIZED(name) ptxoffload_sized<struct name>()
#else
#define PTXOFFLOAD_SIZED(name)                                                                     \
    {                                                                                              \
        .size = sizeof(struct name)                                                                \
    }
#endif
#define PTXOFFLOAD_MODULE_INFO PTXOFFLOAD_SIZED(ptxoffload_module_info)
#define PTXOFFLOAD_KERNEL_INFO PTXOFFLOAD_SIZED(ptxoffload_kernel_info)
#define PTXOFFLOAD_CHAIN_INFO PTXOFFLOAD_SIZED(ptxoffload_chain_info)
#define PTXOFFLOAD_INSTRUCTION_INFO PTXOFFLOAD_SIZED(ptxoffload_instruction_info)
#define PTXOFFLOAD_BLOCK_INFO PTXOFFLOAD_SIZED(ptxoffload_block_info)
#define PTXOFFLOAD_REJECTION_INFO PTXOFFLOAD_SIZED(ptxoffload_rejection_info)
#define PTXOFFLOAD_LAUNCH PTXOFFLOAD_SIZED(ptxoffload_launch)
#define PTXOFFLOAD_PARAMETER_INFO PTXOFFLOAD_SIZED(ptxoffload_parameter_info)

#ifdef __cplusplus
}
#endif

#include "models.h"
#endif
