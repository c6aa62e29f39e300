#include "core/engine/alerts/rehearsal.h"

#include "core/coro/suspend.h"
#include "core/json/json_reader.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace yard::engine {

namespace {

constexpr WallMicros kDay = 86'400'000'000;
constexpr WallMicros kWeek = 7 * kDay;
constexpr std::size_t kSlice = 500;
/// How often the memory is looked at while something runs.
constexpr Duration kLooks{1'000'000};

/// One thing that was so, at its time: small, as there may be many.
struct Moment {
    WallMicros t = 0;
    enum class What : unsigned char { Ended, Came, Left } what = What::Ended; ///< Came, Left: of a queue
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    Lsn lsn{};
    QueueId queue{};
    std::string name{}; ///< Ended: what people call it
};

bool isOfQueues(alerts::Kind kind) {
    return kind == alerts::Kind::QueueFinished || kind == alerts::Kind::QueueAge;
}

/// Of an action what a rule by queues or by ends needs.
void addMoments(const ActionResult& row, alerts::Kind kind, std::vector<Moment>& moments) {
    const Timestamps& times = row.times;
    Moment moment{.t = times[row.state], .what = Moment::What::Ended, .state = row.state};
    moment.reason = row.outcome ? row.outcome->reason : Reason::None;
    moment.lsn = row.lsn;
    moment.queue = row.queue;
    if (!isOfQueues(kind)) {
        moment.name = actionName(row);
        moments.push_back(std::move(moment));
        return;
    }
    const WallMicros came = std::max(times[ActionState::New], times[ActionState::Pending]);
    const WallMicros begun = times[ActionState::Submitting];
    if (kind == alerts::Kind::QueueAge && begun >= came) moment.t = begun;
    moment.what = Moment::What::Left;
    moments.push_back(moment);
    moment.what = Moment::What::Came;
    moment.t = came;
    moments.push_back(std::move(moment));
}

/// What has not ended came, too: its queue is not finished, and it waits until it begins.
void addUnended(const Rehearsal::Unended& action, alerts::Kind kind, std::vector<Moment>& moments) {
    if (kind == alerts::Kind::QueueAge && action.isHeldBack) return;
    Moment moment{.t = action.came, .what = Moment::What::Came};
    moment.lsn = action.lsn;
    moment.queue = action.queue;
    moments.push_back(moment);
    if (kind != alerts::Kind::QueueAge || action.begun < action.came) return;
    moment.what = Moment::What::Left;
    moment.t = action.begun;
    moments.push_back(std::move(moment));
}

void putInOrder(std::vector<Moment>& moments, WallMicros from, WallMicros to) {
    std::erase_if(moments, [&](const Moment& moment) { return moment.t < from || moment.t > to; });
    std::ranges::sort(moments, {},
                      [](const Moment& moment) { return std::tuple(moment.t, moment.what, moment.lsn); });
}

/// A book with the one rule, and the clock of its history.
class Play {
public:
    Play(const Rehearsal::Parts& parts, RehearsalAnswer& answer)
        : answer_(answer)
        , book_({.rowOf = [](const alerts::Shape&) { return ActionResult(); }, .queueNames = parts.queueNames}) {}

