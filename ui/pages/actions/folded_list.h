// The table of Actions with arrays and lists as one row each: Right and the triangle unfold, Left folds, and what acts
// on an array or a list as a whole. Owner: ui thread; lifetime: the page's, within that of its context.
#pragma once

#include "ui/pages/actions/folded_model.h"
#include "ui/pages/page.h"
#include "ui/widgets/table.h"

QT_BEGIN_NAMESPACE
class QMenu;
QT_END_NAMESPACE

namespace yard::ui {

class FoldedList final : public Table {
    Q_OBJECT
public:
    explicit FoldedList(Context context, QWidget* parent = nullptr);

    FoldedModel* folded() const { return folded_; }
    /// What is selected: actions by number; with arrays or lists among them, all that are in these.
    Target target() const;
    /// Of that what rescheduling means: with arrays or lists among them, those that failed or were abandoned.
    Target againTarget() const;
    /// How many of what is selected stand how, with arrays or lists among it; absent: without, or not known.
    std::optional<paint::Shares> standing() const;
    /// Whether some of what is selected is held; of an array or a list the action that stands for it says so.
    bool isHeld() const;
    /// The array or list that is chosen, or that the hand is on; null: none.
    const FoldedRow* chosen() const;
    /// "205,306 in 214 rows".
    QString note() const;
    /// Why rescheduling what failed of it is not possible; empty: it is.
    QString whyNotAgain() const;
    void rescheduleFailed();
    /// What can be done to the chosen array or list, or to one of an array.
    void addTo(QMenu& menu);
    /// Another state of an array or a list, from its row or from one below it.
    void setUnfolded(int row, bool isUnfolded);

signals:
    void showAllWanted(const QString& filter);
    void editWanted(qint64 lsn); ///< one of an array is to be submitted again, by itself

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    /// The row of the array or list that this one is of; -1: of none.
    int headOf(int row) const;
    void rescheduleFailedOf(const FoldedRow& row);
    void resubmit(const FoldedRow& row);
    void resubmitFailed(const QString& filter, qint64 queue, const QString& cursor, std::vector<qint64> lsns);
    /// As a list, in the form. `isInstead`: each copy stands for the one that it is of.
    void resubmitAsList(std::vector<qint64> lsns, qint64 queue, bool isInstead);
    void addForElement(QMenu& menu);
    void tellNothing();

    Context context_;
    FoldedModel* folded_;
};

} // namespace yard::ui
