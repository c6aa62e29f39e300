#include "ui/timeline/timeline_source.h"

#include <QDateTime>
#include <QPointer>

#include <algorithm>
#include <cmath>

namespace yard::ui::timeline {

namespace {

constexpr int kBeatMs = 1'000;
constexpr int kFiguresMs = 2'000;
constexpr int kWholeMs = 20'000;
constexpr std::int64_t kOverlap = 5 * kSecond;
constexpr std::int64_t kCoarser = 8;
constexpr std::int64_t kMostSteps = 9'000;
constexpr std::size_t kMostItems = 200'000;

std::int64_t floorTo(std::int64_t value, std::int64_t step) {
    return value - value % step;
}

QString seconds(std::int64_t micros) {
    return QString::number(static_cast<double>(micros) / 1e6, 'f', 6);
}

Request statsRequest(Range range, std::int64_t step) {
    Request request{"GET", "stats", {}, {}};
    request.query.addQueryItem("from", QString::number(range.from));
    request.query.addQueryItem("to", QString::number(range.to));
    request.query.addQueryItem("resolution", seconds(step));
    return request;
}

/// The range widened by this share of its length on either side.
Range widened(Range range, double share) {
    const auto by = static_cast<std::int64_t>(static_cast<double>(range.length()) * share);
    return {std::max<WallMicros>(1, range.from - by), range.to + by};
}

/// What of `ranges` is not in `by`.
std::vector<Range> sourceWithout(const std::vector<Range>& ranges, Range by) {
    std::vector<Range> rest;
    for (const Range& range : ranges) {
        if (!range.touches(by)) {
            rest.push_back(range);
            continue;
        }
        if (range.from < by.from) rest.push_back({range.from, by.from});
        if (range.to > by.to) rest.push_back({by.to, range.to});
    }
    return rest;
}

} // namespace

TimelineSource::TimelineSource(EngineLink& link, QObject* parent)
    : TimelineData(parent)
    , link_(link) {
    setNow(QDateTime::currentMSecsSinceEpoch() * kMillisecond);
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &TimelineSource::plan);
    connect(&beat_, &QTimer::timeout, this, &TimelineSource::onBeat);
    retry_.setSingleShot(true);
    retry_.setInterval(kRetryMs);
    connect(&retry_, &QTimer::timeout, this, &TimelineSource::plan);
    connect(&link_, &EngineLink::refreshed, this, [this] {
        for (Kept& kept : kept_) kept.stale = true;
        sinceFigures_.invalidate();
        sinceWhole_.invalidate();
        soon_.start(0);
    });
    connect(&link_, &EngineLink::stateChanged, this, [this] {
        if (!isLive()) setNow(now()); // stands still from here on
        emit changed();
        soon_.start(0);
    });
}

void TimelineSource::setActive(bool active) {
    if (active_ == active) return;
    active_ = active;
    if (active) {
        beat_.start(kBeatMs);
        soon_.start(0);
    } else {
        beat_.stop();
        soon_.stop();
        retry_.stop();
    }
}

void TimelineSource::look(Range visible, double microsPerPixel, const QStringList& workers) {
    visible_ = visible;
    microsPerPixel_ = microsPerPixel;
    workers_ = workers;
    // Under the hand ranges come by the dozen: asked for when the event loop comes round, not for each.
    if (active_ && !soon_.isActive()) soon_.start(30);
}

void TimelineSource::setWhole(WallMicros from) {
    if (wholeFrom_ == from) return;
    wholeFrom_ = from;
    sinceWhole_.invalidate();
    if (active_ && !soon_.isActive()) soon_.start(0);
}

WallMicros TimelineSource::now() const {
    if (!isLive() || !sinceNow_.isValid()) return now_;
    return now_ + sinceNow_.nsecsElapsed() / 1'000;
}

void TimelineSource::setNow(WallMicros now) {
    now_ = now;
    sinceNow_.start();
}

std::int64_t TimelineSource::stepFor(double microsPerPixel) {
    std::int64_t step = kMillisecond;
    while (static_cast<double>(step) * 2 <= microsPerPixel) step *= 2;
    return step;
}

