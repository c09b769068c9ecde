// The tagger inside another program, which gives it a text and the options of ptxoffload.
#pragma once
#include "cli/common/messages.h"

struct tagger_invocation;

// Reads options of ptxoffload, separated and quoted as in a response file. Returns NULL after
// reporting errors, also for options without a tagged program, such as --check.
struct tagger_invocation *embedded_read(struct arena *arena, const char *options, FILE *errors);
// Replaces each file name of the options by what `place` returns.
void embedded_place(struct tagger_invocation *run,
                    const char *(*place)(const void *context, const char *path),
                    const void *context);
// Tags the source, writes the files that the options request, and replaces its text. Returns false
// after reporting errors.
bool embedded_tag(struct tagger_invocation *run, struct arena *arena,
                  const struct messages *messages, struct source *source);
