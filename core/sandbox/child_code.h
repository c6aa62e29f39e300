// Code that runs between clone and exec, in the memory of a parent whose thread stands still: raw system calls
// only. No instrumentation, no libc (its wrappers are intercepted by sanitizers and touch errno and locks), no
// stack protector. Linux on x86-64 and 64-bit ARM. Used by the launcher's starts and, compiled without any library,
// by the first process of a sandbox (core/sandbox/init).
#pragma once

#include <linux/sched.h>
#include <sys/syscall.h>

#define YARD_CHILD_CODE                                                                                            \
    __attribute__((noinline, no_sanitize("all"), disable_sanitizer_instrumentation, no_stack_protector))
#define YARD_CHILD_INLINE                                                                                          \
    __attribute__((always_inline, no_sanitize("all"), disable_sanitizer_instrumentation, no_stack_protector)) inline

namespace yard::sandbox {

YARD_CHILD_INLINE long address(const void* p) {
    return reinterpret_cast<long>(p);
}

#if defined(__x86_64__)
/// A system call; a negative answer is -errno.
YARD_CHILD_INLINE long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    long result = number;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    register long r9 asm("r9") = f;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                 : "rcx", "r11", "memory");
    return result;
}
/// clone3, then in the child fn(arg) on the new stack and exit with what it returns. Never returns in the child: a
/// frame of the parent is not the child's to return through.
YARD_CHILD_CODE inline long cloneAndRun(clone_args* args, int (*fn)(void*), void* arg) {
    long result = SYS_clone3;
    register long size asm("rsi") = sizeof *args;
    register int (*keepFn)(void*) asm("r12") = fn;
    register void* keepArg asm("r13") = arg;
    asm volatile("syscall\n\t"
                 "test %%rax, %%rax\n\t"
                 "jnz 1f\n\t"
                 "xor %%ebp, %%ebp\n\t"
                 "mov %%r13, %%rdi\n\t"
                 "call *%%r12\n\t"
                 "mov %%eax, %%edi\n\t"
                 "mov %[exit], %%eax\n\t"
                 "syscall\n\t"
                 "ud2\n"
                 "1:"
                 : "+a"(result)
                 : "D"(args), "r"(size), "r"(keepFn), "r"(keepArg), [exit] "i"(SYS_exit_group)
                 : "rcx", "r11", "memory", "cc");
    return result;
}
#elif defined(__aarch64__)
YARD_CHILD_INLINE long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    register long x8 asm("x8") = number;
    register long x0 asm("x0") = a;
    register long x1 asm("x1") = b;
    register long x2 asm("x2") = c;
    register long x3 asm("x3") = d;
    register long x4 asm("x4") = e;
    register long x5 asm("x5") = f;
    asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
YARD_CHILD_CODE inline long cloneAndRun(clone_args* args, int (*fn)(void*), void* arg) {
    register long x8 asm("x8") = SYS_clone3;
    register long x0 asm("x0") = reinterpret_cast<long>(args);
    register long x1 asm("x1") = sizeof *args;
    register int (*keepFn)(void*) asm("x19") = fn;
    register void* keepArg asm("x20") = arg;
    asm volatile("svc #0\n\t"
                 "cbnz x0, 1f\n\t"
                 "mov x29, xzr\n\t"
                 "mov x0, x20\n\t"
                 "blr x19\n\t"
                 "mov x8, %[exit]\n\t"
                 "svc #0\n\t"
                 "brk #1\n"
                 "1:"
                 : "+r"(x0)
                 : "r"(x8), "r"(x1), "r"(keepFn), "r"(keepArg), [exit] "i"(SYS_exit_group)
                 : "memory", "cc", "x30");
    return x0;
}
#else
#error "starting a child needs clone3 with a stack of its own: write cloneAndRun for this processor"
#endif

} // namespace yard::sandbox
