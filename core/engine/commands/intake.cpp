#include "core/engine/commands/intake.h"

#include "core/base/log.h"
#include "core/coro/timeout.h"
#include "core/engine/state/accept_parts.h"
#include "core/engine/state/pending_action.h"
#include "core/model/action_graph.h"
#include "core/model/action_name.h"
#include "core/model/given_resources.h"
#include "core/model/worker.h"
#include "core/session/intake.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <fmt/format.h>

namespace yard::engine {
namespace {

/// Actions handed to the session at once; more yields in between.
constexpr std::size_t kAddStep = 1000;
constexpr std::size_t kNamedAtOnce = 1'000;
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

/// Arrays, and the single actions between them: what a list shows as one row.
std::vector<store::FoldRun> foldsOf(const std::vector<store::AcceptItem>& items) {
    std::vector<store::FoldRun> folds;
    for (const store::AcceptItem& item : items) {
        const store::LsnRun lsns{item.row.lsn, item.count};
        if (item.isArray)
            folds.push_back({.lsns = lsns, .kind = FoldKind::Array});
        else if (!folds.empty() && folds.back().kind == FoldKind::List)
            ++folds.back().lsns.count;
        else
            folds.push_back({.lsns = lsns, .kind = FoldKind::List});
    }
    std::erase_if(folds, [](const store::FoldRun& fold) { return fold.lsns.count < 2; });
    return folds;
}

Error atIndex(Error error, std::size_t index, bool isList) {
    if (isList) error.index = static_cast<int>(index);
    return error;
}

std::string askedWords(const session::ResourceNeed& need) {
    const std::string_view plural = need.need == 1 ? "" : "s";
    if (need.resource == "cores") return fmt::format("{} core{}", need.need, plural);
    if (need.resource == "memory_mb") return fmt::format("{} MiB of memory", need.need);
    if (need.resource == "gpus") return fmt::format("{} GPU{}", need.need, plural);
    if (need.resource == kTerminals) return "a terminal";
    return fmt::format("{} of \"{}\"", need.need, need.resource);
}

/// Names the first resource of which there will never be enough; else it is for this machine, and another platform.
Error neverFits(const std::vector<session::ResourceNeed>& needs, std::string_view platform) {
    const auto at = std::ranges::find_if(needs, [](const session::ResourceNeed& n) { return n.need > n.total; });
    if (at == needs.end() && !platform.empty() && platform != thisPlatform())
        return invalid("platform", fmt::format("It asks for the platform {} on this machine, which is {}: it would "
                                               "never start. Remove \"platform\", or name another \"machine\".",
                                               platform, thisPlatform()))
            .error();
    const auto part = std::ranges::find(needs, false, &session::ResourceNeed::isAmount);
    if (part != needs.end())
        return invalid(
                   "resources." + part->resource,
                   fmt::format("It asks for {}, and these are told apart: ask for less than one, or for a whole "
                               "number of them.",
                               askedWords(*part)))
            .error();
    if (std::ranges::find(needs, true, &session::ResourceNeed::isTooLarge) != needs.end())
        return invalid("resources.gpu_memory_mb",
                       "There are not so many GPUs with so much memory here: it would never start. Ask for less; "
                       "\"gpus_list\" of GET session has what each has.")
            .error();
    const session::ResourceNeed lacking = at == needs.end() ? session::ResourceNeed{} : *at;
    return invalid("resources." + lacking.resource,
                   fmt::format("It asks for {}, and this engine has {}: it would never start. Ask for less, or "
                               "start the engine with more ({}).",
                               askedWords(lacking), lacking.total,
                               lacking.resource == "cores" ? std::string("--capacity")
                               : lacking.resource == kTerminals
                                   ? std::string("--set max_terminals=…")
                                   : fmt::format("--set resources.{}=…", lacking.resource)))
        .error();
}

/// Only of GPUs that are told apart is it known which has how much. Of more than there are something else is said.
bool isGpuMemoryKnown(const std::vector<session::ResourceNeed>& needs) {
    const auto gpus = std::ranges::find(needs, kGpus, &session::ResourceNeed::resource);
    return gpus == needs.end() || gpus->isApart || gpus->need > gpus->total;
}

/// In which order they get their LSNs: each after those of the list that it waits for. Empty: as they stand.
std::vector<std::uint32_t> listOrder(std::span<const ParsedAction> actions) {
    for (std::size_t i = 0; i < actions.size(); ++i)
        if (std::ranges::any_of(actions[i].parents, [i](std::uint32_t parent) { return parent > i; }))
            return parentsFirst(actions).value_or(std::vector<std::uint32_t>());
    return {};
}

} // namespace

/// While a submission with this key is on its way in parts.
class Intake::KeyInParts {
public:
    KeyInParts(std::unordered_set<std::string>& keys, coro::ConditionVariable& ended, std::string key)
        : keys_(keys)
        , ended_(ended)
        , key_(std::move(key)) {
        if (!key_.empty()) keys_.insert(key_);
    }
    ~KeyInParts() {
        keys_.erase(key_);
        ended_.notifyAll();
    }
    KeyInParts(const KeyInParts&) = delete;
    KeyInParts& operator=(const KeyInParts&) = delete;

private:
    std::unordered_set<std::string>& keys_;
    coro::ConditionVariable& ended_;
    std::string key_;
};

void Intake::restore(store::LsnBlock lsns, WallMicros lastSubmitTime) {
    YARD_ASSERT_OWNER(owner_);
    lsns_ = lsns;
    lastSubmitTime_ = lastSubmitTime;
}

coro::Task<Result<SubmitAnswer>> Intake::submit(Submission submission, Duration linger) {
    YARD_ASSERT_OWNER(owner_);
    const MonoTime begun = MonoClock::now();
    std::string key = submission.idempotencyKey;
    const Hash256 body = submission.bodyHash;
    Result<SubmitAnswer> answer = co_await take(std::move(submission));
    if (!answer && !key.empty()) answer = co_await answeredBefore(std::move(key), body, answer.error());
    parts_.counters.submit.observe(MonoClock::now() - begun);
    ++(answer ? parts_.counters.submissions : parts_.counters.refusedSubmissions);
    const bool isOne = answer && answer->items.size() == 1 && answer->items.front().count == 1;
    if (isOne && linger > Duration::zero())
        answer->ended = co_await parts_.endOf(answer->items.front().first, linger);
    co_return answer;
}

/// A repeat gets its first answer also when it would be refused by now: the queue drains, the worker is gone.
coro::Task<Result<SubmitAnswer>> Intake::answeredBefore(std::string key, Hash256 body, Error refusal) {
    const auto kept = co_await parts_.keptAnswer(std::move(key));
    if (!kept || !*kept || (*kept)->t <= wallNow() - store::kIdempotencyAge) co_return std::unexpected(refusal);
    if ((*kept)->body != body)
        co_return invalid("Idempotency-Key",
                          "This Idempotency-Key was used with another body within 24 hours: send a "
                          "new key with a new request.");
    co_return answerFrom((*kept)->answer);
}

// --- checking

/// What is missing is said by the journal, with everything else that is.
coro::Task<Result<void>> Intake::checkStdins(const Submission& submission) {
    std::vector<Hash256> chunks;
    for (const ParsedAction& action : submission.actions)
        if (action.spec->stdinSource && action.spec->stdinSource->chunk)
            chunks.push_back(*action.spec->stdinSource->chunk);
    if (chunks.empty()) co_return Result<void>{};
    const bool isTooLarge = co_await parts_.helpers.run([chunks = std::move(chunks), size = parts_.chunkSize] {
        return std::ranges::any_of(chunks, [&size](const Hash256& hash) { return size(hash) > kMaxStdinBytes; });
    });
    if (!isTooLarge) co_return Result<void>{};
    co_return invalid("stdin", fmt::format("Give at most {} MiB as \"stdin\": let the program read a file, or give "
                                           "more as one of \"inputs\".",
                                           kMaxStdinBytes >> 20));
}

coro::Task<Result<Intake::Resolved>> Intake::resolve(Submission& submission, QueueId queue) {
    Resolved resolved;
    const WallMicros now = std::max(parts_.scale.at(MonoClock::now()), lastSubmitTime_);
    lastSubmitTime_ = now;
    resolved.order = listOrder(submission.actions);
    const bool isList = submission.actions.size() > 1;
    for (std::size_t at = 0; at < submission.actions.size(); ++at) {
        const std::size_t i = resolved.placeOf(at);
        ParsedAction& action = submission.actions[i];
        if (at > 0 && at % kAddStep == 0) co_await coro::yieldNow();
        if (Variables values = takeUnkeptEnv(action, parts_.settings.envNeverKept); !values.empty())
            resolved.unkept.emplace_back(at, std::move(values));
        if (auto done = resolveOne(action, queue, resolved); !done)
            co_return std::unexpected(atIndex(done.error(), i, isList));
        store::PendingRow& row = resolved.items.back().row;
        row.queue = queue;
        row.tNew = row.tPending = now;
    }
    co_return resolved;
}

/// What the action is to the scheduler and to the journal, but for its queue and the time.
Result<void> Intake::resolveOne(const ParsedAction& action, QueueId queue, Resolved& resolved) {
    const ActionSpec& spec = *action.spec;
    if (auto fine = parts_.mayRun(spec); !fine) return fine;
    const QueueConfig* config = parts_.session.queues().configOf(queue);
    Result<ClassKey> key = parts_.registry.resolve(spec, config ? config->machines : std::vector<std::string>());
    if (!key) return std::unexpected(key.error());
    if (parts_.learnedMemory && (spec.memoryLearned || (config && config->learn == Learn::Apply)))
        if (const auto memory = parts_.learnedMemory(spec, key->workerName))
            key = parts_.classes.withMemory(std::move(*key), *memory);
    const InternTable::Interned cls = parts_.classes.intern(*key);
    if (key->resources.gpuMemoryMb > 0 && !isGpuMemoryKnown(parts_.session.needs(session::ClassId{cls.id})))
        return invalid("resources.gpu_memory_mb",
                       "The GPUs of this engine are only counted, and nothing is known of "
                       "their memory. Remove it.");
    if (!parts_.session.everFits(session::ClassId{cls.id})) {
        const RegisteredWorker* worker = parts_.registry.find(key->workerId);
        const std::string& platform =
            key->platform.empty() && worker ? worker->descriptor->platform : key->platform;
        return std::unexpected(neverFits(parts_.session.needs(session::ClassId{cls.id}), platform));
    }
    if (auto served = parts_.classes.mayBeServed(*key); !served) return served;
    if (!spec.isExec() && std::ranges::find(resolved.workers, key->workerId) == resolved.workers.end())
        resolved.workers.push_back(key->workerId);
    if (!cls.isStored)
        resolved.classes.push_back({cls.id + 1, key->text(), key->workerId, key->workerName, key->function});
    const InternTable::Interned label = parts_.dictionary.internLabel(spec.label);
    if (!label.isStored) resolved.labels.push_back({label.id, spec.label});

    store::AcceptItem item;
    item.row.classNumber = cls.id + 1;
    item.row.label = label.id;
    if (spec.isExec() && spec.label.empty()) item.row.command = commandName(spec.argv);
    item.row.priority = static_cast<std::int16_t>(spec.priority);
    item.row.held = spec.hold;
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
    item.chunks = spec.inputChunks();
    resolved.count += item.count;
    resolved.items.push_back(std::move(item));
    resolved.specs.push_back(action.spec);
    return {};
}

/// A long list took its time: a worker may have been removed meanwhile. And there must be room.
Result<void> Intake::mayEnter(const Resolved& resolved) const {
    for (const std::string& worker : resolved.workers)
        if (!parts_.workers.takesActions(worker))
            return invalid("worker", fmt::format("Worker {} was removed just now: register it again.", worker));
    const std::int64_t pending = parts_.session.views().counts().all.pending + entering_;
    if (pending + resolved.count <= parts_.settings.maxPending) return {};
    return fail(
        ErrorKind::TooManyPending,
        fmt::format("{} actions are pending, and with {} more there would be over {}: submit again once some "
                    "have ended, or raise the setting max_pending.",
                    pending, resolved.count, parts_.settings.maxPending));
}

/// How many elements the arrays have that are waited for as a whole. Those of the same list are known.
coro::Task<Result<std::vector<store::Edge>>> Intake::findArrays(Resolved& resolved) {
    std::vector<store::Edge*> edges;
    std::vector<std::size_t> items;
    std::vector<Lsn> bases;
    for (std::size_t i = 0; i < resolved.items.size(); ++i)
        for (store::Edge& edge : resolved.items[i].row.after)
            if (edge.count == kArrayUnknown) {
                edges.push_back(&edge);
                items.push_back(i);
                bases.push_back(edge.lsn);
            }
    std::vector<store::Edge> found;
    if (bases.empty()) co_return found;
    const auto sizes = co_await parts_.arraySizes(bases);
    if (!sizes) co_return std::unexpected(sizes.error());
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i]->count = (*sizes)[i];
        if (edges[i]->count > 0) {
            found.push_back(*edges[i]);
            continue;
        }
        auto error =
            invalid("after", fmt::format("Action {} is not the first of an array, or is not known any more: "
                                         "give the LSN that the array was answered with, or wait for "
                                         "actions alone.",
                                         bases[i].value));
        if (resolved.items.size() > 1) error.error().index = static_cast<int>(resolved.placeOf(items[i]));
        co_return error;
    }
    co_return found;
}

