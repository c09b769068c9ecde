#include "backend/tables/profile_read.h"
#include "backend/tables/build.h"
#include "backend/tables/fields.h"
#include "support/search.h"
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// The document

struct inst_record {
    uint32_t line, column, index;
    const char *opcode;
    uint64_t executions, threads, active, lanes, parted, defined, uniform;
    bool has_memory, has_l1, has_llc;
    struct measured_inst memory;
    uint64_t uniform_all, uniform_full, shared;
};

struct loop_record {
    uint32_t line, column, index;
    struct measured_loop loop;
};

struct function_record {
    const char *name;
    VEC(struct inst_record) instructions;
    VEC(struct loop_record) loops;
};

struct kernel_record {
    const char *name;
    uint64_t launches;
    VEC(struct function_record) functions;
};

struct document {
    uint32_t version, line_bytes, sector_bytes;
    const char *file;
    char sha256[SHA256_HEX + 1];
    VEC(struct kernel_record) kernels;
    struct table_outcomes outcomes;
    bool is_tagged; // `original` is the digest of the text without tags
    char original[SHA256_HEX + 1];
};

#define ENTRY(KEY, KIND, MEMBER, ...)                                                              \
    {                                                                                              \
        .key = KEY, .kind = FIELD_##KIND, .offset = offsetof(RECORD, MEMBER), __VA_ARGS__          \
    }
#define NUMBER(MEMBER) ENTRY(#MEMBER, NUMBER, MEMBER)
#define PART(KEY, ROWS)                                                                            \
    {                                                                                              \
        .key = KEY, .kind = FIELD_OBJECT, .rows = ROWS                                             \
    }
#define OPTION(KEY, MEMBER, ROWS) ENTRY(KEY, OPTION, MEMBER, .rows = ROWS, .may_lack = true)
#define LIST(MEMBER, ROWS, TYPE)                                                                   \
    ENTRY(#MEMBER, LIST, MEMBER, .rows = ROWS, .size = sizeof(struct TYPE))
#define END                                                                                        \
    {                                                                                              \
        .key = NULL                                                                                \
    }

#define RECORD struct inst_record
#define LINES(KEY)                                                                                 \
    static const struct record_field rows_##KEY[] = {                                              \
        ENTRY("accesses", NUMBER, memory.KEY.accesses),                                            \
        ENTRY("lines", NUMBER, memory.KEY.lines),                                                  \
        ENTRY("sectors", NUMBER, memory.KEY.sectors),                                              \
        ENTRY("least_lines", UINT, memory.KEY.min),                                                \
        ENTRY("most_lines", UINT, memory.KEY.max),                                                 \
        ENTRY("uniform_addresses", NUMBER, uniform_##KEY),                                         \
        END,                                                                                       \
    }
#define CACHE(KEY)                                                                                 \
    static const struct record_field rows_##KEY[] = {                                              \
        ENTRY("accesses", NUMBER, memory.KEY.accesses),                                            \
        ENTRY("hits", NUMBER, memory.KEY.hits),                                                    \
        ENTRY("merged", NUMBER, memory.KEY.merged),                                                \
        END,                                                                                       \
    }
LINES(all);
LINES(full);
CACHE(l1);
CACHE(llc);
static const struct record_field rows_memory[] = {
    PART("all", rows_all),         PART("full", rows_full),          NUMBER(shared),
    OPTION("l1", has_l1, rows_l1), OPTION("llc", has_llc, rows_llc), END,
};
static const struct record_field rows_instruction[] = {
    ENTRY("line", UINT, line, .min = 1),
    ENTRY("column", UINT, column, .min = 1),
    ENTRY("index", UINT, index),
    ENTRY("opcode", TEXT, opcode),
    NUMBER(executions),
    NUMBER(threads),
    NUMBER(active),
    NUMBER(lanes),
    NUMBER(parted),
    NUMBER(defined),
    NUMBER(uniform),
    OPTION("memory", has_memory, rows_memory),
    END,
};
#undef RECORD

