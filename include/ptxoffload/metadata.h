// clang-format off
/* The layout of an ELF object from `ptxoffload --emit=elf`: the tagged PTX, and the metadata as
 * records of fixed size that a program can map and read in place. docs/reference/metadata.md defines the
 * meaning of the members. C11 or C++11; no library is needed.
 *
 * The object is ELF64, little-endian, relocatable (ET_REL), without a machine (EM_NONE). All
 * numbers are little-endian and aligned to their size, in the file and in memory.
 *
 * Sections are found by name. Each exists exactly once, and may be empty:
 *
 *     .note.ptxoffload           notes: version of the format, digests (enum ptxoffload_note)
 *     .ptxoffload.ptx            the tagged PTX text, without a NUL byte at the end
 *     .ptxoffload.module         struct ptxoffload_module
 *     .ptxoffload.kernels        struct ptxoffload_kernel
 *     .ptxoffload.chains         struct ptxoffload_chain
 *     .ptxoffload.instructions   struct ptxoffload_instruction
 *     .ptxoffload.blocks         struct ptxoffload_block
 *     .ptxoffload.estimates      struct ptxoffload_estimate
 *     .ptxoffload.registers      struct ptxoffload_register
 *     .ptxoffload.rejected       struct ptxoffload_rejection
 *     .ptxoffload.strings        strings in UTF-8, each with a NUL byte; the first is empty
 *
 * The symbol table has one symbol per kernel. Its value is the offset of the kernel's record.
 *
 * Within a version of the format, records may grow at their end, and reserved bytes may get a
 * meaning. Readers advance by the section's sh_entsize, not by sizeof, and ignore reserved bytes
 * and unknown sections and notes. Writers of this version set reserved bytes to 0.
 *
 * [000] is Opportunistic Computing in GPU Architectures (ISCA'19), [002] Transparent Offloading and
 * Mapping (ISCA'16).
 */
#ifndef PTXOFFLOAD_METADATA_H
#define PTXOFFLOAD_METADATA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#define PTXOFFLOAD_ASSERT(condition) static_assert(condition, #condition)
#else
#define PTXOFFLOAD_ASSERT(condition) _Static_assert(condition, #condition)
#endif

/* Names of sections. */
#define PTXOFFLOAD_SECTION_NOTE ".note.ptxoffload"
#define PTXOFFLOAD_SECTION_PTX ".ptxoffload.ptx"
#define PTXOFFLOAD_SECTION_MODULE ".ptxoffload.module"
#define PTXOFFLOAD_SECTION_KERNELS ".ptxoffload.kernels"
#define PTXOFFLOAD_SECTION_CHAINS ".ptxoffload.chains"
#define PTXOFFLOAD_SECTION_INSTRUCTIONS ".ptxoffload.instructions"
#define PTXOFFLOAD_SECTION_BLOCKS ".ptxoffload.blocks"
#define PTXOFFLOAD_SECTION_ESTIMATES ".ptxoffload.estimates"
#define PTXOFFLOAD_SECTION_REGISTERS ".ptxoffload.registers"
#define PTXOFFLOAD_SECTION_REJECTED ".ptxoffload.rejected"
#define PTXOFFLOAD_SECTION_STRINGS ".ptxoffload.strings"

/* Types of notes. Their name is PTXOFFLOAD_NOTE_NAME with its NUL byte. */
#define PTXOFFLOAD_NOTE_NAME "ptxoffload"

enum ptxoffload_note {
    PTXOFFLOAD_NOTE_VERSION = 1, /* uint32_t: PTXOFFLOAD_METADATA_VERSION */
    PTXOFFLOAD_NOTE_SOURCE = 16, /* 32 bytes: SHA-256 of the input, without tags of earlier runs */
    PTXOFFLOAD_NOTE_OUTPUT = 17  /* 32 bytes: SHA-256 of .ptxoffload.ptx */
};

/* The number is equal to `version` in the JSON document. It changes if an entry changes its meaning
 * or is removed. */
enum { PTXOFFLOAD_METADATA_VERSION = 1 };

/* Words. */

/* Cost model of blocks. */
enum ptxoffload_cost {
    PTXOFFLOAD_COST_TOM = 0,
    PTXOFFLOAD_COST_REFINED = 1
};

/* Multiply-adds that are divided for chains. */
enum ptxoffload_fma {
    PTXOFFLOAD_FMA_FUSED = 0,
    PTXOFFLOAD_FMA_SPLIT = 1,
    PTXOFFLOAD_FMA_SAVING = 2
};

