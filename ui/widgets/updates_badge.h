// The button in a page's head that says how many updates of the rows wait while they stand still; pressed it takes
// them in. Hidden while none waits. Owner: ui thread.
#pragma once

#include "ui/widgets/button.h"

namespace yard::ui {

class UpdatesBadge final : public Button {
    Q_OBJECT
public:
    explicit UpdatesBadge(QWidget* parent = nullptr);

public slots:
    void setCount(int count);
};

} // namespace yard::ui
