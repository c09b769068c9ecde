// Textures and surfaces: binding of handles by the host, fetches (tex, tld4), accesses to surfaces
// (suld, sust, sured) and queries (txq, suq).
//
// Choices where the manuals are not precise:
// – Coordinates are scaled and split exactly. For interpolation, the position is rounded to the
//   nearest 1/256, as is the level of a mipmap. The weighted texels, without those of weight 0, are
//   summed in f64, x before y before z before the level, and rounded once.
// – tld4 reads the four texels around the exact position.
// – Channels that a texture does not have are 0, the fourth is 1.
// – Integer coordinates address texels directly: there is no filtering, and the address mode
//   defines values outside the texture.
// – An offset is added to the number of the texel, before the address mode is applied.
// – A layer beyond the last one is the last one, also for an index that is negative as an s32.
// – Of two coordinates of a cube with the same magnitude, r is preferred to t, and t to s. With
//   seamless filtering, texels outside of a face are those of its neighbours; at a corner, where
//   three faces meet, the missing texel is the mean of the other three. Without it, they are those
//   at the face's edge. The address mode has no effect on cubes.
// – A level is the operand, or log2 of the longer gradient in texels of level 0, plus the bias,
//   limited by the sampler and then by the texture. The nearest level of x.5 is the upper one. No
//   anisotropic filtering is done.
// – A value to compare with passes if it is not greater than the channel, or the border's.
// – An access to a surface that is partly beyond the end of a row is outside. The nearest place is
//   the last one in the row that is a multiple of the access's size.
// – sust.p limits integers to the range of the format, and writes 0 to channels that its operand
//   does not have.
// – A place that is not aligned to the size of the access is a fault.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/exec/memory/access.h"
#include "runtime-sim/exec/warp/warp.h"

enum texture_format {
    TEXTURE_U8,
    TEXTURE_S8,
    TEXTURE_U16,
    TEXTURE_S16,
    TEXTURE_U32,
    TEXTURE_S32,
    TEXTURE_F16,
    TEXTURE_F32,
};

enum texture_filter { TEXTURE_NEAREST, TEXTURE_LINEAR }; // numbered as in txq, as is texture_mode

// Wrapping and mirroring require normalised coordinates; otherwise they clamp to the edge.
enum texture_mode {
    TEXTURE_WRAP,
    TEXTURE_MIRROR,
    TEXTURE_CLAMP_OGL, // clamps the coordinate to the texture's borders
    TEXTURE_CLAMP_TO_EDGE,
    TEXTURE_CLAMP_TO_BORDER,
};

// The upper limit of levels of a sampler that has none.
enum { MAX_LEVEL = 1000 };

struct sampler {
    uint8_t filter, mode[3]; // modes in x, y and z
    bool force_unnormalized; // set by independent samplers
    bool seamless;           // filters across the edges of a cube
    uint8_t level_filter;    // texture_filter between the levels of a mipmap
    float bias, min_level, max_level;
    uint32_t border[4]; // value outside the texture: bits of each channel
};

// The texels of one level. Layers, the faces of a cube and slices follow each other.
struct texels {
    uint64_t address;              // of the first texel, in global memory
    uint32_t width, height, depth; // in texels; 0 for a dimension that the texture does not have
    uint32_t pitch;                // bytes between rows
    uint64_t slice;                // bytes between layers or slices
};

struct texture {
    struct texels base;           // level 0
    const struct texels *smaller; // the next levels; NULL: no mipmap
    uint32_t levels;              // of a mipmap, with level 0; 0: no mipmap
    uint32_t layers;              // a cube has 6; 0: neither layers nor a cube
    bool layered, cube;
    uint8_t channels;      // 1 to 4, interleaved
    uint8_t format;        // texture_format
    bool normalized_float; // integers of 8 and 16 bits are read as numbers in 0 … 1 or −1 … 1
    bool srgb;             // with normalized_float: the first three channels of u8 are sRGB
    bool normalized_coordinates;
    struct sampler sampler; // used if the instruction has no sampler
};

