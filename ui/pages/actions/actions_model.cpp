#include "ui/pages/actions/actions_model.h"

#include "ui/pages/actions/action_columns.h"
#include "ui/pages/actions/action_totals.h"
#include "ui/pages/actions/lsn_sieve.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kApplyMs = 500;
constexpr int kWatchMs = 150;
constexpr int kMargin = 60; // rows asked for above and below the view

} // namespace

ActionsModel::ActionsModel(EngineState& state, QObject* parent)
    : TableModel(actionColumns(), parent)
    , state_(state)
    , index_(state.link()) {
    apply_.setSingleShot(true);
    apply_.setInterval(kApplyMs);
    connect(&apply_, &QTimer::timeout, this, &ActionsModel::applyWaiting);
    watch_.setSingleShot(true);
    watch_.setInterval(kWatchMs);
    connect(&watch_, &QTimer::timeout, this, &ActionsModel::watchVisible);
    second_.setInterval(1'000);
    connect(&second_, &QTimer::timeout, this, &ActionsModel::tick);
    connect(&index_, &LsnIndex::begun, this, &ActionsModel::onIndexBegun);
    connect(&index_, &LsnIndex::ready, this, &ActionsModel::onIndexReady);
    connect(&index_, &LsnIndex::failed, this, &ActionsModel::onIndexFailed);
    connect(&state_, &EngineState::actionsChanged, this, &ActionsModel::takeChanges);
    connect(&state_, &EngineState::actionsGone, this, &ActionsModel::takeGone);
    connect(&state_, &EngineState::countsChanged, this, [this] {
        moved_ = true;
        if (active_) emit totalChanged();
    });
    connect(&state_, &EngineState::queuesChanged, this, &ActionsModel::takeQueues);
    connect(&state_, &EngineState::refreshed, this, &ActionsModel::reload);
    takeQueues();
}

// --- asking

void ActionsModel::setFilter(const QString& filter) {
    if (filter_ == filter && isSame_) return;
    newFilter_ = newFilter_ || filter_ != filter;
    filter_ = filter;
    isSame_ = false;
    reload();
}

void ActionsModel::sortBy(int column, Qt::SortOrder order) {
    QString sort;
    if (column >= 0)
        sort = (order == Qt::DescendingOrder ? "-" : "") + this->columns()[static_cast<std::size_t>(column)].sort;
    if (sort == "-lsn") sort.clear();
    if (sort == sort_ && isSame_) return;
    sort_ = sort;
    isSame_ = false;
    reload();
}

void ActionsModel::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (!active) {
        second_.stop();
        index_.drop();
        watched_ = {};
        return state_.link().watch({});
    }
    second_.start();
    reload();
}

void ActionsModel::reload() {
    if (!active_ || !state_.isLive()) return;
    ++generation_;
    asking_ = paged_ = false;
    if (isSame_ && whole_) {
        // Rows in view are told again by events; others are asked for when they are looked at.
        kept_.forgetUnseen();
        return askIndex(Purpose::Renew);
    }
    index_.drop();
    if (isNewestFirst())
        askPage(true);
    else
        askIndex(Purpose::Again);
}

void ActionsModel::askPage(bool again) {
    if (asking_ && !again) return;
    asking_ = true;
    if (again) ++generation_;
    Request request{"GET", "jobs", {}, {}, {}};
    if (!filter_.trimmed().isEmpty()) request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_.trimmed()));
    if (!sort_.isEmpty()) request.query.addQueryItem("sort", sort_);
    request.query.addQueryItem("limit", QString::number(kPage));
    if (!again) request.query.addQueryItem("cursor", cursor_);
    state_.link().send(request, this, [this, again, generation = generation_](const Answer& answer) {
        if (generation != generation_) return;
        asking_ = false;
        if (!answer.ok()) return setProblem(answer.message);
        setProblem({});
        takePage(answer.json, again);
    });
}

/// A page that begins again replaces all; another one goes on below.
void ActionsModel::takePage(const QJsonObject& page, bool again) {
    cursor_ = page.value("cursor").toString();
    whole_ = cursor_.isEmpty();
    std::vector<qint64> order;
    if (!again) order = order_;
    const std::size_t before = order.size();
    for (const QJsonValue job : page.value("jobs").toArray()) {
        ActionRow row = actionRowOf(job.toObject());
        order.push_back(row.lsn);
        kept_.keep(std::move(row));
    }
    // What moved up between two pages of a list by another field may come twice.
    if (!again && !isNewestFirst()) {
        const std::set<qint64> known(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(before));
        const auto begin = order.begin() + static_cast<std::ptrdiff_t>(before);
        order.erase(std::remove_if(begin, order.end(), [&](qint64 lsn) { return known.contains(lsn); }),
                    order.end());
    }
    if (again) beginList();
    const qint64 here = static_cast<qint64>(order.size());
    setOrder(std::move(order), whole_ ? here : paged_ ? here + kPage : std::max(guessedCount(), here + kPage));
    if (whole_) return;
    if (!paged_) return askIndex(Purpose::Again);
    if (last_ + kPage / 2 > static_cast<int>(order_.size())) askPage(false);
}

