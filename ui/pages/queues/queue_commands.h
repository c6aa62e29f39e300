// What can be done with the queues that are selected in a table: commands with their keys, the context menu. The
// same wherever queues are listed. Owner: ui thread; lives as long as the table.
#pragma once

#include "ui/pages/page.h"

#include <QPoint>

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class Table;

class QueueCommands final : public QObject {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    /// Of `table`, whose rows have ids by rowIdOf(). The keys work within `owner`.
    QueueCommands(Context context, Table* table, QWidget* owner);

    /// The first one selected; null: none.
    const QueueInfo* selected() const;
    /// The selection, or what is selected, is another.
    void update();
    void showMenu(const QPoint& global);
    QList<QAction*> all() const;
    /// As Page::yardctlOf().
    QString yardctlOf(const QAction* command) const;
    QAction* hold() const { return hold_; }
    QAction* release() const { return release_; }
    QAction* drain() const { return drain_; }
    QAction* cancel() const { return cancel_; }
    QAction* showActions() const { return showActions_; }
    QAction* showFailures() const { return showFailures_; }
    /// Why holding and releasing cannot be; empty: one of them can.
    QString holdBlocked() const;
    /// Why draining, cancelling and deleting cannot be; empty: they can.
    QString endsBlocked() const;

private:
    void forSelected(const std::function<void(const QueueInfo&)>& act);
    void rescheduleFailures();
    bool isMeant(const QString& question, const QString& lost, const QString& verb, const QString& keep);
    void askToDrain();
    void askToCancel();
    void askToDelete();
    void comment();
    void setWeight();
    void addCopyAs(QMenu& menu);

    Context context_;
    Table* table_;
    QAction* showActions_ = nullptr;
    QAction* showFailures_ = nullptr;
    QAction* rescheduleFailures_ = nullptr;
    QAction* hold_ = nullptr;
    QAction* release_ = nullptr;
    QAction* drain_ = nullptr;
    QAction* cancel_ = nullptr;
    QAction* delete_ = nullptr;
    QAction* copyToken_ = nullptr;
};

} // namespace yard::ui
