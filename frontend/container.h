// Files with code for GPUs in them: programs, objects and libraries for the host, static libraries,
// fatbins, cubins; and files of PTX text, which are containers of one module. Opening lists the
// modules; a module's PTX is unpacked when it is requested.
#pragma once
#include "frontend/ptx_header.h"
#include "frontend/unpack.h"
#include "support/diag.h"

enum container_kind {
    CONTAINER_UNKNOWN,
    CONTAINER_TEXT, // PTX, or what is taken for it
    CONTAINER_FATBIN,
    CONTAINER_ELF, // for the host
    CONTAINER_CUBIN,
    CONTAINER_ARCHIVE,
    CONTAINER_LTO_IR,
    CONTAINER_METADATA, // an object that --emit=elf has written
};

enum module_kind {
    MODULE_PTX,
    MODULE_CUBIN,  // machine code; has the PTX too if it was made with -G or -lineinfo
    MODULE_LTO_IR, // for nvcc -dlto
    MODULE_OTHER,
};

struct container_module {
    uint8_t kind;           // enum module_kind
    uint8_t packing;        // enum packing
    char suffix;            // of the architecture: 'a', 'f' or 0
    bool is_debug;          // made with nvcc -G, if the fatbin says so
    uint32_t arch;          // 80 for sm_80; 0: unknown
    uint16_t major, minor;  // PTX version; of LTO IR its own; 0.0: unknown, and for cubins
    uint16_t fatbin_kind;   // as the entry has it, enum fatbin_kind; 0: not from a fatbin
    uint64_t fatbin_flags;  // enum fatbin_flag
    const char *member;     // of the archive; NULL: none
    const char *section;    // NULL: none, or without a name
    uint64_t offset;        // in the file: of the fatbin entry, or of the module itself
    uint64_t payload;       // in the file: of the module's bytes, packed or not
    uint64_t payload_size;  // without what fills it up, where that is known
    uint64_t size;          // unpacked, as it is claimed
    const char *identifier; // often the source file's name; NULL: none
    const char *options;    // that ptxas or the LTO compiler is to be given; NULL: none
};

struct container {
    struct arena *arena;
    struct diags *diags;
    const char *name;  // as the user wrote it
    const char *bytes; // the whole file; stays where it is
    uint64_t size;
    enum container_kind kind;
    uint32_t faults;    // structural ones found so far
    uint64_t looked_at; // bytes of sections
    VEC(struct container_module) modules;
};

// Lists the modules of the file in the order in which they are in it. Returns false if something
// is wrong, which is then in `diags` as errors of the whole file (id "container"); the modules that
// were found in spite of it are there.
bool container_open(struct container *container, struct arena *arena, const char *name,
                    const char *bytes, size_t size, struct diags *diags);

// Unpacks a module's PTX: `*length` bytes, below 2 GiB, then two NUL bytes, all in `arena`. Returns
// false after saying in `diags` why not (ids "packing", "no-ptx", "container").
bool container_text(const struct container *container, uint32_t module, struct arena *arena,
                    char **text, uint32_t *length, struct diags *diags);

// What a user asks for with --module=N and --arch=sm_80; NULL: all.
struct container_choice {
    const char *module, *arch;
};

// Chooses among the modules that have PTX: by number, by architecture (with or without "sm_" or
// "compute_"), by both, or all. A module chosen by number may be of any kind. Without any module of
// PTX the cubins are looked into, which takes time. Gives the modules' numbers in the container's
// arena and returns how many; if none, why is in `diags` (id "no-module" or "no-ptx").
uint32_t container_choose(const struct container *container, struct container_choice choice,
                          uint32_t **modules, struct diags *diags);

// "80", "90a"; "" if it is unknown. Room for 16 bytes.
void container_arch(const struct container_module *module, char *to);
// A file name for the module, without folder or suffix: "libx.so.3.sm_90a". In the container's
// arena.
const char *container_file_name(const struct container *container, uint32_t module);

// The modules as a table for people, and as JSON.
void container_print(const struct container *container, FILE *to);
void container_print_json(const struct container *container, FILE *to);