/// What comes is of the list that was asked for.
void ActionsModel::beginList() {
    isSame_ = true;
    otherList_ = std::exchange(newFilter_, false);
    fresh_.clear();
    gone_.clear();
    setWaiting(0);
}

void ActionsModel::askIndex(Purpose purpose) {
    purpose_ = purpose;
    if (purpose != Purpose::CatchUp) {
        moved_ = false;
        refreshed_.start();
    }
    QString filter = filter_.trimmed();
    if (purpose == Purpose::CatchUp && !order_.empty()) filter += QStringLiteral(" lsn>%1").arg(order_.front());
    index_.ask(filter.trimmed(), sort_);
}

/// The first of a new list by another field; of others all are waited for.
void ActionsModel::onIndexBegun(const std::vector<qint64>& first, qint64 total) {
    if (purpose_ != Purpose::Again || isNewestFirst()) return;
    setProblem({});
    beginList();
    whole_ = total == static_cast<qint64>(first.size());
    setOrder(first, total);
}

void ActionsModel::onIndexReady(std::vector<qint64>& lsns) {
    if (purpose_ == Purpose::CatchUp) return joinAbove(lsns);
    if (purpose_ == Purpose::Again && isNewestFirst()) return joinBelow(lsns);
    if (purpose_ == Purpose::Refresh && isFrozen()) {
        moved_ = true; // later
        return;
    }
    const bool goesOn = lsns.size() >= order_.size() && std::equal(order_.begin(), order_.end(), lsns.begin());
    whole_ = true;
    if (purpose_ != Purpose::Again && isNewestFirst() && !lsns.empty()) dropFreshUpTo(lsns.front());
    gone_.clear();
    if (!goesOn) {
        const qint64 all = static_cast<qint64>(lsns.size());
        setOrder(std::move(lsns), all);
    } else {
        goOn(std::move(lsns));
    }
    setWaiting(static_cast<int>(fresh_.size()));
}

/// Rows so far stay where they are.
void ActionsModel::goOn(std::vector<qint64> order) {
    order_ = std::move(order);
    setCount(static_cast<qint64>(order_.size()));
    askRows();
    emit totalChanged();
}

void ActionsModel::dropFreshUpTo(qint64 lsn) {
    fresh_.erase(fresh_.lower_bound(lsn), fresh_.end());
}

/// Those that came while nobody could tell of all.
void ActionsModel::joinAbove(std::vector<qint64>& lsns) {
    const qint64 before = static_cast<qint64>(order_.size());
    if (!order_.empty()) lsns.erase(std::ranges::lower_bound(lsns, order_.front(), std::greater<>()), lsns.end());
    if (!lsns.empty()) dropFreshUpTo(lsns.front());
    lsns.insert(lsns.end(), order_.begin(), order_.end());
    const qint64 count = count_ + static_cast<qint64>(lsns.size()) - before;
    setOrder(std::move(lsns), count);
    setWaiting(0);
    if (!fresh_.empty()) noteComing();
}

/// Behind what is shown already, which stays as it is; what came meanwhile is told by events.
void ActionsModel::joinBelow(std::vector<qint64>& lsns) {
    const qint64 last = order_.empty() ? std::numeric_limits<qint64>::max() : order_.back();
    const auto below = std::ranges::upper_bound(lsns, last, std::greater<>());
    lsns.erase(lsns.begin(), below);
    lsns.insert(lsns.begin(), order_.begin(), order_.end());
    whole_ = true;
    goOn(std::move(lsns));
}

/// More than the engine sorts, or an engine that knows no such list: page by page, then.
void ActionsModel::onIndexFailed(const Answer& answer) {
    if (answer.status == 0 || purpose_ == Purpose::Refresh || purpose_ == Purpose::CatchUp) return; // as it is
    if (answer.status == 422 || answer.status == 400) return setProblem(answer.message);
    paged_ = true;
    if (!isNewestFirst() || purpose_ == Purpose::Renew) return askPage(true);
    setCount(static_cast<qint64>(order_.size()) + kPage);
    if (last_ + kPage / 2 > static_cast<int>(order_.size())) askPage(false);
}

// --- the order

void ActionsModel::setOrder(std::vector<qint64> order, qint64 count) {
    beginResetModel();
    order_ = std::move(order);
    count_ = std::max(count, static_cast<qint64>(order_.size()));
    endResetModel();
    otherList_ = false;
    kept_.forgetOldest();
    emit totalChanged();
    watch_.start();
    askRows();
}

/// Rows come or go at the end: nothing in view moves.
void ActionsModel::setCount(qint64 count) {
    count = std::max(count, static_cast<qint64>(order_.size()));
    const qint64 before = count_;
    if (count > before) {
        beginInsertRows({}, static_cast<int>(before), static_cast<int>(count) - 1);
        count_ = count;
        endInsertRows();
    } else if (count < before) {
        beginRemoveRows({}, static_cast<int>(count), static_cast<int>(before) - 1);
        count_ = count;
        endRemoveRows();
    }
}

qint64 ActionsModel::guessedCount() const {
    return std::min(countedTotal(state_, filter_).value_or(0), static_cast<qint64>(LsnIndex::kMost));
}