    Result<void> put(alerts::Rule rule, WallMicros now) {
        kind_ = rule.kind;
        wait_ = alerts::secondsOf(rule.waitSeconds()).count();
        return book_.put(std::move(rule), now);
    }
    /// It has told so much that the rest is left out.
    bool isFull() const { return answer_.count >= Rehearsal::kMostMessages; }
    /// In slices: a rule that repeats its messages may be due very often.
    coro::Task<void> passTo(WallMicros t) {
        while (!isFull()) {
            const auto due = book_.wakeAt();
            if (!due || *due > t) co_return;
            note(book_.advance(*due));
            if (++steps_ % kSlice == 0) co_await coro::yieldNow();
        }
    }
    coro::Task<void> take(const Moment& moment) {
        co_await passTo(moment.t);
        if (moment.what != Moment::What::Ended) co_return takeOfQueue(moment);
        const alerts::Shape shape{
            .queue = moment.queue, .cls = 0, .label = 0, .state = moment.state, .reason = moment.reason};
        ActionResult row;
        row.label = moment.name;
        book_.ended(moment.lsn, shape, &row, moment.t);
    }
    /// Queues that grow too old before `t`, each at its time.
    coro::Task<void> agesTo(WallMicros t) {
        while (!due_.empty() && due_.begin()->first <= t) {
            const auto [at, id] = *due_.begin();
            due_.erase(due_.begin());
            co_await passTo(at);
            const Queue& queue = queues_[id];
            if (!queue.waiting.empty()) book_.queueWaits(id, queue.waiting.begin()->second, at);
        }
    }
    coro::Task<void> sample(WallMicros t, double percent) {
        co_await passTo(t);
        book_.sample(alerts::Kind::Memory, percent, t);
    }

private:
    struct Queue {
        std::map<Lsn, WallMicros> waiting;
        std::int64_t ended = 0;
        std::int64_t failed = 0;
    };
    void takeOfQueue(const Moment& moment) {
        Queue& queue = queues_[moment.queue];
        if (moment.what == Moment::What::Came) {
            queue.waiting.emplace(moment.lsn, moment.t);
            if (queue.waiting.size() > 1 || kind_ != alerts::Kind::QueueAge) return;
            return lookAt(moment.queue, queue, moment.t);
        }
        const bool wasFirst = !queue.waiting.empty() && queue.waiting.begin()->first == moment.lsn;
        queue.waiting.erase(moment.lsn);
        if (kind_ == alerts::Kind::QueueAge) {
            if (wasFirst) lookAt(moment.queue, queue, moment.t);
            return;
        }
        ++queue.ended;
        if (alerts::isFailure(moment.state)) ++queue.failed;
        if (!queue.waiting.empty()) return;
        book_.queueFinished(moment.queue, queue.ended, queue.failed, moment.t);
        queue.ended = queue.failed = 0;
    }
    /// The oldest of it is another one: was it too old before, and is the next?
    void lookAt(QueueId id, Queue& queue, WallMicros t) {
        if (queue.waiting.empty()) return book_.queueWaits(id, std::nullopt, t);
        const WallMicros since = queue.waiting.begin()->second;
        book_.queueWaits(id, since, t);
        if (t - since < wait_) due_.emplace(since + wait_, id);
    }
    void note(std::vector<alerts::Message> messages) {
        for (alerts::Message& message : messages) {
            ++answer_.count;
            if (answer_.fired.size() < Rehearsal::kMostTold) answer_.fired.push_back(std::move(message));
        }
        if (!isFull()) return;
        answer_.isWhole = false;
        answer_.note = "It tells very many messages: what comes after them is left out.";
    }

    RehearsalAnswer& answer_;
    alerts::Kind kind_ = alerts::Kind::ActionFinished;
    WallMicros wait_ = 0; ///< of QueueAge
    std::size_t steps_ = 0;
    std::map<QueueId, Queue> queues_;
    std::multimap<WallMicros, QueueId> due_;
    alerts::Book book_;
};

bool isOfActions(alerts::Kind kind) {
    return kind == alerts::Kind::ActionFinished || kind == alerts::Kind::Failures ||
           kind == alerts::Kind::FailureRate || isOfQueues(kind);
}

} // namespace

struct Rehearsal::Asked {
    alerts::Rule rule;
    WallMicros from = 0;
    WallMicros to = 0;
};

coro::Task<Result<RehearsalAnswer>> Rehearsal::run(std::string json) {
    const auto tape = readJson(json);
    if (!tape) co_return std::unexpected(tape.error());
    if (!tape->root().isObject()) co_return fail(ErrorKind::Malformed, R"(Give {"rule":{…},"from","to"}.)");
    Asked asked{.rule = {}, .from = parts_.now() - kWeek, .to = parts_.now()};
    bool hasRule = false;
    for (const JsonView value : tape->root()) {
        const std::string_view key = value.key();
        if (key == "rule") {
            // Who writes a rule has no name for it yet.
            alerts::Rule nameless;
            nameless.name = "rule";
            auto rule = alerts::readRule(value, std::move(nameless));
            if (!rule) co_return std::unexpected(rule.error());
            asked.rule = *std::move(rule);
            for (const JsonView member : value) hasRule |= member.key() == "on";
        } else if ((key == "from" || key == "to") && value.kind() == JsonKind::Integer) {
            (key == "from" ? asked.from : asked.to) = value.node().integer;
        } else {
            co_return invalid(std::string(key), R"(Give "rule", and "from" and "to" in microseconds since 1970.)");
        }
    }
    if (!hasRule)
        co_return invalid("rule", "Give the \"rule\" that is to be tried, with what it is about as \"on\".");
    const WallMicros latest = parts_.now() + kDay;
    asked.from = std::clamp<WallMicros>(asked.from, 0, latest);
    asked.to = std::clamp<WallMicros>(asked.to, 0, latest);
    if (running_ >= kMostAtOnce)
        co_return fail(ErrorKind::Busy, "Several rules are tried already: try again in a moment.");
    ++running_;
    struct Leave {
        int& running;
        ~Leave() { --running; }
    } leave{running_};
    co_return co_await play(std::move(asked));
}

