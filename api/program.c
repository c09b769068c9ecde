// Programs: a module with decisions, its tagged text and its tables.
#include "api/api.h"
#include "backend/elf/elf_tables.h"
#include "passes/base/capability.h"
#include "tagger/tagger.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = PTXOFFLOAD_MAPS + 1 };

struct api_product {
    char *bytes; // from open_memstream, not from the arena; NULL: not written yet
    size_t size;
};

struct ptxoffload_program {
    struct api_object object;
    struct source source;
    struct tagging tagging;
    struct elf_image object_file;
    struct api_product products[PRODUCTS];
    FILE *open; // stream of a product that is being written, or NULL
};

struct ptxoffload_context *api_program_context(const struct ptxoffload_program *program)
{
    return program->object.context;
}

bool api_program_text(const struct ptxoffload_program *program, struct api_text *to)
{
    const struct tagging *t = &program->tagging;
    *to = (struct api_text){program->source.name, t->text, t->length, t->tables};
    return !program->object.lost;
}

// Options

void ptxoffload_options_init(struct ptxoffload_options *options, size_t size)
{
    struct ptxoffload_options usual = {.cost = PTXOFFLOAD_MODEL_REFINED, .min_saving = NAN};
    api_init(options, &usual, size, sizeof usual);
}

static bool read_capability(struct ptxoffload_program *program, const char *text,
                            struct pass_options *to)
{
    struct source source;
    struct diags diags;
    struct arena *arena = &program->object.arena;
    if (!text)
        return true;
    struct capability *capability = ARENA_NEW(arena, struct capability);
    const struct api_text from = {"capability", text, (uint32_t)strlen(text), NULL};
    api_source(&source, arena, &from);
    diags_init(&diags, arena);
    to->capability = capability;
    *capability = capability_usual;
    capability_read(capability, arena, &source, &diags);
    return api_report(program->object.context, &diags, &source);
}

static enum tag_style style_of(struct ptxoffload_program *program,
                               const struct ptxoffload_options *options)
{
    return options->tags == PTXOFFLOAD_TAGS_PRAGMA
               ? backend_style(&program->object.arena, &program->source)
               : (enum tag_style)options->tags;
}

static bool are_allowed(const struct ptxoffload_options *options)
{
    return (unsigned)options->cost <= PTXOFFLOAD_MODEL_REFINED &&
           (unsigned)options->split_fma <= PTXOFFLOAD_SPLIT_SAVING &&
           options->candidates <= PTXOFFLOAD_CANDIDATES_ALL &&
           (unsigned)options->tags <= PTXOFFLOAD_TAGS_FULL_COMMENT && !isinf(options->min_saving);
}

static const struct source *profile_of(struct ptxoffload_program *program, const char *text)
{
    if (!text)
        return NULL;
    struct source *source = ARENA_NEW(&program->object.arena, struct source);
    const struct api_text from = {"profile", text, (uint32_t)strlen(text), NULL};
    api_source(source, &program->object.arena, &from);
    return source;
}

static bool convert_options(struct ptxoffload_program *program,
                            const struct ptxoffload_options *options, struct tagger_options *tagger)
{
    struct arena *arena = &program->object.arena;
    struct backend_options *to = &tagger->output;
    double *min = ARENA_NEW(arena, double);
    *min = options->min_saving;
    *tagger = (struct tagger_options){.goal = TAGGER_OUTPUT,
                                      .has_locations = true,
                                      .profile = profile_of(program, options->profile)};
    *to = (struct backend_options){
        .tags = style_of(program, options),
        .passes =
            {
                .cost = options->cost == PTXOFFLOAD_MODEL_TOM ? COST_TOM : COST_REFINED,
                .fma = (enum fma_mode)options->split_fma,
                .reorder = !options->keep_order,
                .block = {options->block[0], options->block[1], options->block[2]},
                .restrict_parameters = options->restrict_,
                .min_saving = isnan(*min) ? NULL : min,
                .maps = options->maps,
                .kinds = options->candidates,
            },
        .output_name =
            arena_printf(arena, "%s", options->output ? options->output : program->source.name),
    };
    if (to->passes.block.x) { // missing dimensions are 1, as with --block=X
        to->passes.block.y += !to->passes.block.y;
        to->passes.block.z += !to->passes.block.z;
    }
    return read_capability(program, options->capability, &to->passes);
}

static bool report(void *context, struct diags *diags, const struct source *source)
{
    const struct ptxoffload_program *program = context;
    return api_report(program->object.context, diags, source);
}

