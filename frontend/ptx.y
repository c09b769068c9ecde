// Grammar of PTX statements. Opcodes are names, resolved by their id. Modifiers and directives are
// words with a dot. The meaning of instructions and declarations is not checked here.
%code requires {
#include "frontend/parser.h"
}
%code provides {
#define YYSTYPE PTX_YYSTYPE
}
%code {
#include "frontend/ptx.lex.h"
// The parser's stack is allocated in the arena and freed with it, also if memory runs out.
#define YYMALLOC(size) arena_alloc(p->tree->arena, size)
#define YYFREE(old) ((void)(old))
static void ptx_yyerror(struct parser *p, void *scanner, const char *message);
// After an error, the parser may insert tokens before the scanner's.
static int next_token(struct parser *p, PTX_YYSTYPE *value, void *scanner, bool recovering)
{
    if (p->stopped)
        return 0;
    if (p->recovering)
        return parser_recover(p, &value->token);
    if (p->holds)
        return parser_release(p, &value->token);
    if (!recovering && parser_at_statement(p)) {
        ptx_scanner_restore(scanner);
        ptx_scanner_rewind(scanner, parser_plain(p, p->last_end));
    }
    int kind = ptx_yylex(value, scanner);
    p->previous = kind;
    p->previous_end = value->token.end;
    if (p->head)
        kind = parser_head(p, kind, &value->token);
    return kind ? kind : parser_end(p, &value->token);
}
#undef yylex
#define yylex(value, scanner) next_token(p, value, scanner, YYRECOVERING())
}
%define api.pure full
%define api.prefix {ptx_yy}
%define parse.error custom
%lex-param {void *scanner}
%parse-param {struct parser *p} {void *scanner}
%union {
    struct token token;
    struct mark mark;
    uint64_t node; // index of a node; as wide as the widest member
}
%token <token> T_NAME "name" T_DOT "modifier" T_NUMBER "number" T_FLOAT32 "float constant"
%token <token> T_FLOAT64 "double constant" T_STRING "string" T_FUNCTION ".entry or .func"
%token <token> T_SECTION ".section" T_PRAGMA ".pragma" T_VERSION ".version" T_TARGET ".target"
%token <token> T_FILE ".file" T_LOC ".loc" T_NAMES "list directive" T_PROTOTYPE ".callprototype"
%token <token> T_RAW "section contents" T_DWARF "@@dwarf line" T_STRAY "stray character"
%token <token> T_SHL "<<" T_SHR ">>" T_LE "<=" T_GE ">=" T_EQ "==" T_NE "!=" T_AND "&&" T_OR "||"
%token <token> T_DOTS "..." T_MEND "statement" T_REG ".reg" T_END "end of the declaration"
%token <token> ';' ',' ':' '{' '}' '(' ')' '[' ']' '@' '!' '~' '-' '+' '*' '/' '%' '<' '>' '&' '^'
%token <token> '|' '?' '='

%right '?' ':'
%left "||"
%left "&&"
%left '|'
%left '^'
%left '&'
%left "==" "!="
%left '<' '>' "<=" ">="
%left "<<" ">>"
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY
%expect 1 // `.func .word (`: the parenthesis belongs to the word

%type <mark> mark
%type <node> operand primary
%type <token> attribute
%%
module: items ;
items: %empty | items item ;
mark: %empty { $$ = parser_mark(p); p->statement = p->last_end; } ;

item
    : mark directive
    | mark declaration_specs declarators_opt ';' { parser_declaration(p, $mark, $4.end); }
    | mark T_FUNCTION { parser_open(p, NODE_FUNCTION, &$2); } function_rest
    | mark declaration_specs T_FUNCTION { parser_open_around(p, NODE_FUNCTION, $mark, &$3); } function_rest
    | mark ';' { parser_empty(p, &$2); }
    | mark error ';' { parser_error_node(p, $mark, $3.end); yyerrok; }
    | mark error T_MEND { parser_recovered(p, $mark, $3.end); yyerrok; }
    | mark error '}' { parser_error_node(p, $mark, $3.end); yyerrok; }
    | mark error '{' { parser_error_node(p, $mark, $3.begin); yyerrok; parser_open(p, NODE_SCOPE, &$3); }
      statements '}' { parser_close(p, $6.end); }
    ;

