// Lines as `diff -u` shows them, as parts that can be set beside each other. Pure; ui thread.
#pragma once

#include "ui/log/diff_view.h"

namespace yard::ui {

/// A part for each hunk, called `title`. What is no hunk is passed over; empty: there is none.
std::vector<DiffPart> partsOfUnified(const QString& text, const QString& title);

} // namespace yard::ui
