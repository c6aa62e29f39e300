// A warm worker of the Python kit, registered over a link: for pictures and tests of the window.
#pragma once

#include "ui/bridge/engine_link.h"

namespace yard::test {

/// Its functions: "add" (a and b of args), "gate" (runs until the file named by args is there), "die" (kills its
/// process). `pool` as in a descriptor. Its id; empty: it was refused.
QString registerWarmWorker(ui::EngineLink& link, const QString& name, const QString& version,
                           const QJsonObject& pool);

} // namespace yard::test
