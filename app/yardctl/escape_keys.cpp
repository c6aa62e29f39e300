#include "app/yardctl/escape_keys.h"

#include <array>
#include <utility>

namespace yard::ctl {

namespace {
constexpr char kCtrlZ = '\x1a';
} // namespace

EscapeKeys::Key EscapeKeys::keyOf(char byte) {
    switch (byte) {
    case '\r':
    case '\n': return Key::Enter;
    case '~': return Key::Tilde;
    case '.': return Key::Dot;
    case kCtrlZ: return Key::Suspend;
    case '?': return Key::Question;
    default: return Key::Other;
    }
}

EscapeKeys::Move EscapeKeys::moveOf(State state, Key key) {
    using enum State;
    using enum Deed;
    constexpr Move kInLine{InLine, Pass};
    // By state; in each: Enter, Tilde, Dot, Suspend, Question, Other.
    static constexpr std::array<std::array<Move, 6>, 3> kMoves = {{
        {{{LineBegin, Pass}, {State::Tilde, Hold}, kInLine, kInLine, kInLine, kInLine}},
        {{{LineBegin, Pass}, kInLine, kInLine, kInLine, kInLine, kInLine}},
        {{{LineBegin, PassBoth},
          {InLine, PassTilde},
          {LineBegin, Leave},
          {LineBegin, Suspend},
          {LineBegin, Help},
          {InLine, PassBoth}}},
    }};
    return kMoves[std::to_underlying(state)][std::to_underlying(key)];
}

EscapeKeys::Taken EscapeKeys::take(std::string_view typed) {
    Taken taken;
    for (const char byte : typed) {
        ++taken.used;
        const Move move = moveOf(state_, keyOf(byte));
        state_ = move.next;
        switch (move.deed) {
        case Deed::Hold: break;
        case Deed::PassBoth: taken.keys += '~'; [[fallthrough]];
        case Deed::Pass: taken.keys += byte; break;
        case Deed::PassTilde: taken.keys += '~'; break;
        case Deed::Leave: taken.command = EscapeCommand::Leave; return taken;
        case Deed::Suspend: taken.command = EscapeCommand::Suspend; return taken;
        case Deed::Help: taken.command = EscapeCommand::Help; return taken;
        }
    }
    return taken;
}

std::string_view EscapeKeys::help() {
    return "~?\r\n"
           "After Enter:\r\n"
           "  ~.   leave the action to the engine\r\n"
           "  ~^Z  suspend yardctl; the action goes on\r\n"
           "  ~?   this list\r\n"
           "  ~~   a tilde\r\n";
}

} // namespace yard::ctl
