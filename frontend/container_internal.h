// Shared by the files of the container reader.
#pragma once
#include "frontend/container.h"

// A position in the file, as messages state it.
struct container_place {
    const char *member, *section;
};

// Returns "member 'x.o', section '.nv_fatbin', offset 0x40", in `arena`.
const char *container_where(struct arena *arena, struct container_place place, uint64_t offset);

// Reports a fault in the file's structure at this offset. Reports only the first faults, since
// damaged files have many.
void container_fault(struct container *container, struct container_place place, uint64_t offset,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// Returns a copy, in the container's arena, of text from the file in a form that is safe to print.
const char *container_printable(const struct container *container, const char *text, uint64_t size);

// Reads the fatbins that fill bytes[begin, end), the contents of a fatbin section.
void container_read_fatbins(struct container *container, struct container_place place,
                            uint64_t begin, uint64_t end);
// Finds and reads the fatbins in bytes[begin, end), which may also contain other data.
void container_search_fatbins(struct container *container, struct container_place place,
                              uint64_t begin, uint64_t end);

// Returns "module 3 (cubin for sm_80, member 'x.o', section '.nv_fatbin', offset 0x40)", in
// `arena`.
const char *container_describe(const struct container *container, uint32_t module,
                               struct arena *arena);
// Returns true if a cubin contains its PTX. Unpacks the cubin to check.
bool container_cubin_has_text(const struct container *container, uint32_t module);
// Returns "PTX", "cubin" and so on, for messages.
const char *module_kind_name(uint8_t kind);
