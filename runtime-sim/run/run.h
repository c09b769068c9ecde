// A run: a program, buffers, launches of its kernels, and expected results. Read from a run file or
// a command line.
#pragma once
#include "support/expr.h"
#include "support/intern.h"
#include "support/yaml.h"

// A word of the user and its place in `run->source`.
struct run_text {
    const char *text; // ends in 0; NULL: not given
    uint32_t length;
    uint32_t begin, end;
    uint32_t inner; // offset of text[0], or UINT32_MAX if the source spells it otherwise
};

struct run_expr {
    struct run_text at;
    const struct expr *expr; // NULL: not given
};

enum fill_kind { FILL_ZERO, FILL_IOTA, FILL_UNIFORM, FILL_RANGE, FILL_FORMULA, FILL_NPY, FILL_RAW };

struct fill {
    enum fill_kind kind;
    struct run_text at;
    uint64_t seed;
    struct run_expr low, high; // of a range
    struct run_expr formula;   // of each element, or of all if the fill is a constant
    uint32_t index;            // name of the element's number in the formula
    const char *path;          // as the user wrote it
};

struct run_buffer {
    const char *name;
    struct run_text at;
    const struct scalar *type;    // NULL: the file's
    struct run_expr count, place; // of the elements; the address
    struct fill fill;
    struct fill host;             // of the host's memory
    struct run_expr fills, reads; // counts of its full/empty bits
    struct run_text variable;     // of the program, instead of new memory; NULL: new memory
    struct run_text save;
    bool save_chosen; // on the command line
    // Once it is allocated:
    uint64_t elements, address;
    uint8_t *data;
    uint8_t *host_data; // NULL: no step copies it
    bool comes_back;    // a step copies it to the host: results are the host's contents
    uint64_t shape[32];
    uint32_t dimensions; // 0: (elements,)
};

// Properties of a texture that are one word each. `run_texture.how` has a value of
// exec/memory/texture.h.
enum texture_way {
    WAY_ADDRESS_X,   // texture_mode
    WAY_ADDRESS_Y,   // the same
    WAY_FILTER,      // texture_filter
    WAY_COORDINATES, // 1: normalised
    WAY_READ,        // 1: integers as numbers from 0 or −1 to 1
    TEXTURE_WAYS,
};

struct run_texture {
    struct run_text at;
    struct run_text variable; // .texref or .samplerref that it is bound to, or NULL
    uint32_t name;            // its value is the handle; UINT32_MAX: the variable's name only
    uint32_t buffer;          // of the texels; UINT32_MAX: only a sampler
    struct run_text type_at;
    const struct scalar *type; // of a channel; NULL: the buffer's
    struct run_expr channels, width, height, pitch, border[4];
    uint8_t how[TEXTURE_WAYS];
    struct run_text how_at[TEXTURE_WAYS]; // NULL: not given
    uint64_t handle;                      // 0: not known yet
};

struct run_argument {
    struct run_text name; // of the parameter; NULL text: by place
    struct run_text at;
    const struct scalar *type; // NULL: the parameter's
    struct run_expr value;
    struct run_argument *parts; // of a structure; NULL: not a structure
    uint32_t part_count;
};

struct run_launch {
    struct run_text kernel; // NULL: the only one
    struct run_text at;
    struct run_expr grid[3], block[3], cluster[3];
    struct run_expr shared;
    struct run_expr stream; // in streams
    bool cooperative;
    const struct map *map; // NULL: none
    bool by_name;
    VEC(struct run_argument) args;
};

// Launches at the same time.
struct run_together {
    struct run_text at;
    VEC(struct run_launch *) launches; // at least one
};

struct run_repeat;
struct run_step {
    struct run_launch *launch;     // either this
    struct run_repeat *repeat;     // or this
    struct run_together *together; // or this
};

struct run_steps {
    VEC(struct run_step) list;
};

struct run_repeat {
    struct run_text at;
    struct run_expr condition, times, max;
    VEC(uint32_t) resets; // buffers
    uint32_t index;       // name, or UINT32_MAX
    struct run_steps steps;
};

// A call of the host.
enum run_call_kind {
    CALL_COPY,
    CALL_LAUNCH,
    CALL_SYNC,
    CALL_EMPTY,
    CALL_FILL,
    CALL_RELEASE,
    CALL_AT,
    CALL_CPU,
    CALL_RESET,
    CALL_REPEAT,
};

