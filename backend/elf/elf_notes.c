// Reads the notes of an object into one record.
#include "backend/elf/elf_rows.h"
#include "include/ptxoffload/metadata.h"
#include <elf.h>
#include <string.h>

static const struct {
    const char *what;
    uint32_t at, size; // in struct elf_notes
} kinds[] = {
    [PTXOFFLOAD_NOTE_VERSION] = {"version", offsetof(struct elf_notes, version), 4},
    [PTXOFFLOAD_NOTE_SOURCE] = {"source", offsetof(struct elf_notes, source), SHA256_BYTES},
    [PTXOFFLOAD_NOTE_OUTPUT] = {"output", offsetof(struct elf_notes, output), SHA256_BYTES},
};
enum { KINDS = ARRAY_LENGTH(kinds) };

struct note {
    uint32_t type, name_size, size;
    const char *name, *bytes;
};

// Reads the note at `*at` and advances `*at` to the next one. The last note need not be padded.
// Returns false if the note is truncated.
static bool next_note(const struct elf_part_bytes *part, uint64_t *at, struct note *note)
{
    Elf64_Nhdr header;
    const char *begin = part->bytes + *at;
    uint64_t left = part->size - *at;
    if (left < sizeof header)
        return false;
    note->name_size = (uint32_t)elf_get(begin, 4);
    note->size = (uint32_t)elf_get(begin + 4, 4);
    note->type = (uint32_t)elf_get(begin + 8, 4);
    uint64_t bytes = sizeof header + align_up(note->name_size, 4), end = bytes + note->size;
    if (end > left)
        return false;
    note->name = begin + sizeof header;
    note->bytes = begin + bytes;
    *at += smaller(align_up(end, 4), left);
    return true;
}

static bool is_ours(const struct note *note)
{
    static const char name[] = PTXOFFLOAD_NOTE_NAME;
    return note->name_size == sizeof name && !memcmp(note->name, name, sizeof name) &&
           note->type < KINDS && kinds[note->type].what;
}

bool elf_read_notes(struct elf_reader *r, struct elf_notes *notes)
{
    const struct elf_part_bytes *part = &r->parts[ELF_NOTE];
    bool seen[KINDS] = {0};
    for (uint64_t at = 0; at < part->size;) {
        struct note note;
        if (!next_note(part, &at, &note))
            return elf_fault(r, "section '%s': a note is truncated", PTXOFFLOAD_SECTION_NOTE);
        if (!is_ours(&note))
            continue;
        if (seen[note.type] || note.size != kinds[note.type].size)
            return elf_fault(r, "section '%s': the note '%s' is %s", PTXOFFLOAD_SECTION_NOTE,
                             kinds[note.type].what,
                             seen[note.type] ? "given more than once" : "of the wrong size");
        seen[note.type] = true;
        memcpy((char *)notes + kinds[note.type].at, note.bytes, note.size);
    }
    for (uint32_t type = PTXOFFLOAD_NOTE_VERSION; type < KINDS; type++)
        if (kinds[type].what && !seen[type])
            return elf_fault(r, "section '%s': the note '%s' is missing", PTXOFFLOAD_SECTION_NOTE,
                             kinds[type].what);
    return true;
}