// Directives that are allowed both at module level and in bodies.
directive
    : T_VERSION { parser_open(p, NODE_DIRECTIVE, &$1); } number { parser_version(p); parser_close_here(p); }
    | T_TARGET { parser_open(p, NODE_DIRECTIVE, &$1); } names { parser_close_here(p); }
    | T_FILE { parser_open(p, NODE_DIRECTIVE, &$1); } number string file_stamp { parser_close_here(p); }
    | T_LOC { parser_open(p, NODE_DIRECTIVE, &$1); } numbers loc_attributes { parser_close_here(p); }
    | pragma
    | T_NAMES { parser_open(p, NODE_DIRECTIVE, &$1); } operands ';' { parser_close(p, $4.end); }
    | T_PROTOTYPE { parser_open(p, NODE_DIRECTIVE, &$1); } returns_opt name params_opt tunings ';' { parser_close(p, $7.end); }
    | T_SECTION section_name T_RAW { struct token all = $1; all.end = $3.end; parser_push(p, NODE_SECTION, &all); }
    | T_DWARF { parser_push(p, NODE_DWARF, &$1); }
    ;
pragma: T_PRAGMA { parser_open(p, NODE_DIRECTIVE, &$1); } operands ';' { parser_close(p, $4.end); } ;
section_name: T_NAME | T_DOT | section_name T_DOT ;

number
    : T_NUMBER { parser_push(p, NODE_INT, &$1); }
    | T_FLOAT64 { parser_push(p, NODE_FLOAT64, &$1); }
    ;
numbers: number | numbers number ;
string: T_STRING { parser_push(p, NODE_STRING, &$1); } ;
name: T_NAME { parser_push(p, NODE_NAME, &$1); } ;
names: name | names ',' name ;
file_stamp: %empty | ',' number ',' number ;
loc_attributes: %empty | loc_attributes ',' name loc_value ;
loc_value: label | label '+' number | numbers ;
label: name | T_DOT { parser_push(p, NODE_WORD, &$1); } ;

// Declarations
declaration_specs: spec | declaration_specs spec ;
spec
    : T_DOT { parser_open(p, NODE_SPEC, &$1); } spec_value { parser_close_here(p); }
    | T_REG { parser_push(p, NODE_SPEC, &$1); } // never a modifier; a semicolon is missing before
                                                // it
    ;
spec_value
    : %empty
    | number
    | string
    | '[' operand ']' { (void)$2; p->last_end = $3.end; }
    | '(' spec_arguments ')' { p->last_end = $3.end; }
    ;
spec_arguments: spec_argument | spec_arguments ',' spec_argument ;
spec_argument: spec | operand { (void)$1; } ;

declarators_opt: %empty | declarators ;
declarators: declarator | declarators ',' declarator ;
declarator
    : T_NAME { parser_open(p, NODE_DECLARATOR, &$1); } counted dimensions initialiser { parser_close_here(p); }
    ;
counted: %empty | '<' T_NUMBER '>' { parser_counted(p, &$2, $3.end); } ;
dimensions
    : %empty
    | dimensions '[' ']' { struct token both = $2; both.end = $3.end; parser_push(p, NODE_DIMENSION, &both); }
    | dimensions '[' operand ']' { parser_unwrap(p, $3); parser_wrap(p, NODE_DIMENSION, $3, $2.begin, $4.end); }
    ;
initialiser: %empty | '=' operand { parser_unwrap(p, $2); parser_wrap(p, NODE_INIT, $2, $1.begin, p->last_end); } ;

// Functions
function_rest: function_name params_opt tunings function_end ;
function_name
    : specs_opt T_NAME { parser_function_name(p, &$2); }
    | specs_opt returns specs_opt T_NAME { parser_function_name(p, &$4); }
    ;
specs_opt: %empty | specs_opt spec ;
function_end: ';' { parser_close(p, $1.end); } | T_END { parser_close_here(p); } | scope { parser_close_function(p); } ;
returns_opt: %empty | returns ;
returns: '(' { parser_open(p, NODE_RETURNS, &$1); } parameters ')' { parser_close(p, $4.end); } ;
params_opt: %empty | '(' { parser_open(p, NODE_PARAMS, &$1); } parameters ')' { parser_close(p, $4.end); } ;
parameters: %empty | parameter_list ;
parameter_list: parameter | parameter_list ',' parameter ;
parameter
    : mark declaration_specs declarator { parser_declaration(p, $mark, p->last_end); }
    | T_DOTS { parser_push(p, NODE_WORD, &$1); }
    ;