std::optional<qint64> ActionsModel::total() const {
    if (whole_ && isSame_) return count_;
    return countedTotal(state_, filter_);
}

int ActionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(count_);
}

qint64 ActionsModel::idAt(int row) const {
    return row < 0 || row >= static_cast<int>(order_.size()) ? 0 : order_[static_cast<std::size_t>(row)];
}

bool ActionsModel::isHere(int row) const {
    return action(idAt(row)) != nullptr;
}

/// In other orders it is looked for where it most likely is, then everywhere.
int ActionsModel::rowOf(qint64 id) const {
    if (id <= 0 || order_.empty()) return -1;
    const auto begin = order_.begin();
    if (isNewestFirst()) {
        const auto at = std::ranges::lower_bound(order_, id, std::greater<>());
        return at != order_.end() && *at == id ? static_cast<int>(at - begin) : -1;
    }
    const auto size = static_cast<std::ptrdiff_t>(order_.size());
    const auto from = begin + std::min<std::ptrdiff_t>(first_, size);
    const auto to = begin + std::min<std::ptrdiff_t>(last_ + 1, size);
    if (const auto at = std::find(from, to, id); at != to) return static_cast<int>(at - begin);
    const auto at = std::ranges::find(order_, id);
    return at == order_.end() ? -1 : static_cast<int>(at - begin);
}

std::vector<int> ActionsModel::rowsOf(std::vector<qint64> ids) const {
    std::ranges::sort(ids);
    const LsnSieve sieve(ids);
    std::vector<int> rows;
    for (std::size_t i = 0; i < order_.size() && rows.size() < ids.size(); ++i)
        if (sieve.mayHave(order_[i]) && std::ranges::binary_search(ids, order_[i]))
            rows.push_back(static_cast<int>(i));
    return rows;
}

// --- rows

/// A hold or release of a queue changes no action of it, so nothing else tells its rows.
void ActionsModel::takeQueues() {
    QSet<qint64> held;
    for (const auto& [id, queue] : state_.queues())
        if (queue.held) held.insert(id);
    const std::vector<qint64> changed = kept_.setHeldQueues(std::move(held));
    if (changed.empty()) return;
    tellVisible();
    for (const qint64 lsn : changed) emit actionChanged(lsn);
}

void ActionsModel::tellVisible() {
    if (const int last = std::min(last_, rowCount() - 1); first_ <= last)
        emit dataChanged(index(first_, 0), index(last, columnCount() - 1));
}

void ActionsModel::setVisible(int first, int last) {
    first_ = std::max(0, first);
    last_ = std::max(first_, last);
    if (!active_) return;
    if (paged_ && !whole_ && last_ + kPage / 2 > static_cast<int>(order_.size())) askPage(false);
    askRows();
    watch_.start();
}

/// Those around the view that are not here; what is in view first.
void ActionsModel::askRows() {
    if (!active_) return;
    kept_.beginLook();
    const int known = static_cast<int>(order_.size());
    std::vector<qint64> missing;
    const auto look = [&](int from, int to) {
        for (int row = std::max(0, from); row < std::min(to, known); ++row) {
            const qint64 lsn = order_[static_cast<std::size_t>(row)];
            if (!kept_.look(lsn) && std::ssize(missing) < kMostAsked && !gone_.contains(lsn))
                missing.push_back(lsn);
        }
    };
    look(first_, last_ + 1);
    const bool inView = !missing.empty();
    look(last_ + 1, last_ + 1 + kMargin);
    look(first_ - kMargin, first_);
    // A row or two of the margin can wait until there are more.
    if (askingRows_ || !state_.isLive() || missing.empty() || (!inView && std::ssize(missing) < kMargin / 2))
        return;
    askFor(std::move(missing));
}

void ActionsModel::askFor(std::vector<qint64> rows) {
    askingRows_ = true;
    QStringList numbers;
    for (const qint64 lsn : rows) numbers << QString::number(lsn);
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("lsn", numbers.join(','));
    request.query.addQueryItem("limit", QString::number(kMostAsked));
    state_.link().send(request, this, [this, asked = std::move(rows)](const Answer& answer) {
        askingRows_ = false;
        if (answer.ok()) takeRows(asked, answer.json);
    });
}

/// Those that were asked for and did not come are no more.
void ActionsModel::takeRows(const std::vector<qint64>& asked, const QJsonObject& page) {
    std::set<qint64> came;
    for (const QJsonValue job : page.value("jobs").toArray()) {
        ActionRow row = actionRowOf(job.toObject());
        came.insert(row.lsn);
        kept_.keep(std::move(row));
    }
    const qint64 lookedDownTo = page.value("cursor").toString().toLongLong();
    QJsonArray gone;
    for (const qint64 lsn : asked)
        if (lsn >= lookedDownTo && !came.contains(lsn)) gone.append(lsn);
    kept_.forgetOldest();
    tellVisible();
    if (!gone.isEmpty()) takeGone(gone);
    askRows();
}

const ActionRow* ActionsModel::action(qint64 lsn) const {
    return kept_.find(lsn);
}

} // namespace yard::ui
