#include "backend/tables/rows.h"
#include "backend/elf/elf_rows.h"
#include "backend/tables/summary.h"
#include "include/ptxoffload/metadata.h"
#include "passes/analysis/memory/measured.h"

static const char *const rule_names[] = {
#define PLAN_RULE(name, id, text, sentences) [RULE_##name] = id,
#include "passes/base/rules.def"
    NULL,
};

#define WORDS(SET, ...) const char *const table_##SET##_names[] = {
#define WORD(NAME, NUMBER, TEXT, ...) [NUMBER] = TEXT,
#define BIT WORD
#define END_WORDS                                                                                  \
    NULL                                                                                           \
    }                                                                                              \
    ;
#include "backend/tables/metadata.def"

// The numbers of words are part of the formats. Fails to compile if an enumerator of the passes
// changes.
#define WORDS(...)
#define WORD(NAME, NUMBER, ...) _Static_assert((int)(NAME) == (NUMBER), #NAME);
#define BIT(NAME, NUMBER, ...) _Static_assert((int)(NAME) == 1 << (NUMBER), #NAME);
#define END_WORDS
#include "backend/tables/metadata.def"
_Static_assert((int)PTXOFFLOAD_METADATA_VERSION == (int)TABLES_VERSION, "version");

// Names for the structs that the rows of sections and records describe.
typedef struct elf_notes elf_NOTE;
#define SECTION(...)
#define RECORDS(ID, NAME, STRUCT, ...) typedef struct STRUCT elf_##ID;
#define RECORD(NAME, STRUCT, ...) typedef struct STRUCT row_##NAME;
#define END_RECORD
#include "backend/tables/metadata.def"

// Checks that the header has each entry at its offset and with its type.
#define MEMBER(ID, AT, TYPE, ...) _Static_assert((AT) + sizeof(TYPE) <= sizeof(elf_##ID), #ID);
#define FIELD(RECORD, KEY, KIND, MEMBER, OBJECT, ...) OBJECT
#define GROUP(...)
#define PART(...)
#define IN(ID, AT, TYPE, MEMBER)                                                                   \
    _Static_assert(offsetof(elf_##ID, MEMBER) == (AT) &&                                           \
                       __builtin_types_compatible_p(typeof(((elf_##ID *)NULL)->MEMBER), TYPE),     \
                   #ID "." #MEMBER);
#define NONE
#include "backend/tables/metadata.def"
#undef IN

#define RECORD(NAME, ...) const struct record_field rows_##NAME[] = {
#define END_RECORD                                                                                 \
    {                                                                                              \
        .key = NULL                                                                                \
    }                                                                                              \
    }                                                                                              \
    ;
#define FIELD(RECORD, KEY, KIND, MEMBER, OBJECT, TAG, ...)                                         \
    {.key = KEY, .offset = offsetof(row_##RECORD, MEMBER), OBJECT TAG KIND},
#define GROUP(RECORD, KEY, MEMBERS) {.key = KEY, .kind = FIELD_OBJECT, .rows = rows_##MEMBERS},
#define PART(RECORD, MEMBERS, OFFSET, AT)                                                          \
    {.key = #MEMBERS, .kind = FIELD_PART, .offset = OFFSET, .rows = rows_##MEMBERS, .elf.at = AT},
#define IN(ID, AT, TYPE, ...) .elf = {ELF_##ID, AT, sizeof(TYPE)},
#define TAG(AT, KEY, ...) .tag = {KEY, AT},

#define TEXT .kind = FIELD_TEXT
#define TEXT_LIKE(...) TEXT
#define TEXT_OF(...) TEXT
#define DIGEST .kind = FIELD_SHA256
#define UINT(MINIMUM, LIMIT) .kind = FIELD_UINT, .min = MINIMUM, .max = LIMIT
#define OPTIONAL .kind = FIELD_OPTIONAL
#define COUNT .kind = FIELD_COUNT
#define POSITIVE COUNT
#define NUMBER .kind = FIELD_NUMBER
#define DOUBLE .kind = FIELD_DOUBLE
#define MAYBE .kind = FIELD_MAYBE
#define BOOL .kind = FIELD_BOOL
#define ONE_OF(SET) .kind = FIELD_WORD, .words = table_##SET##_names
#define WORD_OF(SET, ...) ONE_OF(SET)
#define SOME_OF(SET) .kind = FIELD_WORDS, .words = table_##SET##_names
#define ANY_OF(SET) SOME_OF(SET), .may_lack = true
#define RULE .kind = FIELD_WORD, .words = rule_names
#define NAMES .kind = FIELD_TEXTS, .size = sizeof(struct table_name)
#define FIXED(TEXT)                                                                                \
    .kind = FIELD_FIXED, .words = (const char *const[])                                            \
    {                                                                                              \
        TEXT, NULL                                                                                 \
    }
#define OPTION(ROWS) .kind = FIELD_OPTION, .rows = rows_##ROWS
#define LIST(ROWS, TYPE, LAYOUT, ...)                                                              \
    .kind = FIELD_LIST, .rows = rows_##ROWS, .size = sizeof(struct TYPE), .flat = LAYOUT
#define LIST_OR_NONE(...) LIST(__VA_ARGS__), .may_lack = true
enum { OPEN, FLAT };
#include "backend/tables/metadata.def"
