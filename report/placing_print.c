// Prints the placement of chains (placing.h), as text or as JSON.
#include "report/placing.h"
#include "support/json.h"

// Names of the ways to execute chains, for text and JSON.
static const struct {
    const char *text, *key;
} ways[PLACING_WAYS] = {[PLACING_CORE] = {"without offloading", "baseline"},
                        [PLACING_ONE] = {"LLC-Compute", "llc"},
                        [PLACING_MEET] = {"Omni-Compute, where routes meet", "omni"},
                        [PLACING_OPERAND] = {"Omni-Compute, at one operand", "operand"}};

static const char *function_name(const struct placing_program *program, uint32_t function)
{
    const struct ir_module *module = program->module;
    const struct name *name = tree_name(module->tree, module->functions.v[function].name);
    return arena_strndup(program->arena, name->text, name->length);
}

static struct source_position position(const struct placing_program *program, uint32_t function,
                                       uint32_t inst)
{
    const struct ir_module *module = program->module;
    return ir_position(module, &module->functions.v[function], inst);
}

// Text

static void print_shares(const struct placing_result *result, FILE *to)
{
    fprintf(to, "%.1f %% in one partition", 100 * result->one);
    if (result->core > 0)
        fprintf(to, ", %.1f %% meet at a core", 100 * result->core);
    if (result->partition > 0)
        fprintf(to, ", %.1f %% at a partition", 100 * result->partition);
    if (result->none > 0)
        fprintf(to, ", %.1f %% nowhere", 100 * result->none);
    fputc('\n', to);
}

static void print_chain(const struct placing_program *program, const struct placing_kernel *kernel,
                        const struct placed_chain *placed, FILE *to)
{
    const struct chain *chain = &program->plan->chains.v[placed->chain];
    fprintf(to, "  chain of line %u: %s\n",
            position(program, kernel->function, placed->operands[0].inst).line,
            chain_patterns[chain->pattern].form);
    for (uint32_t k = 0; k < placed->count; k++) {
        const struct placing_operand *operand = &placed->operands[k];
        fprintf(to, "    %s, line %u: %s", operand->stores ? "store" : "load",
                position(program, kernel->function, operand->inst).line,
                kernel->bases.v[operand->base].text);
        if (k && !operand->follows)
            fputs(", at a distance from the first that varies", to);
        else if (operand->offset)
            fprintf(to, ", %+lld bytes from the first", (long long)operand->offset);
        fputc('\n', to);
    }
    fputs("    instances: ", to);
    print_shares(&placed->now, to);
    if (kernel->proposes) {
        fputs("    as proposed: ", to);
        print_shares(&placed->proposed, to);
    }
    fprintf(to, "    %-34s  port flits  flit hops%s\n", "an instance takes",
            kernel->proposes ? "   as proposed" : "");
    for (int way = 0; way < PLACING_WAYS; way++) {
        const struct placing_cost *now = &placed->now.cost[way];
        fprintf(to, "      %-32s  %10.1f %10.1f", ways[way].text, now->port_flits, now->flit_hops);
        if (kernel->proposes)
            fprintf(to, " %10.1f %10.1f", placed->proposed.cost[way].port_flits,
                    placed->proposed.cost[way].flit_hops);
        fputc('\n', to);
    }
}

static void print_proposal(const struct placings *placing, const struct placing_kernel *kernel,
                           FILE *to)
{
    if (!placing->period) {
        fputs("  no place of the arrays keeps operands together: the address map does not repeat "
              "(memory.rule is not modulo)\n",
              to);
        return;
    }
    if (!kernel->proposes)
        return;
    fputs("  proposal:\n", to);
    for (uint32_t i = 1; i < kernel->bases.n; i++)
        fprintf(to, "    %s = %s + %llu + any multiple of %llu\n", kernel->bases.v[i].text,
                kernel->bases.v[0].text, (unsigned long long)kernel->bases.v[i].place,
                (unsigned long long)placing->period);
}

static void print_text(const struct placing_program *program, const struct placings *placing,
                       FILE *to)
{
    if (!placing->kernels.n)
        fputs("no chain\n", to);
    for (uint32_t i = 0; i < placing->kernels.n; i++) {
        const struct placing_kernel *kernel = &placing->kernels.v[i];
        fprintf(to, "kernel %s on %s\n", function_name(program, kernel->function),
                program->machine);
        for (uint32_t k = 0; k < kernel->chains.n; k++)
            print_chain(program, kernel, &kernel->chains.v[k], to);
        print_proposal(placing, kernel, to);
    }
}

// JSON

static void write_result(struct json *json, const char *key, const struct placing_result *result)
{
    json_key(json, key);
    json_object(json);
    json_member_double(json, "one_partition", result->one);
    json_member_double(json, "meet_at_core", result->core);
    json_member_double(json, "meet_at_partition", result->partition);
    json_member_double(json, "no_node", result->none);
    for (int way = 0; way < PLACING_WAYS; way++) {
        json_key(json, ways[way].key);
        json_object_flat(json);
        json_member_double(json, "port_flits", result->cost[way].port_flits);
        json_member_double(json, "flit_hops", result->cost[way].flit_hops);
        json_end_object(json);
    }
    json_end_object(json);
}

static void write_chain(struct json *json, const struct placing_program *program,
                        const struct placing_kernel *kernel, const struct placed_chain *placed)
{
    json_object(json);
    json_member_uint(json, "pattern", program->plan->chains.v[placed->chain].pattern);
    json_key(json, "operands");
    json_array(json);
    for (uint32_t k = 0; k < placed->count; k++) {
        const struct placing_operand *operand = &placed->operands[k];
        json_object_flat(json);
        json_member_uint(json, "line", position(program, kernel->function, operand->inst).line);
        json_member_bool(json, "stores", operand->stores);
        json_member_string(json, "base", kernel->bases.v[operand->base].text);
        json_member_bool(json, "keeps_distance", !k || operand->follows);
        json_member_int(json, "offset", operand->offset);
        json_end_object(json);
    }
    json_end_array(json);
    write_result(json, "instances", &placed->now);
    if (kernel->proposes)
        write_result(json, "proposed", &placed->proposed);
    json_end_object(json);
}

static void write_kernel(struct json *json, const struct placing_program *program,
                         const struct placing_kernel *kernel)
{
    json_object(json);
    json_member_string(json, "kernel", function_name(program, kernel->function));
    json_key(json, "chains");
    json_array(json);
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        write_chain(json, program, kernel, &kernel->chains.v[i]);
    json_end_array(json);
    json_key(json, "proposal");
    json_array(json);
    for (uint32_t i = 0; kernel->proposes && i < kernel->bases.n; i++) {
        json_object_flat(json);
        json_member_string(json, "base", kernel->bases.v[i].text);
        json_member_uint(json, "place", kernel->bases.v[i].place);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_json(const struct placing_program *program, const struct placings *placing,
                       FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "format", "ptxoffload-placement");
    json_member_uint(&json, "version", 1);
    json_member_string(&json, "machine", program->machine);
    json_member_uint(&json, "period", placing->period);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < placing->kernels.n; i++)
        write_kernel(&json, program, &placing->kernels.v[i]);
    json_end_array(&json);
    json_end_object(&json);
    json_done(&json);
}

void placing_print(const struct placings *placing, const struct placing_program *program,
                   bool as_json, FILE *to)
{
    (as_json ? write_json : print_text)(program, placing, to);
}