/// What waits for others of the list gets their numbers, and its kept text names them by these.
coro::Task<void> Intake::nameParents(Resolved& resolved, const Submission& submission) {
    std::vector<std::size_t> itemAt(resolved.items.size()); // by place
    for (std::size_t i = 0; i < itemAt.size(); ++i) itemAt[resolved.placeOf(i)] = i;
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        if (i > 0 && i % kNamedAtOnce == 0) co_await coro::yieldNow();
        const ParsedAction& action = submission.actions[resolved.placeOf(i)];
        if (action.parents.empty()) continue;
        store::AcceptItem& item = resolved.items[i];
        std::vector<Dependency> after = action.spec->after;
        for (std::size_t k = 0; k < action.parents.size(); ++k) {
            const store::AcceptItem& parent = resolved.items[itemAt[action.parents[k]]];
            const DependencyOn on = action.spec->references[k].on;
            after.push_back({.lsn = parent.row.lsn, .on = on, .isArray = parent.isArray});
            store::Edge& edge = item.row.after.emplace_back();
            edge.lsn = parent.row.lsn;
            edge.on = on;
            edge.count = parent.isArray ? parent.count : 0;
        }
        item.spec = withAfter(item.spec, after);
    }
}

// --- committing

coro::Task<Result<Lsn>> Intake::takeLsns(std::int64_t count) {
    while (lsns_.end.value - lsns_.first.value < count) {
        auto guard = co_await lsnMutex_.lock();
        if (lsns_.end.value - lsns_.first.value >= count) break;
        store::AckDetail reserved = co_await parts_.commit(store::ReserveLsns{count});
        if (reserved.error) co_return std::unexpected(*reserved.error);
        lsns_ = reserved.lsns;
    }
    const Lsn first = lsns_.first;
    lsns_.first.value += count;
    co_return first;
}

