// The digest of a text's tokens: white space, comments and lines do not change it. Compilers pack
// the PTX of a program, so that its bytes are not those that were tagged.
#pragma once
#include "backend/tables/tables.h"
#include <nettle/sha2.h>

// The text is read in pieces that end between tokens. Tokens are digested in canonical form:
// nothing between two of them, or one blank where they would be read as another token.
struct token_digest {
    struct sha256_ctx sha256;
    uint64_t bytes;     // of the canonical form so far: the place of what follows
    unsigned char last; // of the canonical form
    bool gap;           // white space or a comment follows it
    bool line_begun;    // a token precedes in the line
    uint32_t held;      // bytes not yet digested
    uint8_t buffer[1024];
};

void token_digest_init(struct token_digest *digest);
void token_digest_add(struct token_digest *digest, const char *text, uint32_t length);
void token_digest_end(struct token_digest *digest, char digits[SHA256_HEX + 1]);
