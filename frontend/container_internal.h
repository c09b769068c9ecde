// What the parts of the container reader share.
#pragma once
#include "frontend/container.h"

// Where in the file something stands, as users are reported.
struct container_place {
    const char *member, *section;
};

// "member 'x.o', section '.nv_fatbin', offset 0x40", in `arena`.
const char *container_where(struct arena *arena, struct container_place place, uint64_t offset);

// A fault in the file's structure at this offset. Says only the first ones: garbage is full of
// them.
void container_fault(struct container *container, struct container_place place, uint64_t offset,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

// A copy of text from the file that is safe to print, in the container's arena.
const char *container_printable(const struct container *container, const char *text, uint64_t size);

// Reads the fatbins that fill bytes[begin, end), a section made for them.
void container_read_fatbins(struct container *container, struct container_place place,
                            uint64_t begin, uint64_t end);
// Reads the fatbins that stand somewhere in bytes[begin, end), between other data.
void container_search_fatbins(struct container *container, struct container_place place,
                              uint64_t begin, uint64_t end);

// "module 3 (cubin for sm_80, member 'x.o', section '.nv_fatbin', offset 0x40)", in `arena`.
const char *container_describe(const struct container *container, uint32_t module,
                               struct arena *arena);
// Whether a cubin carries its PTX. Unpacks it for that.
bool container_cubin_has_text(const struct container *container, uint32_t module);
const char *module_kind_name(uint8_t kind);
