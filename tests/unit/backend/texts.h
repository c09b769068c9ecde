// PTX texts with unusual layouts, one kind each.
#pragma once

static const char *const odd_texts[] = {
    // CRLF and tabs
    ".version 7.5\r\n.target sm_75\r\n.address_size 64\r\n.visible .entry k()\r\n{\r\n\t.reg .b32 "
    "%r<9>;\r\n"
    "\tmov.b32\t%r1, 1;\r\n\tmov.b32 %r2, 2;\r\n\tadd.s32 %r3, %r1, %r2;\r\n\tret;\r\n}\r\n",
    // all on one line, no blank, no newline at the end
    ".version 7.5 .target sm_75 .address_size 64 .entry k(){.reg .b32 %r<9>;mov.b32 %r1,1;mov.b32 "
    "%r2,2;"
    "mov.b32 %r3,3;mov.b32 %r4,4;mov.b32 %r5,5;mov.b32 %r6,6;ret;}",
    // a body that begins with its only instruction
    ".version 7.5\n.target sm_75\n.address_size 64\n.entry k(){ret;}.entry l(){ ret; }.entry "
    "m()\n{ret;\n}",
    // comments wherever they may stand
    "/*c*/.version/*c*/7.5\n.target sm_75 // {\n.address_size 64\n/* { \" */.entry "
    "k/*(*/(/*)*/)/*{*/{/*}*/ // }\n"
    ".reg .b32 %r<9>;/*a*/mov/*b*/./*c*/b32/*d*/%r1/*e*/,1/*f*/;/*g*/@/*h*/%p/*i*/mov.b32 %r2, 2; "
    "// ptxoffload.\n"
    ".reg .pred %p; @%p // to be continued\n mov\n.b32\n%r3,\n3\n;\n/* ptxoffload.chain 0 01 */ "
    "ret; // }\n}\n/*",
    // nested scopes, guards, labels beside instructions
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .func (.reg .b32 o) f(.reg .b32 i)\n{ "
    "// body\n"
    "\t{ .reg .pred %p; setp.ne.s32 %p, i, 0;\n\t@%p bra L;\n\t@!%p mov.b32 o, i; { } }\nL: "
    "mov.b32 o, 1; "
    "M: N: { { add.s32 o, o, 1; } }\n\tret; }\n.visible .entry k()\n\n\n{ { ret; } }\n",
    // foreign pragmas, and our words where they mean nothing
    ".version 7.5\n.target sm_75\n.address_size 64\n.pragma \"ptxoffload.chain 0 01\";\n"
    "/*ptxoffload.begin 0*/\n.global .align 1 .b8 s[4] = {1,2,3,4};\n.entry k() .pragma "
    "\"ptxoffload.end 3\";\n{\n"
    "\t.pragma \"nounroll\";\n\t.pragma \"nounroll\", \"ptxoffload.chain 0 01\";\n\t.pragma  "
    "\"ptxoffload.chain 0 01\";\n"
    "\tret; // /*ptxoffload.begin 1*/ .pragma \"ptxoffload.begin 2\";\n}\n",
    // several functions, some without bodies, a declaration in front of its definition
    ".version 7.5\n.target sm_75\n.address_size 64\n.extern .func g();\n.visible .entry "
    "k();\n.visible .func h() { ret; }\n"
    ".visible .entry k() { call g; ret; }\n.visible .entry l()\n.maxntid 32, 1, 1\n{ call h; ret; "
    "}\n",
    // broken in the middle
    ".version 7.5\n.target sm_75\n.address_size 64\n.entry k()\n{\n\tret;\n\tmov.b32 %r1, , "
    ";\n\tadd.s32 %r1, ((;\n"
    "\tret;\n}\n.entry l()\n{\n\tret;\n",
    // lines for the assembler's debugger and the preprocessor's
    "# 1 \"x.cu\" {\n.version 7.5\n.target sm_75\n.address_size 64\n.entry k()\n{\n.loc 1 2 "
    "3\n\tret;\n# 7 \"y\" \"}\n"
    "\t.loc 1 3 1, function_name $L, inlined_at 1 2 3\n\tret;\n}\n.file 1 \"a{b.cu\"\n.section "
    ".debug_str {\n$L:\n.b8 1\n}\n",
    // nothing to tag
    "",
    "\n",
    "{",
    "}}}}",
    ".version 7.5",
    ".version 7.5\n.target sm_75\n.address_size 64\n.global .b32 g;\n",
};
enum { ODD_TEXTS = sizeof odd_texts / sizeof *odd_texts };
