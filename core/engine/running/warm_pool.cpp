#include "core/engine/running/warm_pool.h"

#include "core/coro/one_shot.h"
#include "core/coro/timeout.h"
#include "core/engine/running/usage_reading.h"
#include "core/engine/state/workers.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/session/wait_reasons.h"

#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr Duration kSampleEach{1'000'000};
/// A launcher that is stopped, or very busy.
constexpr Duration kTellWithin{5'000'000};

} // namespace

WarmPool::Samples sampleProcesses(const WarmPool::Looks& looks, const Adopter& adopter) {
    std::vector<Leader> leaders;
    leaders.reserve(looks.size());
    for (const runners::ProcessLook& look : looks) leaders.push_back({look.pid, look.lsn, look.memoryLimit});
    const auto trees = readTrees(leaders, adopter);
    WarmPool::Samples seen;
    for (const runners::ProcessLook& look : looks) {
        const auto found = trees.find(look.pid);
        if (found == trees.end()) continue;
        const TreeReading& tree = found->second;
        seen.push_back({look.pid, static_cast<double>(tree.cpu) / 1e6, tree.rssBytes,
                        look.socket == 0 || hasSocket(look.pid, look.socket), tree.memoryBytes(), tree.processes});
    }
    return seen;
}

// --- looking after processes

coro::Task<void> WarmPool::look(Looks looks) {
    if (looks.empty()) co_return;
    parts_.processes.sampled(co_await parts_.sample(std::move(looks)));
    parts_.sampled();
}

void WarmPool::lookAtIdleNext() {
    idleNext_ = true;
    work_.set();
}

coro::Task<void> WarmPool::run() {
    YARD_ASSERT_OWNER(owner_);
    for (;;) {
        if (!parts_.processes.areBusy()) {
            work_.clear();
            co_await work_.wait();
        }
        co_await coro::sleepFor(kSampleEach);
        co_await look(parts_.processes.looks(!std::exchange(idleNext_, false)));
    }
}

// --- questions and changes

PoolProcessView WarmPool::viewOf(const runners::WarmProcessView& process) const {
    PoolProcessView view;
    view.id = process.id;
    view.worker = process.worker;
    view.state = process.state;
    view.whyStarted = process.whyStarted;
    view.whyEnded = process.whyEnded;
    view.note = process.note;
    view.pid = process.pid;
    view.sessions = process.sessions;
    view.concurrency = process.concurrency;
    view.processed = process.processed;
    view.current = process.current;
    if (process.currentSince) view.currentSince = parts_.scale.at(*process.currentSince);
    view.given = process.given;
    view.cpuSeconds = process.cpuSeconds;
    view.rssBytes = process.rssBytes;
    if (process.started != MonoTime{}) view.started = parts_.scale.at(process.started);
    if (process.lastUsed != MonoTime{}) view.lastUsed = parts_.scale.at(process.lastUsed);
    if (process.ended != MonoTime{}) view.ended = parts_.scale.at(process.ended);
    return view;
}

PoolGroupView WarmPool::viewOf(const runners::WarmGroupView& group) const {
    PoolGroupView to;
    to.worker = group.worker;
    to.name = group.name;
    to.version = group.version;
    to.minProcesses = group.limits.minProcesses;
    to.maxProcesses = group.limits.maxProcesses;
    to.maxRequests = group.limits.maxRequests;
    to.maxIdle = group.limits.maxIdle;
    to.globalQueue = group.limits.globalQueue;
    to.memoryMb = group.memoryMb;
    if (group.restart) to.restart = {group.restart->done, group.restart->of};
    // In the pool waits what could be handed out, in the session the rest.
    to.waiting = static_cast<std::int64_t>(group.waiting);
    if (group.gate != runners::kNoGate)
        to.waiting += parts_.session.reasons().waitingAt(session::GateId(group.gate));
    to.spawning = group.spawning;
    to.hitRate = group.hitRate;
    to.spawnSecondsSaved = group.spawnSecondsSaved;
    for (const auto& process : group.processes) to.processes.push_back(viewOf(process));
    return to;
}

