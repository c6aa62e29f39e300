// Reports to alerts what happens in the engine, and gives them the ways to deliver their messages.
#include "core/engine/kernel/wiring_alerts.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/coro/suspend.h"
#include "core/engine/alerts/hook_client.h"
#include "core/engine/kernel/wires.h"
#include "core/host/machine.h"
#include "core/session/live_views.h"
#include "core/session/queue_commands.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <set>
#include <span>

namespace yard::engine {

namespace {

constexpr std::string_view kAlertQueue = "alerts";
constexpr int kWalkSlice = 1'000;
constexpr int kHistoryPage = 1'000;

/// What is known of such an action without asking the journal.
ActionResult alertRowOf(const InternTable& dictionary, const alerts::Shape& shape) {
    ActionResult row;
    row.queue = shape.queue;
    const ClassKey& key = dictionary.classKey(shape.cls);
    row.workerId = key.workerId;
    row.workerName = key.workerName;
    row.function = key.function;
    row.label = dictionary.label(shape.label);
    row.state = shape.state;
    if (isEnded(shape.state)) {
        AttemptOutcome& outcome = row.outcome.emplace();
        outcome.state = shape.state;
        outcome.reason = shape.reason;
    }
    return row;
}

std::string regressionText(const std::string& kind, const kinds::Change& change) {
    return fmt::format("{} takes {:.0f} % more {} than before{}{}.", kind, 100 * (change.ratio() - 1),
                       change.what == kinds::ChangeOf::Duration ? "time" : "memory",
                       change.version.empty() ? "" : ", since version ", change.version);
}

/// The same for the same card, also after a restart with others.
std::string keyOfGpu(const host::Gpu& gpu) {
    const std::string& rest = gpu.pci.empty() ? gpu.index : gpu.pci;
    return "gpu " + (gpu.uuid.empty() ? rest : gpu.uuid);
}

std::string alertFile(const std::string& directory, const std::string& id) {
    return directory + "/" + id + ".json";
}

} // namespace

void AlertWiring::open() {
    memoryBytes_ = host::memoryOfMachine() << 20;
    services_.alerts.emplace(Alerts::Parts{
        .commit = [this](store::Action action) { return services_.committer.commit(std::move(action)); },
        .rowOf = [this](const alerts::Shape& shape) { return alertRowOf(services_.dictionary, shape); },
        .queueNames = [this](QueueId id) { return services_.queues->namesOf(id); },
        .rows = [this](std::vector<Lsn> lsns) { return ground_.journal.getAll(std::move(lsns)); },
        .unfinished =
            [this](QueueId id) {
                const auto status = services_.session->views().queue(id);
                return status ? status->counters.pending + status->counters.running : 0;
            },
        .ages = [this] { return oldestWaiting(); },
        .runCommand = [this](Alerts::Parts::Command command) { return runAlertCommand(std::move(command)); },
        .forgetCommand =
            [this](std::string id) {
                ground_.helpers->postDeletion([file = alertFile(ground_.directory->path() + "/alerts", id)] {
                    (void)std::remove(file.c_str());
                });
            },
        .sendHook =
            [this](alerts::Url url, std::string body) {
                return sendHook(
                    ground_.loop, *ground_.helpers,
                    {.url = std::move(url), .body = std::move(body), .allowed = ground_.settings.webhookAllow},
                    kDeliveryLimit);
            },
        .history = alertHistory(),
        .spawn = spawningOn(ground_.loop),
        .changed = [this] { services_.changes->note(ChangeEntry::Kind::Alerts); },
        .tellOthers =
            [this] {
                tellMachines();
                tellLostGpus();
                services_.objects->troubles().tellAll();
            },
        .arm = [this](std::optional<WallMicros> at) { services_.alertAlarm->set(at); },
        .rung = [this] { return services_.alertAlarm->rung(); },
        .now = wallNow});
}

coro::Task<Result<Rehearsal::Page>> AlertWiring::historyPage(Lsn cursor) {
    auto page = co_await ground_.journal.page({}, kHistoryPage, cursor);
    if (!page) co_return std::unexpected(page.error());
    co_return Rehearsal::Page{.rows = std::move(page->rows), .cursor = page->cursor};
}

coro::Task<std::vector<Rehearsal::Unended>> AlertWiring::unended(std::size_t most) {
    std::vector<Rehearsal::Unended> all;
    Lsn at{1};
    do {
        at = services_.session->views().walk(at, kWalkSlice, [&](const session::LiveView& live) {
            if (all.size() >= most) return;
            Rehearsal::Unended one{.lsn = live.lsn, .queue = live.queue, .came = live.submitTime};
            if (live.state == ActionState::Pending) {
                one.isHeldBack = live.held || live.wakesAt != MonoTime{};
            } else {
                const Attempt* attempt = services_.attempts.latest(live.lsn);
                const bool isLaunched = attempt && attempt->launched != MonoTime{};
                one.begun = isLaunched ? attempt->scale.at(attempt->launched) : wallNow();
            }
            all.push_back(one);
        });
        co_await coro::yieldNow();
    } while (at.value != 0 && all.size() < most);
    co_return all;
}

/// In the finest steps that are kept. The memory of a step is that of its end; one that began before `from` is left out.
coro::Task<Rehearsal::MemoryUse> AlertWiring::memoryUse(WallMicros from, WallMicros to) {
    Rehearsal::MemoryUse use;
    if (memoryBytes_ <= 0) co_return use;
    for (const auto& part : history::StatsHistory::partsOf(from, to, wallNow())) {
        const auto seen =
            co_await services_.figures->query({.from = part.from, .to = part.to, .resolution = part.width});
        use.apart = std::max(use.apart, seen.resolution);
        for (const auto& row : seen.rows)
            if (row.sample && row.t >= from)
                use.percents.emplace_back(std::min(row.t + seen.resolution.count(), part.to),
                                          100 * static_cast<double>(row.sample->memoryBytes) /
                                              static_cast<double>(memoryBytes_));
    }
    co_return use;
}

Rehearsal::Parts AlertWiring::alertHistory() {
    return {.page = [this](Lsn cursor) { return historyPage(cursor); },
            .unended = [this](std::size_t most) { return unended(most); },
            .memory = [this](WallMicros from, WallMicros to) { return memoryUse(from, to); },
            .onHelper =
                [this](std::function<void()> work) {
                    return ground_.helpers->run([work = std::move(work)] { work(); });
                },
            .queueNames = [this](QueueId id) { return services_.queues->namesOf(id); },
            .now = wallNow};
}

// --- reports

void AlertWiring::tellSilence(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    if (!services_.alerts->watches(alerts::Kind::Silence)) return;
    const auto live = services_.session->views().live(lsn);
    const Attempt* attempt = services_.attempts.latest(lsn);
    if (!live || !attempt) return; // it has ended, and its end is reported
    ActionResult row = alertRowOf(
        services_.dictionary,
        {.queue = live->queue, .cls = live->cls.value, .label = live->label.value, .state = ActionState::Running});
    row.lsn = lsn;
    services_.alerts->silent(std::move(row), attempt->hungSince);
}

void AlertWiring::tellUse(const MachineReading& reading) {
    YARD_ASSERT_OWNER(owner_);
    const auto percent = [](std::int64_t part, std::int64_t of) {
        return 100 * static_cast<double>(part) / static_cast<double>(of);
    };
    if (memoryBytes_ > 0)
        services_.alerts->sample(alerts::Kind::Memory, percent(reading.memoryBytes, memoryBytes_));
    if (reading.diskBytes > 0)
        services_.alerts->sample(alerts::Kind::Disk,
                                 percent(reading.diskBytes - reading.diskFreeBytes, reading.diskBytes));
}

void AlertWiring::tellMachines() {
    YARD_ASSERT_OWNER(owner_);
    if (services_.alerts->watches(alerts::Kind::Machine)) ground_.loop.spawn("alert machines", tellMachineStates());
}

void AlertWiring::tellGpu(const GpuView& gpu) {
    YARD_ASSERT_OWNER(owner_);
    const std::string key = keyOfGpu(gpu.gpu);
    if (gpu.figures.lost.empty()) return services_.alerts->clear(alerts::Kind::GpuLost, key);
    const std::string name = gpu.gpu.name.empty() ? std::string() : fmt::format(" ({})", gpu.gpu.name);
    services_.alerts->raise(alerts::Kind::GpuLost,
                            {.key = key,
                             .text = fmt::format("GPU {}{} of {} is lost: {}.", gpu.gpu.index, name,
                                                 ground_.machineName, gpu.figures.lost),
                             .since = wallNow()});
}

/// To a rule that is new: the next look tells only of those that are lost then. What another engine told of a card that is not
/// here any more is over: no look tells of it.
void AlertWiring::tellLostGpus() {
    std::set<std::string> known;
    for (const GpuView& gpu : services_.gpus->view()) {
        known.insert(keyOfGpu(gpu.gpu));
        if (!gpu.figures.lost.empty()) tellGpu(gpu);
    }
    if (ground_.isGpuDriverSilent) return;
    for (const alerts::Thing& thing : services_.alerts->held(alerts::Kind::GpuLost))
        if (!known.contains(thing.key)) services_.alerts->clear(alerts::Kind::GpuLost, thing.key);
}

void AlertWiring::tellRegression(const std::string& kind, const kinds::Change& change) {
    YARD_ASSERT_OWNER(owner_);
    services_.alerts->happened(alerts::Kind::Regression,
                               {.key = kind, .text = regressionText(kind, change), .since = wallNow()});
}

/// All of them each time. One that was removed is not lost any more.
coro::Task<void> AlertWiring::tellMachineStates() {
    const std::vector<MachineView> machines = co_await services_.machines->list();
    std::set<std::string> lost;
    for (const MachineView& machine : machines)
        if (machine.state == link::MachineState::Lost) lost.insert(machine.name);
    services_.alerts->machines(lost);
}

/// What is held, or waits for a time, does not count: it is not late.
coro::Task<Alerts::Ages> AlertWiring::oldestWaiting() {
    Alerts::Ages ages;
    Lsn at{1};
    do {
        at = services_.session->views().walk(at, kWalkSlice, [&](const session::LiveView& live) {
            if (live.state != ActionState::Pending || live.held || live.wakesAt != MonoTime{}) return;
            const auto [known, isNew] = ages.try_emplace(live.queue, live.submitTime);
            if (!isNew) known->second = std::min(known->second, live.submitTime);
        });
        co_await coro::yieldNow();
    } while (at.value != 0);
    co_return ages;
}

// --- commands

/// The queue is made when the first command runs, and where the one before takes nothing any more.
coro::Task<Result<Alerts::Parts::Ran>> AlertWiring::runAlertCommand(Alerts::Parts::Command command) {
    const std::string directory = ground_.directory->path() + "/alerts";
    const std::string file = alertFile(directory, command.id);
    const Result<void> written =
        co_await ground_.helpers->run([directory, file, content = std::move(command.content)]() -> Result<void> {
            if (auto made = makeDirectories(directory); !made) return made;
            return writeFileAtomically(file, content, 0600);
        });
    if (!written) co_return std::unexpected(written.error());
    const auto guard = co_await alertQueueMutex_.lock();
    std::optional<QueueId> queue = alertQueue_ ? alertQueue_ : command.queue;
    if (!queue || !services_.queues->find(*queue) || !services_.session->queues().accepts(*queue)) {
        const auto made = co_await services_.queues->create(std::string(kAlertQueue), {});
        if (!made) co_return std::unexpected(made.error());
        queue = made->id;
    }
    alertQueue_ = queue;
    const std::string action = command.action(file);
    auto parsed = parseActions(action);
    if (!parsed) co_return std::unexpected(parsed.error());
    Submission submission;
    submission.actions = std::move(parsed->actions);
    submission.queue.ref = QueueRef{.number = queue, .token = {}};
    submission.idempotencyKey = std::move(command.key);
    submission.bodyHash = Sha256::of(action);
    const auto answer = co_await services_.intake->submit(std::move(submission), Duration::zero());
    if (!answer) co_return std::unexpected(answer.error());
    co_return Alerts::Parts::Ran{.lsn = answer->items.front().first, .queue = *queue};
}

} // namespace yard::engine
