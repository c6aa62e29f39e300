// The actions a filter finds, over any number of them: the model knows their order as far as it has been asked for
// and keeps the rows around what is in view; the rest are rows that are not here yet. Owner: ui thread.
//
// Rows come in pages, newest first or by the engine's sort. What is in view is watched by events: cells change in
// place at once, rows that come or go wait while the model is frozen, and are swapped in at most twice a second
// else.
#pragma once

#include "ui/models/action_row.h"
#include "ui/models/engine_state.h"
#include "ui/widgets/table_model.h"

#include <QTimer>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>

namespace yard::ui {

class ActionsModel final : public TableModel {
    Q_OBJECT
public:
    static constexpr int kPage = 500;
    static constexpr std::size_t kMostKept = 4'000; ///< rows; those farthest from the view are forgotten

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
        kStarted,
        kFinished,
        kPriority,
        kExit,
        kReason
    };

    explicit ActionsModel(EngineState& state, QObject* parent = nullptr);

    /// Begins anew with this filter text.
    void setFilter(const QString& filter);
    const QString& filter() const { return filter_; }
    /// Not active: asks nothing and follows nothing.
    void setActive(bool active);
    /// What is in view: loads it, watches it.
    void setVisible(int first, int last);
    /// Asks for everything anew, keeps what it has until then.
    void reload();

    /// How many match; absent: more than are here, nobody counted.
    std::optional<qint64> total() const;
    const ActionRow* action(qint64 lsn) const;
    QString problem() const { return problem_; }
    bool isLoading() const { return asking_; }

    int rowCount(const QModelIndex& parent = {}) const override;
    Cell cell(int row, int column) const override;
    qint64 idAt(int row) const override;
    int rowOf(qint64 id) const override;
    void sortBy(int column, Qt::SortOrder order) override;
    void takeWaiting() override;

signals:
    void totalChanged();
    /// The engine does not take the filter, or cannot answer: why. Empty: all is well.
    void problemChanged(const QString& problem);
    void actionChanged(qint64 lsn);

private:
    void ask(bool anew);
    void takePage(const QJsonObject& page, bool anew);
    void takeChanges(const QJsonArray& actions, bool all);
    void takeGone(const QJsonArray& lsns);
    void askRows();
    void watchVisible();
    void keep(ActionRow row);
    void forgetFar();
    void applyWaiting();
    void setProblem(const QString& problem);
    void tick();
    bool isNewestFirst() const { return sort_.isEmpty(); }
    void rebuildPlaces();

    EngineState& state_;
    QString filter_;
    QString sort_; ///< as the engine takes it; empty: newest first
    QString problem_;
    std::vector<qint64> order_;
    std::unordered_map<qint64, int> places_;
    std::unordered_map<qint64, ActionRow> rows_;
    std::set<qint64, std::greater<>> fresh_; ///< came since, not shown yet
    std::set<qint64> gone_;
    QString cursor_;
    bool more_ = false;
    QTimer apply_;
    QTimer watch_;
    QTimer second_;
    QJsonObject watched_;
    quint64 generation_ = 0; ///< answers to questions before are not taken
    int first_ = 0;
    int last_ = 40;
    bool asking_ = false;
    bool askingRows_ = false;
    bool active_ = false;
    bool stale_ = true;
};

} // namespace yard::ui
