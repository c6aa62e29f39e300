#include "ui/state/state_counts.h"

#include <QUrl>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

StateCounts::Count& at(std::array<StateCounts::Count, kFaces>& counts, DisplayState face) {
    return counts[std::to_underlying(face)];
}

} // namespace

StateCounts::StateCounts(EngineState& state, QObject* parent)
    : QObject(parent)
    , state_(state) {
    again_.setInterval(kEveryMs);
    connect(&again_, &QTimer::timeout, this, [this] {
        if (moved_) ask();
    });
    connect(&state_, &EngineState::countsChanged, this, [this] {
        moved_ = true;
        if (filter_.isEmpty()) emit changed();
    });
    connect(&state_, &EngineState::refreshed, this, [this] {
        rest(); // what was under way is not answered any more
        ask();
    });
}

void StateCounts::setFilter(const QString& filter) {
    const QString trimmed = filter.trimmed();
    if (trimmed == filter_) return;
    filter_ = trimmed;
    known_.reset();
    rest();
    emit changed();
    ask();
}

void StateCounts::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (!active) {
        rest();
        return again_.stop();
    }
    again_.start();
    ask();
}

std::optional<StateCounts::Count> StateCounts::of(DisplayState face) const {
    if (filter_.isEmpty()) return Count{.count = state_.count(face), .isExact = true};
    if (!known_) return std::nullopt;
    return (*known_)[std::to_underlying(face)];
}

void StateCounts::rest() {
    ++generation_;
    asking_ = false;
    moved_ = true;
}

void StateCounts::ask() {
    if (!active_ || asking_ || filter_.isEmpty() || !state_.isLive()) return;
    asking_ = true;
    moved_ = false;
    Request request{"GET", "jobs/facets", {}, {}, {}};
    request.query.addQueryItem("by", "state");
    request.query.addQueryItem("own", "1"); // what is left of states in the filter holds of each count, too
    send(std::move(request), &StateCounts::takeFacets);
}

void StateCounts::send(Request request, void (StateCounts::*take)(const QJsonObject&)) {
    request.query.addQueryItem("q", QUrl::toPercentEncoding(filter_));
    state_.link().send(request, this, [this, take, generation = generation_](const Answer& answer) {
        if (generation != generation_) return;
        if (!answer.ok()) return fail(answer);
        (this->*take)(answer.json);
    });
}

void StateCounts::takeFacets(const QJsonObject& answer) {
    using enum DisplayState;
    const QJsonObject states = answer.value("facets").toObject().value("state").toObject();
    const bool isExact = answer.value("exact").toBool();
    coming_.fill({.count = 0, .isExact = isExact});
    for (const auto& [word, face] :
         {std::pair{"pending", Pending}, std::pair{"submitting", Submitting}, std::pair{"running", Running},
          std::pair{"completed", Completed}, std::pair{"failed", Failed}, std::pair{"abandoned", Abandoned},
          std::pair{"cancelled", Cancelled}})
        at(coming_, face).count = std::max<qint64>(0, states.value(QLatin1String(word)).toInteger());
    // "held" and "retry" are no values of the facet: they are in "pending".
    if (isExact && at(coming_, Pending).count == 0) return finish();
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("state", "held");
    request.query.addQueryItem("limit", "1");
    request.query.addQueryItem("count", "1");
    send(std::move(request), &StateCounts::takeHeld);
}

void StateCounts::takeHeld(const QJsonObject& answer) {
    takeFaceOfPending(DisplayState::Held, answer);
    Request request{"GET", "jobs", {}, {}, {}};
    request.query.addQueryItem("state", "retry");
    request.query.addQueryItem("limit", "1");
    request.query.addQueryItem("count", "1");
    send(std::move(request), &StateCounts::takeRetry);
}

void StateCounts::takeRetry(const QJsonObject& answer) {
    takeFaceOfPending(DisplayState::Retry, answer);
    finish();
}

/// Counted a moment later than the others: more of them than that may be there now.
void StateCounts::takeFaceOfPending(DisplayState face, const QJsonObject& answer) {
    const bool isExact = answer.contains("total");
    const qint64 count = answer.value(isExact ? "total" : "total_at_least").toInteger();
    at(coming_, face) = {.count = std::max<qint64>(0, count), .isExact = isExact};
    Count& pending = at(coming_, DisplayState::Pending);
    pending.count = std::max<qint64>(0, pending.count - at(coming_, face).count);
    pending.isExact = pending.isExact && isExact;
}

void StateCounts::finish() {
    asking_ = false;
    if (known_ == coming_) return;
    known_ = coming_;
    emit changed();
}

/// What was known stays. A filter that the engine does not take is not asked for again before something changes.
void StateCounts::fail(const Answer& answer) {
    constexpr int kInvalid = 400;
    constexpr int kNotFound = 404;
    asking_ = false;
    if (answer.status != kInvalid && answer.status != kNotFound) moved_ = true;
}

} // namespace yard::ui
