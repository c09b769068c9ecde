#include "cli/sim/checkpoint.h"
#include "support/protect.h"
#include <inttypes.h>

void sim_checkpoint_init(struct sim_checkpoint *checkpoint, struct memory *memory,
                         const struct sim_arguments *arguments, const struct messages *messages)
{
    *checkpoint = (struct sim_checkpoint){.arguments = arguments, .messages = messages};
    arena_init(&checkpoint->own, memory);
    outputs_init(&checkpoint->outputs, &checkpoint->own);
}

// Writing

static const char *write_file(struct sim_checkpoint *checkpoint)
{
    const char *error;
    FILE *to = output_open(&checkpoint->outputs, checkpoint->arguments->checkpoint, &error);
    if (!to)
        return error;
    if (checkpoint_write(checkpoint->session, checkpoint->timed, to))
        return outputs_commit(&checkpoint->outputs);
    outputs_abandon(&checkpoint->outputs);
    return "out of memory while writing the checkpoint";
}

// Flushes the caches even if no file is written, so that a resumed run has the same flushes as the
// run before. A file that cannot be written does not end the run.
static void write_checkpoint(void *context)
{
    struct sim_checkpoint *checkpoint = context;
    if (checkpoint->timed)
        timed_renew(checkpoint->timed);
    if (!checkpoint->arguments->checkpoint)
        return;
    fflush(stdout); // a resumed run does not print it again
    const char *error = write_file(checkpoint);
    if (error)
        message_error(checkpoint->messages, "%s", error);
    checkpoint->failed |= error != NULL;
    arena_reset(&checkpoint->own); // including the list of outputs, which is empty
    outputs_init(&checkpoint->outputs, &checkpoint->own);
}

// Resuming

static bool report_error(const struct sim_checkpoint *checkpoint, const char *wrong)
{
    if (wrong)
        message_error(checkpoint->messages, "cannot resume from '%s': %s",
                      checkpoint->arguments->resume, wrong);
    return !wrong;
}

static bool read_file(struct sim_checkpoint *checkpoint)
{
    const struct sim_arguments *a = checkpoint->arguments;
    struct arena *arena = checkpoint->session->arena;
    const char *wrong = file_map(arena, a->resume, &checkpoint->file);
    // A run may write the file from which it resumes: by then it has read the file.
    if (a->checkpoint && output_same(arena, a->checkpoint, a->resume))
        protect_release(arena->memory, a->resume);
    if (!wrong)
        wrong = checkpoint_read(&checkpoint->resume, arena, checkpoint->file.bytes,
                                checkpoint->file.size);
    if (!wrong)
        wrong = checkpoint_fits(checkpoint->resume, checkpoint->session,
                                checkpoint->timed ? checkpoint->timed->options : NULL,
                                a->checkpoint_every);
    if (!wrong && a->stop_after && a->stop_after <= checkpoint_launches(checkpoint->resume))
        wrong = arena_printf(arena,
                             "it was made after launch %" PRIu64 ", which is later than "
                             "--stop-after",
                             checkpoint_launches(checkpoint->resume));
    return report_error(checkpoint, wrong);
}

// Reports the flushes, because they change cycles.
static void report_flushes(const struct sim_checkpoint *checkpoint)
{
    if (checkpoint->timed && checkpoint->arguments->checkpoint)
        message_note(checkpoint->messages,
                     "--checkpoint empties the caches after each launch that it writes: cycles "
                     "differ from those of a run without it");
}

bool sim_checkpoint_begin(struct sim_checkpoint *checkpoint, struct session *session,
                          struct timed *timed)
{
    const struct sim_arguments *a = checkpoint->arguments;
    if (session->run->has_streams && (a->checkpoint || a->resume || a->stop_after)) {
        message_error(checkpoint->messages, "a run with streams does not support --checkpoint, "
                                            "--resume and --stop-after");
        return false;
    }
    checkpoint->session = session;
    checkpoint->timed = timed;
    session->stop_after = a->stop_after;
    if (a->checkpoint)
        session->checkpoint_every = a->checkpoint_every ? a->checkpoint_every : 1;
    session->checkpoint = write_checkpoint;
    session->checkpoint_context = checkpoint;
    report_flushes(checkpoint);
    return !a->resume || read_file(checkpoint);
}

bool sim_checkpoint_resume(struct sim_checkpoint *checkpoint)
{
    if (!checkpoint->resume)
        return true;
    bool good = report_error(
        checkpoint, checkpoint_restore(checkpoint->resume, checkpoint->session, checkpoint->timed));
    file_unmap(&checkpoint->file);
    return good;
}