/* Reply of a chain to the core [000, Table 1]. */
enum ptxoffload_response {
    PTXOFFLOAD_RESPONSE_ACK = 0,
    PTXOFFLOAD_RESPONSE_DATA = 1,
    PTXOFFLOAD_RESPONSE_BITMAP = 2
};

/* An instruction's place in its chain: the two bits of its tag [000, Figure 6]. */
enum ptxoffload_tag {
    PTXOFFLOAD_TAG_FIRST = 1, /* 01 */
    PTXOFFLOAD_TAG_MIDDLE = 2, /* 10 */
    PTXOFFLOAD_TAG_LAST = 3 /* 11 */
};

enum ptxoffload_block_kind {
    PTXOFFLOAD_BLOCK_LOOP = 0,
    PTXOFFLOAD_BLOCK_BASIC = 1, /* one basic block */
    PTXOFFLOAD_BLOCK_REGION = 2 /* several, with one entry and one exit */
};

/* Bits: channels that save, from the core to the memory and back [002, §3.1]. */
enum ptxoffload_saves {
    PTXOFFLOAD_SAVES_TX = 1,
    PTXOFFLOAD_SAVES_RX = 2
};

/* Bits: numbers of the refined model that are measured (--profile). */
enum ptxoffload_measured {
    PTXOFFLOAD_MEASURED_LINES = 1, /* lines that accesses touch */
    PTXOFFLOAD_MEASURED_MISSES = 2, /* misses of the caches */
    PTXOFFLOAD_MEASURED_TRIPS = 4 /* iterations of the block or of a loop in it */
};

enum ptxoffload_candidate {
    PTXOFFLOAD_CANDIDATE_LOAD = 0,
    PTXOFFLOAD_CANDIDATE_CHAIN = 1,
    PTXOFFLOAD_CANDIDATE_BLOCK = 2,
    PTXOFFLOAD_CANDIDATE_STORE = 3,
    PTXOFFLOAD_CANDIDATE_KERNEL = 4, /* its chains are not offloaded to cores */
    PTXOFFLOAD_CANDIDATE_MAP = 5 /* a kernel for spatial cores */
};

/* Offset of a string in .ptxoffload.strings. */
typedef uint32_t ptxoffload_string;

/* Records of another section, counted from 0. The ranges of consecutive records are consecutive:
 * each record belongs to exactly one range. */
struct ptxoffload_range {
    uint32_t first;
    uint32_t count;
};
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_range) == 8);

/* Records. */

/* The run, one record. The notes have its digests. */
struct ptxoffload_module {
    ptxoffload_string source; /* name of the input as it was given */
    ptxoffload_string output; /* name of the PTX that was written; <none>: none */
    /* each kernel with a body, in the order of the text, and each other function with chains,
     * blocks or rejections; in .ptxoffload.kernels */
    struct ptxoffload_range kernels;
    uint8_t cost; /* the cost model that decides, --cost; enum ptxoffload_cost */
    uint8_t fma; /* --fma; enum ptxoffload_fma */
    uint8_t reorder; /* false with --no-reorder; 0 or 1 */
    uint8_t restrict_parameters; /* true with --restrict; 0 or 1 */
    uint32_t block_x; /* --block; null, in objects 0: not given; unit: threads */
    uint32_t block_y; /* --block; null, in objects 0: not given; unit: threads */
    uint32_t block_z; /* --block; null, in objects 0: not given; unit: threads */
    /* keys of --capability that differ from the default, as in a file; empty: none */
    ptxoffload_string capability;
    ptxoffload_string profile; /* SHA-256 of the file of --profile; empty: none */
    /* --min-saving: the smallest expected_saving of a chain; absent, in objects NaN: not given;
     * unit: flits per warp and hop */
    double min_saving;
    /* --candidates: kinds of blocks; absent, in objects 0: not given, all kinds; bits, 1 << enum
     * ptxoffload_block_kind */
    uint8_t candidates;
    uint8_t reserved[7];
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, kernels) == 8);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, cost) == 16);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, block_x) == 20);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, capability) == 32);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, min_saving) == 40);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_module, candidates) == 48);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_module) == 56);

