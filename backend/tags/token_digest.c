#include "backend/tags/token_digest.h"
#include "backend/tables/build.h"
#include <limits.h>
#include <string.h>

enum byte_class { PLAIN, SPACE, LINE_FEED, OPENER };

// Classes of bytes, as in the scanner frontend/ptx.l.
static const uint8_t classes[UCHAR_MAX + 1] = {
    [' '] = SPACE,  ['\t'] = SPACE, ['\r'] = SPACE,   ['\f'] = SPACE,
    ['\v'] = SPACE, ['\0'] = SPACE, ['\x1a'] = SPACE, ['\n'] = LINE_FEED,
    ['"'] = OPENER, ['/'] = OPENER, ['#'] = OPENER,   ['@'] = OPENER,
};

static bool is_word(unsigned char c)
{
    unsigned char lower = c | 0x20;
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

// Returns true if a token may continue from one byte to the next.
static bool would_join(unsigned char last, unsigned char next)
{
    if (is_word(next))
        return is_word(last) || last == '%' || last == '.';
    return (next == last && strchr("<>=&|/@:.", next)) || (next == '=' && strchr("<>!", last)) ||
           (next == '*' && last == '/');
}

void token_digest_init(struct token_digest *digest)
{
    sha256_init(&digest->sha256);
    digest->bytes = digest->held = 0;
    digest->last = '\n';
    digest->gap = digest->line_begun = false;
}

static void flush(struct token_digest *digest)
{
    sha256_update(&digest->sha256, digest->held, digest->buffer);
    digest->held = 0;
}

static void put_byte(struct token_digest *digest, char byte)
{
    if (digest->held == sizeof digest->buffer)
        flush(digest);
    digest->buffer[digest->held++] = (uint8_t)byte;
    digest->bytes++;
    digest->last = (unsigned char)byte;
}

// Puts bytes of a text that ends at `end`. Most are short, and are copied as a piece of fixed
// length.
static void put_bytes(struct token_digest *digest, const char *bytes, size_t length,
                      const char *end)
{
    enum { PIECE = 16 };
    digest->bytes += length;
    digest->last = (unsigned char)bytes[length - 1];
    if (length <= PIECE && end - bytes >= PIECE && digest->held <= sizeof digest->buffer - PIECE) {
        memcpy(digest->buffer + digest->held, bytes, PIECE);
        digest->held += (uint32_t)length;
        return;
    }
    if (length > sizeof digest->buffer - digest->held)
        flush(digest);
    if (length > sizeof digest->buffer) {
        sha256_update(&digest->sha256, length, (const uint8_t *)bytes);
        return;
    }
    memcpy(digest->buffer + digest->held, bytes, length);
    digest->held += (uint32_t)length;
}

// Adds one or more tokens that have nothing between them, of a text that ends at `end`. Returns
// their end.
static const char *put_tokens(struct token_digest *digest, const char *at, const char *to,
                              const char *end)
{
    if (digest->gap && would_join(digest->last, (unsigned char)*at))
        put_byte(digest, ' ');
    digest->gap = false;
    digest->line_begun = true;
    put_bytes(digest, at, (size_t)(to - at), end);
    return to;
}

static const char *find_end(const char *at, const char *end, const char *what)
{
    size_t length = strlen(what);
    const char *found = memmem(at, (size_t)(end - at), what, length);
    return found ? found + length : end;
}

static const char *find_line_feed(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

// Adds the string, comment or line that begins here, or one byte.
static const char *put_opener(struct token_digest *digest, const char *at, const char *end)
{
    char next = at + 1 < end ? at[1] : '\0';
    bool comment = *at == '/' && (next == '/' || next == '*');
    if (comment || (*at == '#' && !digest->line_begun)) {
        digest->gap = true;
        return comment && next == '*' ? find_end(at + 2, end, "*/") : find_line_feed(at, end);
    }
    if (*at == '@' && next == '@') {
        at = put_tokens(digest, at, find_line_feed(at, end), end);
        put_byte(digest, '\n');
        return at;
    }
    const char *line_end = *at == '"' ? find_line_feed(at, end) : end;
    const char *quote = *at == '"' ? memchr(at + 1, '"', (size_t)(line_end - at - 1)) : NULL;
    return put_tokens(digest, at, quote ? quote + 1 : at + 1, end);
}

enum { WORD = sizeof(uint64_t) };
#define EACH_BYTE (UINT64_MAX / UCHAR_MAX)

// Sets the high bit of each byte that equals `c`; of bytes after the first one, perhaps of others.
static uint64_t equal_bytes(uint64_t word, unsigned char c)
{
    uint64_t zero = word ^ EACH_BYTE * c;
    return (zero - EACH_BYTE) & ~zero & EACH_BYTE << 7;
}

// As equal_bytes, for bytes that may not be plain: those up to a blank, and openers.
static uint64_t special_bytes(uint64_t word)
{
    uint64_t low = (word - EACH_BYTE * (' ' + 1)) & ~word & EACH_BYTE << 7;
    return low | equal_bytes(word, '"') | equal_bytes(word, '/') | equal_bytes(word, '#') |
           equal_bytes(word, '@');
}

// Returns the first byte from `at` on that may not be plain, or one that is less than a word before
// the end.
static const char *skip_plain(const char *at, const char *end)
{
    for (; end - at >= WORD; at += WORD) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        uint64_t special = special_bytes(word);
        if (special)
            return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? at + __builtin_ctzll(special) / 8
                                                             : at;
    }
    return at;
}

// Returns the end of the plain bytes from `at` on.
static const char *find_gap(const char *at, const char *end)
{
    at = skip_plain(at, end);
    while (at < end && classes[(unsigned char)*at] == PLAIN)
        at++;
    return at;
}

void token_digest_add(struct token_digest *digest, const char *text, uint32_t length)
{
    const char *at = text, *end = text + length;
    while (at < end) {
        enum byte_class class = classes[(unsigned char)*at];
        if (class == OPENER) {
            at = put_opener(digest, at, end);
        } else if (class == PLAIN) {
            at = put_tokens(digest, at, find_gap(at, end), end);
        } else {
            digest->gap = true;
            digest->line_begun &= class != LINE_FEED;
            at++;
        }
    }
}

void token_digest_end(struct token_digest *digest, char digits[SHA256_HEX + 1])
{
    flush(digest);
    tables_digest_end(digits, &digest->sha256);
}
