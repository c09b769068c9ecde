// Defines the functions of a library under the names that programs are linked with. Each jumps to
// its function in the shared library that all of them use. Include this with the table's rows
// defined as ENTRY of a name and a function.
#pragma once

#if defined __x86_64__
#define ENTRY_JUMP(function) "jmp " #function "@PLT\n"
#elif defined __aarch64__
#define ENTRY_JUMP(function) "b " #function "\n"
#else
#error "the jump of this processor is not known"
#endif

#define ENTRY(name, function)                                                                      \
    __asm__(".text\n.globl " #name "\n.type " #name ", %function\n" #name                          \
            ":\n" ENTRY_JUMP(function) ".size " #name ", . - " #name "\n");
