// The head of the page Actions: filter, views, what waits to be shown, and the buttons of the commands with what they act
// on in their names. Owner: ui thread; lifetime: the page's.
#pragma once

#include "ui/bridge/operation.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/updates_badge.h"

QT_BEGIN_NAMESPACE
class QAction;
QT_END_NAMESPACE

namespace yard::ui {

class ViewsButton;

class ActionsHead final : public PageHead {
    Q_OBJECT
public:
    /// `filter` becomes a child.
    explicit ActionsHead(FilterField* filter);

    /// Entries of "Move".
    void addMoves(const QList<QAction*>& entries);
    /// Entries of "More".
    void addMore(const QList<QAction*>& entries);
    /// This filter is in force now.
    void showFilter(const QString& filter);
    void showFolded(bool folded);
    /// So many updates wait to be shown.
    void showWaiting(int count);
    /// What commands act on: which action, how many, or that it is all that match. `again`: of that what rescheduling
    /// means.
    void showTarget(const Target& all, const Target& again);
    /// The same in words; empty: nothing.
    QString targetText() const;
    /// Why the buttons cannot be pressed, and why none of the entries of "More" can be chosen.
    void showBlocked(const QString& reschedule, const QString& cancel, const QString& move, const QString& more);
    /// The page is so wide: where there is no room for the switch of arrays, "More" has it alone.
    void fitTo(int width);

signals:
    void viewChosen(const QString& filter);
    void updatesWanted();
    void foldWanted();
    void columnsWanted(const QPoint& global);
    void rescheduleWanted();
    void cancelWanted();

private:
    ViewsButton* view_;
    UpdatesBadge* badge_;
    Button* reschedule_;
    Button* cancel_;
    Button* move_;
    Button* folded_;
    Button* more_;
    QAction* moreFor_; ///< the entry of "More" that says what the others act on
};

} // namespace yard::ui
