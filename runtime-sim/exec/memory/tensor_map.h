// Tensor maps: descriptions of tensors in global memory for bulk copies. PTX leaves their 128 bytes
// undefined; these are ours.
#pragma once
#include <stdint.h>

enum { TENSOR_RANK = 5, TENSOR_MAP_BYTES = 128, TENSOR_MAP_ALIGN = 64, TENSOR_BOX = 256 };
#define TENSOR_MAP_MARK UINT32_C(0x4d544f50)

enum tensor_map_mode { TENSOR_TILED, TENSOR_IM2COL };

// Types of elements, numbered as for tensormap.replace. TENSOR_TYPE(name, isa word, bytes)
#define TENSOR_TYPES(TENSOR_TYPE)                                                                  \
    TENSOR_TYPE(U8, u8, 1)                                                                         \
    TENSOR_TYPE(U16, u16, 2)                                                                       \
    TENSOR_TYPE(U32, u32, 4)                                                                       \
    TENSOR_TYPE(S32, s32, 4)                                                                       \
    TENSOR_TYPE(U64, u64, 8)                                                                       \
    TENSOR_TYPE(S64, s64, 8)                                                                       \
    TENSOR_TYPE(F16, f16, 2)                                                                       \
    TENSOR_TYPE(F32, f32, 4)                                                                       \
    TENSOR_TYPE(F32_FTZ, f32, 4)                                                                   \
    TENSOR_TYPE(F64, f64, 8)                                                                       \
    TENSOR_TYPE(BF16, bf16, 2)                                                                     \
    TENSOR_TYPE(TF32, tf32, 4)                                                                     \
    TENSOR_TYPE(TF32_FTZ, tf32, 4)

enum tensor_type {
#define TENSOR_TYPE(name, word, bytes) TENSOR_TYPE_##name,
    TENSOR_TYPES(TENSOR_TYPE)
#undef TENSOR_TYPE
        TENSOR_TYPE_COUNT,
};

enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128, SWIZZLE_96 };
// The unit that SWIZZLE_128 moves as a whole, in bytes; FLIP also exchanges adjacent 8 bytes.
enum tensor_atomicity { ATOMICITY_16, ATOMICITY_32, ATOMICITY_32_FLIP, ATOMICITY_64 };

struct tensor_map {
    uint32_t mark;
    uint8_t mode, rank, type; // tensor_map_mode; 1 to TENSOR_RANK; tensor_type
    uint8_t interleave;       // 0: no interleave, the only supported one
    uint64_t address;
    uint64_t stride[TENSOR_RANK - 1]; // bytes between elements of dimension i + 1
    uint32_t last[TENSOR_RANK];       // size - 1
    uint16_t box[TENSOR_RANK];        // tiled: size of the box
    uint8_t element_stride[TENSOR_RANK];
    uint8_t swizzle, atomicity;
    uint8_t fills_nan;                                      // elements outside are NaN, not 0
    uint16_t channels, pixels;                              // im2col: elements of a row; rows
    int16_t lower[TENSOR_RANK - 2], upper[TENSOR_RANK - 2]; // im2col: corners, from dimension 1 on
    uint8_t unused[26];
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES, "the size of a tensor map");

// Returns the bytes of an element.
uint32_t tensor_type_bytes(uint8_t type);
// Returns the address in shared memory at which the map's swizzling puts the 8 bytes of an address.
uint32_t tensor_swizzled(const struct tensor_map *map, uint32_t address);
