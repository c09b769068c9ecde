// Textures with one or two dimensions and one level: binding of handles by the host, and fetches by
// kernels (tex, tld4, txq).
//
// Choices where the manuals are not precise: coordinates are scaled and split exactly. For
// interpolation, the position is rounded to the nearest 1/256; the weighted texels, without those
// of weight 0, are summed in f64 and rounded once. tld4 reads the four texels around the exact
// position. Channels that a texture does not have are 0, the fourth is 1. Integer coordinates
// address texels directly: there is no filtering, and the address mode defines values outside the
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

enum texture_filter { TEXTURE_NEAREST, TEXTURE_LINEAR }; // numbered as in txq, as is texture_mode

// Wrapping and mirroring require normalised coordinates; otherwise they clamp to the edge.
enum texture_mode {
    TEXTURE_WRAP,
    TEXTURE_MIRROR,
    TEXTURE_CLAMP_OGL, // clamps the coordinate to the texture's borders
    TEXTURE_CLAMP_TO_EDGE,
    TEXTURE_CLAMP_TO_BORDER,
};

struct sampler {
    uint8_t filter, mode[2]; // modes in x and y
    bool force_unnormalized; // set by independent samplers
    uint32_t border[4];      // value outside the texture: bits of each channel
};

struct texture {
    uint64_t address;       // of texel (0, 0), in global memory
    uint32_t width, height; // in texels; with one dimension the height is 0, and only
                            // one-dimensional fetches are allowed
    uint32_t pitch;         // bytes between rows
    uint8_t channels;       // 1 to 4, interleaved
    uint8_t format;         // texture_format
    bool normalized_float; // integers of 8 and 16 bits are read as numbers in 0 … 1 or −1 … 1
    bool normalized_coordinates;
    struct sampler sampler; // used if the instruction has no sampler
};

// A handle is the value of the instruction's 64-bit register. The handle of a module's variable
// (.texref, .samplerref) is its address.
struct texture_binding {
    uint64_t handle;
    struct texture texture; // for a separate sampler, only texture.sampler is used
};

struct textures {
    VEC(struct texture_binding) list;
};

// Bind a texture, or a separate sampler, to a handle. They replace an existing binding.
void texture_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct texture *texture);
void sampler_bind(struct textures *textures, struct arena *arena, uint64_t handle,
                  const struct sampler *sampler);

// The sources of the code are the handle, the coordinates, and the sampler's handle.
struct texture_code {
    uint8_t dimensions;
    bool whole;                    // integer coordinates
    uint16_t type;                 // type of the results; for txq, the query
    uint8_t component;             // for tld4: the channel
    uint8_t sampler;               // index of the sampler among the sources; 0: no sampler
    const struct sampler *initial; // initial value in the module, or NULL
};

step_fn step_tex, step_tld4, step_txq;
extern const struct exec_row rows_texture[];
