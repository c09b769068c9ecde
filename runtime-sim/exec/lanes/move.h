// The code->value of mov: a kind, and above it the part that is taken.
#pragma once

enum move_kind { MOVE_COPY, MOVE_PACK, MOVE_TAKE };
enum { MOVE_INDEX_SHIFT = 8 };
