// Fills the tables with what the passes have decided.
#pragma once
#include "backend/bodies.h"
#include "backend/tables.h"
#include "backend/writer.h"

// Needs: `written`, the module's source with the plan's edits; `bodies`, those of its text. Every
// kernel with a body has an entry, and every other function for which the plan says anything.
// Leaves the digest of the output to the caller. Returns NULL, or what is wrong with the plan.
const char *tables_build(struct tables *tables, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct written *written,
                         const struct bodies *bodies);

// The digest of a text in hexadecimal digits.
void tables_digest(char digest[SHA256_HEX + 1], const char *text, size_t length);
struct sha256_ctx; // nettle's: the same of a text in pieces
void tables_digest_end(char digest[SHA256_HEX + 1], struct sha256_ctx *pieces);
