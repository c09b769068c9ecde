// Files that contain code for GPUs: programs, objects and libraries for the host, static libraries,
// fatbins, cubins; and files of PTX text, which are containers of one module. Opening lists the
// modules; a module's PTX is unpacked when it is requested.
#pragma once
#include "frontend/ptx_header.h"
#include "frontend/unpack.h"
#include "support/diag.h"

enum container_kind {
    CONTAINER_UNKNOWN,
    CONTAINER_TEXT, // PTX, or assumed to be PTX
    CONTAINER_FATBIN,
    CONTAINER_ELF, // for the host
    CONTAINER_CUBIN,
    CONTAINER_ARCHIVE,
    CONTAINER_LTO_IR,
    CONTAINER_METADATA, // an object written by --emit=elf
};

enum module_kind {
    MODULE_PTX,
    MODULE_CUBIN,  // machine code; also has the PTX if compiled with -G or -lineinfo
    MODULE_LTO_IR, // for nvcc -dlto
    MODULE_OTHER,
};

struct container_module {
    uint8_t kind;           // enum module_kind
    uint8_t packing;        // enum packing
    char suffix;            // of the architecture: 'a', 'f' or 0
    bool is_debug;          // compiled with nvcc -G, if the fatbin has this flag
    uint32_t arch;          // 80 for sm_80; 0: unknown
    uint16_t major, minor;  // PTX version; of LTO IR its own; 0.0: unknown, and for cubins
    uint16_t fatbin_kind;   // as the entry has it, enum fatbin_kind; 0: not from a fatbin
    uint64_t fatbin_flags;  // enum fatbin_flag
    const char *member;     // of the archive; NULL: no archive
    const char *section;    // NULL: no section, or without a name
    uint64_t offset;        // in the file: of the fatbin entry, or of the module itself
    uint64_t payload;       // in the file: of the module's bytes, packed or not
    uint64_t payload_size;  // without padding, if known
    uint64_t size;          // unpacked, as declared
    const char *identifier; // often the source file's name, or NULL
    const char *options;    // options for ptxas or the LTO compiler, or NULL
};

struct container {
    struct arena *arena;
    struct diags *diags;
    const char *name;  // as the user wrote it
    const char *bytes; // the whole file; not copied
    uint64_t size;
    enum container_kind kind;
    uint32_t faults;    // structural faults found so far
    uint64_t looked_at; // bytes of sections
    VEC(struct container_module) modules;
};

// Lists the modules of the file in their order. Returns false after faults, which are in `diags` as
// errors of the whole file (id "container"); modules found nevertheless are listed.
bool container_open(struct container *container, struct arena *arena, const char *name,
                    const char *bytes, size_t size, struct diags *diags);

// Unpacks a module's PTX: `*length` bytes, below 2 GiB, then two NUL bytes, all in `arena`. Returns
// false after an error in `diags` (ids "packing", "no-ptx", "container").
bool container_text(const struct container *container, uint32_t module, struct arena *arena,
                    char **text, uint32_t *length, struct diags *diags);

// The values of --module=N and --arch=sm_80; NULL: all modules.
struct container_choice {
    const char *module, *arch;
};

// Selects among the modules that have PTX: by number, by architecture (with or without "sm_" or
// "compute_"), by both, or all. A module selected by number may be of any kind. Without any module
// of PTX the cubins are searched, which takes time. Stores the modules' numbers in the container's
// arena and returns their count; for 0 the reason is in `diags` (id "no-module" or "no-ptx").
uint32_t container_choose(const struct container *container, struct container_choice choice,
                          uint32_t **modules, struct diags *diags);

// Writes "80", "90a"; "" if unknown. `to` has room for 16 bytes.
void container_arch(const struct container_module *module, char *to);
// Returns a file name for the module, without folder or suffix: "libx.so.3.sm_90a". In the
// container's arena.
const char *container_file_name(const struct container *container, uint32_t module);

// Print the modules as a table, and as JSON.
void container_print(const struct container *container, FILE *to);
void container_print_json(const struct container *container, FILE *to);
