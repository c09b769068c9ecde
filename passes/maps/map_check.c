#include "ir/check.h"
#include "passes/maps/map_code.h"
#include "passes/maps/map_read.h"
#include <stdarg.h>
#include <string.h>

struct map_checking {
    struct arena *arena;
    struct map *map;
    struct diags *diags;
};

static void __attribute__((format(printf, 3, 4)))
fault(struct map_checking *c, const struct map_text *at, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(c->diags, DIAG_ERROR, "map", at->begin, at->end, "%s", text);
}

// Memory nodes

static bool is_opcode(const char *text)
{
    for (; *text; text++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789._:", *text))
            return false;
    return true;
}

// Returns the part of the opcode after its name and space.
static const char *after_space(const char *op)
{
    static const char *const spaces[] = {"global.", "shared."};
    op = strchr(op, '.') + 1;
    for (uint32_t i = 0; i < 2; i++)
        if (!strncmp(op, spaces[i], strlen(spaces[i])))
            return op + strlen(spaces[i]);
    return op;
}

static void check_reduction(struct map_checking *c, const struct map_node *node)
{
    static const char *const forms[] = {"add.u32", "add.s32", "add.f32", "min.u32", "min.s32",
                                        "max.u32", "max.s32", "and.b32", "or.b32",  "xor.b32"};
    const char *form = after_space(node->op.text);
    for (uint32_t i = 0; i < ARRAY_LENGTH(forms); i++)
        if (!strcmp(form, forms[i]))
            return;
    fault(c, &node->op,
          "a reduction must be red.add, red.min, red.max of 32 bits, or red.and, red.or, "
          "red.xor.b32, not '%s'",
          node->op.text);
}

static void check_memory(struct map_checking *c, const struct map_node *node)
{
    uint32_t operands = node->kind == MAP_LOAD ? 1 : 2;
    const char *type = after_space(node->op.text);
    if (node->kind == MAP_REDUCE)
        check_reduction(c, node);
    else if (!node->type || node->type->bytes > 4 || strcmp(type, node->type->name) ||
             (node->type->class == SCALAR_FLOAT && node->type->bytes != 4))
        fault(c, &node->op, "'%s' is not %s with a type of 8, 16 or 32 bits", node->op.text,
              node->kind == MAP_LOAD ? "ld" : "st");
    if (node->operand_count != operands)
        fault(c, &node->name, "'%s' has %u operands, but '%s' needs %u", node->name.text,
              node->operand_count, node->op.text, operands);
    if (!node->base.at.text)
        fault(c, &node->name, "'%s' has no 'base'", node->name.text);
    if (node->kind != MAP_LOAD && node->wait.at.text)
        fault(c, &node->wait.at, "only a load can wait");
    if (node->is_shared && node->wait.at.text)
        fault(c, &node->wait.at, "a load from shared memory cannot wait");
}

// Cores

static bool is_computed(uint8_t class)
{
    return (class >= CLASS_ARITHMETIC && class <= CLASS_CONVERT) || class == CLASS_VIDEO;
}

static bool is_float(uint16_t type)
{
    return type == W_f32 || type == W_f16 || type == W_f16x2 || type == W_bf16 || type == W_bf16x2;
}

// The node's class is that of this instruction. The others convert predicates.
static void set_class(struct map_checking *c, const struct map_code *code, uint32_t number)
{
    struct map_node *node = &c->map->nodes.v[number];
    const struct ir_function *fn = &code->module.functions.v[code->function[number]];
    uint32_t at = !strncmp(node->op.text, "selp.", 5) ? 1 : 0;
    if (at >= fn->insts.n)
        return;
    const struct ir_inst *inst = &fn->insts.v[at];
    if (!is_computed(inst->class)) {
        fault(c, &node->op, "'%s' is not an instruction of a core", node->op.text);
        return;
    }
    uint16_t type = inst->type2 == W_UNKNOWN ? inst->type : inst->type2;
    node->unit = inst->class == CLASS_SPECIAL             ? MAP_SFU
                 : is_float(type) || is_float(inst->type) ? MAP_FLOAT
                                                          : MAP_INT;
}

static void check_cores(struct map_checking *c)
{
    struct map_code code;
    struct diags diags;
    diags_init(&diags, c->arena);
    map_code_make(&code, c->arena, c->map, &diags);
    ir_check(&code.module, forms_new(c->arena), &diags);
    for (uint32_t i = 0; i < diags.list.n; i++) {
        const struct diag *diag = &diags.list.v[i];
        const struct map_node *node = &c->map->nodes.v[map_code_node(&code, diag->begin)];
        if (diag->severity == DIAG_ERROR)
            fault(c, &node->op, "'%s' with a result and %u operands: %s", node->op.text,
                  node->operand_count, diag->message);
    }
    for (uint32_t i = 0; !diags.errors && i < c->map->nodes.n; i++)
        if (c->map->nodes.v[i].kind == MAP_CORE)
            set_class(c, &code, i);
}

// Edges

static bool is_fed_by_itself(const struct map *map, uint32_t number)
{
    const struct map_node *node = &map->nodes.v[number];
    EACH_FIFO (at, node)
        if (map_operand(node, at)->from != number)
            return false;
    return true;
}

static void check_fifos(struct map_checking *c, uint32_t number)
{
    const struct map_node *node = &c->map->nodes.v[number];
    if (!map_fifos(node))
        fault(c, &node->name, "'%s' has no FIFO: nothing would make it fire", node->name.text);
    else if (node->kind == MAP_CORE && map_fifos(node) > MAP_OPERANDS)
        fault(c, &node->name, "'%s' needs %u FIFOs, but a core has %u", node->name.text,
              map_fifos(node), (uint32_t)MAP_OPERANDS);
    else if (is_fed_by_itself(c->map, number) && !node->count.at.text)
        fault(c, &node->name, "'%s' never ends: it has no 'count', and no other node feeds it",
              node->name.text);
    EACH_FIFO (at, node) {
        const struct map_operand *operand = map_operand(node, at);
        if (c->map->nodes.v[operand->from].kind == MAP_STORE ||
            c->map->nodes.v[operand->from].kind == MAP_REDUCE)
            fault(c, &operand->from_text, "'%s' has no result", operand->from_text.text);
    }
}

static void check_uses(struct map_checking *c)
{
    bool *used = ARENA_ARRAY(c->arena, bool, c->map->nodes.n);
    for (uint32_t i = 0; i < c->map->nodes.n; i++)
        EACH_FIFO (at, &c->map->nodes.v[i])
            used[map_operand(&c->map->nodes.v[i], at)->from] |=
                map_operand(&c->map->nodes.v[i], at)->from != i;
    for (uint32_t i = 0; i < c->map->results.n; i++) {
        const struct map_result *result = &c->map->results.v[i];
        uint32_t from = map_operand(&c->map->nodes.v[result->node], result->operand)->from;
        if (from != MAP_NO_NODE)
            used[from] = true;
    }
    for (uint32_t i = 0; i < c->map->nodes.n; i++) {
        const struct map_node *node = &c->map->nodes.v[i];
        if (!used[i] && (node->kind == MAP_CORE || node->kind == MAP_LOAD))
            fault(c, &node->name, "no other node uses the result of '%s'", node->name.text);
    }
}

// A cycle whose FIFOs are all empty never fires. Removes each node whose producers without tokens
// have all been removed. The remaining nodes are on such a cycle or after one.
static void check_cycles(struct map_checking *c)
{
    uint32_t n = c->map->nodes.n, left = n;
    bool *removed = ARENA_ARRAY(c->arena, bool, n);
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = 0; i < n; i++) {
            const struct map_node *node = &c->map->nodes.v[i];
            bool waits = removed[i];
            EACH_FIFO (at, node)
                waits |= !map_tokens(node, at) && !removed[map_operand(node, at)->from];
            if (waits)
                continue;
            removed[i] = again = true;
            left--;
        }
    }
    for (uint32_t i = 0; left && i < n; i++)
        if (!removed[i]) {
            fault(c, &c->map->nodes.v[i].name,
                  "'%s' never fires: it is on a cycle without initial tokens, or depends on one",
                  c->map->nodes.v[i].name.text);
            return;
        }
}

static void check_results(struct map_checking *c)
{
    for (uint32_t i = 0; i < c->map->results.n; i++) {
        const struct map_result *result = &c->map->results.v[i];
        const struct map_node *node = &c->map->nodes.v[result->node];
        if (!map_is_fifo(map_operand(node, result->operand)))
            fault(c, &result->name, "operand %u of '%s' is not a FIFO", result->operand,
                  node->name.text);
    }
}

void map_check(struct arena *arena, struct map *map, struct diags *diags)
{
    struct map_checking c = {arena, map, diags};
    uint32_t before = diags->errors;
    for (uint32_t i = 0; i < map->nodes.n; i++) {
        const struct map_node *node = &map->nodes.v[i];
        if (!is_opcode(node->op.text))
            fault(&c, &node->op, "'%s' is not an opcode", node->op.text);
        else if (node->kind != MAP_CORE)
            check_memory(&c, node);
        check_fifos(&c, i);
    }
    check_uses(&c);
    check_results(&c);
    if (diags->errors == before)
        check_cores(&c);
    if (diags->errors == before)
        check_cycles(&c);
}
