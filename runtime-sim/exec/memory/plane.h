// The state plane of an allocation: a bit for each word of 4 bytes, full or empty [001 §4.2].
//
// An allocation may have counts instead [001 §4.5]: an empty word is full after N fills, and a full
// one is empty after M reads that waited for it.
//
// Allocations without a plane are always full, and actions have no effect there. Time counts in
// rounds: the plane knows in which round a word was filled and read.
#pragma once
#include "runtime-sim/exec/memory/image.h"

enum { PLANE_WORD = 4, PLANE_LINE = 128, PLANE_WORDS = PLANE_LINE / PLANE_WORD };

// The condition of an access on the words that it touches, and its effect on them [001 §4.1].
enum plane_trigger { PLANE_ALWAYS, PLANE_WAIT_FULL, PLANE_WAIT_EMPTY, PLANE_TRIGGERS };
// PLANE_RELEASE, for the host only: accesses wait for the words no more, until the next action on
// them or the end of the round. Their state stays [001 §4.5].
enum plane_action { PLANE_KEEP, PLANE_FILL, PLANE_EMPTY, PLANE_RELEASE };

// In a mark: of a request of the host; of the GPU, with the trigger and the action of the mark.
enum { PLANE_OF_HOST = 0x80, PLANE_AS_MARKED = 0x40 };

// Planes of the memory that the host allocates.
enum plane_initial { PLANES_NONE, PLANES_EMPTY, PLANES_FULL };
struct plane_kind {
    uint8_t initial; // enum plane_initial
    uint8_t bits;    // of the state of a word: 1, or more for counts
    bool discards;   // the instruction `discard` empties the words of its line
};

// Both in a byte, the mark of a request.
static inline uint8_t plane_mark(enum plane_trigger trigger, enum plane_action action)
{
    return (uint8_t)(trigger | action << 2);
}
static inline enum plane_trigger plane_trigger_of(uint8_t mark)
{
    return mark & 3;
}
static inline enum plane_action plane_action_of(uint8_t mark)
{
    return mark >> 2 & 3;
}

// By line of 128 bytes: a bit for each word that exists, for each full one, and for each that was
// released; by word: rounds and counts.
struct plane {
    uint32_t *exists, *full;
    uint32_t *released;     // NULL: none
    uint8_t *filled, *read; // rounds; 0: never
    uint8_t *count;         // fills of an empty word, reads of a full one; NULL: no counts
    uint8_t fills, reads;   // with counts: after which the state changes; 0 reads: never
};

// A line of memory in a plane.
struct plane_line {
    struct plane *plane; // NULL: no plane there
    uint32_t index;
};

// Gives the live allocation at this address a plane.
void plane_add(struct image *image, uint64_t address, struct plane_kind kind);
// Gives the plane of the allocation at this address counts; words keep their state. Returns NULL,
// or a fault as a sentence without a full stop: no plane there, or a word of the kind's bits cannot
// hold fills + reads states. Requires at least one fill.
const char *plane_set_counts(struct image *image, uint64_t address, uint32_t fills, uint32_t reads);
// Returns the line with this address.
struct plane_line plane_find(const struct image *image, uint64_t address);

// Returns the words of the line that keep an access from its trigger.
uint32_t plane_missing(struct plane_line line, uint32_t words, enum plane_trigger trigger);
// Returns true if words have not the state of the trigger, whether they are released or not.
bool plane_lacks(struct plane_line line, uint32_t words, enum plane_trigger trigger);
// Applies an action to words that are accessed in this round. Returns the number of words that are
// filled though they are full since an earlier round, and were read in this one: the reader got the
// value of that round.
uint32_t plane_act(struct plane_line line, uint32_t words, enum plane_action action, uint8_t round);
// Notes that words are read. `counts`: by an access that waited for full words.
void plane_note_read(struct plane_line line, uint32_t words, uint8_t round, bool counts);
// Returns true if an atomic access waits for full words: it does not if fills are counted.
bool plane_holds_atomics(struct plane_line line);

// The same for any range of bytes. plane_find_missing returns the address of the first word that
// keeps the access from its trigger, or 0.
uint64_t plane_find_missing(const struct image *image, uint64_t address, uint64_t bytes,
                            enum plane_trigger trigger);
void plane_act_all(const struct image *image, uint64_t address, uint64_t bytes,
                   enum plane_action action);
void plane_count_reads(const struct image *image, uint64_t address, uint64_t bytes);
// Returns true if all bytes have bits.
bool plane_covers(const struct image *image, uint64_t address, uint64_t bytes);
// Empties the words that were read in this round.
void plane_empty_read(const struct image *image);
// A new round begins. Nothing is released any more.
void plane_next_round(struct image *image);

// Returns the number of lines of an allocation.
static inline uint64_t plane_lines(const struct allocation *at)
{
    return divide_up(at->bytes, PLANE_LINE);
}

// Returns the words of a line that a range of its bytes touches.
static inline uint32_t plane_words(uint64_t first, uint64_t bytes)
{
    uint64_t from = first / PLANE_WORD, to = (first + bytes + PLANE_WORD - 1) / PLANE_WORD;
    return (uint32_t)(((UINT64_C(1) << to) - 1) & ~((UINT64_C(1) << from) - 1));
}
