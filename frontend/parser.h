// The interface between scanner and grammar: tokens, construction of nodes, constant expressions.
// Private to the frontend.
#pragma once
#include "frontend/tree.h"

// Kept small, because the grammar's stack copies it at each reduction.
struct token {
    uint32_t begin;
    uint32_t end : 31;
    uint32_t is_unsigned : 1; // a number with the suffix U
    uint64_t value;           // name id of a name or dot word; bits of a number
};

// The position where a statement or item began, to which error recovery returns.
struct mark {
    uint32_t node, open, begin;
};

// An opcode with its modifiers.
struct parser_spelling {
    uint16_t op;          // isa_op; OP_OPAQUE if the opcode or a modifier is unknown
    uint32_t mods, count; // modifiers: `count` from `mods` on in tree->mods
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
    uint32_t statement; // offset at which the last statement or item began
    int previous;       // kind and end of the previous token
    uint32_t previous_end;
    struct intern spelled; // opcodes with their modifiers, as spelled in the text
    VEC(struct parser_spelling) spellings;
    // Error recovery: a token that ends the broken statement, and braces that close open scopes.
    bool recovering, end_statement;
    uint32_t braces;
    uint32_t recover_at, recover_end; // where to continue, and where the broken statement ends
    uint32_t frame; // number of remaining tokens of the synthetic function head around a fragment
    bool framed;    // the fragment's function is open and ends with the text
    // Between the name of a function and its body or end:
    uint16_t head;       // W_entry or W_func; 0 elsewhere
    uint32_t head_depth; // number of open parentheses
    bool holds;          // a token is held back because an end was inserted before it
    int held_kind;
    struct token held;
    const struct tree_visitor *visitor; // may be NULL
    bool stopped;                       // the visitor ended the reading
};

// Scanner actions. Functions that return an int return the token's kind.
// Aborts: flex calls this for a corrupt buffer state only.
void parser_fatal(const char *message) __attribute__((noreturn));
// Allocates or grows a table of the scanner, in the arena.
void *parser_scanner_memory(struct parser *p, void *old, size_t size);
// Reports a comment without an end.
void parser_open_comment(struct parser *p);
// Returns the kind of the token for a byte that begins no other token.
int parser_stray(struct parser *p, const struct token *token);
// Returns true if the token is a preprocessor's line marker.
bool parser_is_marker(const struct parser *p, const struct token *token);
// Interns a name. WARP_SZ becomes a number.
int parser_name(struct parser *p, struct token *token);
// Interns a dot word. Returns the kind of its directive, or T_DOT.
int parser_word(struct parser *p, struct token *token);
// Returns the isa_word of a dot word, or W_UNKNOWN.
uint16_t parser_word_of(const struct token *token);
// Read numbers: an integer after its prefix, the bits of 0f… and 0d…, and a decimal float.
void parser_integer(struct parser *p, struct token *token, uint32_t prefix, unsigned base);
void parser_bits(struct parser *p, struct token *token);
void parser_decimal(struct parser *p, struct token *token);
// Reports a malformed number.
void parser_bad_number(struct parser *p, struct token *token);

// Restores the byte after the current token, which flex overwrote.
void ptx_scanner_restore(void *scanner);
// Continues the scan at `offset`, which was scanned already.
void ptx_scanner_rewind(void *scanner, uint32_t offset);

// Grammar actions. Nodes are named by index.
// Returns the offset after white space, comments and a byte order mark.
uint32_t parser_skip_trivia(const struct parser *p, uint32_t at);
// Returns true if the word can begin a declaration.
bool parser_is_spec(uint16_t word);
// Returns the current position.
struct mark parser_mark(const struct parser *p);
// Adds a node for the token. Returns its index.
uint32_t parser_push(struct parser *p, enum node_kind kind, const struct token *token);
// Adds a semicolon that stands alone; adjacent ones share a node.
void parser_empty(struct parser *p, const struct token *token);
// Pushes a node that becomes the parent of all nodes that follow until it is closed.
uint32_t parser_open(struct parser *p, enum node_kind kind, const struct token *token);
// Opens a parent around the nodes since the mark; its index and range begin there.
void parser_open_around(struct parser *p, enum node_kind kind, struct mark mark,
                        const struct token *token);
