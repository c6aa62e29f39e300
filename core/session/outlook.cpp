#include "core/session/outlook.h"

#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/order.h"
#include "core/session/queue_commands.h"
#include "core/session/record.h"
#include "core/session/resource_holds.h"
#include "core/session/session.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>

namespace yard::session {

namespace {

Duration times(Duration time, double by) {
    constexpr double kMost = 1e17; // three thousand years: beyond, a time would overflow
    return Duration(static_cast<Duration::rep>(std::min(static_cast<double>(time.count()) * by, kMost)));
}

} // namespace

struct Outlook::Played {
    const Outline::Item* item = nullptr;
    Answer answer;
    bool runs = false;
    std::optional<MonoTime> start; ///< of the first of those it stands for
    std::optional<MonoTime> end;   ///< of the last one; nothing: there is none
    double left = 1;               ///< of those it stands for, that have not started
    std::int64_t age = 0; ///< in the play, another one for each that waits: those of one array have an order
    bool isGuess = false; ///< it has not been submitted, but others like it were all the time
};

/// So many of an item that waited start, one after the other where it is several.
struct Outlook::Began {
    const Outline::Item* item = nullptr;
    MonoTime at;
    std::optional<MonoTime> end;
    double count = 1;
};

/// One play. Items have their own LSNs in it: the running ones first, then the waiting ones by age.
class Outlook::Player {
public:
    Player(const Outline& outline, MonoTime now, const RunTime& runTime)
        : outline_(outline)
        , runTime_(runTime)
        , now_(now)
        , session_(outline.capacity->idle(), optionsOf(outline)) {
        define();
        addRunning();
        addWaiting();
        addPassed();
        expect();
    }

    std::vector<Played> play() {
        for (;;) {
            startWhatFits();
            const auto wake = session_.nextWake();
            const MonoTime comes = nextComing();
            const MonoTime next =
                std::min({ends_.empty() ? MonoTime::max() : ends_.top().at, wake.value_or(MonoTime::max()), comes});
            if (next == MonoTime::max()) return std::move(items_);
            // A reservation that ends lets something start or nothing; alone it is no reason to go on.
            if (ends_.empty() && comes == MonoTime::max() && ++idle_ > kMostIdle) return std::move(items_);
            now_ = std::max(now_, next);
            endWhatIsDue();
            letCome();
        }
    }

    const std::vector<Began>& began() const { return began_; }

private:
    static constexpr int kMostIdle = 10'000;
    /// So many start one by one, as in life; then all that an item stands for as one.
    static constexpr int kMostOneByOne = 1'000;
    /// So much that may come is played; then nothing more comes.
    static constexpr int kMostComing = 5'000;
    /// What keeps coming, and when the next of it does.
    struct Stream {
        const Outline::Coming* coming = nullptr;
        Answer answer;
        MonoTime next;
    };
    struct End {
        MonoTime at;
        Lsn lsn;
        std::uint32_t attempt;
        bool operator>(const End& other) const { return at != other.at ? at > other.at : lsn > other.lsn; }
    };

    static SessionOptions optionsOf(const Outline& outline) {
        SessionOptions options = *outline.options;
        options.aheadPerSlot = 0;
        return options;
    }

    void define() {
        for (std::size_t i = 0; i < outline_.classes.size(); ++i) {
            const Outline::ClassPart& part = outline_.classes[i];
            const auto gate = part.gate ? std::optional(part.gate->first) : std::nullopt;
            session_.defineClass(ClassId(static_cast<std::uint32_t>(i)), part.resources, part.locks, gate, {},
                                 part.where);
            if (part.gate) session_.setGate(part.gate->first, part.gate->second);
        }
        for (const Outline::QueuePart& part : outline_.queues) {
            session_.queues().add(part.id, configOf(part, 1));
            session_.queues().setLabelLimits(part.id, part.labelLimits);
        }
        (void)session_.moveTo(SessionState::Ready, out_);
    }

