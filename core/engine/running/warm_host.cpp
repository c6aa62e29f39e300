#include "core/engine/running/warm_host.h"

#include "core/base/files.h"
#include "core/engine/running/given_environment.h"
#include "core/engine/running/gpu_environment.h"
#include "core/session/resource_holds.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

namespace {

struct RestartLook {
    pool::RestartSigns signs;
    UniqueFd changes;
};

/// An inotify of what happens in the directory, and of those above it that are moved away: then the path names
/// another one. A path through a symbolic link may do so without that; it is not watched.
UniqueFd watchOf(const std::string& directory) {
    constexpr std::uint32_t kGone = IN_DELETE_SELF | IN_MOVE_SELF;
    constexpr std::uint32_t kHere = IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD;
    UniqueFd changes(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!changes) return {};
    std::uint32_t mask =
        IN_ATTRIB | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MODIFY | IN_MOVED_FROM | IN_MOVED_TO;
    for (auto path = std::filesystem::path(directory).lexically_normal(); path.has_relative_path();
         path = path.parent_path()) {
        const bool isAbove = mask == 0;
        const bool isWatched = ::inotify_add_watch(changes.get(), path.c_str(), mask | kGone | kHere) >= 0;
        // One above that may not be read may not be moved by many either.
        if (!isWatched && !(isAbove && errno == EACCES)) return {};
        mask = 0;
    }
    return changes;
}

/// The watch first: what changes after it is seen by it, what changed before by the look.
RestartLook lookAt(const std::string& directory, bool watch) {
    RestartLook look;
    if (watch) look.changes = watchOf(directory);
    struct stat file{};
    if (::stat((directory + "/restart.txt").c_str(), &file) == 0)
        look.signs.restartAt = std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
    look.signs.always = ::stat((directory + "/always_restart.txt").c_str(), &file) == 0;
    return look;
}

} // namespace

void EngineWarmHost::prepare(const runners::ProcessOrder& order) {
    YARD_ASSERT_OWNER(owner_);
    parts_.loop.spawn(fmt::format("warm process {}", order.id.lsn.value - runners::kFirstProcessLsn + 1),
                      makeProcess(order));
}

coro::Task<void> EngineWarmHost::makeProcess(runners::ProcessOrder order) {
    Result<runners::Lease> lease = co_await parts_.workspaces.makeProcess(order);
    if (lease) {
        addGiven(*lease, order.given);
        addGpus(*lease, gpusOf(order.given, parts_.gpus));
    }
    runner_->prepared(order.id, std::move(lease));
}

void EngineWarmHost::remake(runners::AttemptId request) {
    parts_.loop.spawn(fmt::format("remake {}", request.lsn.value), remakeRequest(request));
}

coro::Task<void> EngineWarmHost::remakeRequest(runners::AttemptId request) {
    runner_->remade(request, co_await parts_.workspaces.remake(request));
}

bool EngineWarmHost::hold(std::uint64_t key, const Resources& resources) {
    YARD_ASSERT_OWNER(owner_);
    return parts_.session.holds().take(key, resources);
}

void EngineWarmHost::letGo(std::uint64_t key) {
    if (parts_.session.holds().letGo(key)) parts_.wake();
}

GivenResources EngineWarmHost::given(std::uint64_t key) const {
    return parts_.session.holds().given(key);
}

bool EngineWarmHost::lacks(std::uint64_t key, const std::string& resource) const {
    const auto wait = parts_.session.holds().waitOf(key);
    if (!wait) return false;
    const auto need = std::ranges::find(wait->needs, resource, &session::ResourceNeed::resource);
    return need != wait->needs.end() && need->isLacking();
}

void EngineWarmHost::setWindow(std::uint32_t gate, int most) {
    parts_.session.setGate(session::GateId(gate), most);
    parts_.wake();
}

void EngineWarmHost::syncEntries() {
    parts_.loop.spawn("sync slots.warm", sync());
}

coro::Task<void> EngineWarmHost::sync() {
    const auto synced = co_await parts_.helpers.run([path = parts_.dataDir + "/slots.warm"]() -> Result<void> {
        const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file || ::fsync(file.get()) != 0) return failErrno("sync " + path, errno);
        return syncDirectory(path.substr(0, path.rfind('/'))); // it was renamed to there when it was new
    });
    runner_->entriesSynced(synced);
}

void EngineWarmHost::lookForRestart(const std::string& worker, const std::string& directory, bool watch) {
    parts_.loop.spawn("restart files", look(worker, directory, watch));
}

coro::Task<void> EngineWarmHost::look(std::string worker, std::string directory, bool watch) {
    // restart.txt lies below the worker's files: without those there is nothing to watch yet.
    (void)co_await parts_.workspaces.workerFiles(worker);
    RestartLook seen = co_await parts_.helpers.run([directory, watch] { return lookAt(directory, watch); });
    runner_->restartSigns(worker, seen.signs, std::move(seen.changes));
}

} // namespace yard::engine
