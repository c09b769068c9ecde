// Letters of a form's modifiers, for tests of the table of forms.
#pragma once
#include "frontend/forms.h"

// The slot with this letter, or NULL if the form has none.
static inline const struct form_modifier *form_captured(const struct form *form, char letter)
{
    for (uint32_t i = 0; i < form->slot_count; i++)
        if (form->slots[i].capture == letter)
            return &form->slots[i];
    return NULL;
}
