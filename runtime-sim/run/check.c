// Compares buffers with their expected values.
#include "runtime-sim/run/fill.h"
#include "runtime-sim/run/session.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct buffer_comparison {
    struct run *run;
    const struct run_check *check;
    const struct run_buffer *buffer;
    const uint8_t *expected;
    double rtol, atol;
};

static bool evaluate_tolerance(struct run *run, const struct run_expr *from, double *to)
{
    struct host_number number;
    *to = 0;
    if (!from->expr)
        return true;
    if (!run_value(run, from, &number))
        return false;
    *to = number_real(&number);
    if (!number_is_reference(&number) && *to >= 0)
        return true;
    run_fault(run, &from->at, "a tolerance must be a number of at least 0");
    return false;
}

// Returns true if a value is within the tolerance of the expected one.
static bool is_near(const struct buffer_comparison *c, const struct host_number *got,
                    const struct host_number *expected)
{
    if (got->kind == NUMBER_INTEGER && c->rtol == 0 && c->atol == 0)
        return got->integer == expected->integer;
    double a = number_real(got), b = number_real(expected);
    if (isnan(a) || isnan(b))
        return isnan(a) && isnan(b);
    return a == b || fabs(a - b) <= c->atol + c->rtol * fabs(b);
}

static const char *text_of(struct run *run, const struct run_buffer *buffer,
                           const struct host_number *number)
{
    if (number->kind == NUMBER_REAL)
        return arena_printf(run->arena, "%.*g", buffer->type->bytes == 8 ? 17 : 9, number->real);
    if (buffer->type->class == SCALAR_SIGNED)
        return arena_printf(run->arena, "%" PRId64, number->integer);
    return arena_printf(run->arena, "%" PRIu64, (uint64_t)number->integer);
}

static bool compare(const struct buffer_comparison *c)
{
    const struct run_buffer *buffer = c->buffer;
    uint32_t bytes = buffer->type->bytes;
    uint64_t wrong = 0, first = 0;
    if (!memcmp(buffer->data, c->expected, buffer->elements * bytes))
        return true;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        struct host_number got = scalar_load(buffer->type, buffer->data + i * bytes);
        struct host_number expected = scalar_load(buffer->type, c->expected + i * bytes);
        if (is_near(c, &got, &expected))
            continue;
        first = wrong++ ? first : i;
    }
    if (!wrong)
        return true;
    struct host_number got = scalar_load(buffer->type, buffer->data + first * bytes);
    struct host_number expected = scalar_load(buffer->type, c->expected + first * bytes);
    diag_add(c->run->diags, DIAG_ERROR, "expectation", c->check->at.begin, c->check->at.end,
             "%" PRIu64 " of %" PRIu64 " elements of '%s' are not as expected; number %" PRIu64
             " is %s and should be %s",
             wrong, buffer->elements, buffer->name, first, text_of(c->run, buffer, &got),
             text_of(c->run, buffer, &expected));
    return false;
}

static enum session_outcome report_comparison(struct session *session,
                                              const struct buffer_comparison *c)
{
    bool good = compare(c);
    ++*(good ? &session->passed : &session->failed);
    return good ? SESSION_DONE : SESSION_CHECK_FAILED;
}

static enum session_outcome with_file(struct session *session, struct buffer_comparison *c)
{
    struct data_file *file = data_open(c->run, &c->check->path, c->check->path.text, c->buffer);
    if (!file)
        return SESSION_BAD_INPUT;
    c->expected = data_bytes(file);
    enum session_outcome outcome = report_comparison(session, c);
    data_close(file);
    return outcome;
}

static enum session_outcome with_buffer(struct session *session, struct buffer_comparison *c)
{
    const struct run_buffer *other = &c->run->buffers.v[c->check->reference];
    if (other->type != c->buffer->type || other->elements != c->buffer->elements) {
        run_fault(c->run, &c->check->at, "'%s' and '%s' differ in type or number of elements",
                  c->buffer->name, other->name);
        return SESSION_BAD_INPUT;
    }
    c->expected = other->data;
    return report_comparison(session, c);
}

static enum session_outcome with_fill(struct session *session, struct buffer_comparison *c)
{
    struct arena own;
    arena_init(&own, session->arena->memory);
    uint8_t *expected = arena_alloc(&own, c->buffer->elements * c->buffer->type->bytes + 1);
    enum session_outcome outcome = SESSION_BAD_INPUT;
    if (fill_do(c->run, &c->check->fill, c->buffer, expected)) {
        c->expected = expected;
        outcome = report_comparison(session, c);
    }
    arena_free(&own);
    return outcome;
}

static enum session_outcome check(struct session *session, const struct run_check *check)
{
    static enum session_outcome (*const ways[])(struct session * session,
                                                struct buffer_comparison * c) = {
        [CHECK_FILE] = with_file,
        [CHECK_BUFFER] = with_buffer,
        [CHECK_FILL] = with_fill,
    };
    struct buffer_comparison c = {
        .run = session->run, .check = check, .buffer = &session->run->buffers.v[check->buffer]};
    if (!evaluate_tolerance(c.run, &check->rtol, &c.rtol) ||
        !evaluate_tolerance(c.run, &check->atol, &c.atol))
        return SESSION_BAD_INPUT;
    return ways[check->kind](session, &c);
}

enum session_outcome session_check(struct session *session)
{
    enum session_outcome worst = SESSION_DONE;
    for (uint32_t i = 0; i < session->run->checks.n; i++) {
        enum session_outcome outcome = check(session, &session->run->checks.v[i]);
        if (outcome == SESSION_BAD_INPUT || worst == SESSION_DONE)
            worst = outcome;
    }
    return worst;
}
