// Manual pages and completions of the commands, from their tables of options. For the build; not
// installed.
//
// usage: pages man|bash|zsh|fish|files|schema|file-schema COMMAND, or pages topic NAME SECTION
// PURPOSE <TEXT
#include "cli/common/frame.h"
#include "cli/pages/words.h"
#include <string.h>

extern const struct cli_program ptxoffload_program, sim_program, run_program, noc_program,
    dram_program, map_program, campaign_program, lsp_program;

static const struct cli_program *const programs[] = {
    &ptxoffload_program, &sim_program, &run_program,      &noc_program,
    &dram_program,       &map_program, &campaign_program, &lsp_program,
};
enum { COMMANDS = sizeof programs / sizeof *programs };
typedef const struct command *command_list[COMMANDS + 1]; // up to a NULL

static void list_commands(command_list commands, struct arena *arena)
{
    for (int i = 0; i < COMMANDS; i++)
        commands[i] = programs[i]->complete ? programs[i]->complete(arena) : programs[i]->command;
    commands[COMMANDS] = NULL;
}

// Writes text for troff: backslashes and dashes stay as typed, and no line starts with a control
// character.
static void put_roff(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((!i || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[i]);
        if (text[i] == '|') // allow a line break here
            fputs("\\:", stdout);
    }
}

static void put_text(const char *text)
{
    put_roff(text, strlen(text));
}

static void put_head(const char *name, const char *section, const char *purpose)
{
    printf(".TH \"%s\" \"%s\" \"%s\" \"ptxoffload %s\" \"ptxoffload\"\n.nh\n.ad l\n.SH NAME\n",
           name, section, RELEASE_DATE, PTXOFFLOAD_VERSION);
    put_text(name);
    fputs(" \\- ", stdout);
    put_text(purpose);
    putchar('\n');
}

// Writes paragraphs. Indented lines are kept as they are.
static void put_paragraphs(const char *text)
{
    bool kept = false;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool keep = *line == ' ';
        if (keep != kept)
            puts(keep ? ".nf" : ".fi");
        if (length)
            put_roff(line, length);
        else if (!kept)
            fputs(".PP", stdout);
        putchar('\n');
        kept = keep;
        line += length + (line[length] == '\n');
    }
    if (kept)
        puts(".fi");
}

// Manual pages

static void put_option(const struct option *option)
{
    fputs(".TP\n.B ", stdout);
    if (option->brief) {
        put_text(option->brief);
        fputs(", ", stdout);
    }
    put_text(option->name);
    if (option->argument) {
        fputs(option->joined ? "" : option->name[1] == '-' ? "=" : " ", stdout);
        put_text(option->argument);
    }
    putchar('\n');
    put_text(option->help);
    putchar('\n');
}

static void write_man(const struct command *command, const command_list commands,
                      struct arena *arena)
{
    (void)arena;
    put_head(command->name, "1", command->purpose);
    puts(".SH SYNOPSIS");
    printf(".B ");
    put_text(command->name);
    putchar('\n');
    put_text(command->usage);
    puts("\n.SH DESCRIPTION");
    put_paragraphs(command->about);
    puts(".SH OPTIONS");
    for (const struct option_group *group = command->groups; group->title; group++) {
        if (*group->title)
            printf(".SS %s\n", group->title);
        for (const struct option *option = group->options; option->name; option++)
            if (option->help)
                put_option(option);
    }
    if (command->more) {
        puts(".SH NOTES");
        put_paragraphs(command->more);
    }
    puts(".SH EXAMPLES");
    for (const struct option_example *example = command->examples; example->line; example++) {
        puts(".TP\n.nf");
        printf("\\fB");
        put_text(command->name);
        putchar(' ');
        put_text(example->line);
        puts("\\fR\n.fi");
        put_text(example->text);
        putchar('\n');
    }
    puts(".SH SEE ALSO");
    for (uint32_t i = 0; commands[i]; i++)
        if (commands[i] != command) {
            printf(".BR ");
            put_text(commands[i]->name);
            puts(" (1),");
        }
    puts(".BR ptxoffload\\-nvcc (1),\n.BR ptxoffload\\-run\\-file (5),\n"
         ".BR ptxoffload\\-machine (5),\n.BR ptxoffload\\-campaign\\-file (5)");
}

static void write_topic(const char *name, const char *section, const char *purpose)
{
    char line[4096];
    put_head(name, section, purpose);
    puts(".SH DESCRIPTION\n.nf");
    while (fgets(line, sizeof line, stdin))
        put_text(line);
    puts(".fi");
}

