// Failures by likeness: the line that is shown of a failure with what differs from one to the next taken out of it, so
// that "cannot open /tmp/a: No such file" and "cannot open /tmp/b: No such file" are one. Pure functions; any thread.
//
// What is taken out of a line:
//     <path>   a path, a file name whose extension is well known, what follows the host of a URL
//     #        a number, hexadecimal too, a time, a UUID, the digest of something
// What stands: signals and exit codes, which say how it ended, and digits inside of names (X3004, int32_t, libfoo2).
#pragma once

#include "core/model/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

enum class LineMask : unsigned char { Number, Path };
constexpr std::string_view textOf(LineMask mask) {
    return mask == LineMask::Number ? "#" : "<path>";
}

struct MaskedLine {
    struct Value {
        LineMask mask = LineMask::Number;
        std::string text; ///< what stood there
        friend bool operator==(const Value&, const Value&) = default;
    };
    std::string line;
    std::vector<Value> values; ///< in the order of the line
};
/// Of a line that is longer than kMostMaskedBytes only so much.
MaskedLine maskedLine(std::string_view line);
inline constexpr std::size_t kMostMaskedBytes = 1'000;

/// An action that ended as failed or abandoned is a failure.
bool isFailure(const ActionResult& action);
/// Its note; of one without a note how it ended: "exit code 3".
std::string failureLine(const ActionResult& failure);
/// Names those that have this line, masked, and this reason: 16 hex digits, always the same.
std::string failureId(Reason reason, std::string_view masked);
/// Of the group that it is in; nothing for what is no failure.
std::optional<std::string> failureIdOf(const ActionResult& action);
bool isFailureId(std::string_view text);

} // namespace yard
