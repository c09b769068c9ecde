// The table of PTX words: opcodes and the words that begin with a dot. Both are interned first, so
// that the name id of a known word is its index in the tables.
#pragma once
#include "support/intern.h"

enum isa_class {
    CLASS_OPAQUE, // not in the table; assumed to have any effect
    CLASS_ARITHMETIC,
    CLASS_SPECIAL, // division, roots, transcendental functions
    CLASS_LOGIC,
    CLASS_SHIFT,
    CLASS_COMPARE,
    CLASS_SELECT,
    CLASS_MOVE,
    CLASS_CONVERT,
    CLASS_LOAD,
    CLASS_STORE,
    CLASS_ATOMIC,
    CLASS_PREFETCH,
    CLASS_TEXTURE,
    CLASS_SURFACE,
    CLASS_ASYNC,
    CLASS_MATRIX,
    CLASS_WARP,
    CLASS_VIDEO,
    CLASS_BRANCH,
    CLASS_CALL,
    CLASS_RETURN,
    CLASS_BARRIER,
    CLASS_FENCE,
    CLASS_STACK,
    CLASS_MISC,
};

enum isa_op {
#define ISA_OP(name, class, roles, time, rows) OP_##name,
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
    OP_COUNT,
    OP_OPAQUE = 0xffff,
};

enum isa_word {
#define WORD(name, text, kind, value) W_##name,
#include "frontend/words.def"
#undef WORD
    WORD_COUNT,
    W_UNKNOWN = 0xffff,
};

enum isa_kind {
    KIND_TYPE,
    KIND_SPACE,
    KIND_ORDER,
    KIND_SCOPE,
    KIND_CACHE,
    KIND_VECTOR,
    KIND_ROUND,
    KIND_COMPARE,
    KIND_BOOLEAN,
    KIND_LINK,
    KIND_DIRECTIVE,
    KIND_PLAIN,
};

// The variation of a special register's value between the threads that read it.
enum isa_varies {
    VARIES_LANE,  // between the lanes of a warp
    VARIES_WARP,  // between warps or cores; all lanes of a warp read the same value
    VARIES_CTA,   // between CTAs
    VARIES_NEVER, // constant in the whole grid
    VARIES_TIME,  // with each read
};

enum isa_special {
#define SPECIAL(name, varies, min, max, parts, version, target) SPECIAL_##name,
#include "frontend/special.def"
#undef SPECIAL
    SPECIAL_COUNT,
};

struct isa_special_info {
    const char *text; // "%tid"
    enum isa_varies varies;
    uint8_t min, max;   // widths in bits of the instructions that may read it; 1: a predicate
    uint8_t parts;      // 4: has .x to .w
    uint16_t version;   // first PTX version × 10
    const char *target; // first target, as in forms.h
};

struct isa_word_info {
    const char *text;
    enum isa_kind kind;
    uint16_t value;
};

struct isa_form {
    enum isa_class class;
    const char *roles;
};

extern const struct isa_word_info isa_words[WORD_COUNT];
extern const char *const isa_op_names[OP_COUNT];
extern const struct isa_special_info isa_specials[SPECIAL_COUNT];

// Adds all known words to an empty table: opcodes get ids 0 … OP_COUNT−1; dot words and special
// registers follow.
void isa_intern(struct intern *names);

// Returns class and operand roles of an instruction with these modifiers (isa_word ids).
struct isa_form isa_form(uint16_t op, const uint16_t *mods, uint32_t mod_count);

// Returns the special register with this name id, or SPECIAL_COUNT.
static inline uint32_t isa_special_of(uint32_t name)
{
    uint32_t special = name - OP_COUNT - WORD_COUNT;
    return special < SPECIAL_COUNT ? special : SPECIAL_COUNT;
}

// Returns true for the word of a type, such as .u32.
static inline bool isa_is_type(uint16_t word)
{
    return word < WORD_COUNT && isa_words[word].kind == KIND_TYPE;
}

// Returns true for the word of a state space, such as .global.
static inline bool isa_is_space(uint16_t word)
{
    return word < WORD_COUNT && isa_words[word].kind == KIND_SPACE;
}
