// Spelling of tags, for writers and readers.
#pragma once
#include "backend/tags/tags.h"

#define TAG_PREFIX "ptxoffload."

enum { TAG_LONGEST = 900 }; // bytes of content; longer content continues in tags `+` or `++`

struct tag_spelling {
    const char *open, *close;
};
// By style. Full tags have the spelling of small ones.
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
    TAG_KIND(ALTERNATIVE, "alternative", false) /* the last block, by another cost model */        \
    TAG_KIND(REJECTED, "rejected", false)                                                          \
    TAG_KIND(DIGEST, "digest", false)    /* once, last in the first body */                        \
    TAG_KIND(MORE, "+", false)           /* continues the preceding tag */                         \
    TAG_KIND(CHAIN, "chain", true)       /* id, tag: an instruction of a chain */                  \
    TAG_KIND(BEGIN, "begin", true)       /* id: first instruction of a block to offload */         \
    TAG_KIND(END, "end", true)           /* id: last instruction of this block */                  \
    TAG_KIND(OTHER, "other", true)       /* id: a candidate that is not to be offloaded */         \
    TAG_KIND(ESTIMATE, "estimate", true) /* of the preceding begin or other */                     \
    TAG_KIND(ALSO, "++", true)           /* continues the preceding tag at an instruction */

// Starts of the contents of tags that continue another tag.
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
// Computes the digests of a text's tags, and of the text without them.
void tags_digest(struct tag_digests *digests, const struct tags *tags, const struct source *plain);
// Adds a tag with the content `lead` `content` to a digest. `place`: bytes of tokens before the
// tag.
struct sha256_ctx; // nettle's
void tags_digest_add(struct sha256_ctx *digest, uint64_t place, const char *lead,
                     const char *content, uint32_t length);
