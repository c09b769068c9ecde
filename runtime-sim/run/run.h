// A run is a program, buffers, launches of the program's kernels, and expected results. It is read
// from a run file or a command line.
#pragma once
#include "support/expr.h"
#include "support/intern.h"
#include "support/yaml.h"

// Text that the user gave, and its place in `run->source`.
struct run_text {
    const char *text; // NUL-terminated; NULL: not given
    uint32_t length;
    uint32_t begin, end;
    uint32_t inner; // offset of text[0], or UINT32_MAX if the source spells it differently
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
    struct run_expr low, high; // bounds of a range
    struct run_expr formula;   // value of each element
    uint32_t index;            // index in `names` of the element number
    const char *path;          // as given by the user
};

struct run_buffer {
    const char *name;
    struct run_text at;
    const struct scalar *type;    // NULL: the .npy file's
    struct run_expr count, place; // number of elements; address
    struct fill fill;
    struct fill host;             // initial contents of the host's copy
    struct run_expr fills, reads; // fill and read counts of the full/empty bits
    bool heap;                    // kernels can free it
    struct run_text variable;     // program variable that the buffer stands for; NULL: new memory
    struct run_text save;
    bool save_chosen; // `save` was given on the command line
    // Set when the buffer is allocated:
    uint64_t elements, address;
    uint8_t *data;
    uint8_t *host_data; // NULL: run without `streams`
    bool comes_back;    // some step copies it to the host: results are the host's contents
    uint64_t shape[32];
    uint32_t dimensions; // 0: (elements,)
};

// Properties of a texture that take one word each. `run_texture.how` holds values of the
// enumerations in exec/memory/texture.h, or 0 or 1.
enum texture_way {
    WAY_ADDRESS_X,   // enum texture_mode
    WAY_ADDRESS_Y,   // enum texture_mode
    WAY_ADDRESS_Z,   // enum texture_mode
    WAY_FILTER,      // enum texture_filter
    WAY_COORDINATES, // 1: normalised
    WAY_READ,        // 1: integers are read as numbers from 0 or −1 to 1
    WAY_ENCODING,    // 1: sRGB
    WAY_EDGES,       // 1: seamless
    WAY_LEVELS,      // enum texture_filter
    TEXTURE_WAYS,
};

struct run_texture {
    struct run_text at;
    struct run_text variable; // .texref or .samplerref that it defines, or NULL
    uint32_t name;            // name whose value is the handle; UINT32_MAX: no name
    uint32_t buffer;          // buffer with the texels; UINT32_MAX: a separate sampler
    struct run_text type_at;
    const struct scalar *type; // type of a channel; NULL: the buffer's
    struct run_expr channels, width, height, depth, layers, pitch, slice, offset, border[4];
    struct run_expr bias, min_level, max_level;
    bool is_mipmap, cube, surface;
    VEC(struct run_expr) levels; // offsets of the levels from 1 on
    uint8_t how[TEXTURE_WAYS];
    struct run_text how_at[TEXTURE_WAYS]; // NULL: not given
    struct run_expr own_handle;
    uint64_t handle; // 0: not known yet
};

struct run_argument {
    struct run_text name; // name of the parameter; NULL text: by position
    struct run_text at;
    const struct scalar *type; // NULL: the parameter's
    struct run_expr value;
    struct run_argument *parts; // members of a structure; NULL: not a structure
    uint32_t part_count;
};

struct run_launch {
    struct run_text kernel; // NULL: the only one
    struct run_text at;
    struct run_expr grid[3], block[3], cluster[3];
    struct run_expr shared;
    struct run_expr stream; // in a run with `streams`
    bool cooperative;
    const struct map *map; // NULL: no map
    bool by_name;
    VEC(struct run_argument) args;
};

// Launches that run at the same time.
struct run_together {
    struct run_text at;
    VEC(struct run_launch *) launches; // at least one
};

struct run_repeat;
// Exactly one member is set.
struct run_step {
    struct run_launch *launch;
    struct run_repeat *repeat;
    struct run_together *together;
};

struct run_steps {
    VEC(struct run_step) list;
};

struct run_repeat {
    struct run_text at;
    struct run_expr condition, times, max;
    VEC(uint32_t) resets; // buffers to fill again before each round
    uint32_t index;       // name of the round number, or UINT32_MAX
    struct run_steps steps;
};

// Calls of the host.
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
    uint32_t buffer;              // buffer of a copy, a state change or a reset
    bool to_host, waits;          // direction of a copy; the call waits for its end
    uint8_t mark;                 // trigger and action on full/empty bits: plane_mark
    struct run_expr stream;       // NULL: stream 0; for a synchronisation, all streams
    struct run_expr first, count; // range of a copy or state change, in elements
    struct run_expr value;        // time of `at` in microseconds, or elements of `cpu`
    struct run_launch *launch;
    struct run_calls *calls; // steps of a repeat
};