static enum ptxoffload_status analyse(struct ptxoffload_program *program,
                                      const struct api_text *text,
                                      const struct ptxoffload_options *options)
{
    const struct tagger_callbacks callbacks = {.context = program, .report = report};
    struct tagger_options to;
    API_ENTER(&program->object);
    api_source(&program->source, &program->object.arena, text);
    bool good = convert_options(program, options, &to) &&
                tagger_process(&program->tagging, &program->object.arena, &program->source, &to,
                               &callbacks);
    return good ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_INPUT;
}

static enum ptxoffload_status make_program(struct ptxoffload_input *input,
                                           const struct api_text *text,
                                           const struct ptxoffload_options *options,
                                           struct ptxoffload_program **program)
{
    struct ptxoffload_program *made = api_new(api_input_context(input), sizeof *made);
    if (!made)
        return PTXOFFLOAD_NO_MEMORY;
    enum ptxoffload_status status = analyse(made, text, options);
    if (status == PTXOFFLOAD_OK)
        *program = made;
    else
        ptxoffload_program_free(made);
    return status;
}

enum ptxoffload_status ptxoffload_analyse(struct ptxoffload_input *input, uint32_t module,
                                          const struct ptxoffload_options *options,
                                          struct ptxoffload_program **program)
{
    struct ptxoffload_options all;
    struct api_text text;
    if (!input || !program)
        return PTXOFFLOAD_BAD_ARGUMENT;
    *program = NULL;
    ptxoffload_options_init(&all, sizeof all);
    if (!api_copy_in(&all, options, sizeof all) || !are_allowed(&all))
        return PTXOFFLOAD_BAD_ARGUMENT;
    enum ptxoffload_status status = api_unpack(input, module, &text);
    if (status == PTXOFFLOAD_OK)
        status = make_program(input, &text, &all, program);
    api_drop_unpacked(input);
    return status;
}

void ptxoffload_program_free(struct ptxoffload_program *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; i < PRODUCTS; i++)
        free(program->products[i].bytes);
    api_free(program);
}

// Products

static void write_json(const struct ptxoffload_program *program, FILE *to)
{
    tables_write_json(program->tagging.tables, to);
}

static void write_report_text(const struct ptxoffload_program *program, FILE *to)
{
    struct arena arena;
    arena_init(&arena, program->object.arena.memory);
    report_text(program->tagging.tables, &arena, to, (struct report_style){0});
    arena_free(&arena);
}

static void write_report_json(const struct ptxoffload_program *program, FILE *to)
{
    report_json(program->tagging.tables, to);
}

static void write_maps(const struct ptxoffload_program *program, FILE *to)
{
    tagger_write_maps(&program->tagging, to);
}

typedef void write_function(const struct ptxoffload_program *program, FILE *to);
static write_function *const writers[PRODUCTS] = {
    [PTXOFFLOAD_METADATA_JSON] = write_json,
    [PTXOFFLOAD_REPORT_TEXT] = write_report_text,
    [PTXOFFLOAD_REPORT_JSON] = write_report_json,
    [PTXOFFLOAD_MAPS] = write_maps,
};

static enum ptxoffload_status write_product(struct ptxoffload_program *program,
                                            enum ptxoffload_product product)
{
    API_ENTER(&program->object);
    writers[product](program, program->open);
    return PTXOFFLOAD_OK;
}

static enum ptxoffload_status make_text(struct ptxoffload_program *program,
                                        enum ptxoffload_product product)
{
    struct api_product made = {NULL, 0};
    if (program->products[product].bytes)
        return PTXOFFLOAD_OK;
    program->open = open_memstream(&made.bytes, &made.size);
    if (!program->open)
        return PTXOFFLOAD_NO_MEMORY;
    enum ptxoffload_status status = write_product(program, product);
    bool whole = !ferror(program->open);
    if (fclose(program->open) || !whole)
        status = PTXOFFLOAD_NO_MEMORY;
    program->open = NULL;
    if (status == PTXOFFLOAD_OK)
        program->products[product] = made;
    else
        free(made.bytes);
    return status;
}