bool TimelineSource::covers(const Kept& kept, const QString& worker, Range range) const {
    if (kept.stale || (!kept.worker.isEmpty() && kept.worker != worker)) return false;
    const Picture& picture = *kept.picture;
    const std::int64_t late = std::max<std::int64_t>(3 * kSecond, 3 * picture.step);
    // Nothing is to be seen after now.
    return picture.range.from <= range.from && picture.range.to + late >= std::min(range.to, now());
}

TimelineSource::Kept* TimelineSource::finest(const QString& worker, Range range, std::int64_t step) {
    for (Kept& kept : kept_)
        if (kept.wished <= step && covers(kept, worker, range)) return &kept;
    return nullptr;
}

void TimelineSource::plan() {
    if (!active_ || !isLive() || visible_.isEmpty()) return;
    planFigures();
    const std::int64_t step = stepFor(microsPerPixel_);
    const QStringList workers = workers_.isEmpty() ? QStringList{QString()} : workers_;
    const Range near = widened(visible_, 0.5);
    std::vector<ViewRequest> wishes;
    const bool hasCoarse = std::ranges::any_of(
        kept_, [&](const Kept& kept) { return kept.worker.isEmpty() && covers(kept, {}, visible_); });
    if (!hasCoarse) wishes.push_back({{}, widened(visible_, 3.5), step * kCoarser});
    for (const QString& worker : workers)
        if (Kept* fine = finest(worker, visible_.cut({1, now()}), step); fine != nullptr)
            fine->used = ++ordinal_;
        else
            wishes.push_back({worker, near, step});
    for (ViewRequest& wish : wishes) {
        wish.range.to = std::min(wish.range.to, now());
        while (wish.range.length() / wish.step > kMostSteps) wish.step *= 2;
        wish.range.from = floorTo(wish.range.from, wish.step);
        if (wish.range.isEmpty()) continue;
        const auto same = [&](const ViewRequest& other) {
            return other.worker == wish.worker && other.step == wish.step;
        };
        if (asked_ < kMostAsked && std::ranges::none_of(asking_, same)) ask(wish);
    }
}

void TimelineSource::ask(const ViewRequest& wish) {
    Request request{"GET", "timelines", {}, {}};
    if (!wish.worker.isEmpty()) request.query.addQueryItem("worker", wish.worker);
    request.query.addQueryItem("from", QString::number(wish.range.from));
    request.query.addQueryItem("to", QString::number(wish.range.to));
    request.query.addQueryItem("resolution", seconds(wish.step));
    asking_.push_back(wish);
    ++asked_;
    link_.send(request, this, [this, wish](const Answer& answer) { take(wish, answer); });
}

void TimelineSource::take(const ViewRequest& wish, const Answer& answer) {
    --asked_;
    std::erase(asking_, wish);
    if (!answer.ok()) return fail(answer);
    problem_.clear();
    answered_ = true;
    Picture picture = pictureOf(answer.json);
    if (picture.now > 0) setNow(picture.now);
    note(picture);
    keep(wish, std::move(picture));
    emit changed();
    soon_.start(0);
}

void TimelineSource::keep(const ViewRequest& wish, Picture picture) {
    Kept fresh{wish.worker, std::make_shared<const Picture>(std::move(picture)), wish.step, false, false,
               ++ordinal_};
    // What it shows as well and no coarser, goes; so does the one longest not looked at.
    std::erase_if(kept_, [&](const Kept& kept) {
        return kept.worker == fresh.worker && fresh.picture->range.covers(kept.picture->range) &&
               (kept.stale || kept.picture->step == fresh.picture->step);
    });
    kept_.push_back(std::move(fresh));
    while (kept_.size() > kMostKept) kept_.erase(std::ranges::min_element(kept_, {}, &Kept::used));
}

void TimelineSource::note(const Picture& picture) {
    for (const Group& group : picture.groups) known_[group.worker].note(group);
}

void TimelineSource::fail(const Answer& answer) {
    problem_ = answer.message.isEmpty() ? tr("The engine did not answer.") : answer.message;
    if (active_ && !retry_.isActive()) retry_.start();
    emit changed();
}