struct run_calls {
    VEC(struct run_call) list;
    struct run_expr condition, times, max; // of a repeat; NULL: not given
    uint32_t index;                        // name of the round number, or UINT32_MAX
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
    bool closed;               // no longer visible: its loop or formula has ended
    uint32_t earlier;          // previous name with the same spelling, or UINT32_MAX
    uint32_t buffer;           // index in `buffers` (NAME_BUFFER)
    struct host_number number; // current value; for a texture, its handle, 0 before it has one
};

// `--set values.NAME=EXPRESSION`. Each setting is a source of its own and has its own errors.
struct run_setting {
    struct run_text name, value; // places in `source`
    struct source source;
    struct diags diags;
    bool used;
};

// A data file or map that was read.
struct run_input {
    const char *file, *sha256;
};

struct map;
struct run {
    struct arena *arena;
    const struct source *source;
    struct diags *diags;
    const char *folder; // folder of input files; "" or ends in a slash
    struct run_text program, metadata, module, arch;
    struct run_expr heap; // bytes
    VEC(struct run_setting) settings;
    VEC(struct run_name) names; // added by run_add_name
    struct intern spellings;
    VEC(uint32_t) latest; // by spelling: index of the latest name, or UINT32_MAX
    VEC(struct run_buffer) buffers;
    VEC(struct run_texture) textures;
    VEC(struct run_check) checks;
    struct run_steps steps;
    bool has_streams; // the run has `calls` instead of `steps`
    struct run_calls calls;
    VEC(struct run_input) inputs;
    struct expr_names expr_names;
};

// Initialises an empty run for a source. Errors go to `diags`.
void run_init(struct run *run, struct arena *arena, const struct source *source,
              struct diags *diags);
// Reads the run file. Returns false after errors, which are in `run->diags` or in those of a
// setting.
bool run_read(struct run *run, struct arena *arena);

// Adds a setting. Requires that the file has not been read yet.
void run_set(struct run *run, const char *name, const char *value);

// The functions below are for the readers of run files and of command lines.

// Adds an error at a text.
void run_fault(struct run *run, const struct run_text *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Adds a note to the preceding error, about the file as a whole.
void run_note(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Adds an error at bytes `begin` to `end` of a text.
void run_fault_in(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end,
                  const char *text);
// Returns the text of a YAML value and its place. `text` is "" for a sequence or mapping, and NULL
// if `node` is NULL.
struct run_text run_text_of(const struct yaml_node *node);
// Parses an expression. Returns false after an error.
bool run_expression(struct run *run, const struct run_text *at, struct run_expr *to);
// Evaluates an expression with the current values of its names. Returns false after an error.
bool run_value(struct run *run, const struct run_expr *expr, struct host_number *number);
// Evaluates an integer expression from `least` to `most`; `what` names it in errors. Returns false
// after an error.
bool run_integer(struct run *run, const struct run_expr *expr, int64_t min, int64_t max,
                 const char *what, int64_t *value);
// Returns bytes `begin` to `end` of a text, without blanks at both ends.
struct run_text run_part(struct run *run, const struct run_text *at, uint32_t begin, uint32_t end);
// Reads "X", "X,Y" or "X,Y,Z". Returns false after an error.
bool run_shape(struct run *run, const struct run_text *at, struct run_expr shape[3]);
// Reads EXPRESSION or TYPE:EXPRESSION. Returns false after an error.
bool run_argument(struct run *run, const struct run_text *at, struct run_argument *to);
// Finds an element type by its name. Returns false after an error.
bool run_type(struct run *run, const struct run_text *at, const struct scalar **type);
// Reads the text of a fill. Returns false after an error.
bool run_fill(struct run *run, const struct run_text *at, struct fill *fill);
// Adds a generated name, or one that is known to be free. Returns its index in `run->names`.
uint32_t run_add_name(struct run *run, struct run_name name);
// Adds a name that the user chose. Returns its index in `run->names`, or UINT32_MAX after an error:
// the name is taken or malformed.
uint32_t run_new_name(struct run *run, const struct run_text *at, enum run_name_kind kind);
// Returns the index of a buffer, or UINT32_MAX after an error if it is unknown.
uint32_t run_find_buffer(struct run *run, const struct run_text *at);
// Returns a file name of the user, resolved relative to `run->folder`.
const char *run_path(const struct run *run, const char *path);
// Records an input file and its SHA-256 for the results, once per name.
void run_note_input(struct run *run, const char *name, const void *bytes, size_t size);
// Reads the map of a launch. *map is NULL if `at` has no text or is `off`. Returns false after
// errors.
bool run_map(struct run *run, const struct run_text *at, const struct map **map);
