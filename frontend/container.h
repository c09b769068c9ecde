// Files that contain GPU code: host programs, objects and libraries, static libraries, fatbins and
// cubins; and PTX text files, which are containers of one module. Opening a container lists its
// modules. A module's PTX is unpacked on request.
#pragma once
#include "frontend/ptx_header.h"
#include "support/diag.h"
#include <stddef.h>
#include <stdint.h>

// How the code in a fatbin is compressed.
enum packing {
    PACKING_NONE,
    PACKING_LZ4,  // one LZ4 block without a frame
    PACKING_ZSTD, // zstd frames
    PACKING_OLD,  // used by CUDA 5 and 6; not supported
    PACKINGS,
};

// Returns the packing's name, for messages and lists.
const char *packing_name(enum packing packing);

// Returns the largest accepted size of the unpacked bytes: the limit of the format, and at most
// 1000 bytes per packed byte, so that a small file cannot use all memory.
uint64_t unpack_max(enum packing packing, uint64_t packed);

// Unpacks into exactly `size` bytes. Requires `packed` and `size` below 2 GiB. Returns NULL, or the
// fault as the end of a sentence about the packed bytes.
const char *unpack(enum packing packing, const char *from, size_t packed, char *to, size_t size);

enum container_kind {
    CONTAINER_UNKNOWN,
    CONTAINER_TEXT, // PTX, or assumed to be PTX
    CONTAINER_FATBIN,
    CONTAINER_ELF, // host code
    CONTAINER_CUBIN,
    CONTAINER_ARCHIVE,
    CONTAINER_LTO_IR,
    CONTAINER_METADATA, // an object written by --emit=elf
};

enum module_kind {
    MODULE_PTX,
    MODULE_CUBIN,  // machine code; includes the PTX if compiled with -G or -lineinfo
    MODULE_LTO_IR, // for nvcc -dlto
    MODULE_OTHER,
};

struct container_module {
    uint8_t kind;           // enum module_kind
    uint8_t packing;        // enum packing
    char suffix;            // suffix of the architecture: 'a', 'f' or 0
    bool is_debug;          // compiled with nvcc -G, if the fatbin records it
    uint32_t arch;          // 80 for sm_80; 0: unknown
    uint16_t major, minor;  // PTX version, or the version of the LTO IR; 0.0: unknown, and for
                            // cubins
    uint16_t fatbin_kind;   // enum fatbin_kind of the fatbin entry; 0: not from a fatbin
    uint64_t fatbin_flags;  // enum fatbin_flag
    const char *member;     // archive member; NULL: not in an archive
    const char *section;    // NULL: no section, or an unnamed one
    uint64_t offset;        // offset in the file of the fatbin entry, or of the module itself
    uint64_t payload;       // offset in the file of the module's bytes, packed or not
    uint64_t payload_size;  // without padding, if known
    uint64_t size;          // unpacked, as declared
    const char *identifier; // often the name of the source file; may be NULL
    const char *options;    // options for ptxas or the LTO compiler, or NULL
};

struct container {
    struct arena *arena;
    struct diags *diags;
    const char *name;  // as the user wrote it
    const char *bytes; // the whole file, not copied
    uint64_t size;
    enum container_kind kind;
    uint32_t faults;    // number of structural faults found so far
    uint64_t looked_at; // total size of the sections examined
    VEC(struct container_module) modules;
};

// Lists the modules of the file in file order. Returns false if there were faults, which are
// reported as errors of the whole file (id "container"). The modules that were found are listed in
// either case.
bool container_open(struct container *container, struct arena *arena, const char *name,
                    const char *bytes, size_t size, struct diags *diags);

// Unpacks a module's PTX into `arena`: `*length` bytes, less than 2 GiB, followed by two NUL bytes.
// Returns false after reporting an error (ids "packing", "no-ptx", "container").
bool container_text(const struct container *container, uint32_t module, struct arena *arena,
                    char **text, uint32_t *length, struct diags *diags);

// Lists in `arena` the kernels of a module of machine code, with their registers. Returns their
// number, 0 if the module is damaged or of another kind.
struct object_kernel;
uint32_t container_registers(const struct container *container, uint32_t module,
                             struct arena *arena, struct object_kernel **kernels);

// Returns true if the module's unpacked bytes contain the text. Unpacks the module to check.
bool container_mentions(const struct container *container, uint32_t module, const char *text);

// The values of --module=N and --arch=sm_80; NULL: all modules.
struct container_choice {
    const char *module, *arch;
};

// Selects modules that have PTX: by number, by architecture (with or without "sm_" or "compute_"),
// by both, or all. A module selected by number may be of any kind. If no module is PTX, the cubins
// are searched, which is slow. Stores the module numbers in the container's arena and returns their
// count. Returns 0 after reporting the reason (id "no-module" or "no-ptx").
uint32_t container_choose(const struct container *container, struct container_choice choice,
                          uint32_t **modules, struct diags *diags);

// Writes the architecture, such as "80" or "90a", or "" if it is unknown. `to` has room for 16
// bytes.
void container_arch(const struct container_module *module, char *to);
// Returns a file name for the module, without folder or suffix: "libx.so.3.sm_90a". It is allocated
// in the container's arena.
const char *container_file_name(const struct container *container, uint32_t module);

// Prints the modules as a table, and as JSON.
void container_print(const struct container *container, FILE *to);
void container_print_json(const struct container *container, FILE *to);