void TimelineSource::onBeat() {
    if (!active_ || !isLive()) return;
    planFigures();
    if (visible_.to < now_ - kOverlap) return; // what is long past does not change
    const std::int64_t step = stepFor(microsPerPixel_);
    for (Kept& kept : kept_) {
        const bool shown = workers_.isEmpty() || kept.worker.isEmpty() || workers_.contains(kept.worker);
        const bool reaches = kept.picture->range.from <= visible_.from && kept.picture->range.to > visible_.from;
        const bool due = now() - kept.picture->now >= std::clamp(kept.picture->step / 2, kSecond, kMinute);
        if (shown && reaches && due && !kept.stale && kept.picture->step <= step * kCoarser * 2) askTail(kept);
    }
    soon_.start(0);
}

void TimelineSource::askTail(Kept& kept) {
    if (kept.asking || asked_ >= kMostAsked) return;
    const Picture& picture = *kept.picture;
    // Only what reached up to now then can be carried on.
    if (picture.now - picture.range.to > std::max(kOverlap, 3 * picture.step)) return;
    const std::int64_t overlap = std::max(kOverlap, 3 * picture.step);
    const WallMicros seam = std::max(picture.range.from, picture.range.to - overlap);
    const WallMicros from = picture.range.from + floorTo(seam - picture.range.from, picture.step);
    ViewRequest wish{kept.worker, {from, now()}, picture.step};
    Request request{"GET", "timelines", {}, {}};
    if (!wish.worker.isEmpty()) request.query.addQueryItem("worker", wish.worker);
    request.query.addQueryItem("from", QString::number(wish.range.from));
    request.query.addQueryItem("resolution", seconds(wish.step));
    kept.asking = true;
    ++asked_;
    link_.send(request, this, [this, before = kept.picture](const Answer& answer) {
        --asked_;
        const auto found = std::ranges::find(kept_, before, &Kept::picture);
        if (found != kept_.end()) found->asking = false;
        if (!answer.ok()) return fail(answer);
        problem_.clear();
        const Picture tail = pictureOf(answer.json);
        setNow(tail.now);
        note(tail);
        if (found == kept_.end()) return;
        if (tail.step != before->step || before->items() + tail.items() > kMostItems)
            kept_.erase(found); // asked for again as a whole
        else
            found->picture = std::make_shared<const Picture>(merged(*before, tail));
        emit changed();
    });
}

void TimelineSource::planFigures() {
    const WallMicros present = now();
    const auto due = [](const QElapsedTimer& since, int ms) { return !since.isValid() || since.elapsed() >= ms; };
    const Range wanted = widened(visible_, 0.5);
    const auto step = std::max<std::int64_t>(kSecond, static_cast<std::int64_t>(microsPerPixel_ * 2));
    const bool moved =
        !figures_.range.covers(visible_.cut({1, present})) || figures_.step > 2 * step || figures_.step * 8 < step;
    const bool reachesNow = visible_.to >= present - kOverlap;
    if (!askingFigures_ && (moved ? due(sinceFigures_, 100) : reachesNow && due(sinceFigures_, kFiguresMs)) &&
        wanted.from < present) {
        askingFigures_ = true;
        sinceFigures_.start();
        const Range range{wanted.from, std::min(wanted.to, present)};
        link_.send(statsRequest(range, step), this, [this, range](const Answer& answer) {
            askingFigures_ = false;
            if (!answer.ok()) return;
            figures_ = figuresOf(answer.json, range);
            emit figuresChanged();
            if (!figures_.range.covers(visible_.cut({1, figures_.range.to}))) soon_.start(100);
        });
    }
    if (!askingWhole_ && wholeFrom_ > 0 && wholeFrom_ < present && due(sinceWhole_, kWholeMs)) {
        askingWhole_ = true;
        sinceWhole_.start();
        const Range range{wholeFrom_, present};
        link_.send(statsRequest(range, std::max<std::int64_t>(kSecond, range.length() / 600)), this,
                   [this, range](const Answer& answer) {
                       askingWhole_ = false;
                       if (!answer.ok()) return;
                       whole_ = figuresOf(answer.json, range);
                       emit figuresChanged();
                   });
    }
}

