// Spelling of tags, for writers and readers.
#pragma once
#include "backend/tags/tags.h"

#define TAG_PREFIX "ptxoffload."

enum { TAG_LONGEST = 900 }; // bytes of content; longer content continues in a tag `+`

struct tag_spelling {
    const char *open, *close;
};
// By style; `full` ones are spelled as their small form.
extern const struct tag_spelling tag_spellings[TAG_STYLES];

// The tag `tags` ends with this and the first TAG_DIGITS digits of two digests, that of the text
// and that of the tags.
#define TAG_DIGEST_KEY " digest="
enum { TAG_DIGITS = 8, TAG_DIGESTS_LENGTH = sizeof TAG_DIGEST_KEY - 1 + 2 * TAG_DIGITS };

// Kinds of tags. TAG_KIND(identifier, word, at_instruction)
//
// Tags at an instruction precede it, with one blank after each. The others follow the opening brace
// of a body, with one blank before each. Small tags are TAGS, KERNEL and those at instructions.
#define TAG_KINDS                                                                                  \
    TAG_KIND(MODULE, "module", false)           /* once: source, options */                        \
    TAG_KIND(TAGS, "tags", false)               /* once, the first small tag: options, digests */  \
    TAG_KIND(KERNEL, "kernel", false)           /* in each body that the tables have */            \
    TAG_KIND(CHAIN_FACTS, "chain-facts", false) /* a chain of the kernel */                        \
    TAG_KIND(BLOCK_FACTS, "block-facts", false) /* a block of the kernel */                        \
    TAG_KIND(ALTERNATIVE, "alternative", false) /* what another cost model says of the last one */ \
    TAG_KIND(REJECTED, "rejected", false)                                                          \
    TAG_KIND(DIGEST, "digest", false)    /* once, last in the first body */                        \
    TAG_KIND(MORE, "+", false)           /* more of the tag in front */                            \
    TAG_KIND(CHAIN, "chain", true)       /* id, tag: an instruction of a chain */                  \
    TAG_KIND(BEGIN, "begin", true)       /* id: first instruction of a block to offload */         \
    TAG_KIND(END, "end", true)           /* id: its last one */                                    \
    TAG_KIND(OTHER, "other", true)       /* id: of a candidate that is not to be offloaded */      \
    TAG_KIND(ESTIMATE, "estimate", true) /* of the begin or other in front */                      \
    TAG_KIND(ALSO, "++", true)           /* more of the tag in front, at an instruction */

// Begins of tags that continue another.
#define TAG_MORE_LEAD "+ "
#define TAG_ALSO_LEAD "++ "

enum tag_kind {
#define TAG_KIND(name, word, at_instruction) TAG_##name,
    TAG_KINDS
#undef TAG_KIND
        TAG_KIND_COUNT,
};

struct tag_kind_info {
    const char *word;
    uint32_t length; // of the word
    bool at_instruction;
};
extern const struct tag_kind_info tag_kinds[TAG_KIND_COUNT];

// Returns the kind of a content, or TAG_KIND_COUNT; sets `rest` to the offset after the word.
enum tag_kind tag_kind(const char *content, uint32_t length, uint32_t *rest);

struct tag_digests {
    char text[SHA256_HEX + 1]; // of the tokens of the text without tags
    char tags[SHA256_HEX + 1]; // `place content` of each, without the tag and key `digest`
};
// Computes them for the tags of a text, and this text without its tags.
void tags_digest(struct tag_digests *digests, const struct tags *tags, const struct source *plain);
// Adds a tag; its content is `lead` and `content` together. `place`: bytes of tokens in front.
struct sha256_ctx; // nettle's
void tags_digest_add(struct sha256_ctx *digest, uint64_t place, const char *lead,
                     const char *content, uint32_t length);
