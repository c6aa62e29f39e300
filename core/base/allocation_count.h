// How many bytes this OS thread has asked of operator new since its begin; what it gave back is not taken off. 0 in builds
// with a sanitizer, which has an operator of its own. A program that uses it has operator new counted, at the cost of one
// addition each.
#pragma once

#include <cstdint>

namespace yard {

std::uint64_t allocatedByThisThread() noexcept;

} // namespace yard