void TimelineSource::details(qint64 lsn, QObject* context, std::function<void(const QJsonObject&)> done) {
    link_.send({"GET", QStringLiteral("jobs/%1").arg(lsn), {}, {}}, context,
               [done = std::move(done)](const Answer& answer) {
                   if (answer.ok()) done(answer.json);
               });
}

namespace {

/// Asks for a range at a millisecond a step; where the engine drew coarser, for its halves.
struct ExactFetch : std::enable_shared_from_this<ExactFetch> {
    EngineLink* link = nullptr;
    QPointer<QObject> context;
    std::function<void(const Picture*, const QString&)> done;
    std::vector<Range> open;
    std::vector<Picture> got;
    int asked = 0;

    void next() {
        if (open.empty()) return finish();
        if (++asked > TimelineSource::kMostExact)
            return done(nullptr, TimelineSource::tr("There is too much in this range to export; zoom in first."));
        const Range range = open.back();
        open.pop_back();
        Request request{"GET", "timelines", {}, {}};
        request.query.addQueryItem("from", QString::number(range.from));
        request.query.addQueryItem("to", QString::number(range.to));
        request.query.addQueryItem("resolution", seconds(kMillisecond));
        link->send(request, context, [self = shared_from_this(), range](const Answer& answer) {
            if (!answer.ok()) return self->done(nullptr, answer.message);
            Picture picture = pictureOf(answer.json);
            if (picture.step > kMillisecond && range.length() > 2 * kSecond && self->hasSteps(picture)) {
                const WallMicros middle = range.from + range.length() / 2;
                self->open.push_back({middle, range.to});
                self->open.push_back({range.from, middle});
            } else {
                self->got.push_back(std::move(picture));
            }
            self->next();
        });
    }
    static bool hasSteps(const Picture& picture) {
        for (const Group& group : picture.groups)
            for (const auto& [slot, lane] : group.lanes)
                if (std::ranges::any_of(lane.items(), &Item::isStep)) return true;
        return false;
    }
    void finish() {
        Picture all = joined(got);
        done(&all, {});
    }
};

} // namespace

void TimelineSource::exact(Range range, QObject* context,
                           std::function<void(const Picture*, const QString&)> done) {
    const Range past{range.from, std::min(range.to, now())};
    if (past.isEmpty()) {
        const Picture nothing;
        return done(&nothing, {});
    }
    auto fetch = std::make_shared<ExactFetch>();
    fetch->link = &link_;
    fetch->context = context;
    fetch->done = std::move(done);
    fetch->open.push_back(past);
    fetch->next();
}

std::vector<TimelineSource::Piece> TimelineSource::pieces(const QString& worker, Range visible,
                                                          double microsPerPixel) const {
    std::vector<const Kept*> found;
    for (const Kept& kept : kept_)
        if ((kept.worker.isEmpty() || kept.worker == worker) && kept.picture->range.touches(visible))
            found.push_back(&kept);
    // Fresh before stale, fine enough before coarse, then the one with the fewest items that will do.
    const auto rank = [&](const Kept* kept) {
        const bool coarse = static_cast<double>(kept->picture->step) > microsPerPixel * 2;
        return std::tuple(kept->stale, coarse, coarse ? kept->picture->step : -kept->picture->step);
    };
    std::ranges::sort(found, [&](const Kept* a, const Kept* b) { return rank(a) < rank(b); });
    std::vector<Range> open{visible};
    std::vector<Piece> pieces;
    for (const Kept* kept : found) {
        Range has = kept->picture->range;
        // What reached up to now then shows on what goes on until the next answer.
        if (has.to + kOverlap >= kept->picture->now) has.to = std::max(has.to, visible.to);
        for (const Range& range : open)
            if (range.touches(has)) pieces.push_back({kept->picture, range.cut(has)});
        open = sourceWithout(open, has);
        if (open.empty()) break;
    }
    std::ranges::sort(pieces, {}, [](const Piece& piece) { return piece.range.from; });
    return pieces;
}

} // namespace yard::ui::timeline