// Closes the innermost open node. parser_close_here closes it at the end of the last node.
void parser_close(struct parser *p, uint32_t end);
void parser_close_here(struct parser *p);
// Closes a function that ends with its body, and calls the visitor.
void parser_close_function(struct parser *p);
// Puts a closed parent around the nodes from `node` on. Returns its index.
uint32_t parser_wrap(struct parser *p, enum node_kind kind, uint32_t node, uint32_t begin,
                     uint32_t end);
// Called after the number of a .version.
void parser_version(struct parser *p);
// Opens a directive after a function's parameters.
void parser_tuning(struct parser *p, const struct token *word);
// Makes the nodes since the mark a declaration that ends at `end`. Its first word determines its
// kind.
void parser_declaration(struct parser *p, struct mark mark, uint32_t end);
// Replaces the nodes since the mark by an error node up to `end`.
void parser_error_node(struct parser *p, struct mark mark, uint32_t end);

// Set the opcode of the open instruction, add a modifier to it, add a guard.
void parser_opcode(struct parser *p, const struct token *opcode);
void parser_modifier(struct parser *p, const struct token *word);
void parser_guard(struct parser *p, const struct token *at, const struct token *name, bool negated);
// Names the open function, adds the n of name<n>, sets the attribute of an address.
void parser_function_name(struct parser *p, const struct token *name);
void parser_counted(struct parser *p, const struct token *number, uint32_t end);
void parser_attribute(struct parser *p, uint32_t address, const struct token *word);
// Turns a name into the member name.word.
void parser_member(struct parser *p, uint32_t name, const struct token *word);
// `expected` is ", expected …" or empty.
void parser_syntax_error(struct parser *p, const struct token *token, bool at_end, bool stray,
                         const char *expected);

// frontend/plain.c: reads plain statements of a body from offset `at` on and builds the same nodes
// as the grammar. Returns the offset of the first statement of another kind, including the blanks
// and comments before it.
uint32_t parser_plain(struct parser *p, uint32_t at);
// Returns true if a statement of a body begins after the previous token.
bool parser_at_statement(const struct parser *p);

// Called after a syntax error. Returns the offset of the next statement, from which the scanner
// continues, if a semicolon or brace is missing before it; else 0.
uint32_t parser_begin_again(struct parser *p, const struct token *token, bool is_function);
// Returns the next token to insert before the scanner's.
int parser_recover(struct parser *p, struct token *token);
// Returns the token at the end of the text: the brace that closes the function around a fragment,
// then 0.
int parser_end(struct parser *p, struct token *token);
// Handles a token in the head of a function. If the next item begins, ends the declaration of a
// .func without a semicolon, as older compilers wrote it.
int parser_head(struct parser *p, int kind, struct token *token);
// Returns the token that parser_head held back.
int parser_release(struct parser *p, struct token *token);
// Returns true if the token is part of a body whose opening brace is missing.
bool parser_lacks_brace(const struct parser *p, const struct token *token);
// Keeps the text between the mark and `end`, if any, in an error node.
void parser_recovered(struct parser *p, struct mark mark, uint32_t end);

// Reports bytes that PTX does not allow.
void text_check(const struct source *source, struct diags *diags);
// Returns true if the fragment is part of a body, false if it is part of a module.
bool text_is_body(const struct parser *p);

// Removes the parentheses around the constant that was pushed last. Returns the number of nodes
// removed.
uint32_t parser_unwrap(struct parser *p, uint32_t node);
// Removes the parentheses around an operand. Parentheses at the top level of a call are lists and
// stay.
void parser_operand(struct parser *p, uint32_t node);
// Reports an error and returns false if an array index is not a constant.
bool parser_check_index(struct parser *p, const struct token *bracket, uint32_t index);
// Operators: fold constants, otherwise build a node. `kind` is the operator's token kind. As in
// ptxas, parentheses may enclose constants only, and only a constant may be added to a name.
uint32_t parser_unary(struct parser *p, const struct token *op, int kind, uint32_t operand);
uint32_t parser_binary(struct parser *p, uint32_t left, int kind, const struct token *op,
                       uint32_t right);
uint32_t parser_choice(struct parser *p, uint32_t condition, uint32_t yes, uint32_t no);
uint32_t parser_cast(struct parser *p, const struct token *open, const struct token *type,
                     uint32_t operand);
