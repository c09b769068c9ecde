// The digest of a text's tokens, which white space, comments and line ends do not change. Compilers
// pack the PTX of a program, so that its bytes differ from those that were tagged.
#pragma once
#include "backend/tables/tables.h"
#include <nettle/sha2.h>

// The text is read in pieces that end between tokens. Tokens are digested in canonical form:
// nothing between two of them, or one blank where they would be read as another token.
struct token_digest {
    struct sha256_ctx sha256;
    uint64_t bytes;     // of the canonical form so far: the place of the next token
    unsigned char last; // byte of the canonical form
    bool gap;           // white space or a comment follows it
    bool line_begun;    // a token precedes in the line
    uint32_t held;      // bytes in `buffer`
    uint8_t buffer[1024];
};

// Start a digest; add a piece of the text, which ends between tokens; end it, as hexadecimal
// digits.
void token_digest_init(struct token_digest *digest);
void token_digest_add(struct token_digest *digest, const char *text, uint32_t length);
void token_digest_end(struct token_digest *digest, char digits[SHA256_HEX + 1]);