/// Gives the actions their LSNs, which follow each other.
SubmitAnswer Intake::number(Resolved& resolved, Lsn first, QueueId queue) {
    SubmitAnswer answer{.items = {}, .queue = queue, .ended = {}};
    answer.items.resize(resolved.items.size());
    std::int64_t next = first.value;
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        store::AcceptItem& item = resolved.items[i];
        item.row.lsn = Lsn{next};
        answer.items[resolved.placeOf(i)] = {item.row.lsn, item.count};
        next += item.count;
    }
    return answer;
}

/// What the journal is to accept. The texts go with it: what enters the session needs them no more.
store::Accept Intake::acceptOf(Resolved& resolved, const Submission& submission, const SubmitAnswer& answer,
                               const Superseding& superseding) {
    store::Accept accept;
    for (store::AcceptItem& item : resolved.items) {
        std::string spec = std::move(item.spec);
        accept.items.push_back(item);
        accept.items.back().spec = std::move(spec);
    }
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        const store::AcceptItem& item = resolved.items[i];
        std::int64_t element = 0; // an array replaces one for one
        for (const Lsn old : resolved.specs[i]->replaces) {
            accept.replaced.push_back(
                {.old = old, .successor = Lsn(item.row.lsn.value + element), .cancels = superseding.has(old)});
            element = std::min(element + 1, item.count - 1);
        }
    }
    accept.folds = foldsOf(resolved.items);
    accept.labels = resolved.labels;
    accept.classes = resolved.classes;
    accept.now = wallNow();
    accept.effect = submission.effect;
    if (!submission.idempotencyKey.empty())
        accept.idempotency = store::Idempotency{submission.idempotencyKey, submission.bodyHash, answerText(answer)};
    return accept;
}