/* A kernel with a body, or another function with chains, blocks or rejections. */
struct ptxoffload_kernel {
    ptxoffload_string name; /* the function's name */
    uint32_t instructions; /* number of instructions of the function in the output */
    /* number of its loads that may access global memory: ld.global, and ld without a space unless
     * its address is known to lie in another one */
    uint32_t loads;
    /* Load-Compute-Store chains [000, Table 1] that are offered to the hardware; in
     * .ptxoffload.chains */
    struct ptxoffload_range chains;
    /* candidate blocks [002, §3.1], in the order of the text; in .ptxoffload.blocks */
    struct ptxoffload_range blocks;
    /* rejected candidates, in the order of the text; in .ptxoffload.rejected */
    struct ptxoffload_range rejected;
    /* variables in shared memory that the function and its callees use; a launch may add to them;
     * unit: bytes */
    uint32_t shared_bytes;
    /* shared memory has room for the service queue at a core [000, §4.5]: chains may be computed at
     * cores; 0 or 1 */
    uint8_t service_queue_at_core;
    uint8_t reserved[3];
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_kernel, instructions) == 4);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_kernel, chains) == 12);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_kernel, shared_bytes) == 36);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_kernel, service_queue_at_core) == 40);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_kernel) == 44);

/* A Load-Compute-Store chain [000, Table 1]. */
struct ptxoffload_chain {
    uint32_t id; /* its place in the list */
    /* its instructions, in the order of the output; in .ptxoffload.instructions */
    struct ptxoffload_range instructions;
    /* what the chain saves if core and memory are equally far apart for all accesses; unit: flits
     * per warp and hop */
    uint32_t saving;
    uint32_t response_flits; /* size of the reply; unit: flits */
    uint8_t pattern; /* row of [000, Table 1] */
    uint8_t response; /* reply to the core; enum ptxoffload_response */
    uint8_t reserved[2];
    /* saving with the expected lines of the accesses and misses of L1; negative: L1 saves more;
     * unit: flits per warp and hop */
    double expected_saving;
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_chain, instructions) == 4);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_chain, saving) == 12);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_chain, pattern) == 20);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_chain, expected_saving) == 24);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_chain) == 32);

/* An instruction of a chain. */
struct ptxoffload_instruction {
    uint32_t line; /* line in the input, from 1 */
    uint32_t column; /* column in the input, from 1, of the instruction or its guard; unit: bytes */
    uint32_t index; /* place in its kernel in the output, from 0; the PC is 8 times that */
    ptxoffload_string opcode; /* opcode with its modifiers, as in the output */
    uint8_t tag; /* first, middle or last instruction of the chain; enum ptxoffload_tag */
    uint8_t reserved[3];
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_instruction, opcode) == 12);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_instruction, tag) == 16);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_instruction) == 20);

/* Result of a cost model for a block [002, §3.1]. Negative numbers save. */
struct ptxoffload_estimate {
    /* change of the traffic to memory, negative saves: words_in − iterations × saved_tx; unit:
     * words per warp */
    double bw_tx;
    /* change of the traffic from memory: words_out − iterations × saved_rx; unit: words per warp */
    double bw_rx;
    /* bw_tx at the smallest number of iterations for which bw_tx + bw_rx is negative; unit: words
     * per warp */
    double at_threshold_bw_tx;
    double at_threshold_bw_rx; /* bw_rx at that number; unit: words per warp */
    /* number from which bw_tx saves; null, in objects 0: never; unit: iterations */
    uint64_t threshold_tx;
    /* number from which bw_rx saves; null, in objects 0: never; unit: iterations */
    uint64_t threshold_rx;
    uint8_t cost; /* the cost model of these numbers; enum ptxoffload_cost */
    /* channels that save at the threshold: TOM's two bits; enum ptxoffload_saves, as bits */
    uint8_t saves;
    /* the block saves by this model, under its condition if it has one; 0 or 1 */
    uint8_t candidate;
    uint8_t reserved[5];
    double words_in; /* cost of moving the live-ins; unit: words per warp */
    double words_out; /* cost of moving the live-outs; unit: words per warp */
    /* traffic to memory of the accesses of one iteration without offloading; unit: words per warp
     * */
    double saved_tx;
    /* traffic from memory of the accesses of one iteration without offloading; unit: words per warp
     * */
    double saved_rx;
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_estimate, threshold_tx) == 32);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_estimate, cost) == 48);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_estimate, words_in) == 56);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_estimate) == 88);

/* Name of a register in the PTX. CC.CF is the carry flag. */
struct ptxoffload_register {
    ptxoffload_string name; /* a register */
};
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_register) == 4);

/* A rejected candidate. */
struct ptxoffload_rejection {
    /* line in the input of the load or store, the chain's operation, the first instruction of the
     * block or kernel */
    uint32_t line;
    uint32_t column; /* its column; unit: bytes */
    uint32_t because_line; /* line of the instruction that caused it; null, in objects 0: none */
    ptxoffload_string rule; /* the rule id */
    ptxoffload_string text; /* the reason as a sentence */
    uint8_t kind; /* kind of the rejected candidate; enum ptxoffload_candidate */
    uint8_t reserved[3];
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_rejection, rule) == 12);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_rejection, kind) == 20);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_rejection) == 24);

