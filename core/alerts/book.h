// All rules. The engine reports ends of actions, queues, samples and machines; the book answers with messages. Pure: no
// clock and no thread, the caller hands the time in.
//
// Where no rule cares for an end it costs one look into a table: the book decides once which rules may care for actions of
// one kind, in one queue, that end alike. Owner: one thread. Bounds: kMostRules rules; kMostShapes kinds of ends are remembered, then the
// table begins again; of each rule kMostQueues queues.
#pragma once

#include "core/alerts/conditions.h"
#include "core/alerts/rule.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/model/result.h"
#include "core/model/states.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::alerts {

/// How an action ended, of which kind, and where; class and label as the engine numbers them.
struct Shape {
    QueueId queue;
    std::uint32_t cls = 0;
    std::uint32_t label = 0;
    ActionState state = ActionState::Completed;
    Reason reason = Reason::None;
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// An end that counts as failed: also of what was abandoned.
inline bool isFailure(ActionState state) {
    return state == ActionState::Failed || state == ActionState::Abandoned;
}

class Book {
public:
    static constexpr std::size_t kMostShapes = 10'000;
    static constexpr std::size_t kMostQueues = 10'000;
    /// Of failure_rate: the fewest ends that say something.
    static constexpr std::int64_t kLeastEnds = 10;

    struct Facts {
        /// Queue, worker, function, label, state and reason.
        std::function<ActionResult(const Shape&)> rowOf;
        /// What a queue is called beside its number, its tag first.
        std::function<std::vector<std::string>(QueueId)> queueNames;
    };
    explicit Book(Facts facts)
        : facts_(std::move(facts)) {}

    // --- rules
    /// Adds, or takes the place of the one of this name. Invalid: its filter.
    Result<void> put(Rule rule, WallMicros now);
    void remove(std::string_view name);
    /// Null: there is none.
    const RuleWatch* find(std::string_view name) const;
    void readKept(std::string_view name, JsonView json, WallMicros now);
    void silence(std::string_view name, WallMicros until, WallMicros now);
    /// Some rule is of this kind.
    bool watches(Kind kind) const { return !byKind_[std::to_underlying(kind)].empty(); }
    /// Things that hold for its rules; one may be there more than once.
    std::vector<Thing> held(Kind kind) const;
    /// The least waitSeconds() of its rules.
    std::optional<double> leastWait(Kind kind) const;

    // --- what happens in the engine
    enum class Wants : unsigned char { Nothing, End, Row };
    /// What ended() needs of such an end.
    Wants wants(const Shape& shape);
    /// `row`: whole, where it is wanted. Null: nobody knows it (any more), and rules that need it ignore the end.
    void ended(Lsn lsn, const Shape& shape, const ActionResult* row, WallMicros now);
    void silent(const ActionResult& row, WallMicros since, WallMicros now);
    /// An action that was silent gets on, or has ended.
    void getsOn(Lsn lsn, WallMicros now);
    void queueFinished(QueueId queue, std::int64_t ends, std::int64_t failed, WallMicros now);
    /// Since when its oldest action waits; nothing: none does.
    void queueWaits(QueueId queue, std::optional<WallMicros> since, WallMicros now);
    /// It is deleted: what holds for it is over.
    void queueGone(QueueId queue, WallMicros now);
    /// Memory, Disk: per cent in use.
    void sample(Kind kind, double percent, WallMicros now);
    void machine(std::string_view name, bool isLost, WallMicros now);
    /// All that are lost: no other one is.
    void machines(const std::set<std::string>& lost, WallMicros now);
    /// StuckObjects, Orphan, by their key.
    void raise(Kind kind, Thing thing, WallMicros now);
    void clear(Kind kind, std::string_view key, WallMicros now);
    /// Regression, ScheduleMissed.
    void happened(Kind kind, const Thing& thing, WallMicros now);

    // --- messages
    std::optional<WallMicros> wakeAt() const;
    /// The messages that are due now.
    std::vector<Message> advance(WallMicros now);
    /// Names of the rules whose kept state has changed since the last call.
    std::set<std::string> takeTouched() { return std::exchange(touched_, {}); }

private:
    struct Series {
        std::int64_t failed = 0; ///< in a row
    };
    /// Ends within a time, in kSteps steps of it.
    struct Rate {
        static constexpr std::size_t kSteps = 60;
        struct Step {
            std::int64_t number = -1;
            std::int64_t ended = 0;
            std::int64_t failed = 0;
        };
        std::array<Step, kSteps> steps{};
    };
    struct Entry {
        RuleWatch watch;
        SplitFilter filter;
        std::unordered_map<std::int64_t, Series> series{}; ///< Failures: by queue
        Rate rate{};                                       ///< FailureRate
        WallMicros rateDue = 0;                            ///< 0: none
        WallMicros due = 0;                                ///< as it is in dues_; 0: it is not
    };
    struct Interest {
        std::vector<Entry*> sure;
        std::vector<Entry*> unsure; ///< the row decides
        std::string what;           ///< what people call such an action
    };
    struct ShapeHash {
        std::size_t operator()(const Shape& shape) const;
    };
    using Entries = std::map<std::string, std::unique_ptr<Entry>, std::less<>>;

    const Interest& interestIn(const Shape& shape);
    void take(Entry& entry, Lsn lsn, const Shape& shape, const std::string& what, WallMicros now);
    void takeOfSeries(Entry& entry, Lsn lsn, const Shape& shape, const std::string& what, WallMicros now);
    void takeOfRate(Entry& entry, bool isFailed, WallMicros now);
    void judgeRate(Entry& entry, WallMicros now);
    std::string queueWords(QueueId queue) const;
    void touch(Entry& entry);
    void sortByKind();
    /// The rules of a kind that mean this, each.
    void each(Kind kind, const ActionResult& row, WallMicros now, const std::function<void(Entry&)>& act);
    void each(Kind kind, const std::function<void(Entry&)>& act);

    Facts facts_;
    Entries entries_;
    std::array<std::vector<Entry*>, kKinds> byKind_{};
    std::unordered_map<Shape, Interest, ShapeHash> interests_;
    std::set<std::pair<WallMicros, std::string>> dues_;
    std::set<std::string> touched_;
};

} // namespace yard::alerts