coro::Task<Result<RehearsalAnswer>> Rehearsal::play(Asked asked) {
    RehearsalAnswer answer;
    if (isOfActions(asked.rule.kind)) {
        if (auto played = co_await playActions(asked, answer); !played) co_return std::unexpected(played.error());
        co_return answer;
    }
    if (asked.rule.kind != alerts::Kind::Memory) {
        answer.isWhole = false;
        answer.note = "Nothing is kept by which this rule could be tried.";
        co_return answer;
    }
    Play play(parts_, answer);
    if (auto put = play.put(asked.rule, asked.from); !put) co_return std::unexpected(put.error());
    const MemoryUse use = co_await parts_.memory(asked.from, asked.to);
    if (use.apart > kLooks) {
        answer.isWhole = false;
        answer.note = fmt::format("Of memory that long ago one value in {:g} s is kept: what was in between is not "
                                  "known.",
                                  inSeconds(use.apart));
    }
    for (std::size_t i = 0; i < use.percents.size() && !play.isFull(); ++i) {
        if (i % kSlice == kSlice - 1) co_await coro::yieldNow();
        co_await play.sample(use.percents[i].first, use.percents[i].second);
    }
    co_await play.passTo(asked.to);
    co_return answer;
}

coro::Task<Result<void>> Rehearsal::playActions(const Asked& asked, RehearsalAnswer& answer) {
    const auto filter = alerts::splitFilter(asked.rule, asked.to);
    if (!filter) co_return std::unexpected(filter.error());
    std::vector<Moment> moments;
    if (isOfQueues(asked.rule.kind)) {
        const std::vector<Unended> unended = co_await parts_.unended(kMostActions);
        if (unended.size() >= kMostActions) {
            answer.isWhole = false;
            answer.note = "There are more actions that have not ended than are looked at.";
        }
        for (const Unended& action : unended) {
            ActionResult row;
            row.lsn = action.lsn;
            row.queue = action.queue;
            if (filter->matches(row, asked.to, parts_.queueNames(action.queue)))
                addUnended(action, asked.rule.kind, moments);
        }
    }
    Lsn cursor{};
    do {
        auto page = co_await parts_.page(cursor);
        if (!page) co_return std::unexpected(page.error());
        answer.looked += std::ssize(page->rows);
        for (const ActionResult& row : page->rows) {
            const auto names = parts_.queueNames(row.queue);
            if (filter->matches(row, asked.to, names)) addMoments(row, asked.rule.kind, moments);
        }
        cursor = page->cursor;
        if (static_cast<std::size_t>(answer.looked) >= kMostActions && cursor.value != 0) {
            answer.isWhole = false;
            answer.note = "There are more actions than are looked at: the newest are left out.";
            break;
        }
        co_await coro::yieldNow();
    } while (cursor.value != 0);
    // Shared: a loop that ends does not wait for helpers.
    const auto sorted = std::make_shared<std::vector<Moment>>(std::move(moments));
    co_await parts_.onHelper([sorted, from = asked.from, to = asked.to] { putInOrder(*sorted, from, to); });
    Play play(parts_, answer);
    alerts::Rule rule = asked.rule;
    rule.filter.clear(); // the moments are those that it means
    if (auto put = play.put(std::move(rule), asked.from); !put) co_return put;
    for (std::size_t i = 0; i < sorted->size() && !play.isFull(); ++i) {
        if (i % kSlice == kSlice - 1) co_await coro::yieldNow();
        co_await play.agesTo((*sorted)[i].t);
        co_await play.take((*sorted)[i]);
    }
    co_await play.agesTo(asked.to);
    co_await play.passTo(asked.to);
    co_return Result<void>();
}

} // namespace yard::engine
