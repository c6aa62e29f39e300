// How the window looks by choice: light or dark, font, size of text, height of rows; kept in the settings of the
// program. Owner: ui thread.
#pragma once

#include "ui/style/theme.h"

namespace yard::ui {

struct Appearance {
    Theme::Choice theme = Theme::Choice::System;
    bool systemFont = false;
    int textPercent = 100; ///< 90 to 150
    int rowHeight = 24;    ///< of tables: 24, or 28

    /// What was stored; what is missing or out of range is the default.
    static Appearance stored();
    void store() const;
    /// For the whole application, at once. True: fonts or heights are others, so widgets want to be made again.
    bool apply() const;
    friend bool operator==(const Appearance&, const Appearance&) = default;
};

} // namespace yard::ui
