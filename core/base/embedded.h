// A file as bytes of the program: YARD_EMBED(name, "PATH") at namespace scope declares name_begin[] and name_end[].
#pragma once

#define YARD_EMBED(name, path)                                                                                     \
    asm(".section .rodata." #name ",\"a\",@progbits\n"                                                             \
        ".globl " #name "_begin\n.globl " #name "_end\n"                                                           \
        ".balign 16\n" #name "_begin:\n.incbin \"" path "\"\n" #name "_end:\n"                                     \
        ".previous\n");                                                                                            \
    extern "C" const char name##_begin[];                                                                          \
    extern "C" const char name##_end[]