/* A candidate block [002, §3.1]. Candidates that are not passed over are to be offloaded; one
 * within another if the condition of the other is false. */
struct ptxoffload_block {
    uint32_t id; /* its place in the list */
    uint32_t begin_line; /* line of its first instruction in the input, without labels */
    uint32_t end_line; /* line of its last instruction in the input */
    uint32_t begin_index; /* its first instruction in its kernel in the output */
    uint32_t end_index; /* its last instruction in its kernel in the output (inclusive) */
    uint32_t loads; /* loads of one iteration */
    uint32_t stores; /* stores of one iteration */
    /* loop, one basic block, or region of several with one entry and one exit; enum
     * ptxoffload_block_kind */
    uint8_t kind;
    /* it is a candidate, but overlaps one that saves more and that it is no alternative to; 0 or 1
     * */
    uint8_t passed_over;
    /* the block is to be offloaded only if this is true; null, in objects 0: always; 0 or 1 */
    uint8_t conditional;
    /* numbers of the refined model that are from --profile; enum ptxoffload_measured, as bits */
    uint8_t measured;
    /* registers that are sent along: those that the block reads before it defines them; in
     * .ptxoffload.registers */
    struct ptxoffload_range live_in;
    /* registers that come back, for the lanes in which the block has written them; in
     * .ptxoffload.registers */
    struct ptxoffload_range live_out;
    /* results of the other cost model; in .ptxoffload.estimates */
    struct ptxoffload_range alternatives;
    /* smallest value for which the block is to be offloaded; unit: iterations */
    uint64_t threshold;
    ptxoffload_string condition; /* the trip count as an expression of live-in registers */
    uint32_t reserved_2;
    struct ptxoffload_estimate estimate;
};
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_block, kind) == 28);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_block, live_in) == 32);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_block, threshold) == 56);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_block, condition) == 64);
PTXOFFLOAD_ASSERT(offsetof(struct ptxoffload_block, estimate) == 72);
PTXOFFLOAD_ASSERT(sizeof(struct ptxoffload_block) == 160);

#undef PTXOFFLOAD_ASSERT
// clang-format on

/* Returns a little-endian number of an object. */
static inline uint64_t ptxoffload_number(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | at[bytes];
    return value;
}

/* Returns the contents of a section of an object in memory. Returns NULL if the bytes are not such
 * an object or are truncated, or if no section has this name. Sets *size to the bytes of the
 * section, and *step to the distance between its records (sh_entsize), or to 0 without records.
 * Both are set to 0 if the result is NULL. The contents have the alignment of the object. */
static inline const void *ptxoffload_section(const void *object, size_t bytes, const char *name,
                                             uint64_t *size, uint64_t *step)
{
    enum { HEADER = 64, NAME = 0, OFFSET = 24, SIZE = 32, STEP = 56 };
    const unsigned char *file = (const unsigned char *)object;
    const unsigned char magic[6] = {0x7f, 'E', 'L', 'F', 2, 1}; /* 64 bits, little-endian */
    *size = *step = 0;
    for (unsigned i = 0; i < sizeof magic; i++)
        if (bytes < HEADER || file[i] != magic[i])
            return NULL;
    uint64_t first = ptxoffload_number(file + 40, 8), count = ptxoffload_number(file + 60, 2);
    uint64_t names_at = ptxoffload_number(file + 62, 2);
    if (first > bytes || ptxoffload_number(file + 58, 2) != HEADER ||
        count > (bytes - first) / HEADER || names_at >= count)
        return NULL;
    const unsigned char *headers = file + first, *strings = headers + names_at * HEADER;
    uint64_t from = ptxoffload_number(strings + OFFSET, 8);
    uint64_t left = ptxoffload_number(strings + SIZE, 8);
    if (from > bytes || left > bytes - from)
        return NULL;
    for (uint64_t i = 1; i < count; i++) {
        const unsigned char *header = headers + i * HEADER;
        uint64_t at = ptxoffload_number(header + OFFSET, 8);
        uint64_t found = ptxoffload_number(header + SIZE, 8);
        uint64_t k = ptxoffload_number(header + NAME, 4), n = 0;
        while (k + n < left && name[n] && file[from + k + n] == (unsigned char)name[n])
            n++;
        if (k + n >= left || name[n] || file[from + k + n])
            continue;
        if (at > bytes || found > bytes - at)
            return NULL;
        *size = found;
        *step = ptxoffload_number(header + STEP, 8);
        return file + at;
    }
    return NULL;
}

#ifdef __cplusplus
}
#endif

#endif