// Completions: the names of options, and the words that an option takes

// Returns true if the argument of an option may be a file.
static bool has_file_value(const struct option *option)
{
    return option->argument && (option->file == OPTION_READS || option->file == OPTION_WRITES);
}

static void put_words(const char *const *list)
{
    for (uint32_t i = 0; list[i]; i++)
        printf("%s%s", i ? " " : "", list[i]);
}

static const char *identifier_of(const struct command *command, char *to)
{
    char *at = to;
    for (const char *from = command->name; *from; from++)
        *at++ = *from == '-' ? '_' : *from;
    *at = 0;
    return to;
}

static void put_bash_option(const struct command *command, const struct option *option,
                            struct arena *arena)
{
    const struct page_words words = page_words_of(command, option, arena);
    char id[64];
    identifier_of(command, id);
    if (words.list) {
        printf("    %s)", option->name);
        if (option->joined)
            fputs(" [ \"$joined\" ] &&", stdout);
        printf(" _%s_words '%s' '", id, words.in_list ? "," : "");
        put_words(words.list);
        puts(words.and_files ? "'; compopt -o filenames\n"
                               "        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "
                               "\"$word\"); return ;;"
                             : "' && return ;;");
    } else if (option->folder) {
        printf("    %s) compopt -o filenames\n        mapfile -t COMPREPLY < <(compgen -d -- "
               "\"$word\"); return ;;\n",
               option->name);
    }
}

static void write_bash(const struct command *command, const command_list commands,
                       struct arena *arena)
{
    (void)commands;
    char id[64];
    const char *const *operands = page_operands_of(command, arena);
    printf("# bash completion of %s\n_%s_words() # BETWEEN WORDS\n{\n"
           "    local before=\n"
           "    [[ $1 && $word == *,* ]] && before=${word%%,*},\n"
           "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$2\" -- \"${word##*,}\")\n"
           "    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace\n    return 0\n}\n",
           command->name, identifier_of(command, id));
    printf("_%s()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} joined=\n"
           "    if [ \"$word\" = = ]; then\n        word= joined=1\n"
           "    elif [ \"$option\" = = ]; then\n"
           "        option=${COMP_WORDS[COMP_CWORD - 2]} joined=1\n    fi\n    case $option in\n",
           id);
    OPTION_EACH (option, command)
        put_bash_option(command, option, arena);
    puts("    esac\n    if [[ $word == -* ]]; then\n        mapfile -t COMPREPLY < <(compgen -W "
         "'\\");
    OPTION_EACH (option, command) {
        if (option->help)
            printf("%s%s%s \\\n", option->name, option->brief ? " " : "",
                   option->brief ? option->brief : "");
    }
    puts("' -- \"$word\")");
    if (operands) {
        printf("    elif [ \"$COMP_CWORD\" -eq 1 ]; then\n        _%s_words '' '", id);
        put_words(operands);
        puts("'");
    }
    printf("    else\n        compopt -o filenames\n"
           "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n    fi\n}\n"
           "complete -F _%s %s\n",
           id, command->name);
}

// Writes the first line of the help, without characters that are special in quotes.
static void put_first_line(const char *help)
{
    for (; *help && *help != '\n'; help++)
        if (!strchr("'[]:\\`\"", *help))
            putchar(*help);
}

static void put_zsh_words(const struct page_words *words)
{
    bool continues = words->list[0][strlen(words->list[0]) - 1] == '=';
    if (words->in_list) {
        fputs("_values -s , word ", stdout);
        put_words(words->list);
        return;
    }
    printf("{compadd%s -- ", continues ? " -S \"\"" : "");
    put_words(words->list);
    fputs(words->and_files ? "; _files}" : "}", stdout);
}

static void put_zsh_option(const struct command *command, const struct option *option,
                           const char *name, struct arena *arena)
{
    const struct page_words words = page_words_of(command, option, arena);
    bool has_sign = name[1] == '-' && option->argument && (!option->joined || words.list);
    const char *joint = !option->argument ? "" : has_sign ? "=" : option->joined ? "-" : "";
    printf("    '%s%s[", name, option->joined && has_sign ? "=-" : joint);
    put_first_line(option->help);
    putchar(']');
    if (option->argument) {
        printf("%s:argument:", option->joined ? ":" : "");
        if (words.list)
            put_zsh_words(&words);
        else if (has_file_value(option))
            fputs(option->folder ? "_files -/" : "_files", stdout);
    }
    puts("' \\");
}

