// The state plane of an allocation: one bit per word of 4 bytes, full or empty [001 §4.2].
//
// Instead, an allocation may have counts [001 §4.5]: an empty word becomes full after N fills, and
// a full word becomes empty after M reads that waited for it.
//
// Allocations without a plane are always full, and actions have no effect on them. Time is counted
// in rounds: the plane records in which rounds a word was filled and read.
#pragma once
#include "runtime-sim/exec/memory/image.h"

enum { PLANE_WORD = 4, PLANE_LINE = 128, PLANE_WORDS = PLANE_LINE / PLANE_WORD };

// The condition of an access on the words that it touches, and its effect on them [001 §4.1].
enum plane_trigger { PLANE_ALWAYS, PLANE_WAIT_FULL, PLANE_WAIT_EMPTY, PLANE_TRIGGERS };
// PLANE_RELEASE is for the host only: accesses do not wait for the words until the next action on
// them or the end of the round. The state of the words does not change [001 §4.5].
enum plane_action { PLANE_KEEP, PLANE_FILL, PLANE_EMPTY, PLANE_RELEASE };

// Flags of a mark: a request of the host; a request of the GPU with the trigger and action of the
// mark.
enum { PLANE_OF_HOST = 0x80, PLANE_AS_MARKED = 0x40 };

// The planes of memory that the host allocates.
enum plane_initial { PLANES_NONE, PLANES_EMPTY, PLANES_FULL };
struct plane_kind {
    uint8_t initial; // enum plane_initial
    uint8_t bits;    // bits of a word's state: 1, or more for counts
    bool discards;   // the instruction `discard` empties the words of its line
};

// Returns a mark, which combines both in a byte.
static inline uint8_t plane_mark(enum plane_trigger trigger, enum plane_action action)
{
    return (uint8_t)(trigger | action << 2);
}
// Returns the trigger of a mark.
static inline enum plane_trigger plane_trigger_of(uint8_t mark)
{
    return mark & 3;
}
// Returns the action of a mark.
static inline enum plane_action plane_action_of(uint8_t mark)
{
    return mark >> 2 & 3;
}

// By line of 128 bytes: the words that exist, that are full, and that were released. By word:
// rounds and counts.
struct plane {
    uint32_t *exists, *full;
    uint32_t *released;     // NULL: no released words
    uint8_t *filled, *read; // rounds; 0: never
    uint8_t *count;         // fills of an empty word, or reads of a full one; NULL: no counts
    uint8_t fills, reads;   // with counts: numbers after which the state changes; reads 0: never
};

// A line of memory in a plane.
struct plane_line {
    struct plane *plane; // NULL: no plane
    uint32_t index;
};

// Adds a plane to the live allocation at this address.
void plane_add(struct image *image, uint64_t address, struct plane_kind kind);
// Sets the counts of the plane of the allocation at this address. Words keep their state. Returns
// NULL, or a fault as a sentence without a full stop: there is no plane, or the state bits of the
// kind cannot hold fills + reads states. Requires at least one fill.
const char *plane_set_counts(struct image *image, uint64_t address, uint32_t fills, uint32_t reads);
// Returns the line that contains this address.
struct plane_line plane_find(const struct image *image, uint64_t address);

// Returns the words of the line that prevent an access with this trigger.
uint32_t plane_missing(struct plane_line line, uint32_t words, enum plane_trigger trigger);
// Returns true if a word does not have the state of the trigger, whether it is released or not.
bool plane_lacks(struct plane_line line, uint32_t words, enum plane_trigger trigger);
// Applies an action to words accessed in this round. Returns the number of words that are filled
// while full since an earlier round and that were read in this round: the reader received the value
// of the earlier round.
uint32_t plane_act(struct plane_line line, uint32_t words, enum plane_action action, uint8_t round);
// Records a read of words. `counts`: the access waited for full words.
void plane_note_read(struct plane_line line, uint32_t words, uint8_t round, bool counts);
// Returns true if an atomic access must wait for full words, which it need not if fills are
// counted.
bool plane_holds_atomics(struct plane_line line);

// As above, for any range of bytes. plane_find_missing returns the address of the first word that
// prevents the access, or 0.
uint64_t plane_find_missing(const struct image *image, uint64_t address, uint64_t bytes,
                            enum plane_trigger trigger);
void plane_act_all(const struct image *image, uint64_t address, uint64_t bytes,
                   enum plane_action action);
void plane_count_reads(const struct image *image, uint64_t address, uint64_t bytes);
// Returns true if a plane covers all bytes.
bool plane_covers(const struct image *image, uint64_t address, uint64_t bytes);
// Empties the words that were read in this round.
void plane_empty_read(const struct image *image);
// Starts a new round, which ends all releases.
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
