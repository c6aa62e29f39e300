// The head of a table: captions in bg2, a caret on the sorted column. Owner: ui thread.
#pragma once

#include <QHeaderView>

namespace yard::ui {

class TableHeader final : public QHeaderView {
    Q_OBJECT
public:
    explicit TableHeader(QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& area, int section) const override;
    void paintEvent(QPaintEvent* event) override;
};

/// Above the upright scroll bar, so that the header goes on to the table's edge.
class HeaderEnd final : public QWidget {
    Q_OBJECT
public:
    explicit HeaderEnd(QWidget* parent = nullptr);

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace yard::ui
