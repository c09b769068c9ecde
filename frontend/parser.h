// Between scanner and grammar: tokens, node construction, constant expressions. Private to the
// frontend.
#pragma once
#include "frontend/tree.h"

// Small, because the grammar's stack copies it with every reduction.
struct token {
    uint32_t begin;
    uint32_t end : 31;
    uint32_t is_unsigned : 1; // a number
    uint64_t value;           // name id of names and dot words; bits of numbers
};

// Where a statement or item began: what error recovery goes back to.
struct mark {
    uint32_t node, open, begin;
};

// An opcode with its modifiers.
struct parser_spelling {
    uint16_t op;          // isa_op; OP_OPAQUE if the opcode or a modifier is not known
    uint32_t mods, count; // into tree->mods
};

struct parser {
    struct tree *tree;
    struct diags *diags;
    const char *base;
    uint32_t comment_begin;
    int comment_from;
    VEC(uint32_t) open; // nodes that are not closed yet, outermost first
    uint32_t last_end;  // end of the node that was pushed, wrapped or closed last
    bool described;     // the tables describe the module's PTX version
    uint64_t *warned;   // name ids of unknown opcodes and directives that were reported
    uint32_t warned_size;
    bool cut; // an error at the end of the text was reported
    uint32_t bad_number_end;
    uint32_t statement; // where the last statement or item began
    int previous;       // the kind and end of the token before
    uint32_t previous_end;
    struct intern spelled; // opcodes with their modifiers, as they are written
    VEC(struct parser_spelling) spellings;
    // Mending: a token that ends the broken statement, and braces that close open scopes.
    bool recovering, end_statement;
    uint32_t braces;
    uint32_t recover_at, recover_end; // where to continue, and where the broken statement ends
    uint32_t frame; // tokens of the function's head around a body that are still to be read
    bool framed;    // the function is open: it ends with the text
    // Members for the part after the name of a function, up to its body or its end.
    uint16_t head;       // W_entry or W_func; 0 elsewhere
    uint32_t head_depth; // open parentheses
    bool holds;          // the token after an end that was put before it
    int held_kind;
    struct token held;
    const struct tree_visitor *visitor; // NULL: none
    bool stopped;                       // by the visitor
};

// Scanner side. Those that return an int return the token's kind.
void parser_fatal(const char *message) __attribute__((noreturn));
void *parser_scanner_memory(struct parser *p, void *old, size_t size);
void parser_open_comment(struct parser *p);
int parser_stray(struct parser *p, const struct token *token);
// Returns true for the line of a preprocessor.
bool parser_is_marker(const struct parser *p, const struct token *token);
int parser_name(struct parser *p, struct token *token);
int parser_word(struct parser *p, struct token *token);
// The isa_word of a dot word.
uint16_t parser_word_of(const struct token *token);
void parser_integer(struct parser *p, struct token *token, uint32_t prefix, unsigned base);
void parser_bits(struct parser *p, struct token *token);
void parser_decimal(struct parser *p, struct token *token);
void parser_bad_number(struct parser *p, struct token *token);

void ptx_scanner_restore(void *scanner);
void ptx_scanner_rewind(void *scanner, uint32_t offset);

// Grammar side. Nodes are named by index.
// Goes after white space, comments and a byte order mark.
uint32_t parser_skip_trivia(const struct parser *p, uint32_t at);
// Returns true if a declaration can begin with the word.
bool parser_is_spec(uint16_t word);
struct mark parser_mark(const struct parser *p);
uint32_t parser_push(struct parser *p, enum node_kind kind, const struct token *token);
// A semicolon by itself; those that touch share a node.
void parser_empty(struct parser *p, const struct token *token);
// Pushes a node that becomes the parent of all that follow until it is closed.
uint32_t parser_open(struct parser *p, enum node_kind kind, const struct token *token);
// The same around the nodes since the mark; id and range begin there.
void parser_open_around(struct parser *p, enum node_kind kind, struct mark mark,
                        const struct token *token);
