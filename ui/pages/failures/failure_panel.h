// The selected group of failures: its line, what differs within it, where it happened, and its newest actions. Asks
// the counts of the group when another one is shown, or more of it failed. Owner: ui thread.
#pragma once

#include "ui/pages/failures/failure_groups.h"
#include "ui/pages/page.h"
#include "ui/widgets/button.h"
#include "ui/widgets/panel.h"
#include "ui/widgets/rows_model.h"

#include <QTimer>

namespace yard::ui {

class MaskedLine;
class Table;

class FailurePanel final : public Panel {
    Q_OBJECT
public:
    explicit FailurePanel(Context context, QWidget* parent = nullptr);

    /// `filter`, `hours`: of the list that it stands in.
    void show(const FailureGroupInfo& group, const QString& filter, int hours);
    using QWidget::show;
    /// None is shown: what is under way is not taken any more.
    void clear();

    Button* reschedule() const { return reschedule_; }
    Button* mute() const { return mute_; }
    Button* copyAs() const { return copyAs_; }
    const MaskedLine* line() const { return line_; }
    Table* differs() const { return differsTable_; }
    Table* newest() const { return newestTable_; }

signals:
    void closed();
    void actionsWanted();

private:
    void build();
    void showHead();
    void ask();
    void fillDiffers(const QJsonObject& detail);
    void fillNewest(const QJsonArray& jobs);

    Context context_;
    FailureGroupInfo group_;
    QString filter_;
    int hours_ = 0;
    quint64 asked_ = 0;     ///< counts the questions: answers to an earlier one are not taken
    bool isBroken_ = false; ///< an answer did not come: asked again when it is shown again
    Button* reschedule_;
    Button* mute_;
    Button* copyAs_;
    Button* close_;
    MaskedLine* line_;
    RowsModel* differs_;
    Table* differsTable_;
    Panel* newestPanel_;
    RowsModel* newest_;
    Table* newestTable_;
    Button* showAll_;
    QTimer later_; ///< who walks through the rows asks for the last one alone
};

} // namespace yard::ui
