// What people note on actions and queues: the menu of colours, and the question for a comment. ui thread.
#pragma once

#include "core/model/annotation.h"

#include <QMenu>
#include <QString>
#include <functional>

namespace yard::ui {

/// Adds "Mark" with its colours to `menu`; `choose` is called with the one chosen, Mark::None to take it away.
QMenu* addMarkMenu(QMenu& menu, const std::function<void(Mark)>& choose);
/// Asks for a comment, trimmed; empty: there is to be none. Blocks until it is answered; what was selected may go.
QString askForComment(QWidget* parent);

} // namespace yard::ui
