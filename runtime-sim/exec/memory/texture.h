// Textures of one and two dimensions and one level: bindings of handles by the host, and fetches by
// kernels (tex, tld4, txq).
//
// Choices where the manuals are not precise: A coordinate is scaled and split exactly. Between
// texels the position is rounded to the nearest 1/256; the weighted texels are summed in f64,
// without texels of weight 0, and rounded once. tld4 reads the four texels around the exact
// position. Channels that a texture does not have are 0, the fourth 1. Integer coordinates are
// those of texels: they are not filtered, and the address mode defines values outside of the
// texture.
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

enum texture_filter { TEXTURE_NEAREST, TEXTURE_LINEAR }; // in txq's numbering, as the next one

// Wrapping and mirroring require normalised coordinates; without them they clamp to the edge.
enum texture_mode {
    TEXTURE_WRAP,
    TEXTURE_MIRROR,
    TEXTURE_CLAMP_OGL, // the coordinate is clamped to the texture's borders
    TEXTURE_CLAMP_TO_EDGE,
    TEXTURE_CLAMP_TO_BORDER,
};

struct sampler {
    uint8_t filter, mode[2]; // in x and y
    bool force_unnormalized; // set by independent samplers
    uint32_t border[4];      // bits of the values outside, by channel
};

struct texture {
    uint64_t address;       // of the texel (0, 0) in global memory
    uint32_t width, height; // in texels; one dimension: height 0, and only its fetches
    uint32_t pitch;         // bytes from row to row
    uint8_t channels;       // 1 to 4, interleaved
    uint8_t format;         // texture_format
    bool normalized_float;  // integers of 8 and 16 bits are read as numbers from 0 or −1 to 1
    bool normalized_coordinates;
    struct sampler sampler; // default, if the instruction does not name one
};

// A handle is the value of an instruction's 64-bit register; the handle of a variable of the module
// (.texref, .samplerref) is its address.
struct texture_binding {
    uint64_t handle;
    struct texture texture; // for a separate sampler: texture.sampler
};

struct textures {
    VEC(struct texture_binding) list;
};

// Replaces the binding of the handle.
void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture);
void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler);

// Sources of the code: the handle, coordinates, the sampler's handle.
struct texture_code {
    uint8_t dimensions;
    bool whole;                    // integer coordinates
    uint16_t type;                 // of the results; for txq: the query
    uint8_t component;             // for tld4: the channel
    uint8_t sampler;               // index of the source that is the sampler; 0: no sampler
    const struct sampler *initial; // initial value in the module, or NULL
};

step_fn step_tex, step_tld4, step_txq;
extern const struct exec_row rows_texture[];
