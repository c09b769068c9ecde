// Textures of one and two dimensions and one level: what a host binds to a handle, and how a kernel
// fetches from them (tex, tld4, txq).
//
// What the manuals leave open is settled so. A coordinate is scaled and split exactly. Between
// texels the position is rounded to the nearest 1/256; what is weighted by it is summed in f64,
// texels of weight 0 left out, and rounded once. tld4 takes the four texels that the exact position
// lies between. Channels that a texture does not have are 0, the fourth 1. Integer coordinates are
// those of texels: they are not filtered, and what lies outside is settled by the address mode.
#pragma once
#include "runtime-sim/exec/lanes/rows.h"
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

enum texture_filter { TEXTURE_NEAREST, TEXTURE_LINEAR }; // as txq numbers them, like the next

// Wrapping and mirroring need normalised coordinates; without them they are as clamping to the
// edge.
enum texture_mode {
    TEXTURE_WRAP,
    TEXTURE_MIRROR,
    TEXTURE_CLAMP_OGL, // the coordinate is clamped to the texture's borders
    TEXTURE_CLAMP_TO_EDGE,
    TEXTURE_CLAMP_TO_BORDER,
};

struct sampler {
    uint8_t filter, mode[2]; // in x and y
    bool force_unnormalized; // of independent samplers
    uint32_t border[4];      // bits of what lies outside, by channel
};

struct texture {
    uint64_t address;       // of the texel (0, 0) in global memory
    uint32_t width, height; // in texels; of one dimension: height 0, and no others' fetches
    uint32_t pitch;         // bytes from row to row
    uint8_t channels;       // 1 to 4, in memory side by side
    uint8_t format;         // texture_format
    bool normalized_float;  // integers of 8 and 16 bits are read as numbers from 0 or −1 to 1
    bool normalized_coordinates;
    struct sampler sampler; // unless an instruction names another
};

// A handle is what the 64-bit register of an instruction holds; that of a variable of the module
// (.texref, .samplerref) is its address.
struct texture_binding {
    uint64_t handle;
    struct texture texture; // of a sampler alone: texture.sampler
};

struct textures {
    VEC(struct texture_binding) list;
};

// Binds anew what the handle was bound to.
void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture);
void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler);

// Sources of the code: the handle, coordinates, the sampler's handle.
struct texture_code {
    uint8_t dimensions;
    bool whole;                    // integer coordinates
    uint16_t type;                 // of the results; of txq: what is asked for
    uint8_t component;             // of tld4: the channel
    uint8_t sampler;               // which source is the sampler; 0: none
    const struct sampler *initial; // what the module itself says of it, NULL: nothing
};

step_fn step_tex, step_tld4, step_txq;
extern const struct exec_row rows_texture[];
