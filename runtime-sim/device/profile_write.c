#include "backend/tables/build.h"
#include "runtime-sim/device/device.h"
#include "runtime-sim/exec/check/profile.h"
#include "support/json.h"

struct named_uint {
    const char *key;
    uint64_t value;
};

static void write_uints(struct json *json, const struct named_uint *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_member_uint(json, list[i].key, list[i].value);
}
#define WRITE_UINTS(json, ...)                                                                     \
    write_uints(json, (const struct named_uint[]){__VA_ARGS__},                                    \
                sizeof(const struct named_uint[]){__VA_ARGS__} / sizeof(struct named_uint))

static void write_access(struct json *json, const char *key, const struct profile_access *access)
{
    json_key(json, key);
    json_object_flat(json);
    WRITE_UINTS(json, {"accesses", access->accesses}, {"lines", access->lines},
                {"sectors", access->sectors}, {"least_lines", access->min},
                {"most_lines", access->max}, {"uniform_addresses", access->uniform});
    json_end_object(json);
}

// Omits a cache without accesses.
static void write_cache(struct json *json, const char *key, const struct profile_cache *cache)
{
    if (!cache->accesses)
        return;
    json_key(json, key);
    json_object_flat(json);
    WRITE_UINTS(json, {"accesses", cache->accesses}, {"hits", cache->hits},
                {"merged", cache->merged});
    json_end_object(json);
}

static void write_memory(struct json *json, const struct profile_memory *memory)
{
    json_key(json, "memory");
    json_object(json);
    write_access(json, "all", &memory->all);
    write_access(json, "full", &memory->full);
    json_member_uint(json, "shared", memory->shared);
    write_cache(json, "l1", &memory->l1);
    write_cache(json, "llc", &memory->llc);
    json_end_object(json);
}

static void write_location(struct json *json, const struct ir_module *module,
                           const struct ir_function *fn, uint32_t inst)
{
    struct source_position place = ir_position(module, fn, inst);
    WRITE_UINTS(json, {"line", place.line}, {"column", place.column}, {"index", inst});
}

void device_write_opcode(struct json *json, const struct tree *tree, uint32_t node)
{
    const char *text = tree->source->text;
    uint32_t begin, end;
    node_opcode_range(tree, node, &begin, &end);
    while (end < tree->nodes.v[node].end && (unsigned char)text[end] > ' ' && text[end] != ';')
        end++;
    json_key(json, "opcode");
    json_text(json, text + begin, end - begin);
}

static void write_instruction(struct json *json, const struct profile_inst *inst)
{
    WRITE_UINTS(json, {"executions", inst->executions}, {"threads", inst->threads},
                {"active", inst->active}, {"lanes", inst->lanes}, {"parted", inst->parted},
                {"defined", inst->defined}, {"uniform", inst->uniform});
    if (inst->memory)
        write_memory(json, inst->memory);
}

static void write_instructions(struct json *json, const struct ir_module *module,
                               const struct ir_function *fn, const struct profile_function *counts)
{
    json_key(json, "instructions");
    json_array(json);
    for (uint32_t i = 0; i < counts->inst_count; i++) {
        const struct profile_inst *inst = &counts->insts[i];
        if (inst->memory)
            json_object(json);
        else
            json_object_flat(json);
        write_location(json, module, fn, i);
        device_write_opcode(json, module->tree, fn->insts.v[i].node);
        write_instruction(json, inst);
        json_end_object(json);
    }
    json_end_array(json);
}

// Writes the loops of a function, each identified by the first instruction of its header.
static void write_loops(struct json *json, const struct ir_module *module,
                        const struct ir_function *fn, const struct profile_function *counts)
{
    json_key(json, "loops");
    json_array(json);
    for (uint32_t i = 0; i < counts->loop_count; i++) {
        const struct profile_loop *loop = &counts->loops[i];
        json_object_flat(json);
        write_location(json, module, fn, fn->blocks.v[fn->loops.v[i].header].first);
        WRITE_UINTS(json, {"entries", loop->entries}, {"iterations", loop->iterations},
                    {"least", loop->min}, {"most", loop->max});
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_function(struct json *json, const struct ir_module *module,
                           const struct ir_function *fn, const struct profile_function *counts)
{
    const struct name *name = tree_name(module->tree, fn->name);
    json_object(json);
    json_key(json, "name");
    json_text(json, name->text, name->length);
    write_instructions(json, module, fn, counts);
    write_loops(json, module, fn, counts);
    json_end_object(json);
}

static void write_block(struct json *json, const struct profile *profile)
{
    json_key(json, "block");
    if (profile->blocks_differ || !profile->block[0]) {
        json_null(json);
        return;
    }
    json_array_flat(json);
    for (uint32_t i = 0; i < 3; i++)
        json_uint(json, profile->block[i]);
    json_end_array(json);
}

static void write_kernel(struct json *json, const struct device_kernel *kernel)
{
    const struct profile *profile = kernel->profile;
    const struct ir_module *module = profile->program->module;
    json_object(json);
    json_member_string(json, "name", kernel->name);
    json_member_uint(json, "launches", kernel->launches);
    write_block(json, profile);
    json_key(json, "functions");
    json_array(json);
    for (uint32_t i = 0; i < profile->program->functions.n; i++) {
        uint32_t function = profile->program->functions.v[i].function;
        if (profile->functions[i])
            write_function(json, module, &module->functions.v[function], profile->functions[i]);
    }
    json_end_array(json);
    json_end_object(json);
}

void profile_write(const struct device *device, profile_more *more, void *context, FILE *to)
{
    char digest[SHA256_HEX + 1];
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "format", "ptxoffload-profile");
    json_member_uint(&json, "version", 1);
    json_key(&json, "source");
    json_object_flat(&json);
    json_member_string(&json, "file", device->source->name);
    tables_digest(digest, device->source->text, device->source->length);
    json_member_string(&json, "sha256", digest);
    json_end_object(&json);
    json_member_uint(&json, "line_bytes", LINE_BYTES);
    json_member_uint(&json, "sector_bytes", SECTOR_BYTES);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < device->kernels.n; i++)
        write_kernel(&json, device->kernels.v[i]);
    json_end_array(&json);
    if (more)
        more(context, &json);
    json_end_object(&json);
    json_done(&json);
}
