// Textures in run files and on command lines.
#pragma once
#include "runtime-sim/run/run.h"

// Adds a texture whose handle has this name (NULL: no name). Returns its index in `run->textures`,
// or UINT32_MAX after errors.
uint32_t run_texture_new(struct run *run, const struct run_text *name);
// Reads the keys of a texture in a run file. Returns false after errors.
bool run_texture_keys(struct run *run, const struct yaml_document *document,
                      const struct yaml_node *keys, struct run_texture *to);
// Reads TYPE[xCHANNELS]:WIDTH[,HEIGHT]:WORD,WORD…:FILL from byte `begin` on and creates the buffer
// `buffer` for the texels. The words are those of the keys `address`, `filter`, `coordinates` and
// `read`, at most one for each. Text without a colon consists of the words of a separate sampler.
// Returns false after errors.
bool run_texture_line(struct run *run, const struct run_text *at, uint32_t begin,
                      const char *buffer, struct run_texture *to);