#define RECORD struct loop_record
static const struct record_field rows_loop[] = {
    ENTRY("line", UINT, line, .min = 1),
    ENTRY("column", UINT, column, .min = 1),
    ENTRY("index", UINT, index),
    ENTRY("entries", NUMBER, loop.entries),
    ENTRY("iterations", NUMBER, loop.iterations),
    ENTRY("least", NUMBER, loop.min),
    ENTRY("most", NUMBER, loop.max),
    END,
};
#undef RECORD

#define RECORD struct function_record
static const struct record_field rows_function[] = {
    ENTRY("name", TEXT, name),
    LIST(instructions, rows_instruction, inst_record),
    LIST(loops, rows_loop, loop_record),
    END,
};
#undef RECORD

#define RECORD struct kernel_record
static const struct record_field rows_kernel[] = {
    ENTRY("name", TEXT, name),
    NUMBER(launches),
    ENTRY("block", ANY, name),
    LIST(functions, rows_function, function_record),
    END,
};
#undef RECORD

#define RECORD struct document
static const char *const format_name[] = {"ptxoffload-profile", NULL};
static const struct record_field rows_source[] = {
    ENTRY("file", TEXT, file),
    ENTRY("sha256", SHA256, sha256),
    END,
};
static const struct record_field rows_original[] = {
    ENTRY("file", ANY, file),
    ENTRY("sha256", SHA256, original),
    END,
};
static const struct record_field rows_document[] = {
    ENTRY("format", FIXED, version, .words = format_name),
    ENTRY("version", UINT, version, .min = 1, .max = 1),
    PART("source", rows_source),
    ENTRY("line_bytes", UINT, line_bytes, .min = LINE_BYTES, .max = LINE_BYTES),
    ENTRY("sector_bytes", UINT, sector_bytes, .min = SECTOR_BYTES, .max = SECTOR_BYTES),
    LIST(kernels, rows_kernel, kernel_record),
    OPTION("tagged_from", is_tagged, rows_original),
    ENTRY("policy", TEXT, outcomes.policy, .may_lack = true),
    ENTRY("machine", TEXT, outcomes.machine, .may_lack = true),
    ENTRY("offloaded", LIST, outcomes.list, .rows = rows_outcome,
          .size = sizeof(struct table_outcome), .may_lack = true),
    END,
};
#undef RECORD

// Checks of the entries against the program and each other

// A function of the program: where its loops begin, and which of its parts the lists have named.
struct own_function {
    uint32_t *loops;                 // by instruction: the first loop that begins there, or IR_NONE
    uint32_t *next;                  // by loop: the next one that begins with the same instruction
    uint32_t *listed, *listed_loops; // by instruction, by loop: the last list that named it
    uint32_t kernel;                 // number of the kernel that has named the function last
};

struct own_name {
    const struct name *name;
    uint32_t function;
};

struct profile_reading {
    struct arena *arena;
    struct diags *diags;
    const struct ir_module *module;
    struct measurements *to;
    struct own_function *own; // by function
    struct own_name *names;   // of functions with bodies, sorted
    uint32_t name_count;
    uint32_t list;    // number of the current list, from 1 on
    const char *path; // of the current function
};

__attribute__((format(printf, 2, 3))) static void fault(struct profile_reading *r,
                                                        const char *format, ...)
{
    va_list args;
    char text[400];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(r->diags, DIAG_ERROR, "profile", NO_OFFSET, NO_OFFSET, "%s", text);
}

// Returns true if the mean, sum / count, is in [least, most].
static bool mean_is_within(uint64_t sum, uint64_t count, uint64_t min, uint64_t max)
{
    uint64_t mean = sum / count;
    return mean >= min && (mean < max || (mean == max && sum % count == 0));
}

static const char *lines_fault(const struct measured_lines *lines)
{
    enum { LIMIT = WARP_LANES * 16 };
    if (!lines->accesses)
        return lines->lines || lines->sectors ? "lines without an access" : NULL;
    bool bounded = lines->min >= 1 && lines->min <= lines->max && lines->max <= LIMIT;
    if (!bounded || !mean_is_within(lines->lines, lines->accesses, lines->min, lines->max))
        return "the mean of the lines is not between 'least_lines' and 'most_lines', or these are "
               "impossible";
    return lines->sectors < lines->lines ? "fewer sectors than lines" : NULL;
}

