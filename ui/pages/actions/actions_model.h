// The actions a filter finds, over any number of them: the model knows which there are and in which order by their
// numbers (LsnIndex, KnownOrder), and has the rows that were in view lately (ActionsInView); others are not here
// yet. Owner: ui thread; lifetime: its page's, within that of the engine's state.
//
// Newest first, a page of rows comes at once and the numbers of all others after it; in other orders the first
// numbers come first. Where the engine gives no numbers (more than it sorts, or an engine that does not know how)
// rows come page after page as they are scrolled to. What is in view is watched by events: cells change in place at
// once, rows that come or go wait while the model is frozen, and are swapped in at most twice a second else.
#pragma once

#include "ui/pages/actions/action_events.h"
#include "ui/pages/actions/action_pages.h"
#include "ui/pages/actions/actions_in_view.h"
#include "ui/pages/actions/known_order.h"
#include "ui/state/action_row.h"
#include "ui/state/engine_state.h"
#include "ui/state/filter_words.h"
#include "ui/state/lsn_index.h"
#include "ui/style/format.h"
#include "ui/widgets/table_model.h"

#include <QTimer>
#include <optional>

namespace yard::ui {

class ActionsModel final : public TableModel {
    Q_OBJECT
public:
    static constexpr int kPage = ActionPages::kRows;

    enum ColumnIndex : std::uint8_t {
        kState,
        kLsn,
        kWhat,
        kWorker,
        kQueue,
        kRan,
        kPeak,
        kNote,
        kFunction,
        kTries,
        kCpu,
        kWaited,
        kPrepared,
        kGiven,
        kMachine,
        kStarted,
        kFinished,
        kPriority,
        kPlace,
        kExit,
        kReason,
        kFirstMeasure ///< those of measures.h that have no place above
    };

    explicit ActionsModel(EngineState& state, QObject* parent = nullptr);

    /// Begins again with this filter text.
    void setFilter(const QString& filter);
    const QString& filter() const { return filter_; }
    /// In the order of its queue, the first to start above.
    bool isByPlace() const { return sort_ == QLatin1String("place"); }
    bool isOtherList() const override { return otherList_; }
    /// The rows are those of this filter and this sort; until they come the rows before stay.
    bool isCurrent() const { return isSame_; }
    /// Not active: asks nothing and follows nothing.
    void setActive(bool active);
    /// What is in view: loads it, watches it.
    void setVisible(int first, int last);
    /// Asks for everything again, keeps what it has until then.
    void reload();

    /// How many match; absent: more than are here, nobody counted.
    std::optional<qint64> total() const;
    /// Null: its row is not here.
    const ActionRow* action(qint64 lsn) const;
    QString problem() const { return problem_; }
    bool isLoading() const { return pages_.isAsking() || (index_.isAsking() && purpose_ == Purpose::Again); }
    /// Workers, functions and labels of the rows that are here, the most frequent first.
    FilterValues valuesSeen() const;
    /// The place of every row is known.
    bool isWhole() const override { return whole_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    Cell cell(int row, int column) const override;
    qint64 idAt(int row) const override;
    Mark markAt(int row) const override;
    bool isHere(int row) const override;
    int rowOf(qint64 id) const override;
    std::vector<int> rowsOf(std::vector<qint64> ids) const override;
    void sortBy(int column, Qt::SortOrder order) override;
    void takeWaiting() override;

signals:
    void totalChanged();
    /// The engine does not take the filter, or cannot answer: why. Empty: all is well.
    void problemChanged(const QString& problem);
    void actionChanged(qint64 lsn);

private:
    /// What the numbers are asked for.
    enum class Purpose : std::uint8_t {
        Again,   ///< a new list, or what follows its first page
        Renew,   ///< the same list, asked for by the hand or after nobody looked
        Refresh, ///< the same list: rows may have come and gone where nobody watched; not under the hand
        CatchUp  ///< those above the newest one
    };
    void takePage(const std::vector<ActionRow>& rows, bool again);
    void askIndex(Purpose purpose);
    void onIndexBegun(const std::vector<qint64>& first, qint64 total);
    void onIndexReady(std::vector<qint64>& lsns);
    void onIndexFailed(const Answer& answer);
    void beginList();
    void joinAbove(std::vector<qint64> lsns);
    void goOn(std::vector<qint64> order);
    void setOrder(std::vector<qint64> order, qint64 count);
    void setCount(qint64 count);
    void noteComing();
    void setProblem(const QString& problem);
    void tick();

    EngineState& state_;
    LsnIndex index_;
    Format format_;
    QString filter_;
    QString sort_; ///< as the engine takes it; empty: newest first
    QString problem_;
    KnownOrder order_;
    ActionsInView view_; ///< of order_
    ActionEvents events_;
    ActionPages pages_;
    qint64 count_ = 0; ///< of rows; those behind order_ are a guess until it is whole
    QTimer apply_;
    QTimer second_;
    QElapsedTimer refreshed_;
    int ticks_ = 0;
    Purpose purpose_ = Purpose::Again;
    bool whole_ = false;
    bool paged_ = false; ///< the engine gives no numbers
    bool active_ = false;
    bool isSame_ = false;    ///< order_ is of this filter and this sort
    bool newFilter_ = false; ///< since the rows came that are shown
    bool otherList_ = false; ///< the rows that come now are the first of a new filter
    bool moved_ = false;     ///< counters changed since the order was asked for
};

} // namespace yard::ui
