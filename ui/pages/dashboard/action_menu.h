// The context menu of one action where it is listed outside the Actions page. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"

#include <QJsonObject>
#include <QPoint>

namespace yard::ui {

/// Shows it at `global` and carries out what is chosen; `job` as GET jobs lists it.
void showActionMenu(Context& context, QWidget* parent, const QJsonObject& job, const QPoint& global);

} // namespace yard::ui