    /// A start of one that stands for so many costs its queue as much as so many starts.
    static QueueConfig configOf(const Outline::QueuePart& part, double each) {
        QueueConfig config = part.config;
        config.weight /= std::max(each, 1.0);
        config.stopAfterFailures = 0;
        return config;
    }

    void add(const Outline::Item& item, bool runs) {
        Played& played = items_.emplace_back();
        played.item = &item;
        played.runs = runs;
        played.left = runs ? 1 : item.stands;
        played.age = runs ? 0 : ++latest_;
        toStart_ += runs ? 0 : 1;
        const Outline::QueuePart& queue = outline_.queues[item.queue];
        played.answer = runTime_({.lsn = item.lsn,
                                  .queue = queue.id,
                                  .cls = outline_.classes[item.cls].id,
                                  .label = item.label,
                                  .runs = runs});
        submit(items_.size() - 1);
    }

    void submit(std::size_t place) {
        const Outline::Item& item = *items_[place].item;
        places_.push_back(place);
        NewAction action;
        action.lsn = Lsn(std::ssize(places_));
        action.queue = outline_.queues[item.queue].id;
        action.cls = ClassId(static_cast<std::uint32_t>(item.cls));
        action.label = item.label;
        action.priority = 100 - static_cast<int>(item.key >> 56);
        action.submitTime = items_[place].age;
        action.notBefore = items_[place].start ? MonoTime{} : item.notBefore;
        session_.intake().add({&action, 1}, now_, out_);
    }

    /// They start at once: on one machine all of them fit beside each other. Of several the outline does not say where
    /// each runs: placed in another order one may find no room, and is then played as if it waited. But where the
    /// runner has fewer slots than it was given to start, some wait there, behind what runs.
    void addRunning() {
        for (const auto& [key, resources] : outline_.holds) (void)session_.holds().take(key, resources);
        for (const Outline::Item& item : outline_.running) {
            if (!item.keeping) continue;
            add(item, true);
            startWhatFits(); // alone: it gives its resources back at once
        }
        std::vector<const Outline::Item*> atRunner;
        int slots = outline_.options->slotCount;
        for (const bool leased : {false, true})
            for (const Outline::Item& item : outline_.running) {
                if (item.keeping || item.leased != leased) continue;
                if (takesSlot(item) && --slots < 0 && leased)
                    atRunner.push_back(&item);
                else
                    add(item, true);
            }
        startWhatFits();
        std::vector<QueueTurns> turns;
        for (const Outline::QueuePart& part : outline_.queues)
            turns.push_back({part.id, part.virtualTime, part.starts});
        session_.queues().setTurns(outline_.virtualNow, turns);
        for (const LockId lock : outline_.elsewhere) session_.holds().setLockElsewhere(lock, true);
        for (const Outline::Item* item : atRunner) add(*item, true);
    }

    bool takesSlot(const Outline::Item& item) const {
        const Outline::ClassPart& part = outline_.classes[item.cls];
        return !part.gate && part.locks.empty() && isExactlyOneCore(part.resources);
    }

    void addWaiting() {
        std::vector<const Outline::Item*> byAge;
        for (const Outline::Item& item : outline_.waiting)
            if (!outline_.queues[item.queue].stands) byAge.push_back(&item);
        std::ranges::sort(byAge, [](const Outline::Item* a, const Outline::Item* b) {
            return a->place != b->place ? a->place < b->place : a->lsn < b->lsn;
        });
        for (const Outline::Item* item : byAge) add(*item, false);
    }

    void addPassed() {
        std::unordered_map<Lsn, Lsn> running; // in the play
        for (std::size_t i = 0; i < places_.size(); ++i)
            if (const Played& played = items_[places_[i]]; played.runs)
                running.emplace(played.item->lsn, Lsn(static_cast<std::int64_t>(i) + 1));
        std::vector<Passed> all = outline_.passed;
        for (Passed& passed : all) {
            std::erase_if(passed.standing, [&](Lsn lsn) { return !running.contains(lsn); });
            for (Lsn& lsn : passed.standing) lsn = running.at(lsn);
        }
        session_.setReserve(outline_.reserve);
        session_.setPassed(all);
    }

