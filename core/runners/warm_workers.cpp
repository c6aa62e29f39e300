#include "core/runners/warm_workers.h"

#include <algorithm>
#include <array>
#include <sys/inotify.h>
#include <unistd.h>
#include <utility>

namespace yard::runners {

namespace {

constexpr Duration kLookEach{1'000'000}; ///< where changes of the directory cannot be watched

struct Noticed {
    bool anything = false;
    bool isOver = false; ///< what was watched is not at its place any more
};

Noticed readChanges(int inotifyFd) {
    Noticed noticed;
    alignas(inotify_event) std::array<char, 4096> events;
    for (ssize_t n = 0; (n = ::read(inotifyFd, events.data(), events.size())) > 0;) {
        noticed.anything = true;
        for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
            const auto& event = *reinterpret_cast<const inotify_event*>(events.data() + at);
            if (event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) noticed.isOver = true;
            at += sizeof(inotify_event) + event.len;
        }
    }
    return noticed;
}

} // namespace

WarmWorker::Function& WarmWorker::function(std::string_view name) {
    const auto at = std::ranges::find(functions, name, &Function::name);
    if (at != functions.end()) return *at;
    if (functions.size() > kMostFunctions) return functions.back(); // of all the others
    return functions.emplace_back(std::string(name));
}

std::uint32_t WarmWorker::takeLanes(unsigned count) {
    std::size_t first = 0;
    for (std::size_t at = 0; at < lanes.size() && at < first + count; ++at)
        if (lanes[at]) first = at + 1;
    if (lanes.size() < first + count) lanes.resize(first + count);
    for (std::size_t at = first; at < first + count; ++at) lanes[at] = true;
    return static_cast<std::uint32_t>(first);
}

void WarmWorker::giveLanes(std::uint32_t first, unsigned count) {
    for (std::size_t at = first; at < std::size_t{first} + count; ++at) lanes[at] = false;
}

WarmWorker& WarmWorkers::add(const std::string& id, std::shared_ptr<const WorkerDescriptor> descriptor,
                             std::uint32_t gate, const std::string& source) {
    YARD_ASSERT_OWNER(owner_);
    auto& worker = workers_[id];
    if (!worker) worker = std::make_unique<WarmWorker>();
    worker->id = id;
    worker->source = source;
    worker->descriptor = std::move(descriptor);
    worker->restartDir =
        pool::restartDirectory(shared_.config.dataDir + "/workers/" + source, worker->descriptor->pool.restartDir);
    worker->gate = gate;
    worker->window = -1;
    worker->group =
        shared_.pool.addGroup(id, worker->descriptor->pool.group, worker->options(), MonoClock::now(), shared_.out);
    if (byGroup_.size() <= worker->group.place) byGroup_.resize(worker->group.place + 1);
    byGroup_[worker->group.place] = worker.get();
    return *worker;
}

void WarmWorkers::remove(WarmWorker& worker) {
    YARD_ASSERT_OWNER(owner_);
    byGroup_[worker.group.place] = nullptr;
    if (worker.gate != kNoGate) shared_.host.setWindow(worker.gate, 0);
    // Its processes may take a while to end, and refer to it.
    const auto at = workers_.find(worker.id);
    removed_.push_back(std::move(at->second));
    workers_.erase(at);
}

void WarmWorkers::dropRemoved(const WarmWorker* worker) {
    std::erase_if(removed_, [&](const auto& removed) { return removed.get() == worker; });
}

WarmWorker* WarmWorkers::find(const std::string& id) const {
    const auto at = workers_.find(id);
    return at == workers_.end() ? nullptr : at->second.get();
}

WarmWorker* WarmWorkers::of(pool::GroupId group) const {
    return group.place < byGroup_.size() ? byGroup_[group.place] : nullptr;
}

std::int64_t WarmWorkers::memoryOf(pool::GroupId group) const {
    const WarmWorker* worker = of(group);
    return worker ? worker->descriptor->resources.memoryMb : 0;
}

bool WarmWorkers::keeps(pool::GroupId group, const std::string& resource) const {
    const WarmWorker* worker = of(group);
    return worker && std::ranges::binary_search(worker->descriptor->pool.keeps, resource);
}

// --- windows

void WarmWorkers::forgetWindows() {
    for (const auto& [id, worker] : workers_) worker->window = -1;
}

void WarmWorkers::tellWindows() {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& [id, worker] : workers_) tellWindow(*worker);
}

void WarmWorkers::tellWindow(WarmWorker& worker) {
    if (worker.window >= 0 || worker.gate == kNoGate) return;
    int places = 0;
    for (const pool::ProcessView& process : shared_.pool.processes(worker.group))
        if (process.state == pool::ProcessState::Idle || process.state == pool::ProcessState::Busy)
            places += static_cast<int>(process.limit);
    // One more than can be served: who waits is what makes the pool spawn. A private queue is given as much again.
    const int window = worker.descriptor->pool.globalQueue ? places + 1 : 2 * places + 1;
    worker.window = window;
    shared_.host.setWindow(worker.gate, window);
}

// --- restart files

bool WarmWorkers::mustLook(WarmWorker& worker, MonoTime now) {
    if (!worker.changes) return worker.lookedAt == MonoTime{} || now - worker.lookedAt >= kLookEach;
    if (worker.lookedAt == now) return false;
    worker.lookedAt = now;
    const Noticed noticed = readChanges(worker.changes.get());
    // The path may name another directory now, or none: the look watches again what is there.
    if (noticed.isOver) worker.changes.reset();
    return noticed.anything;
}

void WarmWorkers::look(WarmWorker& worker, MonoTime now) {
    if (worker.isLooking) return;
    worker.isLooking = true;
    worker.lookedAt = now;
    shared_.host.lookForRestart(worker.id, worker.restartDir, !worker.changes);
}

void WarmWorkers::take(WarmWorker& worker, const pool::RestartSigns& signs, UniqueFd changes, MonoTime now) {
    YARD_ASSERT_OWNER(owner_);
    worker.isLooking = false;
    if (changes) worker.changes = std::move(changes);
    const pool::RestartFiles::Advice advice = worker.files.look(signs);
    if (advice.always != worker.always) {
        worker.always = advice.always;
        shared_.pool.configureGroup(worker.group, worker.options(), now, shared_.out);
    }
    if (advice.restart) shared_.pool.reload(worker.group, now, shared_.out);
}

} // namespace yard::runners
