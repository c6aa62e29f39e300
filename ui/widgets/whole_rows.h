// A table in a place of any height: as high as its last whole row, so that none is cut at the bottom. What does not fit
// is scrolled to. Owner: ui thread; lifetime: its parent's. The table becomes its child.
#pragma once

#include "ui/widgets/table.h"

#include <QHeaderView>

#include <algorithm>

namespace yard::ui {

class WholeRows final : public QWidget {
public:
    explicit WholeRows(Table* table)
        : table_(table) {
        table_->setParent(this);
    }

    QSize sizeHint() const override { return table_->sizeHint(); }
    QSize minimumSizeHint() const override { return table_->minimumSizeHint(); }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QWidget::resizeEvent(event);
        const int head = table_->horizontalHeader()->sizeHint().height();
        const int row = std::max(1, table_->verticalHeader()->defaultSectionSize());
        const int rows = std::max(0, height() - head) / row;
        table_->setGeometry(0, 0, width(), rows > 0 ? head + rows * row : height());
    }

private:
    Table* table_;
};

} // namespace yard::ui