/// A key whose first request is still on its way in parts is not known to the journal: a repeat waits for it.
coro::Task<void> Intake::keyIsFree(const store::Accept& accept) {
    if (!accept.idempotency) co_return;
    while (pendingIdempotencyKeys_.contains(accept.idempotency->key)) co_await partsEnded_.wait();
}

coro::Task<store::AckDetail> Intake::acceptAtOnce(store::Accept accept) {
    co_await keyIsFree(accept);
    co_return co_await parts_.commit(std::move(accept));
}

/// One part after the other, each committed before the next is posted. One that the journal has no room for is
/// posted again: others have their turn, and so has it. Any other refusal undoes the parts before.
coro::Task<store::AckDetail> Intake::acceptInParts(store::Accept whole) {
    co_await keyIsFree(whole);
    const KeyInParts key(pendingIdempotencyKeys_, partsEnded_,
                         whole.idempotency ? whole.idempotency->key : std::string());
    AcceptParts parts(std::move(whole));
    store::AckDetail all;
    while (!parts.atEnd()) {
        const std::vector<store::LsnRun> before = parts.soFar();
        const store::Accept part = parts.next();
        const MonoTime until = MonoClock::now() + kRoomForAPart;
        store::AckDetail done = co_await parts_.commit(part);
        while (!before.empty() && done.error && done.error->kind == ErrorKind::Busy && MonoClock::now() < until) {
            co_await coro::sleepFor(kBetweenLooks);
            done = co_await parts_.commit(part);
        }
        if (done.error && !before.empty())
            parts_.spawn("undoing a submission", undoParts(before, parts.all().first));
        if (done.error && done.error->index >= 0) done.error->index += static_cast<int>(parts.firstItem());
        if (done.error || done.repeated) co_return done;
        std::ranges::move(done.finished, std::back_inserter(all.finished));
    }
    co_return all;
}

