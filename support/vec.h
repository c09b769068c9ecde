// Growing arrays in an arena: `VEC(struct x) list = {0}; vec_push(arena, &list, value);`
#pragma once
#include "support/arena.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *v;                                                                                   \
        uint32_t n, capacity;                                                                      \
    }

#define vec_reserve(arena, vec, count)                                                             \
    do {                                                                                           \
        if ((vec)->capacity < (uint32_t)(count)) {                                                 \
            uint32_t to_ = (vec)->capacity ? (vec)->capacity * 2 : 8;                              \
            while (to_ < (uint32_t)(count))                                                        \
                to_ *= 2;                                                                          \
            (vec)->v = arena_grow(arena, (vec)->v, (size_t)(vec)->capacity * sizeof *(vec)->v,     \
                                  (size_t)to_ * sizeof *(vec)->v);                                 \
            (vec)->capacity = to_;                                                                 \
        }                                                                                          \
    } while (0)

#define vec_push(arena, vec, ...)                                                                  \
    do {                                                                                           \
        vec_reserve(arena, vec, (vec)->n + 1);                                                     \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);                                                      \
    } while (0)

// Allocates room for exactly this many elements in an empty array, for many short arrays.
#define vec_fix(arena, vec, count)                                                                 \
    do {                                                                                           \
        (vec)->capacity = (uint32_t)(count);                                                       \
        (vec)->v = (vec)->capacity                                                                 \
                       ? arena_alloc(arena, (size_t)(vec)->capacity * sizeof *(vec)->v)            \
                       : NULL;                                                                     \
    } while (0)

// The elements from `index` on; `index` may be the number of elements. The result is NULL for an
// empty array, even with index 0.
#define vec_from(vec, index) ((vec)->v ? (vec)->v + (index) : NULL)

// A list of texts.
struct text_list {
    VEC(const char *) list;
};
