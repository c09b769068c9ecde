// Textures in run files and on command lines.
#pragma once
#include "runtime-sim/run/run.h"

// Returns a texture with this name for its handle (NULL: of a variable), or UINT32_MAX after
// errors.
uint32_t run_texture_new(struct run *run, const struct run_text *name);
// Reads its keys. Returns false after errors.
bool run_texture_keys(struct run *run, const struct yaml_document *document,
                      const struct yaml_node *keys, struct run_texture *to);
// Reads, from byte `begin` on, TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORD,WORD…:FILL, of which a buffer
// named `buffer` is made. The words are those of the keys `address`, `filter`, `coordinates` and
// `read`, at most one for each. Without a colon they are the words of a sampler alone. Returns
// false after errors.
bool run_texture_line(struct run *run, const struct run_text *at, uint32_t begin,
                      const char *buffer, struct run_texture *to);
