#include "core/base/allocation_count.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace yard {

namespace {

constinit thread_local std::uint64_t allocatedBytes = 0;

} // namespace

std::uint64_t allocatedByThisThread() noexcept {
    return allocatedBytes;
}

} // namespace yard

#ifndef YARD_SANITIZED
// In place of the standard library's, whose other forms (of arrays, nothrow) call this one, and whose delete gives back to
// free().
void* operator new(std::size_t size) {
    yard::allocatedBytes += size;
    for (;;) {
        if (void* block = std::malloc(size > 0 ? size : 1)) return block;
        const std::new_handler handler = std::get_new_handler();
        if (!handler) throw std::bad_alloc();
        handler();
    }
}
#endif