    /// What takes nobody knows how long is left out: it would end never.
    void expect() {
        for (const Outline::Coming& coming : outline_.coming) {
            const Answer answer = runTime_({.lsn = {},
                                            .queue = outline_.queues[coming.item.queue].id,
                                            .cls = outline_.classes[coming.item.cls].id,
                                            .label = coming.item.label});
            if (answer.gap == EstimateGap::None) streams_.push_back({&coming, answer, now_ + coming.every});
        }
    }

    /// Never once all that waits has started: nobody asks about what comes.
    MonoTime nextComing() const {
        MonoTime next = MonoTime::max();
        if (toStart_ <= 0 || std::ssize(guesses_) >= kMostComing) return next;
        for (const Stream& stream : streams_) next = std::min(next, stream.next);
        return next;
    }

    void letCome() {
        if (nextComing() > now_) return;
        for (Stream& stream : streams_)
            for (; stream.next <= now_; stream.next += stream.coming->every) {
                const Outline::Item& item = guesses_.emplace_back(stream.coming->item);
                items_.push_back({.item = &item,
                                  .answer = stream.answer,
                                  .start = {},
                                  .end = {},
                                  .age = ++latest_, // behind all of its priority
                                  .isGuess = true});
                submit(items_.size() - 1);
            }
    }

    void startWhatFits() {
        for (bool more = true; more;) {
            more = session_.schedule(now_, out_);
            for (const Start& start : out_.start) begin(start);
            settle();
        }
    }

    void begin(const Start& start) {
        Played& played = items_[places_[static_cast<std::size_t>(start.lsn.value - 1)]];
        if (!played.start) played.start = now_;
        Began began{.item = played.item, .at = now_, .end = {}, .count = played.left};
        if (played.left >= 2 && oneByOne_ > 0) { // a part of one goes with the last
            began.count = 1;
            if (--oneByOne_ == 0) goOnInParts();
        }
        played.left -= began.count;
        if (!played.runs && !played.isGuess && played.left <= 0) --toStart_;
        if (played.answer.gap == EstimateGap::None) {
            began.end = now_ + times(played.answer.time, began.count);
            ends_.push({*began.end, start.lsn, start.attempt});
            if (played.left <= 0) played.end = began.end;
        }
        if (played.isGuess) return;
        if (!played.runs)
            began_.push_back(began);
        else if (played.item->keeping)
            session_.events().keeping(start.lsn, start.attempt);
    }

    void goOnInParts() {
        for (const Outline::QueuePart& part : outline_.queues)
            (void)session_.queues().configure(part.id, configOf(part, part.each));
    }

    void endWhatIsDue() {
        AttemptEnd end;
        end.state = ActionState::Completed;
        std::vector<std::size_t> again;
        for (; !ends_.empty() && ends_.top().at <= now_; ends_.pop()) {
            session_.events().ended(ends_.top().lsn, ends_.top().attempt, end, now_, out_);
            const std::size_t place = places_[static_cast<std::size_t>(ends_.top().lsn.value - 1)];
            if (items_[place].left > 0) again.push_back(place);
            idle_ = 0;
        }
        settle();
        for (const std::size_t place : again) submit(place);
    }

    /// What ended is as good as stored.
    void settle() {
        while (!out_.finish.empty()) {
            const std::vector<Finish> finished = std::exchange(out_.finish, {});
            for (const Finish& finish : finished) session_.events().finishStored(finish.lsn, out_);
        }
        out_.clear();
    }

