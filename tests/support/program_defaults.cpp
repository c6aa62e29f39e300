// Linked into every test program: what should hold for it however it is started, by ctest or by hand.
#include <cstdlib>

namespace {

// Qt Test answers a crash by starting gdb on itself, which can hang forever where ptrace is restricted or stderr
// is taken. A crash should just end the program; a core can be looked at afterwards.
[[gnu::constructor]] void letCrashesCrash() {
    ::setenv("QTEST_DISABLE_STACK_DUMP", "1", 0);
}

} // namespace

#ifdef YARD_TSAN_OPTIONS
// The names are the sanitizer runtime's.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" const char* __tsan_default_options() {
    return YARD_TSAN_OPTIONS;
}
#endif
