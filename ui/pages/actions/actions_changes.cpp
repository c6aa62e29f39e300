// The rest of ActionsModel: when rows that came or went are taken in, and what is asked for again.
#include "ui/pages/actions/actions_model.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kFiguresEvery = 3; // s
/// A list that may have changed where nobody watches is asked for again after so many times as long as it took.
constexpr qint64 kRefreshShare = 50;
constexpr qint64 kRefreshLeastMs = 2'000;

} // namespace

void ActionsModel::noteComing() {
    if (isFrozen())
        setWaiting(order_.changes());
    else if (!apply_.isActive())
        apply_.start();
}

/// By the hand, or twice a second while nobody has it on the table.
void ActionsModel::takeWaiting() {
    apply_.stop();
    if (order_.changes() == 0) return setWaiting(0);
    if (order_.isOverfull()) { // more came than are watched: what lies between is not known
        if (index_.isAsking()) return apply_.start();
        return whole_ ? askIndex(Purpose::CatchUp) : reload();
    }
    std::vector<qint64> order = order_.withChanges();
    order_.forgetChanges();
    setWaiting(0);
    const qint64 count = count_ + static_cast<qint64>(order.size()) - order_.size();
    setOrder(std::move(order), count);
}

void ActionsModel::setProblem(const QString& problem) {
    if (problem_ == problem) return;
    problem_ = problem;
    emit problemChanged(problem);
}

/// Times of what runs go on; what was not answered is asked for again, and lists that may be others.
void ActionsModel::tick() {
    format_ = Format();
    for (const int row : view_.runningRows()) emit dataChanged(index(row, kRan), index(row, kRan));
    // What was not answered, because the connection broke or the engine stood still: while it is looked at.
    if (state_.isLive() && !pages_.isAsking() && !index_.isAsking()) {
        if (isSame_ && !whole_ && !paged_) askIndex(Purpose::Again);
        view_.ask();
    }
    if (++ticks_ % kFiguresEvery == 0) view_.askFigures();
    // Rows may have come and gone where nobody watches: in lists by another field, and below the watched ones of a
    // filter. Without a filter they only come, at the top, where they are watched.
    if (!moved_ || isFrozen() || !whole_ || !isSame_ || index_.isAsking() || !state_.isLive()) return;
    if (view_.isNewestFirst() && (filter_.trimmed().isEmpty() || count_ <= ActionsInView::kMostWatched)) return;
    if (refreshed_.elapsed() < std::max(kRefreshLeastMs, kRefreshShare * index_.tookMs())) return;
    askIndex(Purpose::Refresh);
}

} // namespace yard::ui