    const Outline& outline_;
    const RunTime& runTime_;
    MonoTime now_;
    Session session_;
    Outbox out_;
    std::vector<Played> items_;
    std::vector<std::size_t> places_; ///< in items_, by LSN of the play
    std::vector<Began> began_;
    std::vector<Stream> streams_;
    std::deque<Outline::Item> guesses_; ///< those that came; items_ refer to them
    std::int64_t latest_ = 0;           ///< the age of the youngest that waits
    std::int64_t toStart_ = 0;          ///< items that wait and of which not all have started
    int oneByOne_ = kMostOneByOne;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    int idle_ = 0;
};

namespace {

bool claimsElsewhere(const Outline& outline, const Outline::Item& item) {
    return std::ranges::any_of(outline.classes[item.cls].locks, [&](LockId lock) {
        return std::ranges::find(outline.elsewhere, lock) != outline.elsewhere.end();
    });
}

/// Why the end of one that waits is not known; None: it is.
EstimateGap gapOf(const Outline& outline, const Outline::Item& item, EstimateGap runTime, bool ends) {
    if (runTime != EstimateGap::None) return runTime;
    if (ends) return EstimateGap::None;
    return claimsElsewhere(outline, item) ? EstimateGap::Lock : EstimateGap::WaitsForUnknown;
}

/// How many have started when: those of an item one after the other in its time.
std::vector<std::pair<MonoTime, double>> startedBy(std::vector<std::pair<MonoTime, double>> jumps,
                                                   std::vector<std::pair<MonoTime, double>> slopes) {
    std::ranges::sort(jumps);
    std::ranges::sort(slopes);
    std::vector<std::pair<MonoTime, double>> curve;
    double all = 0, slope = 0;
    MonoTime at{};
    auto jump = jumps.begin();
    auto change = slopes.begin();
    while (jump != jumps.end() || change != slopes.end()) {
        const bool isJump = change == slopes.end() || (jump != jumps.end() && jump->first <= change->first);
        const MonoTime next = isJump ? jump->first : change->first;
        if (!curve.empty()) all += slope * static_cast<double>((next - at).count());
        curve.emplace_back(next, all);
        at = next;
        if (isJump)
            all += (jump++)->second;
        else
            slope += (change++)->second;
        curve.emplace_back(next, all);
    }
    return curve;
}

} // namespace

/// What is known of a queue while its items are looked at.
struct Outlook::Sum {
    std::optional<MonoTime> first;
    std::optional<MonoTime> last;
    std::size_t waiting = 0;
    std::size_t running = 0;
    std::size_t late = 0;
    EstimateGap gap = EstimateGap::None;

    void add(const Outline& outline, const Played& played) {
        EstimateGap because = played.answer.gap;
        if (played.runs) {
            ++running;
            late += played.answer.isLate ? 1 : 0;
            if (played.item->leased && played.start) first = std::min(first.value_or(*played.start), *played.start);
            if (because == EstimateGap::None && !played.end) because = EstimateGap::WaitsForUnknown;
        } else {
            ++waiting;
            because = gapOf(outline, *played.item, because, played.end.has_value());
            if (played.start) first = std::min(first.value_or(*played.start), *played.start);
        }
        if (gap == EstimateGap::None) gap = because;
        if (played.end) last = std::max(last.value_or(*played.end), *played.end);
    }

