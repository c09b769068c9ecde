// Fills the tables with the decisions of the passes.
#pragma once
#include "backend/tables/bodies.h"
#include "backend/tables/tables.h"
#include "backend/emit/writer.h"

// Fills the kernels of the tables. Requires `written`, the module's source with the plan's edits,
// and `bodies`, those of its text. Every kernel with a body has an entry, and every other function
// with chains, blocks or rejections. The caller sets the digests. Returns NULL, or the fault of the
// plan.
const char *tables_build(struct tables *tables, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct written *written,
                         const struct bodies *bodies);

// Returns a cost model's result in the form of the tables.
struct table_estimate tables_estimate(const struct block_estimate *from);

// Computes the digest of a text in hexadecimal digits.
void tables_digest(char digest[SHA256_HEX + 1], const char *text, size_t length);
struct sha256_ctx; // nettle's; computes the digest of a text that was added in pieces
void tables_digest_end(char digest[SHA256_HEX + 1], struct sha256_ctx *pieces);
