// Taking work in, and the operations on one action. Committed first, then told to the session, then answered.
#include "core/engine/engine_core.h"

#include "core/coro/timeout.h"
#include "core/engine/accept_parts.h"
#include "core/model/action_name.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <fmt/format.h>

namespace yard::engine {

namespace {

/// Actions handed to the session at once; more yields in between.
constexpr std::size_t kAddStep = 1000;
/// A part of a submission waits so long for room in the journal, and looks so often; an undo that failed is tried
/// again so often.
constexpr Duration kRoomForAPart = std::chrono::seconds(10);
constexpr Duration kBetweenLooks{10'000};
constexpr Duration kBetweenUndos{1'000'000};

std::string answerText(const SubmitAnswer& answer) {
    std::string text = fmt::format("{}", answer.queue.value);
    for (const SubmitAnswer::Item& item : answer.items) text += fmt::format(";{}+{}", item.first.value, item.count);
    return text;
}

/// The inverse of answerText, of what the journal kept for an idempotency key.
SubmitAnswer answerFrom(std::string_view text) {
    const auto number = [&text](char upTo) {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        if (!text.empty() && text.front() == upTo) text.remove_prefix(1);
        return error == std::errc{} ? value : 0;
    };
    SubmitAnswer answer;
    answer.queue = QueueId{number(';')};
    while (!text.empty()) {
        const Lsn first{number('+')};
        const std::size_t before = text.size();
        answer.items.push_back({first, number(';')});
        if (text.size() == before) break;
    }
    return answer;
}

/// Actions on their way in, which count as pending.
class Entering {
public:
    Entering(std::int64_t& all, std::int64_t count)
        : all_(all)
        , count_(count) {
        all_ += count_;
    }
    ~Entering() { all_ -= count_; }
    Entering(const Entering&) = delete;
    Entering& operator=(const Entering&) = delete;

private:
    std::int64_t& all_;
    std::int64_t count_;
};

/// Values that are never kept: they go again unless their actions are accepted.
class HeldValues {
public:
    explicit HeldValues(UnkeptValues& all)
        : all_(all) {}
    ~HeldValues() {
        for (const Lsn first : lsns_) all_.drop(first);
    }
    HeldValues(const HeldValues&) = delete;
    HeldValues& operator=(const HeldValues&) = delete;

    Result<void> put(Lsn first, std::int64_t count, Variables values) {
        auto done = all_.put(first, count, std::move(values));
        if (done) lsns_.push_back(first);
        return done;
    }
    void accepted() { lsns_.clear(); }

private:
    UnkeptValues& all_;
    std::vector<Lsn> lsns_;
};

Error atIndex(Error error, std::size_t index, bool isList) {
    if (isList) error.index = static_cast<int>(index);
    return error;
}

/// Names the first resource of which there will never be enough.
Error neverFits(const std::vector<session::ResourceNeed>& needs) {
    const auto at = std::ranges::find_if(needs, [](const session::ResourceNeed& n) { return n.need > n.total; });
    const session::ResourceNeed lacking = at == needs.end() ? session::ResourceNeed{} : *at;
    return invalid("resources." + lacking.resource,
                   fmt::format(
                       "It asks for {} of \"{}\", and this engine has {}: it would never start. Ask for less, or "
                       "start the engine with more ({}).",
                       lacking.need, lacking.resource, lacking.total,
                       lacking.resource == "cores"      ? std::string("--capacity")
                       : lacking.resource == kTerminals ? std::string("--set max_terminals=…")
                                                        : fmt::format("--set resources.{}=…", lacking.resource)))
        .error();
}

} // namespace

Result<QueueEntry*> EngineCore::selectQueue(const QueueSelector& queue) {
    return findQueue(queue.ref.value_or(QueueRef{QueueId{0}, {}}));
}

Result<void> EngineCore::checkSpec(const ActionSpec& spec) const {
    if (!spec.isExec()) return sandboxing_->checkWorker();
    return spec.sandbox ? sandboxing_->checkExec() : Result<void>{};
}

coro::Task<Result<EngineCore::Resolved>> EngineCore::resolve(Submission& submission, QueueId queue) {
    Resolved resolved;
    const WallMicros now = std::max(scale_.at(MonoClock::now()), lastSubmitTime_);
    lastSubmitTime_ = now;
    resolved.order = listOrder(submission.actions);
    const bool isList = submission.actions.size() > 1;
    for (std::size_t at = 0; at < submission.actions.size(); ++at) {
        const std::size_t i = resolved.placeOf(at);
        ParsedAction& action = submission.actions[i];
        if (at > 0 && at % kAddStep == 0) co_await coro::yieldNow();
        if (Variables values = takeUnkeptEnv(action, settings_.envNeverKept); !values.empty())
            resolved.unkept.emplace_back(at, std::move(values));
        const ActionSpec& spec = *action.spec;
        if (auto fine = checkSpec(spec); !fine) co_return std::unexpected(atIndex(fine.error(), i, isList));
        const Result<ClassKey> key = workers_.resolve(spec);
        if (!key) co_return std::unexpected(atIndex(key.error(), i, isList));
        const Dictionary::Interned cls = dictionary_.internClass(*key);
        if (cls.isNew) defineClass(cls.id);
        if (!session_->everFits(session::ClassId{cls.id}))
            co_return std::unexpected(atIndex(neverFits(session_->needs(session::ClassId{cls.id})), i, isList));
        if (!spec.isExec() && std::ranges::find(resolved.workers, key->workerId) == resolved.workers.end())
            resolved.workers.push_back(key->workerId);
        if (!cls.isStored)
            resolved.classes.push_back({cls.id + 1, key->text(), key->workerId, key->workerName, key->function});
        const Dictionary::Interned label = dictionary_.internLabel(spec.label);
        if (!label.isStored) resolved.labels.push_back({label.id, spec.label});

        store::AcceptItem item;
        item.row.queue = queue;
        item.row.classNumber = cls.id + 1;
        item.row.label = label.id;
        if (spec.isExec() && spec.label.empty()) item.row.command = commandName(spec.argv);
        item.row.priority = static_cast<std::int16_t>(spec.priority);
        item.row.held = spec.hold;
        item.row.tNew = item.row.tPending = now;
        item.row.notBefore = spec.notBefore;
        item.isArray = spec.array.has_value();
        item.count = spec.array ? spec.array->count() : 1;
        item.row.arrayIndex = spec.array ? spec.array->from : 0;
        item.row.id = spec.id;
        for (const Dependency& dependency : spec.after) {
            store::Edge& edge = item.row.after.emplace_back();
            edge.lsn = dependency.lsn;
            edge.on = dependency.on;
            edge.count = dependency.isArray ? kArrayUnknown : 0;
        }
        item.spec = action.text;
        for (const auto& [name, hash] : spec.inputs) item.chunks.push_back(hash);
        if (spec.stdinSource && spec.stdinSource->chunk) item.chunks.push_back(*spec.stdinSource->chunk);
        resolved.count += item.count;
        resolved.items.push_back(std::move(item));
        resolved.specs.push_back(action.spec);
    }
    co_return resolved;
}

/// What is missing is said by the journal, with everything else that is.
coro::Task<Result<void>> EngineCore::checkStdins(const Submission& submission) {
    std::vector<Hash256> chunks;
    for (const ParsedAction& action : submission.actions)
        if (action.spec->stdinSource && action.spec->stdinSource->chunk)
            chunks.push_back(*action.spec->stdinSource->chunk);
    if (chunks.empty()) co_return Result<void>{};
    const bool isTooLarge = co_await helpers_->run([chunks = std::move(chunks), store = chunks_.get()] {
        return std::ranges::any_of(
            chunks, [store](const Hash256& hash) { return store->sizeOf(hash).value_or(0) > kMaxStdinBytes; });
    });
    if (!isTooLarge) co_return Result<void>{};
    co_return invalid("stdin", fmt::format("Give at most {} MiB as \"stdin\": let the program read a file, or give "
                                           "more as one of \"inputs\".",
                                           kMaxStdinBytes >> 20));
}

coro::Task<Result<Lsn>> EngineCore::takeLsns(std::int64_t count) {
    while (lsns_.end.value - lsns_.first.value < count) {
        auto guard = co_await lsnMutex_.lock();
        if (lsns_.end.value - lsns_.first.value >= count) break;
        store::AckDetail reserved = co_await committer_.commit(store::ReserveLsns{count});
        if (reserved.error) co_return std::unexpected(*reserved.error);
        lsns_ = reserved.lsns;
    }
    const Lsn first = lsns_.first;
    lsns_.first.value += count;
    co_return first;
}

session::NewAction EngineCore::sessionAction(const store::PendingRow& row) const {
    session::NewAction action;
    action.lsn = row.lsn;
    action.queue = row.queue;
    action.cls = session::ClassId{row.classNumber - 1};
    action.label = session::LabelId{row.label};
    action.priority = row.priority;
    action.held = row.held;
    action.cancelRequested = row.cancelRequested;
    if (row.notBefore)
        action.notBefore = MonoTime(Duration(std::max<std::int64_t>(row.notBefore - scale_.offset, 1)));
    action.submitTime = row.tNew;
    action.attempts = row.attempts;
    action.retries = {static_cast<int>(row.retryCount), static_cast<int>(row.ownFailures),
                      static_cast<int>(row.interruptions)};
    return action;
}

/// The session learns of what was committed. An array in parts, its elements made as they are added: others get
/// their turn in between.
coro::Task<void> EngineCore::enter(const Resolved& resolved) {
    for (const store::ClassEntry& entry : resolved.classes) dictionary_.setClassStored(entry.number - 1);
    for (const store::LabelEntry& entry : resolved.labels) dictionary_.setLabelStored(entry.number);
    std::vector<session::NewAction> part;
    std::deque<std::vector<session::Predecessor>> after; // the actions refer to them until they are added
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        const store::AcceptItem& item = resolved.items[i];
        if (!item.isArray) specs_.put(item.row.lsn, resolved.specs[i]);
        session::NewAction action = sessionAction(item.row);
        for (std::int64_t n = 0; n < item.count; ++n) {
            if (!item.row.after.empty() && (n == 0 || part.empty())) { // they may have ended since the last part
                after.emplace_back();
                for (const store::Edge& edge : item.row.after)
                    after.back().push_back(predecessor(edge, resolved.finished));
                action.after = after.back();
            }
            action.lsn = Lsn{item.row.lsn.value + n};
            part.push_back(action);
            if (part.size() < kAddStep) continue;
            session_->add(part, MonoClock::now(), outbox_);
            part.clear();
            after.clear();
            wake();
            co_await coro::yieldNow();
        }
    }
    session_->add(part, MonoClock::now(), outbox_);
    wake();
}

coro::Task<Result<SubmitAnswer>> EngineCore::submit(Submission submission, Duration linger) {
    const MonoTime begun = MonoClock::now();
    std::string key = submission.idempotencyKey;
    const Hash256 body = submission.bodyHash;
    Result<SubmitAnswer> answer = co_await take(std::move(submission));
    if (!answer && !key.empty()) answer = co_await answeredBefore(std::move(key), body, answer.error());
    counters_.submit.observe(MonoClock::now() - begun);
    ++(answer ? counters_.submissions : counters_.refusedSubmissions);
    const bool isOne = answer && answer->items.size() == 1 && answer->items.front().count == 1;
    if (isOne && linger > Duration::zero()) answer->ended = co_await endOf(answer->items.front().first, linger);
    co_return answer;
}

/// A repeat gets its first answer also when it would be refused by now: the queue drains, the worker is gone.
coro::Task<Result<SubmitAnswer>> EngineCore::answeredBefore(std::string key, Hash256 body, Error refusal) {
    const auto kept = co_await read([key](store::Reader& reader) { return reader.keptAnswer(key); });
    if (!kept || !*kept || (*kept)->t <= wallNow() - store::kIdempotencyAge) co_return std::unexpected(refusal);
    if ((*kept)->body != body)
        co_return invalid("Idempotency-Key",
                          "This Idempotency-Key was used with another body within 24 hours: send a "
                          "new key with a new request.");
    co_return answerFrom((*kept)->answer);
}

/// A key whose first request is still on its way in parts is not known to the journal: a repeat waits for it.
coro::Task<void> EngineCore::keyIsFree(const store::Accept& accept) {
    if (!accept.idempotency) co_return;
    while (keysInParts_.contains(accept.idempotency->key)) co_await partsEnded_.wait();
}

coro::Task<store::AckDetail> EngineCore::acceptAtOnce(store::Accept accept) {
    co_await keyIsFree(accept);
    co_return co_await committer_.commit(std::move(accept));
}

/// One part after the other, each committed before the next is posted. One that the journal has no room for is
/// posted again: others have their turn, and so has it. Any other refusal undoes the parts before.
coro::Task<store::AckDetail> EngineCore::acceptInParts(store::Accept whole) {
    co_await keyIsFree(whole);
    const KeyInParts key(*this, whole.idempotency ? whole.idempotency->key : std::string());
    AcceptParts parts(std::move(whole));
    store::AckDetail all;
    while (!parts.atEnd()) {
        const std::vector<store::LsnRun> before = parts.soFar();
        const store::Accept part = parts.next();
        const MonoTime until = MonoClock::now() + kRoomForAPart;
        store::AckDetail done = co_await committer_.commit(part);
        while (!before.empty() && done.error && done.error->kind == ErrorKind::Busy && MonoClock::now() < until) {
            co_await coro::sleepFor(kBetweenLooks);
            done = co_await committer_.commit(part);
        }
        if (done.error && !before.empty())
            loop_.spawn("undoing a submission", undoParts(before, parts.all().first));
        if (done.error && done.error->index >= 0) done.error->index += static_cast<int>(parts.firstItem());
        if (done.error || done.repeated) co_return done;
        std::ranges::move(done.finished, std::back_inserter(all.finished));
    }
    co_return all;
}

/// Nobody sees these rows. What cannot be removed now, the next start removes.
coro::Task<void> EngineCore::undoParts(std::vector<store::LsnRun> rows, Lsn first) {
    for (std::size_t i = 0; i < rows.size();) {
        const store::AckDetail done = co_await committer_.commit(
            store::UndoAccept{.rows = rows[i], .whole = first, .ends = i + 1 == rows.size()});
        if (done.error)
            co_await coro::sleepFor(kBetweenUndos);
        else
            ++i;
    }
}

Result<void> EngineCore::roomFor(std::int64_t count) const {
    const std::int64_t pending = session_->counts().all.pending + entering_;
    if (pending + count <= settings_.maxPending) return {};
    return fail(
        ErrorKind::TooManyPending,
        fmt::format("{} actions are pending, and with {} more there would be over {}: submit again once some "
                    "have ended, or raise the setting max_pending.",
                    pending, count, settings_.maxPending));
}

coro::Task<Result<SubmitAnswer>> EngineCore::take(Submission submission) {
    const Result<QueueEntry*> queue = selectQueue(submission.queue);
    if (!queue) co_return std::unexpected(queue.error());
    const QueueId id = (*queue)->id;
    if (auto accepts = session_->accepts(id); !accepts) co_return std::unexpected(accepts.error());
    noteQueueUsed(id);
    if (auto fits = co_await checkStdins(submission); !fits) co_return std::unexpected(fits.error());
    Result<Resolved> resolved = co_await resolve(submission, id);
    if (!resolved) co_return std::unexpected(resolved.error());
    // A long list took its time: a worker may have been removed meanwhile.
    for (const std::string& worker : resolved->workers)
        if (const RegisteredWorker* known = workers_.find(worker); !known || known->leaving)
            co_return invalid("worker", fmt::format("Worker {} was removed just now: register it again.", worker));
    if (auto room = roomFor(resolved->count); !room) co_return std::unexpected(room.error());
    const Entering counted(entering_, resolved->count);
    const WorkersEntered::Scope entering(workersEntered_, resolved->workers);
    const auto arrays = co_await findArrays(*resolved);
    if (!arrays) co_return std::unexpected(arrays.error());
    const Result<Lsn> first = co_await takeLsns(resolved->count);
    if (!first) co_return std::unexpected(first.error());

    SubmitAnswer answer{.items = {}, .queue = id, .ended = {}};
    answer.items.resize(resolved->items.size());
    std::int64_t next = first->value;
    for (std::size_t i = 0; i < resolved->items.size(); ++i) {
        store::AcceptItem& item = resolved->items[i];
        item.row.lsn = Lsn{next};
        answer.items[resolved->placeOf(i)] = {item.row.lsn, item.count};
        next += item.count;
    }
    co_await nameParents(*resolved, submission);
    PredecessorWatch::Scope watched(predecessors_);
    for (const store::AcceptItem& item : resolved->items) watched.add(item.row.after);
    if (const auto looked = co_await lookAtArrays(*arrays); !looked) co_return std::unexpected(looked.error());
    HeldValues held(unkept_);
    for (auto& [at, values] : resolved->unkept) {
        const store::AcceptItem& item = resolved->items[at];
        if (auto put = held.put(item.row.lsn, item.count, std::move(values)); !put)
            co_return std::unexpected(put.error());
    }
    store::Accept accept;
    for (store::AcceptItem& item : resolved->items) {
        std::string spec = std::move(item.spec); // what enters the session needs it no more
        accept.items.push_back(item);
        accept.items.back().spec = std::move(spec);
    }
    accept.labels = resolved->labels;
    accept.classes = resolved->classes;
    accept.now = wallNow();
    if (!submission.idempotencyKey.empty())
        accept.idempotency = store::Idempotency{submission.idempotencyKey, submission.bodyHash, answerText(answer)};
    const bool isLarge = AcceptParts::isLarge(accept);
    const store::AckDetail done =
        isLarge ? co_await acceptInParts(std::move(accept)) : co_await acceptAtOnce(std::move(accept));
    if (done.error) {
        Error error = *done.error;
        if (resolved->items.size() == 1)
            error.index = -1;
        else if (error.index >= 0)
            error.index = static_cast<int>(resolved->placeOf(static_cast<std::size_t>(error.index)));
        co_return std::unexpected(std::move(error));
    }
    if (done.repeated) co_return answerFrom(done.answer);
    held.accepted();
    resolved->finished = done.finished;
    counters_.submitted += static_cast<std::uint64_t>(resolved->count);
    co_await enter(*resolved);
    co_return answer;
}

// --- one action

namespace {

/// An end is written in milliseconds, or the journal is in trouble.
constexpr Duration kEndIsKept = std::chrono::seconds(30);

std::unexpected<Error> alreadyEnded(Lsn lsn, ActionState state) {
    const bool canGoAgain = state == ActionState::Failed || state == ActionState::Abandoned;
    return fail(ErrorKind::WrongState, fmt::format("Action {} is {} already: {}.", lsn.value, name(state),
                                                   canGoAgain ? "retry it, or retire it" : "it can be retired"));
}

/// Of an operation that was written while the end of its action was: the session may know the action no more.
Result<void> tooLateFor(Lsn lsn, Result<void> done) {
    if (!done && done.error().kind == ErrorKind::NotFound)
        return fail(ErrorKind::WrongState,
                    fmt::format("Action {0} has ended already: GET jobs/{0} says how.", lsn.value));
    return done;
}

} // namespace

/// NotFound, or WrongState when its end is kept.
coro::Task<Result<void>> EngineCore::notEnded(Lsn lsn) {
    if (session_->live(lsn)) co_return Result<void>{};
    const Result<ActionResult> known = co_await action(lsn);
    if (!known) co_return std::unexpected(known.error());
    if (isEnded(known->state)) co_return alreadyEnded(lsn, known->state);
    co_return Result<void>{};
}

/// The session first, as it alone knows whether it may; one FIFO to the journal keeps what follows behind this.
/// What the session refuses leaves nothing behind.
coro::Task<Result<void>> EngineCore::changeOne(Lsn lsn, store::BulkChange change) {
    if (auto known = co_await notEnded(lsn); !known) co_return known;
    if (auto changed = changeLive(lsn, change); !changed) co_return tooLateFor(lsn, std::move(changed));
    wake();
    const bool isSomething = change.held || change.cancelRequested || change.queue || change.priority;
    if (!isSomething) co_return Result<void>{};
    const store::AckDetail done =
        co_await committer_.commit(store::Update{.lsn = lsn,
                                                 .held = change.held,
                                                 .cancelRequested = change.cancelRequested,
                                                 .priority = change.priority,
                                                 .queue = change.queue,
                                                 .notBefore = {}});
    if (!done.error) co_return Result<void>{};
    // Cancelled twice: the end that the first one made is kept already.
    if (change.cancelRequested && done.error->kind == ErrorKind::NotFound) co_return Result<void>{};
    co_return tooLateFor(lsn, std::unexpected(*done.error));
}

coro::Task<Result<void>> EngineCore::cancel(Lsn lsn) {
    Result<void> cancelled =
        co_await changeOne(lsn, {.held = {}, .cancelRequested = true, .priority = {}, .queue = {}});
    // Its end is on its way to the journal. Nobody is told of an end before it is kept: whoever asks for the action
    // after this answer shall see it, also of the next engine.
    if (!cancelled && cancelled.error().kind == ErrorKind::WrongState)
        if (const auto end = co_await waitForAction(lsn, kEndIsKept); end && isEnded(end->state))
            co_return alreadyEnded(lsn, end->state);
    co_return cancelled;
}

coro::Task<Result<void>> EngineCore::hold(Lsn lsn) {
    return changeOne(lsn, {.held = true, .cancelRequested = {}, .priority = {}, .queue = {}});
}

coro::Task<Result<void>> EngineCore::release(Lsn lsn) {
    return changeOne(lsn, {.held = false, .cancelRequested = {}, .priority = {}, .queue = {}});
}

coro::Task<Result<void>> EngineCore::change(Lsn lsn, ActionChange what) {
    const Result<store::BulkChange> change = wantedChange(what);
    if (!change) co_return std::unexpected(change.error());
    co_return co_await changeOne(lsn, *change);
}

Result<void> EngineCore::notLive(Lsn lsn) const {
    if (!session_->live(lsn)) return {};
    return fail(ErrorKind::WrongState,
                fmt::format("Action {} is still active: cancel it first, or wait for its end.", lsn.value));
}

coro::Task<Result<void>> EngineCore::retire(Lsn lsn) {
    if (auto ended = notLive(lsn); !ended) co_return ended;
    if (auto free = co_await notWaitedFor(lsn); !free) co_return free;
    const store::AckDetail done = co_await committer_.commit(store::Retire{lsn});
    if (done.error && done.error->kind == ErrorKind::NotFound) co_return unknownAction(lsn);
    if (done.error) co_return std::unexpected(*done.error);
    feed_.note({.lsn = lsn, .queue = {}, .kind = ChangeEntry::Kind::Retired});
    co_return Result<void>{};
}

coro::Task<Result<void>> EngineCore::mayChange(BulkDeed deed, Lsn lsn) {
    if (deed.kind == BulkKind::Retry) co_return co_await mayRetry(lsn, deed.force);
    if (deed.kind == BulkKind::Retire) {
        if (auto ended = notLive(lsn); !ended) co_return ended;
        const auto states = co_await read([lsn](store::Reader& reader) { return reader.states({lsn}); });
        if (!states) co_return std::unexpected(states.error());
        if (states->front() == ActionState::New) co_return unknownAction(lsn);
        co_return co_await notWaitedFor(lsn);
    }
    const Result<store::BulkChange> change = bulkChange(deed);
    if (!change) co_return std::unexpected(change.error());
    if (auto known = co_await notEnded(lsn); !known) co_return known;
    co_return tooLateFor(lsn, mayChangeLive(lsn, *change));
}

coro::Task<Result<ActionResult>> EngineCore::waitForAction(Lsn lsn, Duration wait) {
    // Of one that goes on nothing needs to be read before its end.
    if (wait <= Duration::zero() || !session_->live(lsn)) {
        Result<ActionResult> known = co_await action(lsn);
        // In an abandoned session the end is visible before it is kept; who waits gets what is kept.
        const bool kept = known && isEnded(known->state) && !session_->live(lsn);
        if (!known || kept || wait <= Duration::zero()) co_return known;
    }
    // What was read may be outdated: look again at what the session knows, without a suspension in between.
    if (std::optional<ActionResult> result = co_await endOf(lsn, wait)) co_return std::move(*result);
    co_return co_await action(lsn);
}

/// Waits for the end of one that the session has. The result as it is kept, without reading it, where that is
/// known.
coro::Task<std::optional<ActionResult>> EngineCore::endOf(Lsn lsn, Duration wait) {
    if (!session_->live(lsn)) co_return std::nullopt;
    Waiters::Ticket ticket(waiters_, lsn);
    dispatcher_->setHurry(lsn);
    co_await coro::within(wait, [](Waiters::Ticket& mine) -> coro::Task<void> { co_await mine.ended(); }(ticket));
    co_return ticket.result();
}

} // namespace yard::engine