tunings: %empty | tunings tuning ;
tuning: T_DOT { parser_tuning(p, &$1); } tuning_values { parser_close_here(p); } | pragma ;
tuning_values: %empty | tuning_list ;
tuning_list: number | tuning_list ',' number ;

// Bodies
scope: '{' { parser_open(p, NODE_SCOPE, &$1); } statements '}' { parser_close(p, $4.end); } ;
statements: %empty | statements statement ;
statement
    : mark directive
    | mark declaration_specs declarators_opt ';' { parser_declaration(p, $mark, $4.end); }
    | mark scope
    | mark T_NAME ':' { struct token both = $2; both.end = $3.end; parser_push(p, NODE_LABEL, &both); }
    | mark instruction
    | mark ';' { parser_empty(p, &$2); }
    | mark error ';' { parser_error_node(p, $mark, $3.end); yyerrok; }
    | mark error T_MEND { parser_recovered(p, $mark, $3.end); yyerrok; }
    ;
instruction: opcode modifiers operands_opt ';' { parser_close(p, $4.end); } ;
opcode
    : T_NAME { parser_open(p, NODE_INSTR, &$1); parser_opcode(p, &$1); }
    | '@' T_NAME { parser_open(p, NODE_INSTR, &$1); parser_guard(p, &$1, &$2, false); } T_NAME { parser_opcode(p, &$4); }
    | '@' '!' T_NAME { parser_open(p, NODE_INSTR, &$1); parser_guard(p, &$1, &$3, true); } T_NAME { parser_opcode(p, &$5); }
    ;
modifiers
    : %empty
    | modifiers T_DOT { parser_modifier(p, &$2); }
    | modifiers T_NAMES { parser_modifier(p, &$2); } // fence.proxy.alias
    ;

// Operands and expressions
operands_opt: %empty | operands ;
operands: operand { parser_operand(p, $1); } | operands ',' operand { parser_operand(p, $3); } ;
operand
    : primary
    | '-' operand %prec UNARY { $$ = parser_unary(p, &$1, '-', $2); }
    | '+' operand %prec UNARY { $$ = parser_unary(p, &$1, '+', $2); }
    | '!' operand %prec UNARY { $$ = parser_unary(p, &$1, '!', $2); }
    | '~' operand %prec UNARY { $$ = parser_unary(p, &$1, '~', $2); }
    | '(' T_DOT ')' operand %prec UNARY { $$ = parser_cast(p, &$1, &$2, $4); }
    | operand '*' operand { $$ = parser_binary(p, $1, '*', &$2, $3); }
    | operand '/' operand { $$ = parser_binary(p, $1, '/', &$2, $3); }
    | operand '%' operand { $$ = parser_binary(p, $1, '%', &$2, $3); }
    | operand '+' operand { $$ = parser_binary(p, $1, '+', &$2, $3); }
    | operand '-' operand { $$ = parser_binary(p, $1, '-', &$2, $3); }
    | operand "<<" operand { $$ = parser_binary(p, $1, T_SHL, &$2, $3); }
    | operand ">>" operand { $$ = parser_binary(p, $1, T_SHR, &$2, $3); }
    | operand '<' operand { $$ = parser_binary(p, $1, '<', &$2, $3); }
    | operand '>' operand { $$ = parser_binary(p, $1, '>', &$2, $3); }
    | operand "<=" operand { $$ = parser_binary(p, $1, T_LE, &$2, $3); }
    | operand ">=" operand { $$ = parser_binary(p, $1, T_GE, &$2, $3); }
    | operand "==" operand { $$ = parser_binary(p, $1, T_EQ, &$2, $3); }
    | operand "!=" operand { $$ = parser_binary(p, $1, T_NE, &$2, $3); }
    | operand '&' operand { $$ = parser_binary(p, $1, '&', &$2, $3); }
    | operand '^' operand { $$ = parser_binary(p, $1, '^', &$2, $3); }
    | operand '|' operand { $$ = parser_binary(p, $1, '|', &$2, $3); }
    | operand "&&" operand { $$ = parser_binary(p, $1, T_AND, &$2, $3); }
    | operand "||" operand { $$ = parser_binary(p, $1, T_OR, &$2, $3); }
    | operand '?' operand ':' operand { $$ = parser_choice(p, $1, $3, $5); }
    ;
