// The history page: what the engine remembers of work. Three tabs are over one list of kinds: all of them, what changed,
// what is flaky; the selected kind in full below. Usage, Alerts and Audit are panes of their own; Failures is a page of its
// own (history_tabs.h). Asks GET kinds and GET regressions every ten seconds while it is looked at, and what the tab that is
// shown needs. Owner: ui thread.
//
// Bounded: the engine remembers 10,000 kinds, and so many pages of 1,000 are asked for at most.
#pragma once

#include "ui/pages/filtered_page.h"
#include "ui/pages/history/kind_values.h"
#include "ui/pages/history_tabs.h"
#include "ui/state/poll.h"
#include "ui/widgets/table.h"
#include "ui/widgets/updates_badge.h"

#include <QHash>
#include <QSplitter>
#include <QStackedWidget>
#include <array>

namespace yard::ui {

class AlertsPane;
class AuditPane;
class KindPanel;
class PastPane;
class UsagePane;

class HistoryPage final : public FilteredPage {
    Q_OBJECT
public:
    static constexpr int kMostPages = 10;
    enum Tab : int { Kinds, Regressions, Flaky, Failures, Usage, Alerts, Audit };
    static constexpr std::size_t kTabs = 7;

    static std::vector<CommandSpec> declared();
    explicit HistoryPage(Context context);

    void setActive(bool active) override;
    void takeUpdates() override;
    QList<QAction*> commands() const override;
    QString yardctlOf(const QAction* command) const override;
    bool closeInnermost() override;
    Operation asOperation() const override;
    /// A tab by its number.
    void open(qint64 tab, const QString& = {}) override;

    void setTab(int tab);
    /// Of the last so many days, in this tab; 0: all that is kept. Kinds, changes and flaky inputs have one time.
    void setDays(int days);
    Table* table() const { return table_; }
    Table* changes() const { return changeTable_; }
    KindPanel* panel() const { return panel_; }
    UsagePane* usage() const { return usage_; }
    AlertsPane* alerts() const { return alerts_; }
    AuditPane* audit() const { return audit_; }
    Tabs* tabs() const { return tabs_; }
    QString note() const { return head_->note(); }

private:
    void connectParts();
    void makeHead(QVBoxLayout* column);
    void makeCommands();
    void makePanes();
    /// Of the tab that is shown; null: it is one of kinds.
    PastPane* pane() const;
    Table* shownTable() const;
    /// Of the tab: in which of the times.
    std::size_t timeOf(int tab) const { return tab <= Failures ? Kinds : static_cast<std::size_t>(tab); }
    void showDays();
    qint64 since(int tab) const;
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
    UsagePane* usage_;
    AlertsPane* alerts_;
    AuditPane* audit_;
    std::array<int, kTabs> days_{0, 0, 0, 0, 1, 0, 7}; ///< by timeOf()
    int tab_ = Kinds;                                  ///< that is shown
    bool active_ = false;
    bool told_ = false;
    QAction* showActions_ = nullptr;
    QAction* copyKind_ = nullptr;
};

} // namespace yard::ui
