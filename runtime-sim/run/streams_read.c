// Reads the steps of `streams`, which are calls of a host.
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/run/run_file.h"
#include <string.h>

enum { DEEPEST = 16 };

// Returns the index of the node's word in the list, 0 without a node, or -1 after an error.
static int choose(struct run_file_reading *r, const struct yaml_node *node,
                  const char *const words[3], const char *all)
{
    struct run_text at = run_text_of(node);
    for (int i = 0; node && i < 3; i++)
        if (words[i] && !strcmp(at.text, words[i]))
            return i;
    if (node)
        run_fault(r->run, &at, "expected %s", all);
    return node ? -1 : 0;
}

static bool read_copy(struct run_file_reading *r, const struct yaml_node *node,
                      struct run_call *call)
{
    static const char *const directions[3] = {"to-device", "to-host"};
    static const char *const triggers[3] = {"none", "full", "empty"};
    static const char *const actions[3] = {"none", "fill", "empty"};
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_COPY, r->run->diags))
        return false;
    struct run_text name = run_text_of(of.of[KEY_COPY_buffer]);
    call->buffer = run_find_buffer(r->run, &name);
    int direction = choose(r, of.of[KEY_COPY_direction], directions, "'to-device' or 'to-host'");
    int trigger = choose(r, of.of[KEY_COPY_trigger], triggers, "'none', 'full' or 'empty'");
    int action = choose(r, of.of[KEY_COPY_action], actions, "'none', 'fill' or 'empty'");
    if (call->buffer == UINT32_MAX || direction < 0 || trigger < 0 || action < 0)
        return false;
    call->to_host = direction == 1;
    call->mark = plane_mark((enum plane_trigger)trigger, (enum plane_action)action);
    r->run->buffers.v[call->buffer].comes_back |= call->to_host;
    return run_file_expression(r, of.of[KEY_COPY_stream], &call->stream) &&
           run_file_expression(r, of.of[KEY_COPY_first], &call->first) &&
           run_file_expression(r, of.of[KEY_COPY_count], &call->count) &&
           run_file_flag(r, of.of[KEY_COPY_wait], &call->waits);
}

static bool read_repeat(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_call *call)
{
    struct run *run = r->run;
    struct key_values of;
    if (!keys_read(&of, &r->document, node, CONTEXT_CALLS, run->diags))
        return false;
    struct run_calls *calls = call->calls = ARENA_NEW(run->arena, struct run_calls);
    struct run_text index = run_text_of(of.of[KEY_CALLS_index]);
    calls->index = UINT32_MAX;
    if (!run_file_expression(r, of.of[KEY_CALLS_times], &calls->times))
        return false;
    if (index.text && (calls->index = run_new_name(run, &index, NAME_INDEX)) == UINT32_MAX)
        return false;
    if (!run_file_expression(r, of.of[KEY_CALLS_while], &calls->condition) ||
        !run_file_expression(r, of.of[KEY_CALLS_max], &calls->max))
        return false;
    run_file_calls(r, of.of[KEY_CALLS_steps], calls);
    if (index.text)
        run->names.v[calls->index].closed = true;
    return true;
}

static bool read_sync(struct run_file_reading *r, const struct yaml_node *node,
                      struct run_call *call)
{
    struct run_text at = run_text_of(node);
    return run_file_is_scalar(r, node, "a synchronisation") &&
           (!strcmp(at.text, "all") || run_file_expression(r, node, &call->stream));
}

static bool read_buffer(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_call *call)
{
    struct run_text name = run_text_of(node);
    if (!run_file_is_scalar(r, node, "a buffer's name"))
        return false;
    call->buffer = run_find_buffer(r->run, &name);
    return call->buffer != UINT32_MAX;
}

// Reads a state change: a buffer's name for all of it in stream 0, or a mapping.
static bool read_state(struct run_file_reading *r, const struct yaml_node *node,
                       struct run_call *call)
{
    static const uint8_t actions[] = {
        [CALL_EMPTY] = PLANE_EMPTY, [CALL_FILL] = PLANE_FILL, [CALL_RELEASE] = PLANE_RELEASE};
    struct key_values of;
    call->mark = plane_mark(PLANE_ALWAYS, actions[call->kind]);
    if (node->kind != YAML_MAPPING)
        return read_buffer(r, node, call);
    return keys_read(&of, &r->document, node, CONTEXT_STATE, r->run->diags) &&
           read_buffer(r, of.of[KEY_STATE_buffer], call) &&
           run_file_expression(r, of.of[KEY_STATE_stream], &call->stream) &&
           run_file_expression(r, of.of[KEY_STATE_first], &call->first) &&
           run_file_expression(r, of.of[KEY_STATE_count], &call->count);
}

static bool read_launch(struct run_file_reading *r, const struct yaml_node *node,
                        struct run_call *call)
{
    call->launch = run_file_launch(r, node);
    return call->launch;
}

static bool read_value(struct run_file_reading *r, const struct yaml_node *node,
                       struct run_call *call)
{
    return run_file_is_scalar(r, node, "this") && run_file_expression(r, node, &call->value);
}

static void parse_call(struct run_file_reading *r, const struct yaml_node *node,
                       struct run_calls *calls)
{
    static bool (*const readers[])(struct run_file_reading *, const struct yaml_node *,
                                   struct run_call *) = {
        [CALL_COPY] = read_copy,    [CALL_LAUNCH] = read_launch, [CALL_SYNC] = read_sync,
        [CALL_EMPTY] = read_state,  [CALL_FILL] = read_state,    [CALL_RELEASE] = read_state,
        [CALL_AT] = read_value,     [CALL_CPU] = read_value,     [CALL_RESET] = read_buffer,
        [CALL_REPEAT] = read_repeat};
    static const enum run_key keys[] = {
        KEY_CALL_copy,    KEY_CALL_launch, KEY_CALL_sync, KEY_CALL_empty, KEY_CALL_fill,
        KEY_CALL_release, KEY_CALL_at,     KEY_CALL_cpu,  KEY_CALL_reset, KEY_CALL_repeat};
    struct key_values of;
    struct run_call call = {.at = run_text_of(node)};
    if (!keys_read(&of, &r->document, node, CONTEXT_CALL, r->run->diags))
        return;
    for (uint32_t i = 0; i < ARRAY_LENGTH(keys); i++)
        call.kind = of.of[keys[i]] ? (enum run_call_kind)i : call.kind;
    if (readers[call.kind](r, of.of[keys[call.kind]], &call))
        vec_push(r->run->arena, &calls->list, call);
}

void run_file_calls(struct run_file_reading *r, const struct yaml_node *node,
                    struct run_calls *calls)
{
    struct run_text at = run_text_of(node);
    if (r->depth == DEEPEST) {
        run_fault(r->run, &at, "repeats are nested more than 16 levels deep");
        return;
    }
    r->depth++;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct yaml_node *item = yaml_at(&r->document, node->items[i]);
        if (run_file_is_one_more(r, item))
            parse_call(r, item, calls);
    }
    r->depth--;
}
