// Alerts: rules that people wrote down, reports of the engine to them, and messages on their way. Each rule is a document of
// the journal, and its state with its last messages is another one. A message to a command or a webhook is a third, until it
// is delivered. The journal has each of them before it counts: after an engine that died the next one may deliver twice.
//
// Nothing is polled: ends, samples and states come from whoever has them, and one alarm rings for what is due next.
// Owner: engine thread; one cooperative thread that works, one that waits for the alarm, and one for each of at most
// kAtOnce deliveries. Lifetime: after the journal is restored. Bounds: alerts::kMostRules; kMostWaiting ends wait to be looked
// at, more are passed over, and the log says so; kMostDeliveries messages are on their way, and more are given up at once;
// of each rule the last kMostKept messages are remembered.
#pragma once

#include "core/alerts/book.h"
#include "core/alerts/url.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/alerts/delivery.h"
#include "core/engine/alerts/queue_tallies.h"
#include "core/engine/alerts/rehearsal.h"
#include "core/model/result.h"
#include "core/store/operations.h"
#include "core/store/rows.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::engine {

struct AlertView {
    alerts::Rule rule;
    alerts::AlertState state = alerts::AlertState::Quiet;
    WallMicros since = 0;         ///< in this state; 0: not known
    WallMicros silencedUntil = 0; ///< 0: it is not silenced
    std::int64_t firing = 0;      ///< things for which it fires
    std::int64_t waiting = 0;     ///< messages on their way
    std::string waitingError{};   ///< why the last try of one of them failed
    std::optional<DeliveryResult> last{};
    std::vector<alerts::Message> messages{}; ///< the newest first
};
struct AlertList {
    std::vector<AlertView> rules;       ///< by name, each with its newest message alone
    std::vector<alerts::Message> fired; ///< of all of them, the newest first
};

class Alerts {
public:
    static constexpr std::size_t kMostWaiting = 100'000;
    static constexpr std::size_t kMostDeliveries = 1'000;
    static constexpr std::size_t kAtOnce = 4;
    static constexpr std::size_t kMostKept = 20;
    static constexpr std::size_t kMostFired = 100;
    /// Kinds of documents in the journal.
    static constexpr std::string_view kKind = "alert";
    static constexpr std::string_view kStateKind = "alert_state";
    static constexpr std::string_view kOutboxKind = "alert_outbox";
    static constexpr std::string_view kMadeKind = "alert_made";
    static constexpr std::string_view kQueueKind = "alert_queue";

    /// Since when the oldest action of a queue waits, of those that have one.
    using Ages = std::map<QueueId, WallMicros>;
    struct Parts {
        std::function<coro::Task<store::AckDetail>(store::Action)> commit;
        std::function<ActionResult(const alerts::Shape&)> rowOf;
        std::function<std::vector<std::string>(QueueId)> queueNames; ///< its tag first
        std::function<coro::Task<Result<std::vector<ActionResult>>>(std::vector<Lsn>)> rows;
        std::function<std::int64_t(QueueId)> unfinished; ///< actions of a queue that have not ended
        std::function<coro::Task<Ages>()> ages;
        /// Runs it as an action: JSON of one, and a key by which it is submitted once. `file` gets `content` before.
        struct Command {
            std::string id;      ///< names its file
            std::string content; ///< of the file
            std::function<std::string(const std::string& file)> action;
            std::string key;
            std::optional<QueueId> queue; ///< where the last one ran
        };
        struct Ran {
            Lsn lsn;
            QueueId queue; ///< another one where that takes nothing any more
        };
        std::function<coro::Task<Result<Ran>>(Command)> runCommand;
        std::function<void(std::string id)> forgetCommand; ///< its file is needed no more
        std::function<coro::Task<Result<int>>(alerts::Url, std::string body)> sendHook;
        Rehearsal::Parts history;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<void()> changed; ///< there is a message, or a rule has changed
        /// What holds of machines, GPUs and objects is to be reported again, soon.
        std::function<void()> tellOthers;
        std::function<void(std::optional<WallMicros>)> arm;
        std::function<coro::Task<void>()> rung; ///< what was armed, or the clock was set
        std::function<WallMicros()> now;
    };
    explicit Alerts(Parts parts);

    /// What the journal has. What cannot be read is left out, and the log says so.
    void restore(std::span<const store::DocumentRow> documents);
    /// Works, forever; where there never was a rule, the first ones are made.
    coro::Task<void> run();
    coro::Task<void> watchAlarm();

