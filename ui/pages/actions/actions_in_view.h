// The rows of the Actions table that are in view: asks for those that are not here, watches them by events, and
// asks again for what events do not tell. Owner: ui thread, the model; lifetime: the model's, within that of its
// order and of the engine's state.
//
// Bounds: kMostAsked rows in one question, one question at a time; KeptActions::kMost rows are kept.
#pragma once

#include "ui/pages/actions/kept_actions.h"
#include "ui/pages/actions/known_order.h"
#include "ui/state/engine_state.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTimer>
#include <vector>

namespace yard::ui {

class ActionsInView final : public QObject {
    Q_OBJECT
public:
    static constexpr std::ptrdiff_t kMostAsked = 200;
    static constexpr int kMostWatched = 900; ///< of the thousand the engine watches

    /// `order` outlives it.
    ActionsInView(EngineState& state, const KnownOrder& order, QObject* parent = nullptr);

    /// Not active: asks nothing and watches nothing.
    void setActive(bool active);
    /// The list of which rows are seen.
    void setList(const QString& filter, bool newestFirst);
    void setRange(int first, int last);
    int first() const { return first_; }
    int last() const { return last_; }
    bool isNewestFirst() const { return newestFirst_; }
    /// -1: not among the rows.
    int rowOf(qint64 lsn) const { return order_.rowOf(lsn, newestFirst_, first_, last_); }
    /// Those around the view that are not here; what is in view first.
    void ask();
    /// What running ones use, and whether they are late, changes without an event; so do places, when they matter.
    void askFigures();
    void setByPlace(bool byPlace) { byPlace_ = byPlace; }
    /// Rows or the view are others: soon that is watched.
    void watchSoon() { watch_.start(); }
    /// The newest rows of the filter are watched, not those in view alone.
    bool watchesFilter() const { return watched_.contains("filter"); }
    /// Those that run.
    std::vector<int> runningRows() const;

    KeptActions& kept() { return kept_; }
    const KeptActions& kept() const { return kept_; }

signals:
    /// Cells in view may be others.
    void changed();
    /// These were asked for, and are no more.
    void missed(const QJsonArray& lsns);
    /// Their queue was held or released: they wait for something else.
    void waitsChanged(const std::vector<qint64>& lsns);

private:
    void askFor(std::vector<qint64> lsns);
    void take(const std::vector<qint64>& asked, const QJsonObject& page);
    void takeQueues();
    void watch();

    EngineState& state_;
    const KnownOrder& order_;
    KeptActions kept_;
    QSet<qint64> heldQueues_;
    QSet<qint64> otherwise_; ///< queues that were held or released since was asked for what has not come yet
    QString filter_;
    QTimer watch_;
    QJsonObject watched_;
    int first_ = 0;
    int last_ = 40;
    bool newestFirst_ = true;
    bool byPlace_ = false;
    bool asking_ = false;
    bool active_ = false;
};

} // namespace yard::ui