/// Nobody sees these rows. What cannot be removed now, the next start removes.
coro::Task<void> Intake::undoParts(std::vector<store::LsnRun> rows, Lsn first) {
    for (std::size_t i = 0; i < rows.size();) {
        const store::AckDetail done = co_await parts_.commit(
            store::UndoAccept{.rows = rows[i], .whole = first, .ends = i + 1 == rows.size()});
        if (done.error)
            co_await coro::sleepFor(kBetweenUndos);
        else
            ++i;
    }
}

/// The session learns of what was committed. An array in parts, its elements made as they are added: others get
/// their turn in between.
coro::Task<void> Intake::enter(const Resolved& resolved) {
    for (const store::ClassEntry& entry : resolved.classes) parts_.dictionary.setClassStored(entry.number - 1);
    for (const store::LabelEntry& entry : resolved.labels) parts_.dictionary.setLabelStored(entry.number);
    std::vector<session::NewAction> part;
    std::deque<std::vector<session::Predecessor>> after; // the actions refer to them until they are added
    for (std::size_t i = 0; i < resolved.items.size(); ++i) {
        const store::AcceptItem& item = resolved.items[i];
        if (!item.isArray) parts_.specs.put(item.row.lsn, resolved.specs[i]);
        session::NewAction action = sessionAction(item.row, parts_.scale);
        for (std::int64_t n = 0; n < item.count; ++n) {
            if (!item.row.after.empty() && (n == 0 || part.empty())) { // they may have ended since the last part
                after.emplace_back();
                for (const store::Edge& edge : item.row.after)
                    after.back().push_back(parts_.predecessors.of(edge, resolved.finished));
                action.after = after.back();
            }
            action.lsn = Lsn{item.row.lsn.value + n};
            part.push_back(action);
            if (part.size() < kAddStep) continue;
            parts_.session.intake().add(part, MonoClock::now(), parts_.outbox);
            part.clear();
            after.clear();
            parts_.wake();
            co_await coro::yieldNow();
        }
    }
    parts_.session.intake().add(part, MonoClock::now(), parts_.outbox);
    parts_.wake();
}

