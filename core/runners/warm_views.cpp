#include "core/runners/warm_views.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::runners {

std::optional<yard::pool::GroupId> WarmViews::groupOf(const std::string& id) const {
    const WarmWorker* worker = workers_.find(id);
    return worker ? std::optional(worker->group) : std::nullopt;
}

const ReportedProgress* WarmViews::progressOf(AttemptId id) const {
    YARD_ASSERT_OWNER(owner_);
    const auto place = requests_.find(id);
    return place && !requests_[*place].said.isEmpty() ? &requests_[*place].said : nullptr;
}

std::vector<ProcessLook> WarmViews::look(const std::string& name) const {
    YARD_ASSERT_OWNER(owner_);
    const WarmProcess* process = processes_.find(name);
    if (!process || process->pid == 0) return {};
    ProcessLook look = process->look();
    look.socket = 0;
    return {look};
}

std::vector<ProcessLook> WarmViews::limited() const {
    YARD_ASSERT_OWNER(owner_);
    std::vector<ProcessLook> all;
    for (const auto& [number, process] : processes_.all()) {
        const bool works =
            process->phase == WarmProcess::Phase::Live && (process->inFlight() > 0 || process->hasChildren());
        if (process->memoryLimit > 0 && process->pid != 0 &&
            (works || process->phase == WarmProcess::Phase::Launched))
            all.push_back(process->look());
    }
    return all;
}

std::optional<WarmWait> WarmViews::waitOf(const std::string& worker) const {
    YARD_ASSERT_OWNER(owner_);
    const auto id = groupOf(worker);
    const auto group = id ? shared_.pool.group(*id) : std::nullopt;
    if (!group) return std::nullopt;
    WarmWait wait;
    wait.serving = static_cast<unsigned>(group->size);
    bool lacksCores = false;
    bool yields = false;
    for (const auto& [number, process] : processes_.all()) {
        const auto inPool = process->worker->group == *id ? shared_.pool.process(process->inPool) : std::nullopt;
        if (!inPool) continue;
        if (inPool->state == yard::pool::ProcessState::Starting) {
            wait.step = process->step();
            if (process->phase == WarmProcess::Phase::Waiting) wait.hold = process->memoryKey();
        }
        if (process->wantsCores && group->starting == 0) wait.hold = process->coreKey();
        wait.idle += inPool->state == yard::pool::ProcessState::Idle;
        lacksCores |= process->wantsCores;
        yields |= process->yields() || process->gaveWay;
    }
    using For = WarmWait::For;
    const auto limit = [&](For what, unsigned alive, unsigned most) {
        wait.what = what;
        wait.alive = alive;
        wait.most = most;
    };
    wait.isOwnLimit = group->isOwnLimit;
    if (group->starting > 0)
        wait.what = For::Start;
    else if (yields || lacksCores)
        wait.what = yields ? For::Turn : For::Cores;
    else if (wait.idle > 0)
        wait.what = For::Process;
    else if (group->ofFamily >= group->mostOfFamily)
        limit(For::Group, group->ofFamily, group->mostOfFamily);
    else if (shared_.pool.count() >= shared_.pool.options().max)
        limit(For::Place, shared_.pool.count(), shared_.pool.options().max);
    else if (group->size > 0 && group->pausedUntil > MonoClock::now())
        wait.what = For::Pause;
    wait.until = group->pausedUntil;
    return wait;
}

std::string WarmViews::holderName(std::uint64_t key) const {
    YARD_ASSERT_OWNER(owner_);
    const WarmProcess* process = processes_.find(AttemptId{Lsn(static_cast<std::int64_t>(key / 2)), 1});
    return process ? fmt::format("process {} of {}", process->name, process->worker->descriptor->name)
                   : std::string();
}

WarmProcessView WarmViews::viewOf(const WarmProcess& process) const {
    WarmProcessView view = processes_.viewOf(process);
    requests_.show(process.lanes, view);
    return view;
}

std::optional<WarmProcessView> WarmViews::process(const std::string& name) const {
    YARD_ASSERT_OWNER(owner_);
    if (const WarmProcess* process = processes_.find(name)) return viewOf(*process);
    const WarmProcessView* gone = processes_.gone().find(name);
    return gone ? std::optional(*gone) : std::nullopt;
}

WarmPoolView WarmViews::pool() const {
    YARD_ASSERT_OWNER(owner_);
    WarmPoolView all;
    all.options = shared_.pool.options();
    for (const auto& [id, worker] : workers_.all()) {
        const auto group = shared_.pool.group(worker->group);
        if (!group) continue;
        WarmGroupView view;
        view.worker = worker->source;
        view.name = group->family;
        view.version = worker->descriptor->version;
        view.gate = worker->gate;
        view.limits = group->options;
        view.memoryMb = worker->descriptor->resources.memoryMb;
        if (group->restarting) view.restart = {group->renewed, group->target};
        view.waiting = group->waiting + worker->held.size();
        view.spawning = group->starting > 0;
        if (group->hits + group->misses > 0)
            view.hitRate = static_cast<double>(group->hits) / static_cast<double>(group->hits + group->misses);
        view.spawnSecondsSaved = inSeconds(group->saved);
        for (const auto& [number, process] : processes_.all())
            if (process->worker == worker.get()) view.processes.push_back(viewOf(*process));
        all.groups.push_back(std::move(view));
    }
    all.gone.assign(processes_.gone().all().begin(), processes_.gone().all().end());
    return all;
}

} // namespace yard::runners
