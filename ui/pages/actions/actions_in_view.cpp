#include "ui/pages/actions/actions_in_view.h"

#include <algorithm>
#include <set>
#include <utility>

namespace yard::ui {

namespace {

constexpr int kWatchMs = 150;
constexpr int kMargin = 60; // rows asked for above and below the view

} // namespace

ActionsInView::ActionsInView(EngineState& state, const KnownOrder& order, QObject* parent)
    : QObject(parent)
    , state_(state)
    , order_(order) {
    watch_.setSingleShot(true);
    watch_.setInterval(kWatchMs);
    connect(&watch_, &QTimer::timeout, this, &ActionsInView::watch);
    connect(&state_, &EngineState::queuesChanged, this, &ActionsInView::takeQueues);
    takeQueues();
}

void ActionsInView::setActive(bool active) {
    active_ = active;
    if (active) return;
    watched_ = {};
    state_.link().watch({});
}

void ActionsInView::setList(const QString& filter, bool newestFirst) {
    filter_ = filter.trimmed();
    newestFirst_ = newestFirst;
}

void ActionsInView::setRange(int first, int last) {
    first_ = std::max(0, first);
    last_ = std::max(first_, last);
}

void ActionsInView::ask() {
    if (!active_) return;
    kept_.beginLook();
    const int known = static_cast<int>(order_.size());
    std::vector<qint64> missing;
    const auto look = [&](int from, int to) {
        for (int row = std::max(0, from); row < std::min(to, known); ++row) {
            const qint64 lsn = order_.at(row);
            if (!kept_.look(lsn) && std::ssize(missing) < kMostAsked && !order_.isGone(lsn)) missing.push_back(lsn);
        }
    };
    look(first_, last_ + 1);
    const bool inView = !missing.empty();
    look(last_ + 1, last_ + 1 + kMargin);
    look(first_ - kMargin, first_);
    // A row or two of the margin can wait until there are more.
    if (asking_ || !state_.isLive() || missing.empty() || (!inView && std::ssize(missing) < kMargin / 2)) return;
    askFor(std::move(missing));
}

void ActionsInView::askFor(std::vector<qint64> lsns) {
    asking_ = true;
    QStringList numbers;
    for (const qint64 lsn : lsns) numbers << QString::number(lsn);
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("lsn", numbers.join(','));
    request.query.addQueryItem("limit", QString::number(kMostAsked));
    state_.link().send(request, this, [this, asked = std::move(lsns)](const Answer& answer) {
        asking_ = false;
        if (answer.ok()) take(asked, answer.json);
    });
}

/// Those that were asked for and did not come are no more.
void ActionsInView::take(const std::vector<qint64>& asked, const QJsonObject& page) {
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
    (void)kept_.outdate(std::exchange(otherwise_, {}));
    kept_.forgetOldest();
    emit changed();
    if (!gone.isEmpty()) emit missed(gone);
    ask();
}

std::vector<int> ActionsInView::runningRows() const {
    std::vector<int> rows;
    for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row) {
        const ActionRow* action = kept_.find(order_.at(row));
        if (action != nullptr && action->face == DisplayState::Running) rows.push_back(row);
    }
    return rows;
}

void ActionsInView::askFigures() {
    if (!active_ || asking_ || !state_.isLive()) return;
    std::vector<qint64> others;
    for (const int row : runningRows())
        if (std::ssize(others) < kMostAsked) others.push_back(order_.at(row));
    for (int row = first_; byPlace_ && row <= last_ && row < static_cast<int>(order_.size()); ++row) {
        const ActionRow* action = kept_.find(order_.at(row));
        if (action != nullptr && action->place > 0 && std::ssize(others) < kMostAsked)
            others.push_back(order_.at(row));
    }
    if (!others.empty()) askFor(std::move(others));
}

/// A hold or release of a queue changes no action of it, so nothing else tells that they wait for something else.
void ActionsInView::takeQueues() {
    QSet<qint64> held;
    for (const auto& [id, queue] : state_.queues())
        if (queue.held) held.insert(id);
    const QSet<qint64> others = (held - heldQueues_) + (heldQueues_ - held);
    heldQueues_ = std::move(held);
    if (others.isEmpty()) return;
    const std::vector<qint64> lsns = kept_.outdate(others);
    if (asking_) otherwise_ += others;
    ask();
    if (!lsns.empty()) emit waitsChanged(lsns);
}

/// At the top the newest rows of the filter are watched, so that new ones come; elsewhere those in view.
void ActionsInView::watch() {
    if (!active_) return;
    QJsonObject what;
    if (newestFirst_ && last_ < kMostWatched) {
        what = {{"filter", filter_}};
    } else {
        QJsonArray lsns;
        for (int row = first_; row <= last_ && row < static_cast<int>(order_.size()); ++row)
            lsns.append(order_.at(row));
        what = {{"lsns", lsns}};
    }
    if (what == watched_) return;
    watched_ = what;
    state_.link().watch(what);
}

} // namespace yard::ui