static void write_zsh(const struct command *command, const command_list commands,
                      struct arena *arena)
{
    (void)commands;
    const char *const *operands = page_operands_of(command, arena);
    printf("#compdef %s\n_arguments -S \\\n", command->name);
    OPTION_EACH (option, command) {
        if (!option->help)
            continue;
        put_zsh_option(command, option, option->name, arena);
        if (option->brief)
            put_zsh_option(command, option, option->brief, arena);
    }
    if (operands) {
        fputs("    '1:action:(", stdout);
        put_words(operands);
        puts(")' \\");
    }
    puts("    '*:file:_files'");
}

static void put_fish_option(const struct command *command, const struct option *option,
                            struct arena *arena)
{
    const struct page_words words = page_words_of(command, option, arena);
    if (words.list) {
        printf(" %s -a '", words.and_files ? "-r -F" : option->joined ? "-f" : "-x");
        if (words.in_list)
            fputs("(__fish_append , ", stdout);
        put_words(words.list);
        fputs(words.in_list ? ")'" : "'", stdout);
    } else if (has_file_value(option)) {
        fputs(option->folder ? " -x -a '(__fish_complete_directories)'" : " -r -F", stdout);
    } else if (option->argument && !option->joined) {
        fputs(" -x", stdout);
    }
}

static void write_fish(const struct command *command, const command_list commands,
                       struct arena *arena)
{
    (void)commands;
    const char *const *operands = page_operands_of(command, arena);
    OPTION_EACH (option, command) {
        if (!option->help)
            continue;
        const char *name = option->name + strspn(option->name, "-");
        printf("complete -c %s -%c %s", command->name,
               option->name[1] == '-' ? 'l'
               : name[1]              ? 'o'
                                      : 's',
               name);
        if (option->brief)
            printf(" -s %s", option->brief + 1);
        put_fish_option(command, option, arena);
        fputs(" -d '", stdout);
        put_first_line(option->help);
        puts("'");
    }
    if (operands) {
        printf("complete -c %s -n __fish_use_subcommand -a '", command->name);
        put_words(operands);
        puts("'");
    }
}

// Writes rows of the table in docs/reference/files.md: the options that concern files.
static void write_files(const struct command *command, const command_list commands,
                        struct arena *arena)
{
    static const char *const kinds[] = {
        [OPTION_READS] = "reads", [OPTION_WRITES] = "writes", [OPTION_PERMITS] = "permits"};
    (void)commands, (void)arena;
    OPTION_EACH (option, command)
        if (option->file)
            printf("%s %s %s\n", command->name, option->name, kinds[option->file]);
}

static void write_schema(const struct command *command, const command_list commands,
                         struct arena *arena)
{
    (void)commands;
    page_write_schema(command, arena);
}

static void write_file_schema(const struct command *command, const command_list commands,
                              struct arena *arena)
{
    (void)commands, (void)arena;
    page_write_file_schema(command);
}

static const struct {
    const char *name;
    void (*write)(const struct command *command, const command_list commands, struct arena *arena);
} forms[] = {{"man", write_man},
             {"bash", write_bash},
             {"zsh", write_zsh},
             {"fish", write_fish},
             {"files", write_files},
             {"schema", write_schema},
             {"file-schema", write_file_schema}};

static int write_page(const char *form, const char *name, struct arena *arena)
{
    command_list commands;
    list_commands(commands, arena);
    for (uint32_t i = 0; i < ARRAY_LENGTH(forms); i++)
        for (uint32_t k = 0; commands[k] && !strcmp(forms[i].name, form); k++)
            if (!strcmp(commands[k]->name, name)) {
                forms[i].write(commands[k], commands, arena);
                return ferror(stdout) || fflush(stdout);
            }
    fprintf(stderr, "pages: unknown form or command\n");
    return 2;
}

int main(int argc, char **argv)
{
    struct memory memory = {0};
    struct arena arena;
    int status = 2;
    if (argc == 5 && !strcmp(argv[1], "topic")) {
        write_topic(argv[2], argv[3], argv[4]);
        return ferror(stdout) || fflush(stdout);
    }
    if (argc != 3 || setjmp(memory.on_failure)) {
        fprintf(stderr, "usage: pages man|bash|zsh|fish|files|schema|file-schema COMMAND, or topic "
                        "NAME SECTION "
                        "PURPOSE\n");
        return 2;
    }
    arena_init(&arena, &memory);
    status = write_page(argv[1], argv[2], &arena);
    memory_free(&memory);
    return status;
}
