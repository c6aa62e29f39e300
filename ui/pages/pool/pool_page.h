// The pool page: workers that stay between actions as a tree of groups and processes, those that are gone and why,
// limits at the right. Asks GET pool once a second while it is looked at. Owner: ui thread.
//
// The tree is a table whose group rows head the processes below them; a click or Enter on one folds it. Order and
// rows stay still while something is selected, as in every table.
#pragma once

#include "ui/pages/page.h"
#include "ui/pages/pool/pool_view.h"
#include "ui/state/poll.h"
#include "ui/widgets/page_head.h"
#include "ui/widgets/rows_model.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QSet>
#include <QSplitter>
#include <QStackedWidget>

namespace yard::ui {

class LimitsPanel;
class ProcessOutput;
class PoolStrip;

class PoolPage final : public Page {
    Q_OBJECT
public:
    static std::vector<CommandSpec> declared();
    explicit PoolPage(Context context);

    void setActive(bool active) override;
    /// The name of a worker: its group is selected.
    void setFilter(const QString& filter) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    Table* table() const { return table_; }
    Table* goneTable() const { return goneTable_; }
    PoolStrip* strip() const { return strip_; }
    LimitsPanel* limits() const { return limits_; }
    /// In place of the processes that are gone while it is open.
    ProcessOutput* output() const { return output_; }
    bool isEmpty() const { return told_ && pool_.groups.empty(); }

private:
    void makeHead(QVBoxLayout* column);
    void makeEmpty();
    void connectParts();
    void makeCommands();
    void take(const QJsonObject& json);
    void askLabels();
    std::optional<Request> oldestWaiting() const;
    void showStrip();
    void refill();
    void refillGone();
    void setSpans();
    void fold(qint64 group);
    void onSelection();
    void openOutput(const QString& process);
    void closeOutput();
    QWidget* makeLow();
    void showMenu(const QPoint& global);
    qint64 rowOf(const QString& worker);
    /// What is selected: a process and its group, or a group alone; null: neither.
    const PoolGroup* group() const;
    const PoolProcess* process() const;
    Row headOf(const PoolGroup& group);
    Row rowOf(const PoolGroup& group, const PoolProcess& process) const;

    PageHead* head_;
    Button* restart_;
    Button* detach_;
    UpdatesBadge* badge_;
    QWidget* body_;
    PoolStrip* strip_;
    Table* table_;
    RowsModel* rows_;
    Table* goneTable_;
    RowsModel* gone_;
    Panel* gonePanel_;
    ProcessOutput* output_;
    QStackedWidget* low_;
    LimitsPanel* limits_;
    QWidget* empty_;
    Poll poll_;
    Poll oldestPoll_;
    WallMicros oldest_ = 0; ///< since when what waits longest waits; 0: nothing does, or not known
    PoolView pool_;
    QHash<QString, CpuSeen> cpu_;
    QHash<QString, qint64> numbers_; ///< of group rows, by worker: stay for as long as the page
    QHash<QString, QString> names_;  ///< of workers, also of those that were removed
    QHash<qint64, QString> labels_;  ///< of actions that processes work on
    QSet<QString> folded_;
    QString wanted_; ///< a group to be selected once it is there
    QAction* restartAction_ = nullptr;
    QAction* detachAction_ = nullptr;
    QAction* showActions_ = nullptr;
    QAction* showTimeline_ = nullptr;
    QAction* openAction_ = nullptr;
    QAction* openOutput_ = nullptr;
    QAction* copyPid_ = nullptr;
    bool told_ = false;
};

} // namespace yard::ui