    // --- what happens in the engine
    /// An action has ended, and the journal has it.
    void ended(Lsn lsn, const alerts::Shape& shape);
    /// Work came in: something may begin to wait.
    void workCame();
    void forgetTallies();
    /// A queue is deleted.
    void queueGone(QueueId queue);
    /// An action that runs is silent since then, or (0) not any more.
    void silent(ActionResult row, WallMicros since);
    void sample(alerts::Kind kind, double percent);
    /// All that are lost: no other one is.
    void machines(const std::set<std::string>& lost);
    void raise(alerts::Kind kind, alerts::Thing thing);
    void clear(alerts::Kind kind, const std::string& key);
    void happened(alerts::Kind kind, const alerts::Thing& thing);
    bool watches(alerts::Kind kind) const { return book_.watches(kind); }
    /// Things that hold; one may be there more than once.
    std::vector<alerts::Thing> held(alerts::Kind kind) const { return book_.held(kind); }

    // --- what people ask
    /// Malformed, TooLarge, Invalid; WrongState: the name is taken. AtLimit. Journal.
    coro::Task<Result<AlertView>> create(std::string json);
    /// The members that are given; NotFound, and as above.
    coro::Task<Result<AlertView>> change(std::string name, std::string json);
    /// NotFound. What is on its way still goes there.
    coro::Task<Result<void>> remove(std::string name);
    /// For so many seconds from now; 0 ends a silence. NotFound.
    coro::Task<Result<AlertView>> silence(std::string name, double seconds);
    Result<AlertView> get(std::string name) const;
    AlertList list() const;
    /// What a rule would have told. Invalid; Busy: too many ask.
    coro::Task<Result<RehearsalAnswer>> test(std::string json);

private:
    struct Kept {
        std::deque<alerts::Message> messages; ///< the newest last
        std::optional<DeliveryResult> last;
        std::string lastCommand; ///< id of the delivery whose command `last` is about
    };
    struct Waiting {
        Lsn lsn;
        alerts::Shape shape;
        bool wantsRow = false;
    };

    // alerts.cpp
    AlertView viewOf(const std::string& name, std::size_t messages) const;
    coro::Task<Result<AlertView>> keep(alerts::Rule rule);
    coro::Task<void> makeFirst();
    store::DocumentChange stateChange(const std::string& name) const;
    void readState(const std::string& name, std::string_view json);
    void readOutbox(const std::string& id, std::string_view json);
    // working.cpp
    void lookAtHeld();
    coro::Task<void> lookAtSilent();
    coro::Task<void> takeEnds();
    void takeQueues();
    coro::Task<void> lookAtAges();
    void addState(const std::string& name, store::PutDocuments& put) const;
    coro::Task<void> tell();
    void rearm();
    // delivering.cpp
    void addDeliveries(const std::vector<alerts::Message>& messages, store::PutDocuments& put);
    void startDeliveries();
    coro::Task<void> deliver(std::string id);
    coro::Task<Result<DeliveryResult>> attempt(const Delivery& delivery);
    coro::Task<void> keepQueue(QueueId queue);
    coro::Task<void> settle(const std::string& id, Result<DeliveryResult> done);
    void commandEnded(Lsn lsn, const alerts::Shape& shape);
    std::optional<WallMicros> nextDelivery() const;

    Parts parts_;
    alerts::Book book_;
    Rehearsal rehearsal_;
    std::map<std::string, Kept, std::less<>> kept_; ///< one for each rule
    std::set<std::string> touched_;                 ///< whose state is to be written
    std::deque<alerts::Message> fired_;             ///< the newest last
    std::deque<Waiting> ends_;
    QueueTallies tallies_;
    std::set<QueueId> queuesToLook_;
    std::unordered_set<Lsn> silent_;   ///< actions
    std::set<QueueId> agedQueues_;     ///< of which something waits too long
    std::optional<WallMicros> agesAt_; ///< when the oldest is to be looked at
    std::map<std::string, Delivery> outbox_;
    std::set<std::string> inFlight_; ///< of them
    struct RunningCommand {
        std::string rule;
        std::string id;
    };
    std::map<Lsn, RunningCommand> commands_;
    std::vector<alerts::Message> unwritten_; ///< the journal has not taken them yet
    std::optional<WallMicros> writeAgainAt_;
    std::optional<WallMicros> armed_; ///< nothing: the alarm does not ring, or has rung
    std::int64_t lastId_ = 0;
    std::optional<QueueId> ownQueue_; ///< where commands run: no rule looks at its ends
    bool isFirst_ = false;            ///< nobody ever made a rule here
    bool toldPassedOver_ = false;
    coro::Event work_;
    coro::Mutex mutex_; ///< one change of rules at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
