// What is dragged over a table and dropped on it, as four questions. Owner: ui thread; lifetime: its table's.
#pragma once

#include "ui/widgets/table.h"

#include <QDropEvent>

namespace yard::ui {

class TableDrop : public QObject {
public:
    explicit TableDrop(Table* table)
        : QObject(table) {
        table->setAcceptDrops(true);
        table->viewport()->setAcceptDrops(true);
        table->viewport()->installEventFilter(this);
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        switch (event->type()) {
        case QEvent::DragEnter: return enter(static_cast<QDropEvent*>(event)), true;
        case QEvent::DragMove: return move(static_cast<QDropEvent*>(event)), true;
        case QEvent::DragLeave: return leave(), true;
        case QEvent::Drop: return drop(static_cast<QDropEvent*>(event)), true;
        default: return QObject::eventFilter(watched, event);
        }
    }

private:
    /// Ignored: the window may have use for it.
    virtual void enter(QDropEvent* event) = 0;
    virtual void move(QDropEvent* event) = 0;
    virtual void drop(QDropEvent* event) = 0;
    virtual void leave() = 0;
};

} // namespace yard::ui
