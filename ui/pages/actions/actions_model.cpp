#include "ui/pages/actions/actions_model.h"

#include "ui/pages/actions/action_columns.h"
#include "ui/pages/actions/action_totals.h"

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kApplyMs = 500;

qint64 guessedCount(const EngineState& state, const QString& filter) {
    return std::min(countedTotal(state, filter).value_or(0), static_cast<qint64>(LsnIndex::kMost));
}

} // namespace

ActionsModel::ActionsModel(EngineState& state, QObject* parent)
    : TableModel(actionColumns(), parent)
    , state_(state)
    , index_(state.link())
    , view_(state, order_)
    , events_(state, order_, view_)
    , pages_(state.link()) {
    apply_.setSingleShot(true);
    apply_.setInterval(kApplyMs);
    connect(&apply_, &QTimer::timeout, this, &ActionsModel::takeWaiting);
    second_.setInterval(1'000);
    connect(&second_, &QTimer::timeout, this, &ActionsModel::tick);
    connect(&index_, &LsnIndex::begun, this, &ActionsModel::onIndexBegun);
    connect(&index_, &LsnIndex::ready, this, &ActionsModel::onIndexReady);
    connect(&index_, &LsnIndex::failed, this, &ActionsModel::onIndexFailed);
    connect(&pages_, &ActionPages::came, this, &ActionsModel::takePage);
    connect(&pages_, &ActionPages::failed, this, &ActionsModel::setProblem);
    connect(&events_, &ActionEvents::rowChanged, this,
            [this](int row) { emit dataChanged(index(row, 0), index(row, columnCount() - 1)); });
    connect(&events_, &ActionEvents::actionChanged, this, &ActionsModel::actionChanged);
    connect(&events_, &ActionEvents::coming, this, &ActionsModel::noteComing);
    connect(&state_, &EngineState::countsChanged, this, [this] {
        moved_ = true;
        if (active_) emit totalChanged();
    });
    connect(&state_, &EngineState::refreshed, this, &ActionsModel::reload);
    connect(&view_, &ActionsInView::changed, this, [this] {
        if (const int last = std::min(view_.last(), rowCount() - 1); view_.first() <= last)
            emit dataChanged(index(view_.first(), 0), index(last, columnCount() - 1));
    });
    connect(&view_, &ActionsInView::waitsChanged, this, [this](const std::vector<qint64>& lsns) {
        for (const qint64 lsn : lsns) emit actionChanged(lsn);
    });
}

// --- asking

void ActionsModel::setFilter(const QString& filter) {
    if (filter_ == filter && isSame_) return;
    newFilter_ = newFilter_ || filter_ != filter;
    filter_ = filter;
    view_.setList(filter_, sort_.isEmpty());
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
    view_.setByPlace(sort_.endsWith(QLatin1String("place")));
    view_.setList(filter_, sort_.isEmpty());
    isSame_ = false;
    reload();
}

void ActionsModel::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    events_.setActive(active);
    if (!active) {
        second_.stop();
        index_.drop();
        return view_.setActive(false);
    }
    view_.setActive(true);
    second_.start();
    reload();
}

void ActionsModel::reload() {
    if (!active_ || !state_.isLive()) return;
    pages_.drop();
    paged_ = false;
    if (isSame_ && whole_) {
        // Rows in view are told again by events; others are asked for when they are looked at.
        view_.kept().forgetUnseen();
        return askIndex(Purpose::Renew);
    }
    index_.drop();
    if (view_.isNewestFirst())
        pages_.askFirst(filter_, sort_);
    else
        askIndex(Purpose::Again);
}

/// A page that begins again replaces all; another one goes on below.
void ActionsModel::takePage(const std::vector<ActionRow>& rows, bool again) {
    setProblem({});
    whole_ = pages_.isAtEnd();
    std::vector<qint64> order;
    for (const ActionRow& row : rows) {
        order.push_back(row.lsn);
        view_.kept().keep(row);
    }
    if (again)
        beginList();
    else
        order = order_.withPage(order, !view_.isNewestFirst());
    const qint64 here = static_cast<qint64>(order.size());
    setOrder(std::move(order), whole_   ? here
                               : paged_ ? here + kPage
                                        : std::max(guessedCount(state_, filter_), here + kPage));
    if (whole_) return;
    if (!paged_) return askIndex(Purpose::Again);
    if (view_.last() + kPage / 2 > static_cast<int>(order_.size())) pages_.askNext();
}

/// What comes is of the list that was asked for.
void ActionsModel::beginList() {
    isSame_ = true;
    otherList_ = std::exchange(newFilter_, false);
    order_.forgetChanges();
    setWaiting(0);
}