    OfQueue result(const Outline::QueuePart& part) const {
        const auto unknown = [](EstimateGap because) { return OfQueue{.start = {}, .finish = {}, .gap = because}; };
        if (part.held > 0 || (part.stands && part.waiting + part.unmet > 0)) return unknown(EstimateGap::Held);
        if (part.unmet > 0) return unknown(EstimateGap::Dependency);
        if (gap != EstimateGap::None) return unknown(gap);
        if (waiting == 0 && running > 0 && late == running) return unknown(EstimateGap::Overdue);
        return {.start = first, .finish = last, .gap = EstimateGap::None};
    }
};

Outlook::Outlook(const Outline& outline, MonoTime now, const RunTime& runTime) {
    if (!outline.capacity) return;
    Player player(outline, now, runTime);
    std::vector<Played> items = player.play();
    std::ranges::sort(items, [](const Played& a, const Played& b) { return a.item->startsBefore(*b.item); });
    std::vector<Sum> sums(outline.queues.size());
    std::vector<Starts> starts(outline.queues.size());
    for (const Played& played : items) {
        if (played.isGuess) continue;
        sums[played.item->queue].add(outline, played);
        if (!played.runs)
            noteItem(outline, played, now);
        else if (played.item->leased)
            starts_[played.item->lsn] = played.start;
    }
    for (const Began& began : player.began())
        if (began.item->notBefore <= now) starts[began.item->queue].add(began);
    for (std::size_t i = 0; i < outline.queues.size(); ++i) {
        const QueueId id = outline.queues[i].id;
        queues_[id] = sums[i].result(outline.queues[i]);
        if (const auto line = lines_.find(id); line != lines_.end())
            line->second.started = startedBy(std::move(starts[i].jumps), std::move(starts[i].slopes));
    }
}

void Outlook::noteItem(const Outline& outline, const Played& played, MonoTime now) {
    const Outline::Item& item = *played.item;
    if (item.stands <= 1) starts_[item.lsn] = played.start;
    if (item.notBefore > now) return; // in no line yet
    Line& line = lines_[outline.queues[item.queue].id];
    if (line.keys.empty()) line.before.push_back(0);
    line.keys.emplace_back(item.key, item.place);
    line.before.push_back(line.before.back() + item.stands);
}

void Outlook::Starts::add(const Began& began) {
    const auto takes = began.end ? static_cast<double>((*began.end - began.at).count()) : 0;
    if (began.count <= 1 || takes <= 0) {
        jumps.emplace_back(began.at, began.end ? began.count : 1);
    } else {
        slopes.emplace_back(began.at, began.count / takes);
        slopes.emplace_back(*began.end, -began.count / takes);
    }
}

std::optional<MonoTime> Outlook::startOf(const LiveView& action) const {
    if (const auto found = starts_.find(action.lsn); found != starts_.end()) return found->second;
    const auto of = lines_.find(action.queue);
    if (of == lines_.end() || action.held || action.unmet > 0) return std::nullopt;
    const Line& line = of->second;
    const std::pair key{Record::makeKey(action.priority, action.place.time), action.place};
    const auto at = std::ranges::lower_bound(line.keys, key) - line.keys.begin();
    if (at == 0) return startAt(line, 0);
    // Behind the item before it, among those for which that one stands.
    const auto item = static_cast<std::size_t>(at - 1);
    const double stands = line.before[item + 1] - line.before[item];
    double part = 1;
    if (at < std::ssize(line.keys)) {
        const auto from = static_cast<double>(line.keys[item].second.anchor.value);
        const auto to = static_cast<double>(line.keys[item + 1].second.anchor.value);
        const auto mine = static_cast<double>(action.place.anchor.value);
        part = to > from ? std::clamp((mine - from) / (to - from), 0.0, 1.0) : 1;
    }
    return startAt(line, line.before[item] + stands * part);
}

/// When the one starts before which so many do.
std::optional<MonoTime> Outlook::startAt(const Line& line, double place) {
    const auto& curve = line.started;
    if (curve.empty()) return std::nullopt;
    // One that came after the look goes behind all that were seen.
    const double wanted = std::min(place, line.before.back() - 1) + 0.5;
    const auto at = std::ranges::lower_bound(curve, wanted, {}, &std::pair<MonoTime, double>::second);
    if (at == curve.end()) return std::nullopt;
    if (at == curve.begin()) return at->first;
    const auto& [time, all] = *(at - 1);
    const double part = at->second > all ? (wanted - all) / (at->second - all) : 1;
    return time + times(at->first - time, part);
}

const Outlook::OfQueue* Outlook::queue(QueueId id) const {
    const auto found = queues_.find(id);
    return found == queues_.end() ? nullptr : &found->second;
}

} // namespace yard::session
