#include "backend/diagnostics/diagnostics.h"
#include "backend/tables/build.h"
#include "support/json.h"
#include <string.h>

void findings_init(struct findings *findings, struct arena *arena)
{
    *findings = (struct findings){.arena = arena, .artifact = -1};
    vec_reserve(arena, &findings->list, 1);
}

// Returns the path as a URI reference, or NULL for standard input. Absolute paths get a scheme. All
// but plain characters are written as %XX, the colon too: `a:b` would be read as scheme and path.
static const char *uri_of(struct arena *arena, const char *path)
{
    static const char scheme[] = "file://", plain[] = "-._~/", digits[] = "0123456789ABCDEF";
    char *uri = arena_alloc(arena, sizeof scheme + 3 * strlen(path)), *to = uri;
    if (!strcmp(path, "<stdin>"))
        return NULL;
    if (*path == '/')
        to = stpcpy(to, scheme);
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        bool letter = (*at | 32) >= 'a' && (*at | 32) <= 'z', digit = *at >= '0' && *at <= '9';
        if (letter || digit || strchr(plain, *at)) {
            *to++ = (char)*at;
        } else {
            *to++ = '%';
            *to++ = digits[*at >> 4];
            *to++ = digits[*at & 15];
        }
    }
    return uri;
}

static int32_t add_artifact(struct findings *findings, const char *name)
{
    struct artifact artifact = {
        .name = arena_strndup(findings->arena, name, strlen(name)),
        .uri = uri_of(findings->arena, name),
        .parent = -1,
    };
    vec_push(findings->arena, &findings->artifacts, artifact);
    return (int32_t)findings->artifacts.n - 1;
}

int32_t findings_artifact(struct findings *findings, const char *name, const char *bytes,
                          size_t length, int32_t parent)
{
    int32_t at = add_artifact(findings, name);
    struct artifact *artifact = &findings->artifacts.v[at];
    artifact->length = length;
    artifact->parent = parent;
    tables_digest(artifact->sha256, bytes, length);
    return at;
}

static int32_t find_artifact(struct findings *findings, const char *name)
{
    for (uint32_t i = 0; i < findings->artifacts.n; i++)
        if (!strcmp(findings->artifacts.v[i].name, name))
            return (int32_t)i;
    return add_artifact(findings, name);
}

void findings_about(struct findings *findings, const struct source *source)
{
    findings->artifact = source ? find_artifact(findings, source->name) : -1;
    findings->cursor = (struct position_cursor){source, 0, 0, 0};
}

struct text_position position_find(struct position_cursor *c, uint32_t offset)
{
    const struct source *source = c->source;
    struct source_position place = source_position_at(source, offset);
    uint32_t line = offset - (place.column - 1);
    if (c->line != line || c->at > offset)
        *c = (struct position_cursor){source, line, line, 0};
    while (c->at < offset) {
        size_t length = json_utf8_length(source->text + c->at, source->length - c->at);
        c->units += length == 4 ? 2 : 1;
        c->at += length ? (uint32_t)length : 1;
    }
    return (struct text_position){place.line, place.column, c->units + 1};
}

static void position_at(struct findings *findings, struct finding *finding, const char *file,
                        uint32_t line, uint32_t column)
{
    finding->artifact = find_artifact(findings, file);
    finding->begin = (struct text_position){line, column, column};
    finding->end = (struct text_position){0};
}

void findings_add(struct findings *findings, const struct diag *diag)
{
    struct finding finding = {
        .severity = diag->severity,
        .raised = diag->raised,
        .id = diag->id,
        .message = arena_strndup(findings->arena, diag->message, strlen(diag->message)),
        .artifact = findings->artifact,
        .placed = findings->cursor.source && diag->begin != NO_OFFSET,
    };
    if (finding.placed) {
        finding.begin = position_find(&findings->cursor, diag->begin);
        finding.end = position_find(&findings->cursor, diag->end);
    }
    bool moves = findings->by_source && diag->origin.file;
    if (diag->replacement && !moves)
        finding.replacement =
            arena_strndup(findings->arena, diag->replacement, strlen(diag->replacement));
    if (moves)
        position_at(findings, &finding, diag->origin.file, diag->origin.line, diag->origin.column);
    vec_reserve(findings->arena, &findings->list, findings->list.n + 2);
    findings->list.v[findings->list.n++] = finding;
}

// Adds a note at a place in the CUDA source. That file was not read, so its artifact has no digest.
static void add_origin(struct findings *findings, const struct remark_origin *origin)
{
    struct finding finding = {
        .severity = DIAG_NOTE,
        .message = origin->text,
        .artifact = find_artifact(findings, origin->file),
        .placed = true,
        .begin = {origin->line, origin->column, origin->column},
    };
    vec_push(findings->arena, &findings->list, finding);
}

// Moves the last finding to the place in the CUDA source; its place in the PTX becomes a note.
static void move_to_origin(struct findings *findings, const struct remark_origin *origin)
{
    struct finding *head = &findings->list.v[findings->list.n - 1];
    struct finding note = {.severity = DIAG_NOTE,
                           .message = "in the PTX",
                           .artifact = head->artifact,
                           .placed = head->placed,
                           .begin = head->begin,
                           .end = head->end};
    position_at(findings, head, origin->file, origin->line, origin->column);
    vec_push(findings->arena, &findings->list, note);
}

void findings_remark(struct findings *findings, const struct remark *remark)
{
    bool moves = findings->by_source && remark->origins.n;
    struct diag diag = {.severity = DIAG_REMARK,
                        .id = remark->rule,
                        .message = remark->text,
                        .begin = remark->begin,
                        .end = remark->end};
    findings_add(findings, &diag);
    struct finding *head = &findings->list.v[findings->list.n - 1];
    head->passed = remark->passed;
    head->analysis = remark->analysis;
    head->function = arena_strndup(findings->arena, remark->name, strlen(remark->name));
    if (moves)
        move_to_origin(findings, &remark->origins.v[0]);
    for (uint32_t i = 0; i < remark->notes.n; i++) {
        const struct remark_note *note = &remark->notes.v[i];
        diag = (struct diag){
            .severity = DIAG_NOTE, .message = note->text, .begin = note->begin, .end = note->end};
        findings_add(findings, &diag);
    }
    for (uint32_t i = moves; i < remark->origins.n; i++)
        add_origin(findings, &remark->origins.v[i]);
}

void findings_add_last(struct findings *findings, const char *id, const char *message)
{
    if (findings->list.n < findings->list.capacity)
        findings->list.v[findings->list.n++] = (struct finding){
            .severity = DIAG_ERROR,
            .id = id,
            .message = message,
            .artifact = -1,
        };
}
