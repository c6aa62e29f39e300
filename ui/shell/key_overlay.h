// F1: the keys of the window, of the page that is shown and of tables, over the page until a key or a click ends
// it. Owner: ui thread.
#pragma once

#include "ui/widgets/popover.h"

#include <QString>
#include <utility>
#include <vector>

namespace yard::ui {

struct KeyGroup {
    QString title;
    std::vector<std::pair<QString, QString>> keys; ///< as people read them, and what they do
};

/// How groups share `columns` so that the highest is as low as it can be with groups left in order: for each group
/// its column. A group takes its title, its keys and a line of space.
std::vector<int> columnsOf(const std::vector<KeyGroup>& groups, int columns);
/// What every table of the window knows.
KeyGroup tableKeys();
/// What the output of an action or of a process knows.
KeyGroup outputKeys();

class KeyOverlay final : public Popover {
    Q_OBJECT
public:
    explicit KeyOverlay(QWidget& window);
    void open(std::vector<KeyGroup> groups);
    const std::vector<KeyGroup>& groups() const { return groups_; }

protected:
    QRect placed() override;
    void paintInside(QPainter& painter) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void paintGroup(QPainter& painter, const KeyGroup& group, QPointF at, qreal width) const;
    std::vector<KeyGroup> groups_;
    std::vector<int> columns_;
};

} // namespace yard::ui