enum texture_bound { BOUND_TEXTURE, BOUND_SAMPLER, BOUND_SURFACE };

// A handle is the value of the instruction's 64-bit register. The handle of a module's variable
// (.texref, .samplerref, .surfref) is its address.
struct texture_binding {
    uint64_t handle;
    enum texture_bound kind;
    struct texture texture; // for a separate sampler, only texture.sampler is used
};

struct textures {
    VEC(struct texture_binding) list;
};

// Bind a texture, a surface, or a separate sampler, to a handle. They replace an existing binding.
void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture);
void surface_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *surface);
void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler);
// Removes a binding, if it exists.
void texture_unbind(struct textures *textures, uint64_t handle);

// Returns the bytes of a texel.
uint32_t texel_bytes(const struct texture *texture);

// Sets the levels of a mipmap, or one level, that follow each other in memory from to[0].address
// on. to[0] has the size of level 0, and `layers` is at least 1. Each row is padded to a multiple
// of `align` bytes. Returns the bytes of all levels.
uint64_t texels_lay_out(struct texels *to, uint32_t levels, uint32_t layers, uint32_t texel,
                        uint32_t align);
// Returns the number of levels of a complete mipmap of this size.
uint32_t texels_levels(uint32_t width, uint32_t height, uint32_t depth);

// Decoded instructions. code->s[0] is the handle, and s[1] the sampler's handle. code->list has the
// results, followed by the operands that the members below count from its start.

enum texture_level { LEVEL_BASE, LEVEL_GIVEN, LEVEL_GRADIENT };

struct texture_code {
    uint8_t dimensions; // of the position: 3 for a cube
    bool layered, cube;
    bool whole;                    // integer coordinates
    bool samples;                  // has a sampler in s[1]
    uint16_t type;                 // type of the results; for txq and suq, the query
    uint8_t component;             // for tld4: the channel
    uint8_t selects;               // texture_level
    uint8_t results;               // number of results in the list
    uint8_t layer, at;             // layer, if layered, and first coordinate
    uint8_t level;                 // level, or the first of two gradients
    uint8_t offset, compare;       // 0: no operand
    const struct sampler *initial; // initial value in the module, or NULL
};

enum surface_bounds { SURFACE_TRAP, SURFACE_CLAMP, SURFACE_ZERO };

struct atomic_op;
struct surface_code {
    struct memory_code memory; // of an element
    uint8_t dimensions;
    bool layered, formatted; // formatted: .p, whose x counts texels
    uint8_t bounds;          // surface_bounds
    uint8_t layer, at;
    uint8_t values, value_count;                     // of sust and sured
    const struct atomic_op *unsigned_op, *signed_op; // of sured; by the surface's format
};

step_fn step_tex, step_tld4, step_txq, step_surface_load, step_surface_store, step_surface_reduce;
extern const struct exec_row rows_texture[];

// For the files of textures and surfaces.

// Returns the name of a geometry as in PTX: "1d", "a2d", "cube".
const char *texture_geometry(uint32_t dimensions, bool layered, bool cube);
// Returns the number of dimensions of the texture's positions.
uint32_t texture_dimensions(const struct texture *texture);
// Returns the texture of a handle, or NULL.
const struct texture *texture_find(const struct textures *textures, uint64_t handle,
                                   enum texture_bound kind);
// Sets a fault for a handle of which nothing is bound. The handle may be the address of an unbound
// variable or of a buffer.
void texture_unbound(struct warp *warp, const struct code *code, uint32_t lane, const char *what,
                     uint64_t handle);
// Adds the description of an invalid address to the fault.
void texture_describe(struct warp *warp, uint64_t address);
// Returns true if channels are read as floats.
bool texture_is_float(const struct texture *texture);
// Converts the channels of a texel from memory; 4 values.
void texel_decode(const struct texture *texture, const uint8_t *from, uint32_t *to);
// Converts channels, which are f32, u32 or s32 as the format requires, to a texel in memory.
// Channels after the first `count` are 0.
void texel_encode(const struct texture *texture, const uint32_t *from, uint32_t count, uint8_t *to);
