// Instructions made from the table of forms.
#pragma once
#include "frontend/forms.h"

// One instruction to be judged, alone in a kernel with the registers of registers.inc.
struct sample {
    const struct form *form;
    uint32_t row; // of the opcode
    uint16_t version;
    const char *target; // "90a"
    const char *text;
};

typedef void sample_sink(void *to, const struct sample *sample);

// All samples of all forms of an opcode, in a fixed order: what the forms spell, and what differs
// from it by one operand, modifier, version or target.
void generate(struct arena *arena, struct forms *forms, uint16_t op, sample_sink *sink, void *to);
