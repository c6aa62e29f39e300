#include "core/wine/starter_image.h"

#include <cstddef>

#ifdef YARD_STARTER_IMAGE
asm(".section .rodata.yard_starter,\"a\",@progbits\n"
    ".globl yard_starter_begin\n.globl yard_starter_end\n"
    ".balign 16\n"
    "yard_starter_begin:\n.incbin \"" YARD_STARTER_IMAGE "\"\n"
    "yard_starter_end:\n"
    ".previous\n");
extern "C" const char yard_starter_begin[];
extern "C" const char yard_starter_end[];
#endif

namespace yard::wine {

std::string_view starterImage() {
#ifdef YARD_STARTER_IMAGE
    return {yard_starter_begin, static_cast<std::size_t>(yard_starter_end - yard_starter_begin)};
#else
    return {};
#endif
}

} // namespace yard::wine