// Closes the innermost open node; `_here`: where the last node ends.
void parser_close(struct parser *p, uint32_t end);
void parser_close_here(struct parser *p);
// Closes a function that ends with its body, which the visitor takes.
void parser_close_function(struct parser *p);
// Puts a closed parent around all nodes from `node` on.
uint32_t parser_wrap(struct parser *p, enum node_kind kind, uint32_t node, uint32_t begin,
                     uint32_t end);
// After the number of a .version.
void parser_version(struct parser *p);
// Opens a directive behind a function's parameters.
void parser_tuning(struct parser *p, const struct token *word);
void parser_declaration(struct parser *p, struct mark mark, uint32_t end);
// Replaces all since the mark by an error node up to `end`.
void parser_error_node(struct parser *p, struct mark mark, uint32_t end);

void parser_opcode(struct parser *p, const struct token *opcode);
void parser_modifier(struct parser *p, const struct token *word);
void parser_guard(struct parser *p, const struct token *at, const struct token *name, bool negated);
void parser_function_name(struct parser *p, const struct token *name);
void parser_counted(struct parser *p, const struct token *number, uint32_t end);
void parser_attribute(struct parser *p, uint32_t address, const struct token *word);
void parser_member(struct parser *p, uint32_t name, const struct token *word);
// `expected`: ", expected …" or empty.
void parser_syntax_error(struct parser *p, const struct token *token, bool at_end, bool stray,
                         const char *expected);

// frontend/plain.c: reads plain statements of a body from an offset on, as the grammar would.
// Returns where the first other one begins, blanks and comments before it included.
uint32_t parser_plain(struct parser *p, uint32_t at);
// Returns true if a statement of a body begins after the previous token.
bool parser_at_statement(const struct parser *p);

// After a syntax error at a token: where the next statement begins if a semicolon or brace is
// missing before it, else 0. The scanner then continues from there.
uint32_t parser_begin_again(struct parser *p, const struct token *token, bool is_function);
// The next token to put before what the scanner reads.
int parser_recover(struct parser *p, struct token *token);
// The token at the end of the text: what closes the function around a fragment, then 0.
int parser_end(struct parser *p, struct token *token);
// A token in the head of a function: the next item ends the declaration of a .func that has no
// semicolon, as older compilers wrote them.
int parser_head(struct parser *p, int kind, struct token *token);
// The token that waits after such an end.
int parser_release(struct parser *p, struct token *token);
// Returns true if the token is part of a body whose opening brace is missing.
bool parser_lacks_brace(const struct parser *p, const struct token *token);
// Keeps what is between the mark and `end` in an error node, if anything does.
void parser_recovered(struct parser *p, struct mark mark, uint32_t end);

// Reports bytes that PTX has not.
void text_check(const struct source *source, struct diags *diags);
// Returns true if the fragment is part of a body, else of a module.
bool text_is_body(const struct parser *p);

// Removes the parentheses around the constant that was pushed last. Returns the number of nodes
// that are gone.
uint32_t parser_unwrap(struct parser *p, uint32_t node);
// The same for an operand; parentheses at the top level of a call are lists and stay.
void parser_operand(struct parser *p, uint32_t node);
// Returns false, with an error, if the index of an array element is not a constant.
bool parser_check_index(struct parser *p, const struct token *bracket, uint32_t index);
// Operators: fold constants, else build a node. `kind` is the token's kind. Parentheses stand
// around constants only, and a name has a constant added to it only, as in ptxas.
uint32_t parser_unary(struct parser *p, const struct token *op, int kind, uint32_t operand);
uint32_t parser_binary(struct parser *p, uint32_t left, int kind, const struct token *op,
                       uint32_t right);
uint32_t parser_choice(struct parser *p, uint32_t condition, uint32_t yes, uint32_t no);
uint32_t parser_cast(struct parser *p, const struct token *open, const struct token *type,
                     uint32_t operand);