static bool cache_is_good(const struct measured_cache *cache)
{
    return cache->hits <= cache->accesses && cache->merged <= cache->accesses - cache->hits;
}

static const char *memory_fault(const struct measured_inst *memory)
{
    const char *wrong = lines_fault(&memory->all);
    wrong = wrong ? wrong : lines_fault(&memory->full);
    if (!wrong &&
        (memory->full.accesses > memory->all.accesses || memory->full.lines > memory->all.lines))
        wrong = "'full' counts more than 'all'";
    if (!wrong && !cache_is_good(&memory->l1))
        wrong = "'l1' has more hits and merges than accesses";
    if (!wrong && !cache_is_good(&memory->llc))
        wrong = "'llc' has more hits and merges than accesses";
    return wrong;
}

static bool is_access(const struct ir_inst *inst)
{
    return inst->class == CLASS_LOAD || inst->class == CLASS_STORE || inst->class == CLASS_ATOMIC;
}

static bool stands_at(const struct profile_reading *r, const struct ir_function *fn, uint32_t index,
                      uint32_t line, uint32_t column)
{
    if (index >= fn->insts.n)
        return false;
    struct source_position place = ir_position(r->module, fn, index);
    return place.line == line && place.column == column;
}

static const char *inst_fault(const struct profile_reading *r, const struct ir_function *fn,
                              const struct inst_record *from, const struct own_function *own)
{
    if (!stands_at(r, fn, from->index, from->line, from->column))
        return arena_printf(r->arena,
                            ": instruction %u of the function is not at line %u, column %u",
                            from->index, from->line, from->column);
    if (own->listed[from->index] == r->list)
        return arena_printf(r->arena, ": instruction %u of the function is listed twice",
                            from->index);
    if (!from->has_memory)
        return NULL;
    const struct measured_inst *memory = &from->memory;
    const char *wrong = memory_fault(memory);
    // Instructions that copy or fetch without registers access caches only.
    bool asks = !memory->all.accesses && (memory->l1.accesses || memory->llc.accesses);
    if (!wrong && !asks && !is_access(&fn->insts.v[from->index]))
        wrong = "the instruction accesses no memory";
    return wrong ? arena_printf(r->arena, ".memory: %s", wrong) : NULL;
}

static void parse_inst(struct profile_reading *r, const struct ir_function *fn, uint32_t number,
                       const struct inst_record *from, struct own_function *own,
                       struct measured_function *to)
{
    const char *wrong = inst_fault(r, fn, from, own);
    if (wrong) {
        fault(r, "%s.instructions[%u]%s", r->path, number, wrong);
        return;
    }
    own->listed[from->index] = r->list;
    if (from->has_memory)
        measured_add_inst(&to->insts[from->index], &from->memory);
}

// Returns the first loop that begins at the instruction and that the current list has not named
// yet, or IR_NONE. Lists name loops in order.
static uint32_t next_loop(const struct profile_reading *r, const struct own_function *own,
                          uint32_t index)
{
    uint32_t loop = own->loops[index];
    while (loop != IR_NONE && own->listed_loops[loop] == r->list)
        loop = own->next[loop];
    return loop;
}

static const char *loop_fault(const struct profile_reading *r, const struct ir_function *fn,
                              const struct loop_record *from, const struct own_function *own)
{
    const struct measured_loop *loop = &from->loop;
    if (!stands_at(r, fn, from->index, from->line, from->column) ||
        own->loops[from->index] == IR_NONE)
        return "no loop of the function begins there";
    if (next_loop(r, own, from->index) == IR_NONE)
        return "the loop is listed twice";
    if (!loop->entries)
        return loop->iterations ? "iterations without an entry" : NULL;
    if (loop->min < 1 || !mean_is_within(loop->iterations, loop->entries, loop->min, loop->max))
        return "the mean of the iterations is not between 'least' and 'most'";
    return NULL;
}