void ActionsModel::askIndex(Purpose purpose) {
    purpose_ = purpose;
    if (purpose != Purpose::CatchUp) {
        moved_ = false;
        refreshed_.start();
    }
    QString filter = filter_.trimmed();
    if (purpose == Purpose::CatchUp && !order_.isEmpty()) filter += QStringLiteral(" lsn>%1").arg(order_.at(0));
    index_.ask(filter.trimmed(), sort_);
}

/// The first of a new list by another field; of others all are waited for.
void ActionsModel::onIndexBegun(const std::vector<qint64>& first, qint64 total) {
    if (purpose_ != Purpose::Again || view_.isNewestFirst()) return;
    setProblem({});
    beginList();
    whole_ = total == static_cast<qint64>(first.size());
    setOrder(first, total);
}

void ActionsModel::onIndexReady(std::vector<qint64>& lsns) {
    if (purpose_ == Purpose::CatchUp) return joinAbove(std::move(lsns));
    if (purpose_ == Purpose::Again && view_.isNewestFirst()) {
        // Behind what is shown already, which stays as it is; what came meanwhile is told by events.
        whole_ = true;
        return goOn(order_.joinedBelow(std::move(lsns)));
    }
    if (purpose_ == Purpose::Refresh && isFrozen()) {
        moved_ = true; // later
        return;
    }
    const bool goesOn = order_.isBeginningOf(lsns);
    whole_ = true;
    if (purpose_ != Purpose::Again && view_.isNewestFirst() && !lsns.empty()) order_.dropFreshUpTo(lsns.front());
    order_.forgetGone();
    if (!goesOn) {
        const qint64 all = static_cast<qint64>(lsns.size());
        setOrder(std::move(lsns), all);
    } else {
        goOn(std::move(lsns));
    }
    setWaiting(order_.freshCount());
}

/// Rows so far stay where they are.
void ActionsModel::goOn(std::vector<qint64> order) {
    order_.set(std::move(order));
    setCount(order_.size());
    view_.ask();
    emit totalChanged();
}

/// Those that came while nobody could tell of all.
void ActionsModel::joinAbove(std::vector<qint64> lsns) {
    std::vector<qint64> order = order_.joinedAbove(std::move(lsns));
    const qint64 added = static_cast<qint64>(order.size()) - order_.size();
    if (added > 0) order_.dropFreshUpTo(order.front());
    setOrder(std::move(order), count_ + added);
    setWaiting(0);
    if (order_.hasFresh()) noteComing();
}

/// More than the engine sorts, or an engine that knows no such list: page by page, then.
void ActionsModel::onIndexFailed(const Answer& answer) {
    if (answer.status == 0 || purpose_ == Purpose::Refresh || purpose_ == Purpose::CatchUp) return; // as it is
    if (answer.status == 422 || answer.status == 400) return setProblem(answer.message);
    paged_ = true;
    if (!view_.isNewestFirst() || purpose_ == Purpose::Renew) return pages_.askFirst(filter_, sort_);
    setCount(order_.size() + kPage);
    if (view_.last() + kPage / 2 > static_cast<int>(order_.size())) pages_.askNext();
}

// --- the order

void ActionsModel::setOrder(std::vector<qint64> order, qint64 count) {
    beginResetModel();
    order_.set(std::move(order));
    count_ = std::max(count, order_.size());
    endResetModel();
    otherList_ = false;
    view_.kept().forgetOldest();
    emit totalChanged();
    view_.watchSoon();
    view_.ask();
}

/// Rows come or go at the end: nothing in view moves.
void ActionsModel::setCount(qint64 count) {
    count = std::max(count, order_.size());
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

std::optional<qint64> ActionsModel::total() const {
    if (whole_ && isSame_) return count_;
    return countedTotal(state_, filter_);
}

int ActionsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(count_);
}

qint64 ActionsModel::idAt(int row) const {
    return order_.at(row);
}

bool ActionsModel::isHere(int row) const {
    return action(idAt(row)) != nullptr;
}

int ActionsModel::rowOf(qint64 id) const {
    return view_.rowOf(id);
}

std::vector<int> ActionsModel::rowsOf(std::vector<qint64> ids) const {
    return order_.rowsOf(std::move(ids));
}

// --- rows

void ActionsModel::setVisible(int first, int last) {
    view_.setRange(first, last);
    if (!active_) return;
    if (paged_ && !whole_ && view_.last() + kPage / 2 > static_cast<int>(order_.size())) pages_.askNext();
    view_.ask();
    view_.watchSoon();
}

const ActionRow* ActionsModel::action(qint64 lsn) const {
    return view_.kept().find(lsn);
}

} // namespace yard::ui
