// The rest of ActionsModel: what it is told by events, and when rows that came or went are taken in.
#include "ui/pages/actions/actions_model.h"
#include "ui/pages/actions/lsn_sieve.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kMostWatched = 900; // of the thousand the engine watches
constexpr std::size_t kMostFresh = 1'000;
constexpr qint64 kWatchedByEngine = 1'000; // rows of a filter; docs/events.md
constexpr int kFiguresEvery = 3;           // s
/// A list that may have changed where nobody watches is asked for again after so many times as long as it took.
constexpr qint64 kRefreshShare = 50;
constexpr qint64 kRefreshLeastMs = 2'000;

} // namespace

/// At the top the newest rows of the filter are watched, so that new ones come; elsewhere those in view.
void ActionsModel::watchVisible() {
    if (!active_) return;
    QJsonObject what;
    if (isNewestFirst() && last_ < kMostWatched) {
        what = {{"filter", filter_.trimmed()}};
    } else {
        QJsonArray lsns;
        for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row)
            lsns.append(order_[static_cast<std::size_t>(row)]);
        what = {{"lsns", lsns}};
    }
    if (what == watched_) return;
    watched_ = what;
    state_.link().watch(what);
}

void ActionsModel::takeChanges(const QJsonArray& actions, bool) {
    if (!active_) return;
    for (const QJsonValue value : actions) {
        const QJsonObject json = value.toObject();
        if (!json.contains("timestamps")) continue; // an end, told for notices
        ActionRow row = actionRowOf(json);
        const qint64 lsn = row.lsn;
        const int place = rowOf(lsn);
        if (place < 0) {
            const bool newer = order_.empty() || lsn > order_.front();
            if (!isNewestFirst() || !newer) continue;
            fresh_.insert(lsn);
            if (fresh_.size() > kMostFresh) fresh_.erase(std::prev(fresh_.end()));
        }
        gone_.erase(lsn);
        kept_.keep(std::move(row));
        if (place >= 0) emit dataChanged(index(place, 0), index(place, columnCount() - 1));
        emit actionChanged(lsn);
    }
    kept_.forgetOldest();
    if (!fresh_.empty()) noteComing();
}

/// Behind the newest ones that the engine watches: told as gone, and in the list all the same.
bool ActionsModel::hasGivenWay(qint64 lsn) const {
    if (!watched_.contains("filter")) return false;
    const qint64 goneAbove = std::distance(gone_.upper_bound(lsn), gone_.end());
    return rowOf(lsn) + std::ssize(fresh_) - goneAbove >= kWatchedByEngine;
}

void ActionsModel::takeGone(const QJsonArray& lsns) {
    if (!active_) return;
    for (const QJsonValue value : lsns) {
        const qint64 lsn = value.toInteger();
        if (hasGivenWay(lsn)) continue;
        fresh_.erase(lsn);
        if (rowOf(lsn) >= 0) gone_.insert(lsn);
        emit actionChanged(lsn);
    }
    if (!gone_.empty()) noteComing();
}

void ActionsModel::noteComing() {
    if (isFrozen())
        setWaiting(static_cast<int>(fresh_.size() + gone_.size()));
    else if (!apply_.isActive())
        apply_.start();
}

void ActionsModel::takeWaiting() {
    applyWaiting();
}

/// By the hand, or twice a second while nobody has it on the table.
void ActionsModel::applyWaiting() {
    apply_.stop();
    if (fresh_.empty() && gone_.empty()) return setWaiting(0);
    if (fresh_.size() >= kMostFresh) { // more came than are watched: what lies between is not known
        if (index_.isAsking()) return apply_.start();
        return whole_ ? askIndex(Purpose::CatchUp) : reload();
    }
    std::vector<qint64> order(fresh_.begin(), fresh_.end());
    const std::vector<qint64> gone(gone_.begin(), gone_.end());
    const LsnSieve sieve(gone);
    order.reserve(order.size() + order_.size());
    std::ranges::copy_if(order_, std::back_inserter(order),
                         [&](qint64 lsn) { return !sieve.mayHave(lsn) || !gone_.contains(lsn); });
    fresh_.clear();
    gone_.clear();
    setWaiting(0);
    const qint64 count = count_ + static_cast<qint64>(order.size()) - static_cast<qint64>(order_.size());
    setOrder(std::move(order), count);
}

void ActionsModel::setProblem(const QString& problem) {
    if (problem_ == problem) return;
    problem_ = problem;
    emit problemChanged(problem);
}

/// Times of what runs go on.
void ActionsModel::tick() {
    format_ = Format();
    for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row) {
        const ActionRow* action = this->action(order_[static_cast<std::size_t>(row)]);
        if (action != nullptr && action->face == DisplayState::Running)
            emit dataChanged(index(row, kRan), index(row, kRan));
    }
    askAgain();
    if (++ticks_ % kFiguresEvery == 0) askFigures();
    refreshWhenDue();
}

/// What running ones use, and whether they are late, changes without an event.
void ActionsModel::askFigures() {
    if (!active_ || askingRows_ || !state_.isLive()) return;
    std::vector<qint64> running;
    for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row) {
        const ActionRow* action = this->action(order_[static_cast<std::size_t>(row)]);
        if (action != nullptr && action->face == DisplayState::Running && std::ssize(running) < kMostAsked)
            running.push_back(action->lsn);
    }
    if (!running.empty()) askFor(std::move(running));
}

/// What was not answered, because the connection broke or the engine stood still: while it is looked at.
void ActionsModel::askAgain() {
    if (!state_.isLive() || asking_ || index_.isAsking()) return;
    if (isSame_ && !whole_ && !paged_) askIndex(Purpose::Again);
    askRows();
}

/// Rows may have come and gone where nobody watches: in lists by another field, and below the watched ones of a
/// filter. Without a filter they only come, at the top, where they are watched.
void ActionsModel::refreshWhenDue() {
    if (!moved_ || isFrozen() || !whole_ || !isSame_ || index_.isAsking() || !state_.isLive()) return;
    if (isNewestFirst() && (filter_.trimmed().isEmpty() || count_ <= kMostWatched)) return;
    if (refreshed_.elapsed() < std::max(kRefreshLeastMs, kRefreshShare * index_.tookMs())) return;
    askIndex(Purpose::Refresh);
}

} // namespace yard::ui