static void parse_loop(struct profile_reading *r, const struct ir_function *fn, uint32_t number,
                       const struct loop_record *from, struct own_function *own,
                       struct measured_function *to)
{
    const char *wrong = loop_fault(r, fn, from, own);
    if (wrong) {
        fault(r, "%s.loops[%u]: %s", r->path, number, wrong);
        return;
    }
    uint32_t at = next_loop(r, own, from->index);
    own->listed_loops[at] = r->list;
    measured_add_loop(&to->loops[at], &from->loop);
}

static int by_name(const void *left, const void *right)
{
    const struct own_name *a = left, *b = right;
    uint32_t length = a->name->length < b->name->length ? a->name->length : b->name->length;
    int by = memcmp(a->name->text, b->name->text, length);
    by = by ? by : (a->name->length > b->name->length) - (a->name->length < b->name->length);
    return by ? by : (a->function > b->function) - (a->function < b->function);
}

static void list_names(struct profile_reading *r)
{
    const struct ir_module *module = r->module;
    r->own = ARENA_ARRAY(r->arena, struct own_function, module->functions.n + 1);
    r->names = ARENA_ARRAY(r->arena, struct own_name, module->functions.n + 1);
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body)
            r->names[r->name_count++] =
                (struct own_name){tree_name(module->tree, module->functions.v[i].name), i};
    qsort(r->names, r->name_count, sizeof *r->names, by_name);
}

// Returns the first function of this name with a body, or IR_NONE.
static uint32_t find_function(const struct profile_reading *r, const char *name)
{
    const struct name wanted = {.text = name, .length = (uint32_t)strlen(name)};
    const struct own_name key = {&wanted, 0};
    uint32_t low = SEARCH(i, 0, r->name_count, by_name(&r->names[i], &key) < 0);
    bool found = low < r->name_count && r->names[low].name->length == wanted.length &&
                 !memcmp(r->names[low].name->text, name, wanted.length);
    return found ? r->names[low].function : IR_NONE;
}

// Returns the function's lists, made by the first call. An empty header of a loop stands for the
// next instruction, as in the writer; several loops can therefore begin at one instruction.
static struct own_function *own_function(struct profile_reading *r, uint32_t function)
{
    struct own_function *own = &r->own[function];
    const struct ir_function *fn = &r->module->functions.v[function];
    if (own->loops)
        return own;
    own->loops = ARENA_ARRAY(r->arena, uint32_t, fn->insts.n + 1);
    own->listed = ARENA_ARRAY(r->arena, uint32_t, fn->insts.n + 1);
    own->listed_loops = ARENA_ARRAY(r->arena, uint32_t, fn->loops.n + 1);
    own->next = ARENA_ARRAY(r->arena, uint32_t, fn->loops.n + 1);
    for (uint32_t i = 0; i < fn->insts.n; i++)
        own->loops[i] = IR_NONE;
    for (uint32_t loop = fn->loops.n; loop-- > 0;) {
        uint32_t first = fn->blocks.v[fn->loops.v[loop].header].first;
        if (first >= fn->insts.n)
            continue;
        own->next[loop] = own->loops[first];
        own->loops[first] = loop;
    }
    return own;
}

static void parse_function(struct profile_reading *r, const struct function_record *from,
                           uint32_t kernel)
{
    uint32_t function = find_function(r, from->name);
    if (function == IR_NONE) {
        fault(r, "%s.name: the program has no function of this name with a body", r->path);
        return;
    }
    const struct ir_function *fn = &r->module->functions.v[function];
    struct own_function *own = own_function(r, function);
    struct measured_function *to = measured_function(r->to, r->arena, r->module, function);
    if (own->kernel == kernel) {
        fault(r, "%s.name: the kernel lists this function twice", r->path);
        return;
    }
    own->kernel = kernel;
    r->list++;
    for (uint32_t i = 0; i < from->instructions.n; i++)
        parse_inst(r, fn, i, &from->instructions.v[i], own, to);
    for (uint32_t i = 0; i < from->loops.n; i++)
        parse_loop(r, fn, i, &from->loops.v[i], own, to);
}