struct run_calls;
struct run_call {
    enum run_call_kind kind;
    struct run_text at;
    uint32_t buffer;              // of a copy or a change of state, or to be reset
    bool to_host, waits;          // a copy
    uint8_t mark;                 // plane_mark
    struct run_expr stream;       // NULL of a synchronisation: all
    struct run_expr first, count; // elements
    struct run_expr value;        // microseconds, or elements of work
    struct run_launch *launch;
    struct run_calls *calls; // of a repeat
};

struct run_calls {
    VEC(struct run_call) list;
    struct run_expr condition, times, max; // of a repeat
    uint32_t index;                        // name, or UINT32_MAX
};

enum run_check_kind { CHECK_FILE, CHECK_BUFFER, CHECK_FILL };

struct run_check {
    enum run_check_kind kind;
    struct run_text at;
    uint32_t buffer, reference;
    struct run_text path;
    struct fill fill;
    struct run_expr rtol, atol;
};

enum run_name_kind { NAME_VALUE, NAME_INDEX, NAME_BUFFER, NAME_TEXTURE };

struct run_name {
    const char *text;
    uint32_t length;
    enum run_name_kind kind;
    bool closed;              // its loop has ended
    uint32_t earlier;         // the name before it with the same spelling, or UINT32_MAX
    uint32_t buffer;          // or
    struct run_number number; // its present value; of a texture: the handle, 0 before it has one
};

// `--set values.NAME=EXPRESSION`: a source of its own with its errors.
struct run_setting {
    struct run_text name, value; // places in `source`
    struct source source;
    struct diags diags;
    bool used;
};

// A file of data or a map that was read.
struct run_input {
    const char *file, *sha256;
};

struct map;
struct run {
    struct arena *arena;
    const struct source *source;
    struct diags *diags;
    const char *folder; // of files to read; "" or ending in a slash
    struct run_text program, metadata, module, arch;
    VEC(struct run_setting) settings;
    VEC(struct run_name) names; // added by run_add_name
    struct intern spellings;
    VEC(uint32_t) latest; // by spelling: the name that was added last, or UINT32_MAX
    VEC(struct run_buffer) buffers;
    VEC(struct run_texture) textures;
    VEC(struct run_check) checks;
    struct run_steps steps;
    bool has_streams; // `calls` instead of `steps`
    struct run_calls calls;
    VEC(struct run_input) inputs;
    struct expr_names expr_names;
};

void run_init(struct run *run, struct arena *arena, const struct source *source,
              struct diags *diags);
// Reads the file. Returns false after errors, which are in `run->diags`.
bool run_read(struct run *run, struct arena *arena);

// Adds a setting before the file is read.
void run_set(struct run *run, const char *name, const char *value);

// For readers of both kinds. Each reports errors.
void run_fault(struct run *run, const struct run_text *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a note to the fault before it, about the file as a whole.
void run_note(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds an error in a part of the text, from its byte `begin` to `end`.
void run_fault_in(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end,
                  const char *text);
// Returns a YAML value as a text; a value that is no scalar has a place and the text "". NULL: not
// given.
struct run_text run_text_of(const struct yaml_node *node);
bool run_expression(struct run *run, const struct run_text *at, struct run_expr *to);
// Computes the present value.
bool run_value(struct run *run, const struct run_expr *expr, struct run_number *number);
// The same for an integer of `least` to `most`; `what` is its name in errors.
bool run_integer(struct run *run, const struct run_expr *expr, int64_t least, int64_t most,
                 const char *what, int64_t *value);
// A part of a text.
struct run_text run_part(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end);
// "X", "X,Y" or "X,Y,Z"
bool run_shape(struct run *run, const struct run_text *at, struct run_expr shape[3]);
// EXPRESSION or TYPE:EXPRESSION
bool run_argument(struct run *run, const struct run_text *at, struct run_argument *to);
bool run_type(struct run *run, const struct run_text *at, const struct scalar **type);
bool run_fill(struct run *run, const struct run_text *at, struct fill *fill);
// Adds a name that is generated or known to be free. Returns its index in run->names.
uint32_t run_add_name(struct run *run, struct run_name name);
// Returns UINT32_MAX after an error: the name is taken or is no name.
uint32_t run_new_name(struct run *run, const struct run_text *at, enum run_name_kind kind);
// Returns UINT32_MAX after an error for an unknown buffer.
uint32_t run_find_buffer(struct run *run, const struct run_text *at);
// Returns the path of a file that the user names.
const char *run_path(const struct run *run, const char *path);
// Notes a file that was read, once, with its digest, for the results.
void run_note_input(struct run *run, const char *name, const void *bytes, size_t size);
// Reads the map of a launch; `at` without a text, and `off`: *map is NULL. Returns false after
// errors.
bool run_map(struct run *run, const struct run_text *at, const struct map **map);