static enum ptxoffload_status make_object(struct ptxoffload_program *program)
{
    API_ENTER(&program->object);
    const char *error = program->object_file.bytes
                            ? NULL
                            : tables_write_elf(&program->object_file, &program->object.arena,
                                               program->tagging.tables, program->tagging.text,
                                               program->tagging.length);
    if (error)
        api_fault(program->object.context, "metadata", program->source.name, error);
    return error ? PTXOFFLOAD_BAD_INPUT : PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_product(struct ptxoffload_program *program,
                                          enum ptxoffload_product product, const void **bytes,
                                          size_t *size)
{
    if (!program || !bytes || !size || (unsigned)product >= PRODUCTS)
        return PTXOFFLOAD_BAD_ARGUMENT;
    if (program->object.lost)
        return PTXOFFLOAD_NO_MEMORY;
    if (product == PTXOFFLOAD_PTX) {
        *bytes = program->tagging.text, *size = program->tagging.length;
        return PTXOFFLOAD_OK;
    }
    bool is_object = product == PTXOFFLOAD_METADATA_ELF;
    enum ptxoffload_status status = is_object ? make_object(program) : make_text(program, product);
    if (status != PTXOFFLOAD_OK)
        return status;
    *bytes = is_object ? program->object_file.bytes : program->products[product].bytes;
    *size = is_object ? program->object_file.size : program->products[product].size;
    return PTXOFFLOAD_OK;
}

// Records

static const struct table_kernel *kernel_of(const struct ptxoffload_program *program,
                                            uint32_t kernel)
{
    bool known = program && !program->object.lost && kernel < program->tagging.tables->kernels.n;
    return known ? &program->tagging.tables->kernels.v[kernel] : NULL;
}

uint32_t ptxoffload_kernel_count(const struct ptxoffload_program *program)
{
    return !program || program->object.lost ? 0 : program->tagging.tables->kernels.n;
}

enum ptxoffload_status ptxoffload_kernel_at(const struct ptxoffload_program *program,
                                            uint32_t kernel, struct ptxoffload_kernel_info *to)
{
    const struct table_kernel *from = kernel_of(program, kernel);
    if (!from)
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct ptxoffload_kernel_info info = {
        .name = from->name,
        .instructions = from->instructions,
        .chains = from->chains.n,
        .blocks = from->blocks.n,
        .rejections = from->rejected.n,
    };
    return api_give(to, &info, sizeof info);
}

static const struct table_chain *chain_of(const struct ptxoffload_program *program, uint32_t kernel,
                                          uint32_t chain)
{
    const struct table_kernel *from = kernel_of(program, kernel);
    return from && chain < from->chains.n ? &from->chains.v[chain] : NULL;
}

enum ptxoffload_status ptxoffload_chain_at(const struct ptxoffload_program *program,
                                           uint32_t kernel, uint32_t chain,
                                           struct ptxoffload_chain_info *to)
{
    const struct table_chain *from = chain_of(program, kernel, chain);
    if (!from)
        return PTXOFFLOAD_BAD_ARGUMENT;
    struct ptxoffload_chain_info info = {
        .pattern = from->pattern,
        .formula = chain_patterns[from->pattern].form,
        .instructions = from->instructions.n,
        .response_flits = from->response_flits,
        .saving = from->saving,
        .expected_saving = from->expected_saving,
    };
    return api_give(to, &info, sizeof info);
}

enum ptxoffload_status ptxoffload_chain_instruction(const struct ptxoffload_program *program,
                                                    uint32_t kernel, uint32_t chain,
                                                    uint32_t instruction,
                                                    struct ptxoffload_instruction_info *to)
{
    const struct table_chain *of = chain_of(program, kernel, chain);
    if (!of || instruction >= of->instructions.n)
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct table_instruction *from = &of->instructions.v[instruction];
    struct ptxoffload_instruction_info info = {
        .line = from->line, .column = from->column, .index = from->index, .opcode = from->opcode};
    return api_give(to, &info, sizeof info);
}

enum ptxoffload_status ptxoffload_block_at(const struct ptxoffload_program *program,
                                           uint32_t kernel, uint32_t block,
                                           struct ptxoffload_block_info *to)
{
    const struct table_kernel *of = kernel_of(program, kernel);
    if (!of || block >= of->blocks.n)
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct table_block *from = &of->blocks.v[block];
    struct ptxoffload_block_info info = {
        .kind = table_block_names[from->kind],
        .begin_line = from->begin_line,
        .end_line = from->end_line,
        .loads = from->loads,
        .stores = from->stores,
        .bw_tx = from->estimate.bw_tx,
        .bw_rx = from->estimate.bw_rx,
        .candidate = from->estimate.candidate,
        .chosen = table_block_chosen(from),
        .condition = from->has_condition ? from->condition : NULL,
        .threshold = from->threshold,
    };
    return api_give(to, &info, sizeof info);
}

enum ptxoffload_status ptxoffload_rejection_at(const struct ptxoffload_program *program,
                                               uint32_t kernel, uint32_t rejection,
                                               struct ptxoffload_rejection_info *to)
{
    const struct table_kernel *of = kernel_of(program, kernel);
    if (!of || rejection >= of->rejected.n)
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct table_rejection *from = &of->rejected.v[rejection];
    struct ptxoffload_rejection_info info = {
        .kind = table_candidate_names[from->kind],
        .rule = plan_rules[from->rule].id,
        .text = from->text,
        .line = from->line,
        .column = from->column,
        .because_line = from->because_line,
    };
    return api_give(to, &info, sizeof info);
}