static void parse_kernels(struct profile_reading *r, const struct document *document)
{
    list_names(r);
    for (uint32_t i = 0; i < document->kernels.n; i++) {
        const struct kernel_record *kernel = &document->kernels.v[i];
        for (uint32_t k = 0; k < kernel->functions.n; k++) {
            r->path = arena_printf(r->arena, "kernels[%u].functions[%u]", i, k);
            parse_function(r, &kernel->functions.v[k], i + 1);
        }
    }
}

// The program of the profile

// Returns true if the numbers of instructions are those of this program. A profile of the tagged
// program has other places; only its numbers of chains and blocks are used.
static bool check_digest(struct profile_reading *r, const struct document *document,
                         const struct source *tagged)
{
    char own[SHA256_HEX + 1], other[SHA256_HEX + 1];
    const struct source *source = r->module->tree->source;
    tables_digest(own, source->text, source->length);
    if (!strcmp(own, document->sha256))
        return true;
    if (document->is_tagged && !strcmp(own, document->original)) {
        diag_add(r->diags, DIAG_NOTE, "profile", NO_OFFSET, NO_OFFSET,
                 "the profile is of the tagged text: only its numbers of chains and blocks are "
                 "used; a profile of '%s' itself also has those of instructions",
                 source->name);
        return false;
    }
    if (tagged)
        tables_digest(other, tagged->text, tagged->length);
    if (tagged && !strcmp(other, document->sha256))
        fault(r, "source.sha256: the profile is of the tagged text; profile the text without tags, "
                 "as written by --strip");
    else
        fault(r,
              "source.sha256: the profile is of another program: '%.100s' with the digest %s; this "
              "one has %s. Profile this file itself, not an output made from it",
              document->file, document->sha256, own);
    return false;
}

static void read_document(struct profile_reading *r, json_t *root, const struct source *tagged,
                          struct table_outcomes *outcomes)
{
    struct document document = {0};
    struct intern unknown;
    intern_init(&unknown, r->arena);
    struct field_reader reader = {r->arena, r->diags, "profile", NO_OFFSET, NO_OFFSET, &unknown};
    if (!fields_read_json(&reader, rows_document, &document, root, ""))
        return;
    bool own = check_digest(r, &document, tagged);
    if (own)
        parse_kernels(r, &document);
    document.outcomes.is_alone = !own;
    if (outcomes)
        *outcomes = document.outcomes;
}

static json_t *parse(const struct source *profile, struct diags *diags)
{
    json_error_t error;
    json_t *root = json_loadb(profile->text, profile->length, JSON_REJECT_DUPLICATES, &error);
    if (root)
        return root;
    uint32_t at = error.position < 0                           ? 0
                  : (uint32_t)error.position > profile->length ? profile->length
                                                               : (uint32_t)error.position;
    diag_add(diags, DIAG_ERROR, "profile", at, at, "not a JSON document: %s", error.text);
    return NULL;
}

const struct measurements *profile_read(struct arena *arena, const struct source *profile,
                                        const struct ir_module *module, const struct source *tagged,
                                        struct table_outcomes *outcomes, struct diags *diags)
{
    struct profile_reading r = {.arena = arena, .diags = diags, .module = module};
    char *digest = arena_alloc(arena, SHA256_HEX + 1);
    r.to = measurements_new(arena, module);
    tables_digest(digest, profile->text, profile->length);
    r.to->sha256 = digest;
    json_t *root = parse(profile, diags);
    if (!root)
        return NULL;
    // If the arena's memory runs out, longjmp leaves this function; free jansson's memory first.
    struct memory *memory = arena->memory;
    jmp_buf outer;
    memcpy(outer, memory->on_failure, sizeof outer);
    if (setjmp(memory->on_failure)) {
        json_decref(root);
        memcpy(memory->on_failure, outer, sizeof outer);
        longjmp(memory->on_failure, 1);
    }
    read_document(&r, root, tagged, outcomes);
    json_decref(root);
    memcpy(memory->on_failure, outer, sizeof outer);
    return diags->errors ? NULL : r.to;
}
