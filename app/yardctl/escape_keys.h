// What is typed to yardctl and not to the program: a ~ after Enter, and a second key, as of ssh. Value; no owner.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yard::ctl {

enum class EscapeCommand : unsigned char { None, Leave, Suspend, Help };

class EscapeKeys {
public:
    struct Taken {
        std::string keys; ///< for the program
        EscapeCommand command = EscapeCommand::None;
        std::size_t used = 0; ///< bytes of what was given: all, or those up to the command
    };
    Taken take(std::string_view typed);

    /// One line a command, with "\r\n".
    static std::string_view help();

private:
    enum class State : unsigned char { LineBegin, InLine, Tilde };
    enum class Key : unsigned char { Enter, Tilde, Dot, Suspend, Question, Other };
    enum class Deed : unsigned char { Pass, Hold, PassBoth, PassTilde, Leave, Suspend, Help };
    struct Move {
        State next;
        Deed deed;
    };
    static Key keyOf(char byte);
    static Move moveOf(State state, Key key);

    State state_ = State::LineBegin;
};

} // namespace yard::ctl
