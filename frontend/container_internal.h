// Shared by the files of the container reader.
#pragma once
#include "frontend/container.h"

// A place in the file, as in messages.
struct container_place {
    const char *member, *section;
};

// Returns "member 'x.o', section '.nv_fatbin', offset 0x40", in `arena`.
const char *container_where(struct arena *arena, struct container_place place, uint64_t offset);

// Reports a fault in the file's structure at this offset. Only the first faults are reported, since
// damaged files have many.
void container_fault(struct container *container, struct container_place place, uint64_t offset,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// Returns a copy of text from the file that is safe to print, in the container's arena.
const char *container_printable(const struct container *container, const char *text, uint64_t size);

// Reads the fatbins that fill bytes[begin, end), a section made for them.
void container_read_fatbins(struct container *container, struct container_place place,
                            uint64_t begin, uint64_t end);
// Reads the fatbins anywhere in bytes[begin, end), between other data.
void container_search_fatbins(struct container *container, struct container_place place,
                              uint64_t begin, uint64_t end);

// Returns "module 3 (cubin for sm_80, member 'x.o', section '.nv_fatbin', offset 0x40)", in
// `arena`.
const char *container_describe(const struct container *container, uint32_t module,
                               struct arena *arena);
// Returns true if a cubin contains its PTX. Unpacks it to find out.
bool container_cubin_has_text(const struct container *container, uint32_t module);
const char *module_kind_name(uint8_t kind);
