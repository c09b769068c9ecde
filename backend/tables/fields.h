// Descriptions of records: a row per field with its name, type and offset. The rows generate the
// JSON, its reader, the `key=value` text in tags, and the entries of records in objects.
#pragma once
#include "backend/emit/text.h"
#include "support/diag.h"

struct json;   // support/json.h, and
struct json_t; // jansson.h; a file cannot include both

enum field_kind {
    FIELD_TEXT,     // const char *
    FIELD_SHA256,   // char[65]
    FIELD_UINT,     // uint32_t in [least, most]; most = 0: INT32_MAX
    FIELD_OPTIONAL, // uint32_t; null if 0
    FIELD_COUNT,    // uint64_t; null if 0
    FIELD_NUMBER,   // uint64_t up to INT64_MAX; JSON only
    FIELD_ANY,      // exists, but is not read; JSON only, not written
    FIELD_DOUBLE,   // double, finite
    FIELD_MAYBE,    // const double *, finite; NULL: the key is absent
    FIELD_BOOL,     // bool
    FIELD_WORD,     // unsigned or enum: one of `words`
    FIELD_WORDS,    // unsigned, bit n for words[n]: a list
    FIELD_TEXTS,    // VEC(const char *), none of them empty
    FIELD_FIXED,    // the text words[0]
    FIELD_OBJECT,   // an object of its own in JSON; in C the same struct (offset 0)
    FIELD_OPTION,   // as FIELD_OBJECT, but null unless the bool at `offset` is set
    FIELD_PART,     // members of the struct at `offset`, in the same object
    FIELD_LIST,     // VEC of structs of `size` bytes; not in the text
};

// Members of FIELD_LIST and FIELD_TEXTS for the readers and writers of all formats.
struct field_list {
    VEC(char) items; // counted in structs
};
struct field_texts {
    VEC(const char *) items;
};

struct record_field {
    const char *key; // NULL ends the rows; "": in small tags only
    enum field_kind kind;
    size_t offset;
    uint32_t min, max; // FIELD_UINT
    const char *const
        *words; // FIELD_WORD, FIELD_WORDS, FIELD_FIXED; "" is not a word; NULL at the end
    const struct record_field *rows; // FIELD_OBJECT, FIELD_OPTION, FIELD_PART, FIELD_LIST
    size_t size;                     // FIELD_LIST, FIELD_TEXTS
    bool flat;                       // written on one line in JSON
    // FIELD_OPTION: an absent key is null; FIELD_WORDS, FIELD_LIST: an empty list has no key
    bool may_lack;
    struct {
        unsigned part; // enum elf_part
        uint16_t at;   // in its record
        uint8_t size;  // 0: not in objects
    } elf;
    struct {
        const char *key; // NULL: not in small tags
        unsigned at;     // place among the keys of the tag, from 1
    } tag;
};

// A field of a record, or of an object in it, that is present in a form.
struct record_field_use {
    const struct record_field *field; // NULL after the last
    const char *path;                 // its key in the form: of objects, `object.key`
    size_t offset;                    // in the record
    size_t option;                    // offset of the bool that says if it exists; SIZE_MAX: always
    uint32_t at;                      // its place in the form
};

enum { FIELD_SMALL_TAG = 100 }; // a form; others are enum elf_part
// Returns the fields that the form has, in the order of their places.
const struct record_field_use *fields_of(struct arena *arena, const struct record_field *rows,
                                         unsigned form);

// Writes the members of an object; the caller opens and closes it.
void fields_write_json(struct json *json, const struct record_field *rows, const void *record);

// Writes ` key=value` for each field with a value; keys in objects are `object.key`.
void fields_write_text(struct text *text, const struct record_field *rows, const void *record);
// Writes ` key=value` for each field of a small tag whose value differs from that of `usual`, a
// record of the same type. Lists of names that have no blank are without quotation marks.
void fields_write_tag(struct text *text, const struct record_field_use *slots, const void *record,
                      const void *usual);

// Memory and diagnostics of a reader.
struct field_reader {
    struct arena *arena;
    struct diags *diags;
    const char *id;      // of the diagnostics
    uint32_t begin, end; // their place
    // If not NULL, each unknown key gives one warning; otherwise unknown keys are skipped. Each
    // entry is the rows' address followed by the key.
    struct intern *unknown;
};

// Fills a zeroed record. `path` is the object's place in the document, for faults. Returns false
// after adding faults.
bool fields_read_json(struct field_reader *reader, const struct record_field *rows, void *record,
                      struct json_t *object, const char *path);

// For the readers of all forms: a digest of lower-case digits; a number in the field's range; the
// index of a word in field->words.
bool fields_is_sha256(const char *text, size_t length);
bool fields_in_range(const struct record_field *field, uint64_t number);
bool fields_find_word(const struct record_field *field, const char *text, size_t length,
                      unsigned *word);
// Returns a fault's text, such as "expected a whole number from 1 to 9".
const char *fields_expected(struct arena *arena, const struct record_field *field);

// A `key=value` pair of a text.
struct field_pair {
    const char *key, *value; // not terminated; the value without its quotes
    uint32_t key_length, value_length;
    bool taken; // a field has consumed it
};
struct pairs {
    VEC(struct field_pair) list;
};

// Splits ` key=value …` into pairs. Returns false after adding a fault.
bool fields_split_text(struct field_reader *reader, const char *text, uint32_t length,
                       struct pairs *pairs);
// Marks the pair with this key as taken and returns it, or returns NULL.
struct field_pair *fields_use(struct pairs *pairs, const char *key);
// Fills the record from the pairs. Pairs without a field are faults as well. Returns false after
// adding faults.
bool fields_read_text(struct field_reader *reader, const struct record_field *rows, void *record,
                      struct pairs *pairs);
// Sets the fields of a small tag whose keys are present. Other pairs remain. Returns false after
// adding faults.
bool fields_read_tag(struct field_reader *reader, const struct record_field_use *slots,
                     void *record, struct pairs *pairs);
// Returns true if no pair remains, else adds a fault for each.
bool fields_all_used(struct field_reader *reader, const struct pairs *pairs);
