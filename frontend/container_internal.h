// Shared by the files of the container reader.
#pragma once
#include "frontend/container.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Static libraries: `ar` files in the GNU and BSD formats. libelf also reads them, but it reports
// neither the position of damage nor truncated members.

struct archive_member {
    const char *name; // not terminated; `name_size` bytes in the archive
    uint64_t name_size;
    uint64_t begin, size; // the contents, as offsets in the file
};

struct archive {
    const char *bytes;
    uint64_t size;
    uint64_t at;                // offset of the next member's header
    uint64_t names, names_size; // the table of long names
    const char *fault;          // NULL, or the error found at `at`
};

// Returns true for a thin archive, which contains only the names of its members.
bool archive_is_thin(const char *bytes, size_t size);

// Prepares to read the archive's members. The bytes are not copied.
void archive_open(struct archive *archive, const char *bytes, size_t size);
// Reads the next member and skips the archive's own tables. Returns false at the end or at damage,
// which sets `fault`. A truncated last member is returned as far as it is present.
bool archive_next(struct archive *archive, struct archive_member *member);

// A position in the file, as messages state it.
struct container_location {
    const char *member, *section;
};

// Returns "member 'x.o', section '.nv_fatbin', offset 0x40", in `arena`.
const char *container_where(struct arena *arena, struct container_location place, uint64_t offset);

// Reports a fault in the file's structure at this offset. Reports only the first faults, since
// damaged files have many.
void container_fault(struct container *container, struct container_location place, uint64_t offset,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// Returns a copy, in the container's arena, of text from the file in a form that is safe to print.
const char *container_printable(const struct container *container, const char *text, uint64_t size);

// Reads the fatbins that fill bytes[begin, end), the contents of a fatbin section.
void container_read_fatbins(struct container *container, struct container_location place,
                            uint64_t begin, uint64_t end);
// Finds and reads the fatbins in bytes[begin, end), which may also contain other data.
void container_search_fatbins(struct container *container, struct container_location place,
                              uint64_t begin, uint64_t end);

// Returns "module 3 (cubin for sm_80, member 'x.o', section '.nv_fatbin', offset 0x40)", in
// `arena`.
const char *container_describe(const struct container *container, uint32_t module,
                               struct arena *arena);
// Returns true if a cubin contains its PTX. Unpacks the cubin to check.
bool container_cubin_has_text(const struct container *container, uint32_t module);
// Returns "PTX", "cubin" and so on, for messages.
const char *module_kind_name(uint8_t kind);
