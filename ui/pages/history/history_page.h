// The history page: what the engine remembers of each kind of work. Three tabs over the same list: all kinds, what
// changed, what is flaky; the selected kind in full below. Asks GET kinds and GET regressions every ten seconds while it
// is looked at. Owner: ui thread.
//
// Bounded: the engine remembers 10,000 kinds, and so many pages of 1,000 are asked for at most.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/pages/history/kind_values.h"
#include "ui/state/poll.h"
#include "ui/widgets/table.h"
#include "ui/widgets/tabs.h"
#include "ui/widgets/updates_badge.h"

#include <QHash>
#include <QSplitter>
#include <QStackedWidget>

namespace yard::ui {

class KindPanel;

class HistoryPage final : public FilteredPage {
    Q_OBJECT
public:
    static constexpr int kMostPages = 10;
    enum Tab : int { Kinds, Regressions, Flaky };

    static std::vector<CommandSpec> declared();
    explicit HistoryPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;

    void setTab(int tab);
    /// Of the last so many days; 0: all that is remembered.
    void setDays(int days);
    Table* table() const { return table_; }
    Table* changes() const { return changeTable_; }
    KindPanel* panel() const { return panel_; }
    QString note() const { return head_->note(); }

private:
    void connectParts();
    void makeHead(QVBoxLayout* column);
    void makeCommands();
    qint64 since() const;
    void takeKinds(const QJsonObject& json);
    void takePage(const QJsonObject& json, int page);
    void takeRegressions(const QJsonObject& json);
    void askMore(const QString& cursor, int page);
    void refill();
    void filterRows();
    void showTab();
    void onSelection();
    void showMenu(const QPoint& global);
    /// The kind of the selected row of either table.
    const KindInfo* selected() const;
    /// Of a row: the same for the same key.
    qint64 rowIdOf(const QString& key);

    PageHead* head_;
    Button* span_;
    UpdatesBadge* badge_;
    Tabs* tabs_;
    QSplitter* split_;
    QStackedWidget* stack_;
    Table* table_;
    RowsModel* rows_;
    Table* changeTable_;
    RowsModel* changeRows_;
    KindPanel* panel_;
    Poll poll_;
    Poll changePoll_;
    std::vector<KindInfo> kinds_;  ///< of the last whole answer
    std::vector<KindInfo> coming_; ///< of the one under way
    std::vector<KindChangeInfo> regressions_;
    QHash<QString, qint64> rowIds_; ///< of names that were told; with too many it begins again
    qint64 lastRowId_ = 0;
    QHash<QString, KindInfo> byName_;
    quint64 question_ = 0; ///< pages of an earlier one are not taken
    int days_ = 0;
    bool told_ = false;
    QAction* showActions_ = nullptr;
    QAction* copyKind_ = nullptr;
};

} // namespace yard::ui
