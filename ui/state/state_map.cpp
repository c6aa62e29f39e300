#include "ui/state/state_map.h"

#include "ui/state/lsn_runs.h"
#include "ui/style/format.h"

#include <QUrl>

#include <algorithm>
#include <utility>

namespace yard::ui {

namespace {

/// Those that have not ended; "held" and "retry" are in "pending".
bool countsLive(const QJsonObject& counts) {
    return std::ranges::any_of(std::initializer_list<const char*>{"new", "pending", "submitting", "running"},
                               [&](const char* word) { return counts.value(QLatin1String(word)).toInteger() > 0; });
}

} // namespace

std::vector<MapCell> withFace(const std::vector<MapCell>& cells, std::vector<qint64> lsns, DisplayState face) {
    if (!std::ranges::is_sorted(lsns)) std::ranges::sort(lsns);
    lsns.erase(std::ranges::unique(lsns).begin(), lsns.end());
    std::vector<MapCell> both;
    both.reserve(cells.size() + lsns.size());
    auto cell = cells.begin();
    for (const qint64 lsn : lsns) {
        for (; cell != cells.end() && cell->id < lsn; ++cell) both.push_back(*cell);
        if (cell != cells.end() && cell->id == lsn) ++cell;
        both.push_back({.id = lsn, .face = face});
    }
    both.insert(both.end(), cell, cells.end());
    return both;
}

std::vector<MapCell> inPlaces(const std::vector<MapCell>& cells, qint64 first, qint64 count) {
    std::vector<MapCell> placed(static_cast<std::size_t>(std::max<qint64>(0, count)));
    for (std::size_t i = 0; i < placed.size(); ++i) placed[i].id = first + static_cast<qint64>(i);
    for (const MapCell& cell : cells)
        if (cell.id >= first && cell.id - first < count) placed[static_cast<std::size_t>(cell.id - first)] = cell;
    return placed;
}

StateMap::StateMap(EngineState& state, QObject* parent)
    : QObject(parent)
    , state_(state) {
    again_.setInterval(kEveryMs);
    connect(&again_, &QTimer::timeout, this, [this] {
        if (moved_) read();
    });
    connect(&state_, &EngineState::countsChanged, this, [this] { moved_ = true; });
    connect(&state_, &EngineState::refreshed, this, [this] {
        rest(); // what was under way is not answered any more
        read();
    });
}

/// In the order of an action's life: of one that moves meanwhile the later state is seen last.
const std::vector<StateMap::Step>& StateMap::allSteps() {
    static const std::vector<Step> kSteps{
        {DisplayState::Pending, "pending"},    {DisplayState::Held, "held"},
        {DisplayState::Retry, "retry"},        {DisplayState::Submitting, "submitting"},
        {DisplayState::Running, "running"},    {DisplayState::Completed, "completed"},
        {DisplayState::Failed, "failed"},      {DisplayState::Abandoned, "abandoned"},
        {DisplayState::Cancelled, "cancelled"}};
    return kSteps;
}

void StateMap::show(const Which& which) {
    if (which == which_) return;
    which_ = which;
    cells_.clear();
    counts_ = {};
    problem_.clear();
    isRead_ = false;
    rest();
    emit changed();
    read();
}

void StateMap::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    rest();
    if (!active) return again_.stop();
    again_.start();
    read();
}

/// What is under way is forgotten.
void StateMap::rest() {
    ++generation_;
    asking_ = false;
    moved_ = true;
}

void StateMap::read() {
    if (!active_ || asking_ || which_.filter.isEmpty() || !state_.isLive()) return;
    if (which_.count > static_cast<qint64>(kMost)) return failAsTooMany(which_.count);
    asking_ = true;
    moved_ = false;
    coming_.clear();
    steps_.clear();
    Request request{"GET", "jobs/facets", {}, {}, {}};
    request.query.addQueryItem("by", "state");
    send(std::move(request), &StateMap::takeCounts);
}

void StateMap::send(Request request, void (StateMap::*take)(const Answer&)) {
    request.query.addQueryItem("q", QUrl::toPercentEncoding(which_.filter));
    state_.link().send(request, this, [this, take, generation = generation_](const Answer& answer) {
        if (generation != generation_) return;
        if (!answer.ok()) return fail(answer.message);
        (this->*take)(answer);
    });
}

void StateMap::takeCounts(const Answer& answer) {
    const qint64 total = answer.json.value("total").toInteger();
    if (total > static_cast<qint64>(kMost)) return failAsTooMany(total);
    comingCounts_ = answer.json.value("facets").toObject().value("state").toObject();
    const bool isExact = answer.json.value("exact").toBool();
    // While some of them live, one may be in another state by the time that state is asked for.
    const bool mayMove = !isExact || countsLive(comingCounts_);
    if (!mayMove && isRead_ && comingCounts_ == counts_) { // all have ended, as before
        asking_ = false;
        if (!problem_.isEmpty()) finish();
        return;
    }
    for (const Step& step : allSteps())
        if (mayMove || comingCounts_.value(QLatin1String(step.word)).toInteger() > 0) steps_.push_back(step);
    nextState();
}

void StateMap::nextState() {
    if (steps_.empty()) return finish();
    found_.clear();
    cursor_.clear();
    parts_ = 0;
    askPart();
}

void StateMap::askPart() {
    Request request{"GET", "jobs/lsns", {}, {}, {}};
    request.query.addQueryItem("state", steps_.front().word);
    request.query.addQueryItem("sort", "lsn");
    if (!cursor_.isEmpty()) request.query.addQueryItem("cursor", cursor_);
    send(std::move(request), &StateMap::takePart);
}

void StateMap::takePart(const Answer& answer) {
    const QString runs = answer.json.value("lsns").toString();
    if (!appendLsns(runs, kMost, found_)) return fail(tr("The engine's list of numbers cannot be read."));
    cursor_ = answer.json.value("cursor").toString();
    if (!cursor_.isEmpty() && ++parts_ < kMostParts) return askPart();
    if (!cursor_.isEmpty()) return fail(tr("The engine did not come to the end of its list."));
    coming_ = withFace(coming_, std::exchange(found_, {}), steps_.front().face);
    if (coming_.size() > kMost) return failAsTooMany(static_cast<qint64>(coming_.size()));
    steps_.pop_front();
    nextState();
}

void StateMap::finish() {
    asking_ = false;
    problem_.clear();
    if (!coming_.empty() || comingCounts_ != counts_ || !isRead_) {
        cells_ = which_.first == 0 ? std::exchange(coming_, {})
                                   : inPlaces(std::exchange(coming_, {}), which_.first, which_.count);
        counts_ = comingCounts_;
    }
    isRead_ = true;
    again_.setInterval(cells_.size() < kLarge ? kEveryMs : kLargeEveryMs);
    emit changed();
}

/// What was read before stays.
void StateMap::fail(const QString& problem) {
    asking_ = false;
    moved_ = true; // once more
    if (problem == problem_) return;
    problem_ = problem;
    emit changed();
}

void StateMap::failAsTooMany(qint64 total) {
    const Format format;
    cells_.clear();
    counts_ = {};
    isRead_ = false;
    again_.setInterval(kLargeEveryMs);
    fail(tr("%1 actions are too many for a map, which takes %2.")
             .arg(format.number(total), format.number(static_cast<qint64>(kMost))));
}

} // namespace yard::ui