primary
    : T_NUMBER { $$ = parser_push(p, NODE_INT, &$1); }
    | T_FLOAT32 { $$ = parser_push(p, NODE_FLOAT32, &$1); }
    | T_FLOAT64 { $$ = parser_push(p, NODE_FLOAT64, &$1); }
    | T_STRING { $$ = parser_push(p, NODE_STRING, &$1); }
    | T_NAME { $$ = parser_push(p, NODE_NAME, &$1); }
    | T_NAME T_DOT { $$ = parser_push(p, NODE_NAME, &$1); parser_member(p, $$, &$2); }
    | T_NAME '[' <node>{ $$ = parser_open(p, NODE_ELEMENT, &$1); parser_push(p, NODE_NAME, &$1); } operand ']'
      { parser_unwrap(p, $4); parser_close(p, $5.end); $$ = $3; if (!parser_check_index(p, &$2, $4)) YYERROR; }
    | T_NAME '(' <node>{ $$ = parser_open(p, NODE_APPLY, &$1); } operands ')' { parser_close(p, $5.end); $$ = $3; }
    | T_NUMBER '(' <node>{ $$ = parser_open(p, NODE_APPLY, &$1); } operands ')' { parser_close(p, $5.end); $$ = $3; }
    | '{' <node>{ $$ = parser_open(p, NODE_VECTOR, &$1); } elements_opt '}' { parser_close(p, $4.end); $$ = $2; }
    | '[' <node>{ $$ = parser_open(p, NODE_ADDRESS, &$1); } operands_opt ']' attribute
      { parser_close(p, $4.end); $$ = $2; if ($5.end) parser_attribute(p, $$, &$5); }
    | '(' <node>{ $$ = parser_open(p, NODE_LIST, &$1); } operands_opt ')' { parser_close(p, $4.end); $$ = $2; }
    ;
attribute: %empty { $$ = (struct token){0}; } | T_DOT ; // [a].unified
// Elements of a vector or an initialiser; those of a sampler are named.
elements_opt: %empty | elements ;
elements: element | elements ',' element ;
element
    : operand { parser_unwrap(p, $1); }
    | T_NAME '=' <node>{ $$ = parser_push(p, NODE_NAME, &$1); } operand
      { parser_unwrap(p, $4); parser_wrap(p, NODE_EXPR, $3, $1.begin, p->last_end); }
    ;
%%
static void ptx_yyerror(struct parser *p, void *scanner, const char *message)
{
    (void)scanner;
    (void)message; // only an overflow of the parser's stack is reported here; failed allocations
                   // jump
    diag_add(p->diags, DIAG_ERROR, "syntax", p->last_end, p->last_end, "nested too deeply");
}

// Reports the unexpected token and, if they are few, the expected ones.
static int yyreport_syntax_error(const yypcontext_t *context, struct parser *p, void *scanner)
{
    enum { LIMIT = 6 };
    yysymbol_kind_t expected[LIMIT];
    char list[200] = "";
    int count = 0, all = yypcontext_expected_tokens(context, expected, LIMIT);
    for (int i = 0; i < all; i++) // the missing semicolon of old compilers is not a suggestion
        if (expected[i] != YYSYMBOL_T_END)
            expected[count++] = expected[i];
    for (int i = 0, at = 0; i < count && at < (int)sizeof list; i++)
        at += snprintf(list + at, sizeof list - (size_t)at, "%s%s", !i ? ", expected " : i + 1 < count ? ", " : " or ",
                       yysymbol_name(expected[i]));
    const struct token *token = &ptx_yyget_lval(scanner)->token;
    yysymbol_kind_t kind = yypcontext_token(context);
    parser_syntax_error(p, token, kind == YYSYMBOL_YYEOF, kind == YYSYMBOL_T_STRAY, list);
    ptx_scanner_restore(scanner);
    uint32_t back = kind == YYSYMBOL_YYEOF ? 0 : parser_begin_again(p, token, kind == YYSYMBOL_T_FUNCTION);
    if (back)
        ptx_scanner_rewind(scanner, back);
    return 0;
}
