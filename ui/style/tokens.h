// Every colour of the window, by name: no other file of ui/ knows a value. Values; any thread.
//
// Ink paints icons and words, fill paints bars and segments. tests/ui holds contrast and colour-blind distances.
#pragma once

#include "core/model/annotation.h"

#include <QColor>
#include <cstdint>
#include <span>
#include <string_view>

namespace yard::ui {

enum class Scheme : std::uint8_t { Dark, Light };

enum class Token : std::uint8_t {
    Bg0, ///< top bar, rail, status bar
    Bg1, ///< pages, tables, fields
    Bg2, ///< headers, cards, buttons
    Bg3, ///< hovered
    Bg4, ///< current page in the rail, pressed, empty part of a meter
    Lane,
    Lane2,
    Line,
    Line2, ///< borders of fields and popups
    Grid,
    Text1,
    Text2,
    Text3, ///< hints and units
    Disabled,
    Accent,
    AccentFill,
    OnAccent,
    Selection,
    SelectionDim ///< without focus; a chip that is on
};
inline constexpr std::size_t kTokens = 19;

/// States as people see them: held and retry waiting are faces of Pending.
enum class DisplayState : std::uint8_t {
    Pending,
    Held,
    Retry,
    Submitting,
    Running,
    Completed,
    Failed,
    Abandoned,
    Cancelled
};
inline constexpr std::size_t kFaces = 9;

QColor colour(Scheme scheme, Token token);
QColor ink(Scheme scheme, DisplayState face);
QColor fill(Scheme scheme, DisplayState face);

/// Of the dot that stands for it; Mark::None has none.
QColor colour(Scheme scheme, Mark mark);

/// As style sheets of the web and tests name them: "bg0", "sel-dim"; "pending", "retry".
std::string_view name(Token token);
std::string_view name(DisplayState face);

/// `amount` of `over` on `under`, both opaque: 0 is `under`.
QColor mixed(const QColor& under, const QColor& over, double amount);

} // namespace yard::ui
