// Modes that a program has set in the terminal that shows its output, by what it wrote: the alternate screen, keys and
// mouse reported otherwise, a hidden cursor. Whoever leaves the program undoes them. Only what is known to have been
// set is undone: to leave an alternate screen twice moves the cursor.
//
// Control sequences: ECMA-48 and https://invisible-island.net/xterm/ctlseqs/ctlseqs.html. Value type; one thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace yard::ctl {

class ShownModes {
public:
    /// What was written, in pieces of any length.
    void take(std::string_view bytes);
    /// Sets the terminal back; empty where there is nothing to undo. Nothing is set afterwards.
    std::string undo();
    /// Sets them once more where they were undone, in an order that undoes undo(); empty where there is nothing to set.
    std::string again() const;

private:
    enum class At : std::uint8_t { Text, Escape, Sequence };
    void takeOne(char byte);
    void endSequence(char final);

    static constexpr std::size_t kLongestSequence = 64;
    At at_ = At::Text;
    std::string sequence_;  ///< behind "ESC [", up to its last byte
    std::set<int> changed_; ///< private modes that are not as a terminal begins
    bool keypad_ = false;
    std::string otherKeys_; ///< xterm's modifyOtherKeys, "4;2"; empty: it is off
};

} // namespace yard::ctl
