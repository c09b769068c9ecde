// The code->value of mov: a kind, and in the bits above it the index of the part.
#pragma once

enum move_kind { MOVE_COPY, MOVE_PACK, MOVE_TAKE };
enum { MOVE_INDEX_SHIFT = 8 };
