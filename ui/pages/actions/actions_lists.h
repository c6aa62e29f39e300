// The two lists of the page Actions: each action a row, or arrays and lists as one row each. One of them is shown and
// asks the engine; the other one asks for nothing. Owner: ui thread; lifetime: the page's, within that of its context.
#pragma once

#include "ui/pages/actions/actions_model.h"
#include "ui/pages/page.h"

#include <QStackedWidget>

namespace yard::ui {

class FoldedList;
class Table;

class ActionsLists final : public QStackedWidget {
    Q_OBJECT
public:
    explicit ActionsLists(Context context, QWidget* parent = nullptr);

    Table* table() const { return table_; }
    ActionsModel* model() const { return model_; }
    FoldedList* folded() const { return folded_; }
    /// The one that is shown.
    Table* shown() const;
    bool isFolded() const;
    /// Settings remember it.
    void setFolded(bool folded);
    /// As it was left.
    void restore();
    /// Nobody looks: neither asks for anything.
    void setActive(bool active);
    /// In the filter language.
    void setFilter(const QString& filter);
    /// What waits is shown, and what changed is asked for.
    void takeUpdates();
    /// What is in view is loaded and watched.
    void followView();
    /// As the list that is shown knows it; null: it does not.
    const ActionRow* row(qint64 lsn) const;

signals:
    void foldedChanged(bool folded);
    void selectionEdited();
    void selectionKept();    ///< Table::selectionKept
    void opened(qint64 lsn); ///< an action: Enter, double click
    void peeked(qint64 lsn); ///< an action: Space
    void foldPeeked();       ///< an array or a list: Space
    void scrolled();
    void menuWanted(const QPoint& global);
    void typed(const QString& text);
    void waitingChanged(int count);
    /// Of the list that is shown: the engine does not take the filter, and why; empty: it does.
    void problemChanged(const QString& problem);

private:
    void connectTable();
    void connectFolded();

    Table* table_;
    ActionsModel* model_;
    FoldedList* folded_;
    bool active_ = false;
};

} // namespace yard::ui