static std::vector<Lsn> replacedBy(const std::vector<SpecPtr>& specs) {
    std::vector<Lsn> replaced;
    for (const SpecPtr& spec : specs) std::ranges::copy(spec->replaces, std::back_inserter(replaced));
    return replaced;
}

coro::Task<Result<SubmitAnswer>> Intake::take(Submission submission) {
    const Result<QueueId> queue = parts_.queues.existing(submission.queue.ref.value_or(QueueRef{QueueId{0}, {}}));
    if (!queue) co_return std::unexpected(queue.error());
    if (auto accepts = parts_.session.queues().accepts(*queue); !accepts)
        co_return std::unexpected(accepts.error());
    if (auto fits = co_await checkStdins(submission); !fits) co_return std::unexpected(fits.error());
    Result<Resolved> resolved = co_await resolve(submission, *queue);
    if (!resolved) co_return std::unexpected(resolved.error());
    if (auto may = mayEnter(*resolved); !may) co_return std::unexpected(may.error());
    const Entering counted(entering_, resolved->count);
    const InFlightSubmissions::Scope entering(parts_.workers.entered(), resolved->workers);
    const auto arrays = co_await findArrays(*resolved);
    if (!arrays) co_return std::unexpected(arrays.error());
    const Result<Lsn> first = co_await takeLsns(resolved->count);
    if (!first) co_return std::unexpected(first.error());

    SubmitAnswer answer = number(*resolved, *first, *queue);
    co_await nameParents(*resolved, submission);
    PredecessorWatch::Scope watched(parts_.predecessors.watch());
    for (const store::AcceptItem& item : resolved->items) watched.add(item.row.after);
    if (const auto looked = co_await parts_.predecessors.lookAtArrays(*arrays); !looked)
        co_return std::unexpected(looked.error());
    HeldValues held(parts_.unkept);
    for (auto& [at, values] : resolved->unkept) {
        const store::AcceptItem& item = resolved->items[at];
        if (auto put = held.put(item.row.lsn, item.count, std::move(values)); !put)
            co_return std::unexpected(put.error());
    }
    const std::vector<Lsn> replaced = replacedBy(resolved->specs);
    Superseding superseding(parts_.session, parts_.outbox);
    if (auto may = co_await superseding.take(replaced, parts_.dependents); !may) {
        parts_.wake(); // what it held is let go, and may start
        co_return std::unexpected(may.error());
    }
    store::Accept accept = acceptOf(*resolved, submission, answer, superseding);
    const bool isLarge = AcceptParts::isLarge(accept);
    const store::AckDetail done =
        isLarge ? co_await acceptInParts(std::move(accept)) : co_await acceptAtOnce(std::move(accept));
    if (done.error || done.repeated) parts_.wake();
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
    if (submission.accepted) submission.accepted(answer.items.front().first);
    superseding.cancel();
    resolved->finished = done.finished;
    parts_.counters.submitted += static_cast<std::uint64_t>(resolved->count);
    co_await enter(*resolved);
    for (const Lsn old : replaced) parts_.replaced(old);
    co_return answer;
}

} // namespace yard::engine
