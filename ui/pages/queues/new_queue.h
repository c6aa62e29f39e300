// The small form that makes a queue. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"

namespace yard::ui {

/// Asks for a tag, and creates a queue that is never forgotten when idle.
void askNewQueue(QWidget* parent, Context context);

} // namespace yard::ui
