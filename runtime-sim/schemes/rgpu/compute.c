// Executes the instruction of a core on one set of operands.
#include "runtime-sim/schemes/rgpu/spatial.h"

void spatial_compute(const struct spatial_array *array, struct spatial_unit *unit)
{
    const struct spatial_function *function = &array->binding->functions[unit->number];
    uint8_t *const bases[] = {array->frame, NULL, NULL, array->binding->program.constants.v};
    for (uint32_t i = 0; i < unit->node->operand_count; i++)
        ((union lanes *)slot_at(bases, function->operands[i]))->u32[0] = unit->words[i];
    for (uint32_t i = 0; i < function->count; i++) {
        const struct code *code = &function->codes[i];
        const void *sources[CODE_SOURCES];
        for (uint32_t k = 0; k < code->source_count; k++)
            sources[k] = slot_at(bases, code->s[k]);
        code->lanes(code, slot_at(bases, code->d), sources);
    }
    unit->result = ((const union lanes *)slot_at(bases, function->result))->u32[0];
}
