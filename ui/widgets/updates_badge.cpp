#include "ui/widgets/updates_badge.h"

namespace yard::ui {

UpdatesBadge::UpdatesBadge(QWidget* parent)
    : Button(Kind::Plain, {}, {}, parent) {
    setLit(true);
    setHint(tr("F5"));
    hide();
}

void UpdatesBadge::setCount(int count) {
    setText(tr("%n update(s) wait", nullptr, count));
    setVisible(count > 0);
}

} // namespace yard::ui
