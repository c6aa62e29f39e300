// Who opened each descriptor that a UniqueFd holds: the line of code, and since when. For people who look for a leak.
//
// Any thread. It lasts as long as the process. A descriptor that no UniqueFd holds (a library's, or one handed on by
// release()) has no note.
// Bound: descriptors below 65,536 have notes; those above have none.
#pragma once

#include "core/base/clock.h"

#include <cstdint>
#include <optional>
#include <source_location>

namespace yard {

struct DescriptorNote {
    const char* file = ""; ///< as the compiler writes it
    std::uint32_t line = 0;
    Duration age{};
};

/// Requires: the caller has just come to own `fd`.
void noteDescriptor(int fd, const std::source_location& from) noexcept;
/// Requires: the caller still owns it, so that nobody else can have opened one of this number meanwhile.
void forgetDescriptor(int fd) noexcept;
std::optional<DescriptorNote> descriptorNote(int fd) noexcept;

} // namespace yard
