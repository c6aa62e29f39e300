// Work of every state for pictures and tests of the window: queues with names, failures with error lines, what
// waits.
#pragma once

#include "ui/bridge/engine_link.h"

namespace yard::ui {
class MainWindow;
}

namespace yard::test {

/// Submits it and returns when all was answered.
void submitDemo(ui::EngineLink& link);
/// The number of the newest action that this filter finds; 0: there is none yet.
qint64 demoAction(ui::MainWindow& window, const QString& filter);

} // namespace yard::test
