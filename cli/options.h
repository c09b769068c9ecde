// Reading a command line by a table of options. The same table gives the help text.
#pragma once
#include "support/vec.h"
#include <stdio.h>

enum option_kind {
    OPTION_FLAG,   // int at `offset` becomes `value`
    OPTION_TEXT,   // const char * at `offset` becomes the argument
    OPTION_CHOICE, // int at `offset` becomes the argument's place in `choices`
    OPTION_SET,    // unsigned at `offset` gets a bit for each of the argument's choices: a,b
    OPTION_CALL,   // `call` takes the argument apart
};

// Takes the argument into the program's structure; returns NULL or why it cannot. `argument` is
// NULL if a joined one is missing.
typedef const char *option_call(struct arena *arena, void *into, const char *argument);

struct option {
    const char *name;     // with its dashes
    const char *argument; // as the help names it; NULL: the option takes none
    enum option_kind kind;
    size_t offset; // in the program's structure
    int value;
    const char *const *choices; // NULL-terminated
    option_call *call;
    bool joined; // `argument` stands right behind the name (`-Wname`, `--help=what`) or is missing
    const char *help; // lines are broken where it says so; NULL: it is not to be told of
};

struct option_group {
    const char *title;
    const struct option *options; // up to a name of NULL
};

struct command {
    const char *name;
    const char *usage;                 // what follows the name
    const char *about;                 // below the usage
    const struct option_group *groups; // up to a title of NULL
    const char *more;                  // below the options
};

struct command_line {
    VEC(const char *) operands; // what is no option, in order
    bool failed;
};

// Reads the arguments into the structure at `into`. Options and operands may be mixed; `--opt=val`,
// `--opt val`, `-oval` and `-o val` are all read; `--` ends the options, `-` is an operand. What is
// wrong is said on `errors`, all of it, and `failed` set.
struct command_line options_read(const struct command *command, struct arena *arena, int argc,
                                 char *const *argv, void *into, FILE *errors);

// The place of a text among the choices, or -1.
int options_choice(const char *const *choices, const char *text, size_t length);
enum { USUAL_MEMORY = 8 }; // GiB: the limit where none is given
// Reads a size as --max-memory takes it: 512M, 8G, 0. Returns NULL or what is wrong.
const char *options_size(const char *text, size_t *bytes);
// "a, b or c"
const char *options_list(struct arena *arena, const char *const *choices);

enum { TOPIC_TEXT = 1, TOPIC_MARKDOWN };
// What the argument of --help asks for: the topic for people, or as tables for the documentation
// (`keys-markdown`). 0 if it is another one.
int options_topic(const char *argument, const char *topic);

void options_usage(const struct command *command, FILE *to);
// "ptxoffload 0.1.0 (0123456789)": version, and git revision where it is known.
void options_version(const struct command *command, FILE *to);
void options_help(const struct command *command, FILE *to);