coro::Task<PoolView> WarmPool::view() {
    co_await look(parts_.processes.looks(false));
    const runners::WarmPoolView seen = parts_.processes.all();
    PoolView view;
    view.max = seen.options.max;
    view.maxPerGroup = seen.options.maxPerGroup;
    view.maxIdle = seen.options.maxIdle;
    for (const runners::WarmGroupView& group : seen.groups) view.groups.push_back(viewOf(group));
    for (const auto& process : seen.gone) view.gone.push_back(viewOf(process));
    co_return view;
}

coro::Task<Result<PoolProcessDetail>> WarmPool::process(std::string id) {
    coro::OneShot<Output> told("output of a process");
    const auto asked =
        parts_.processes.askOutput(id, [promise = std::make_shared<coro::Promise<Output>>(told.promise())](
                                           Output output) { promise->set(std::move(output)); });
    if (!asked) co_return std::unexpected(asked.error());
    const std::optional<Output> came =
        co_await coro::within(kTellWithin, [](coro::OneShot<Output>& shot) -> coro::Task<Output> {
            co_return co_await shot.get();
        }(told));
    if (!came)
        co_return fail(ErrorKind::Busy,
                       "The launcher does not say what the process printed; try again in a moment.");
    if (const auto alive = parts_.processes.find(id); alive && alive->pid != 0 && alive->ended == MonoTime{})
        co_await look(parts_.processes.looksAt(id));
    const auto seen = parts_.processes.find(id);
    if (!seen) co_return fail(ErrorKind::NotFound, fmt::format("Process \"{}\" has just been forgotten.", id));
    PoolProcessDetail detail;
    detail.process = viewOf(*seen);
    if (const Output& output = *came) {
        detail.out = {output->out.size, output->out.bytes};
        detail.err = {output->err.size, output->err.bytes};
    }
    co_return detail;
}

coro::Task<Result<PoolView>> WarmPool::change(std::string json) {
    const auto tape = readJson(json);
    if (!tape) co_return std::unexpected(tape.error());
    if (!tape->root().isObject())
        co_return fail(ErrorKind::Invalid, "Give an object with \"max\", \"max_per_group\" or \"max_idle_s\".");
    std::string settings;
    JsonWriter writer(settings);
    writer.openObject();
    for (const JsonView member : tape->root()) {
        const std::string name(member.key());
        if (name != "max" && name != "max_per_group" && name != "max_idle_s")
            co_return invalid(name, fmt::format("The pool has no \"{}\": it takes \"max\", \"max_per_group\" and "
                                                "\"max_idle_s\".",
                                                name));
        writer.key("pool_" + name);
        const JsonNode& node = member.node();
        if (node.kind == JsonKind::Integer)
            writer.integer(node.integer);
        else if (node.kind == JsonKind::Number)
            writer.number(node.number);
        else if (node.kind == JsonKind::Null)
            writer.raw("null");
        else
            co_return invalid(name, fmt::format("Give \"{}\" as a number.", name));
    }
    writer.closeObject();
    const auto changed = co_await parts_.changeSettings(std::move(settings));
    if (!changed) {
        Error error = changed.error();
        // By the names that they have here.
        constexpr std::string_view kPrefix = "pool_";
        if (error.field.starts_with(kPrefix)) {
            error.field.erase(0, kPrefix.size());
            if (const auto at = error.message.find(kPrefix); at != std::string::npos)
                error.message.erase(at, kPrefix.size());
        }
        co_return std::unexpected(std::move(error));
    }
    co_return co_await view();
}

coro::Task<Result<void>> WarmPool::restart(std::string ref) {
    const RegisteredWorker* worker = parts_.registry.find(ref);
    if (!worker) co_return unknownWorker(ref);
    if (!parts_.processes.restart(worker->id))
        co_return fail(ErrorKind::WrongState,
                       fmt::format("Worker \"{}\" runs one process for each action: it has none to restart.", ref));
    co_return Result<void>{};
}

coro::Task<Result<void>> WarmPool::end(std::string id) {
    if (!parts_.processes.detach(id))
        co_return fail(
            ErrorKind::NotFound,
            fmt::format("There is no warm process \"{}\", or it ends already; GET pool lists them.", id));
    co_return Result<void>{};
}

} // namespace yard::engine
