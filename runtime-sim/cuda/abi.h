// Structures of CUDA's binary interface. A program is compiled with the toolkit's own headers, so
// the layouts must be equal; tests/cuda/abi.py compares them where a toolkit is installed. Handles
// are pointers; enumerations are int.
#pragma once
#include <stddef.h>
#include <stdint.h>

enum cuda_copy_kind {
    COPY_HOST_HOST,
    COPY_HOST_DEVICE,
    COPY_DEVICE_HOST,
    COPY_DEVICE,
    COPY_DEFAULT
};

struct cuda_dim3 {
    uint32_t x, y, z;
};

struct cuda_pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};

struct cuda_extent {
    size_t width, height, depth;
};

struct cuda_position {
    size_t x, y, z;
};

struct cuda_channels {
    int x, y, z, w; // bits of each channel
    int kind;       // enum cuda_channel_kind
};

// Numbers read as 0 … 1 or −1 … 1 have a kind for each count of channels: 1, 2 and 4.
enum cuda_channel_kind {
    CHANNEL_SIGNED,
    CHANNEL_UNSIGNED,
    CHANNEL_FLOAT,
    CHANNEL_UNORM8 = 5,
    CHANNEL_UNORM16 = 8,
    CHANNEL_SNORM8 = 11,
    CHANNEL_SNORM16 = 14,
    CHANNEL_COMPRESSED = 17,
};

struct cuda_copy3d {
    void *source_array;
    struct cuda_position source_at;
    struct cuda_pitched source;
    void *to_array;
    struct cuda_position to_at;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int kind;
};

struct cuda_copy3d_peer {
    void *source_array;
    struct cuda_position source_at;
    struct cuda_pitched source;
    int source_device;
    void *to_array;
    struct cuda_position to_at;
    struct cuda_pitched to;
    int to_device;
    struct cuda_extent extent;
};

enum cuda_resource_type { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };

struct cuda_resource {
    int type; // enum cuda_resource_type
    union {
        void *array;
        struct {
            void *at;
            struct cuda_channels channels;
            size_t bytes;
        } linear;
        struct {
            void *at;
            struct cuda_channels channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    };
    unsigned flags;
};

struct cuda_texture_how {
    int address[3]; // 0 wrap, 1 clamp, 2 mirror, 3 border
    int filter;     // 0 point, 1 linear
    int read;       // 1: integers are read as numbers from 0 or -1 to 1
    int srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
    int no_trilinear_optimisation, seamless_cubemap;
};

// A texture reference of version 11 and before, as the program declares it.
struct cuda_texture_reference {
    int normalized, filter, address[3];
    struct cuda_channels channels;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max;
    int no_trilinear_optimisation, reserved[14];
};

// A part of an array or mipmapped array, and another format for its texels.
struct cuda_view {
    int format; // 0: the resource's
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
    unsigned reserved[16];
};

struct cuda_array_needs {
    size_t bytes, alignment;
    unsigned reserved[4];
};

enum cuda_memory_type { MEMORY_UNREGISTERED, MEMORY_HOST, MEMORY_DEVICE, MEMORY_MANAGED };

struct cuda_pointer_attributes {
    int type; // enum cuda_memory_type
    int device;
    void *on_device, *on_host;
};

struct cuda_function_attributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared,
        carveout, cluster_must_be_set, cluster[3], cluster_policy, any_cluster_size, reserved[16];
};

enum cuda_launch_attribute_id {
    ATTRIBUTE_IGNORE,
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_CLUSTER_POLICY = 5,
    ATTRIBUTE_PRIORITY = 8,
};

struct cuda_launch_attribute {
    int id;
    char padding[4];
    union {
        char bytes[64];
        int cooperative;
        struct cuda_dim3 cluster;
    };
};

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t shared;
    void *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

struct driver_launch_config {
    struct cuda_dim3 grid, block;
    unsigned shared;
    void *stream;
    struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

struct cuda_location {
    int type, id;
};

struct cuda_pool_properties {
    int type, handles;
    struct cuda_location location;
    void *security;
    size_t max;
    unsigned short usage;
    unsigned char reserved[54];
};

struct cuda_kernel_node {
    void *function;
    struct cuda_dim3 grid, block;
    unsigned shared;
    void **parameters, **extra;
};

struct cuda_set_node {
    void *to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
};

struct cuda_host_node {
    void (*function)(void *context);
    void *context;
};

// The driver's copies. A side has its position in bytes, rows and slices, and the place of its
// memory.
enum driver_memory_type { DRIVER_HOST = 1, DRIVER_DEVICE, DRIVER_ARRAY, DRIVER_UNIFIED };

struct driver_side2d {
    size_t x, y;
    int type; // enum driver_memory_type
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
};

struct driver_copy2d {
    struct driver_side2d source, to;
    size_t width, height;
};

struct driver_side3d {
    size_t x, y, z, level;
    int type; // enum driver_memory_type
    void *host;
    uint64_t device;
    void *array;
    void *reserved;
    size_t pitch, height;
};

struct driver_copy3d {
    struct driver_side3d source, to;
    size_t width, height, depth;
};

struct cuda_access {
    struct cuda_location location;
    int flags;
};

// CUstreamBatchMemOpParams
struct driver_word {
    int operation;
    uint64_t address, value;
    unsigned flags;
    uint64_t alias, room;
};

struct driver_physical {
    int type, handles;
    struct cuda_location location;
    void *security;
    unsigned char compression, remote;
    unsigned short usage;
    unsigned char reserved[4];
};

struct cuda_alloc_node {
    struct cuda_pool_properties pool;
    const struct cuda_access *access;
    size_t access_count, bytes;
    void *at; // set by the library
};

struct cuda_condition_node {
    unsigned long long handle;
    int type;
    unsigned count;
    void **graphs; // set by the library
};

union cuda_node_values {
    long long room[29];
    struct cuda_kernel_node kernel;
    struct {
        int flags, reserved[3];
        struct cuda_copy3d of;
    } copy;
    struct {
        int flags, reserved;
        void *context;
        struct driver_copy3d of;
    } driver_copy;
    struct cuda_set_node set;
    struct cuda_host_node host;
    struct {
        void *of;
        int ownership;
    } graph;
    void *event;
    struct cuda_alloc_node alloc;
    void *released;
    struct cuda_condition_node condition;
};

struct cuda_node_params {
    int type, reserved[3];
    union cuda_node_values values;
    long long reserved2;
};

struct cuda_graph_update {
    int result;
    void *node, *from_node;
};

struct cuda_instantiate {
    unsigned long long flags;
    void *upload_stream, *node;
    int result;
};

// The driver's arrays and textures.
struct driver_array {
    size_t width, height;
    int format;
    unsigned channels;
};

struct driver_array3d {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct driver_resource {
    int type; // enum cuda_resource_type
    union {
        void *array;
        struct {
            uint64_t at;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            uint64_t at;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitch;
        int reserved[32];
    };
    unsigned flags;
};

enum driver_texture_flags {
    DRIVER_READ_INTEGER = 1,
    DRIVER_NORMALIZED = 2,
    DRIVER_SRGB = 0x10,
    DRIVER_SEAMLESS = 0x40,
};

struct driver_texture_how {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_min, mipmap_max, border[4];
    int reserved[12];
};

// The wrapper that nvcc places around a fatbin.
enum { FATBIN_WRAPPER_MAGIC = 0x466243b1 };

struct cuda_fatbin_wrapper {
    int magic, version;
    const void *data;
    void *fatbins; // version 2: fatbins that nvlink has read, NULL-terminated
};
