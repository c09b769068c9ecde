// Lists, describes and names modules.
#include "frontend/container_internal.h"
#include "support/json.h"
#include <inttypes.h>
#include <string.h>

static const char *const container_kinds[] = {
    [CONTAINER_UNKNOWN] = "unknown", [CONTAINER_TEXT] = "ptx",
    [CONTAINER_FATBIN] = "fatbin",   [CONTAINER_ELF] = "elf",
    [CONTAINER_CUBIN] = "cubin",     [CONTAINER_ARCHIVE] = "archive",
    [CONTAINER_LTO_IR] = "lto-ir",   [CONTAINER_METADATA] = "metadata",
};

void container_arch(const struct container_module *module, char *to)
{
    *to = 0;
    if (module->arch)
        snprintf(to, 16, "%u%s", module->arch, (char[]){module->suffix, 0});
}

const char *container_file_name(const struct container *container, uint32_t module)
{
    const char *slash = strrchr(container->name, '/');
    char arch[16];
    container_arch(&container->modules.v[module], arch);
    return arena_printf(container->arena, "%s.%u%s%s", slash ? slash + 1 : container->name, module,
                        *arch ? ".sm_" : "", arch);
}

const char *container_describe(const struct container *container, uint32_t index,
                               struct arena *arena)
{
    const struct container_module *module = &container->modules.v[index];
    char arch[16];
    container_arch(module, arch);
    struct container_location place = {module->member, module->section};
    return arena_printf(arena, "module %u (%s%s%s, %s)", index, module_kind_name(module->kind),
                        *arch ? " for sm_" : "", arch,
                        container_where(arena, place, module->offset));
}

// Writes "9.0", or "" if the version is unknown. `to` has room for 16 bytes.
static void version_text(const struct container_module *module, char *to)
{
    *to = 0;
    if (module->major || module->minor)
        snprintf(to, 16, "%u.%u", module->major, module->minor);
}

enum { COLUMNS = 7 };

struct list_row {
    char cells[COLUMNS][32];
};

static void fill_row(struct list_row *row, const struct container_module *module, uint32_t index)
{
    char arch[16], version[16] = "";
    container_arch(module, arch);
    if (module->kind == MODULE_PTX)
        version_text(module, version);
    snprintf(row->cells[0], sizeof *row->cells, "%u", index);
    snprintf(row->cells[1], sizeof *row->cells, "%s", module_kind_name(module->kind));
    snprintf(row->cells[2], sizeof *row->cells, "%s%s", *arch ? "sm_" : "-", arch);
    snprintf(row->cells[3], sizeof *row->cells, "%s", *version ? version : "-");
    snprintf(row->cells[4], sizeof *row->cells, "%" PRIu64, module->size);
    snprintf(row->cells[5], sizeof *row->cells, "%" PRIu64, module->payload_size);
    snprintf(row->cells[6], sizeof *row->cells, "%s", packing_name(module->packing));
}

static void print_location(const struct container_module *module, FILE *to)
{
    if (module->member)
        fprintf(to, "%s ", module->member);
    if (module->section)
        fprintf(to, "%s ", module->section);
    fprintf(to, "0x%" PRIx64, module->offset);
    if (module->identifier && *module->identifier)
        fprintf(to, " (%s)", module->identifier);
    fputc('\n', to);
}

void container_print(const struct container *container, FILE *to)
{
    static const struct list_row head = {
        {"module", "kind", "arch", "ptx", "bytes", "packed", "packing"}};
    static const bool is_number[COLUMNS] = {[0] = true, [4] = true, [5] = true};
    int width[COLUMNS] = {0};
    // The first iteration measures the columns, the second prints.
    for (int print = 0; print < 2; print++)
        for (uint32_t i = 0; i <= container->modules.n; i++) {
            struct list_row row = head;
            if (i)
                fill_row(&row, &container->modules.v[i - 1], i - 1);
            for (int c = 0; c < COLUMNS; c++) {
                int length = (int)strlen(row.cells[c]);
                if (print)
                    fprintf(to, "%*s  ", is_number[c] ? width[c] : -width[c], row.cells[c]);
                else if (length > width[c])
                    width[c] = length;
            }
            if (print && i)
                print_location(&container->modules.v[i - 1], to);
            else if (print)
                fputs("where\n", to);
        }
}

static void print_text(struct json *json, const char *key, const char *text)
{
    json_member_string(json, key, text && *text ? text : NULL);
}

static void print_number(struct json *json, const char *key, uint64_t number)
{
    json_member_uint(json, key, number);
}

static void print_module(struct json *json, const struct container_module *module, uint32_t index)
{
    char arch[16], name[24] = "", version[16];
    container_arch(module, arch);
    if (*arch)
        snprintf(name, sizeof name, "sm_%s", arch);
    version_text(module, version);
    json_object(json);
    print_number(json, "module", index);
    print_text(json, "kind", module_kind_name(module->kind));
    print_text(json, "arch", name);
    print_text(json, "ptx_version", module->kind == MODULE_PTX ? version : NULL);
    print_number(json, "bytes", module->size);
    print_number(json, "packed_bytes", module->payload_size);
    print_text(json, "packing", packing_name(module->packing));
    json_member_bool(json, "debug", module->is_debug);
    print_text(json, "member", module->member);
    print_text(json, "section", module->section);
    print_number(json, "offset", module->offset);
    print_text(json, "identifier", module->identifier);
    print_text(json, "options", module->options);
    json_end_object(json);
}

void container_print_json(const struct container *container, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    print_text(&json, "format", "ptxoffload-modules");
    print_number(&json, "version", 1);
    print_text(&json, "file", container->name);
    print_text(&json, "container", container_kinds[container->kind]);
    json_key(&json, "modules");
    json_array(&json);
    for (uint32_t i = 0; i < container->modules.n; i++)
        print_module(&json, &container->modules.v[i], i);
    json_end_array(&json);
    json_end_object(&json);
    json_done(&json);
}
