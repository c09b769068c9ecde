#include "runtime-sim/exec/memory/touched.h"
#include <assert.h>

void touched_add(struct touched *touched, enum touched_space space, enum touched_use use,
                 uint32_t lane, uint64_t address, uint32_t bytes)
{
    struct touched_part *part = touched->parts;
    for (uint32_t i = 0; i < touched->count; i++, part++) {
        if (part->space == space && part->use == use && !(part->mask >> lane & 1))
            break;
    }
    if (part == touched->parts + touched->count) {
        assert(touched->count < TOUCHED_PARTS);
        touched->count++;
        part->space = (uint8_t)space;
        part->use = (uint8_t)use;
        part->mask = 0;
    }
    part->mask |= 1u << lane;
    part->bytes[lane] = bytes;
    part->address[lane] = address;
}
