// The size of an action's terminal, in characters. Value.
#pragma once

namespace yard {

struct TerminalSize {
    int rows = 24;
    int cols = 80;
    friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};
/// Of rows, and of columns; the least is 1.
inline constexpr int kMaxTerminalSide = 1000;

} // namespace yard
