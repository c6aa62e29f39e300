#include "core/sandbox/plan.h"

#include "core/base/text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace yard::sandbox {
namespace {

constexpr std::uint64_t kMiB = 1u << 20;

void setLimits(Plan& plan, std::int64_t memoryMb, const Policy& policy) {
    const std::int64_t memory = memoryMb > 0 ? memoryMb : policy.defaultMemoryMb;
    plan.memoryBytes = static_cast<std::uint64_t>(memory) * kMiB;
    plan.tmpBytes = static_cast<std::uint64_t>(policy.tmpMb) * kMiB;
    if (plan.memoryBytes > 0) plan.tmpBytes = std::min(plan.tmpBytes, plan.memoryBytes);
}

Plan basePlan(const Places& places, std::uint32_t hostUser) {
    Plan plan;
    plan.hostUser = hostUser;
    plan.binds.push_back({places.hasInputs ? places.root + "/inputs" : std::string(), "/inputs"});
    plan.binds.push_back({places.root + "/outputs", "/outputs", true});
    return plan;
}

std::string realPath(const std::string& path) {
    struct Free {
        void operator()(char* text) const { std::free(text); }
    };
    const std::unique_ptr<char, Free> real(::realpath(path.c_str(), nullptr));
    return real ? std::string(real.get()) : std::string();
}

std::string readUserMap() {
    std::ifstream file("/proc/self/uid_map");
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// Made by the sandbox itself; what is bound over them would undo that.
constexpr std::array<std::string_view, 8> kOwn = {"/proc",   "/dev",    "/sys",     "/etc",
                                                  "/worker", "/inputs", "/outputs", "/action.json"};

} // namespace

std::uint32_t hostUserOf(std::uint32_t slot) {
    // Root of a container may have a few users only; then it goes the way of ordinary ones.
    static const bool canGive = ::geteuid() == 0 && isMapped(readUserMap(), kFirstHostUser, kMostHostUsers);
    return canGive ? kFirstHostUser + slot : 0;
}

bool isMapped(std::string_view map, std::uint32_t first, std::uint32_t count) {
    std::istringstream lines{std::string(map)};
    std::uint64_t inside = 0;
    std::uint64_t outside = 0;
    std::uint64_t size = 0;
    while (lines >> inside >> outside >> size)
        if (inside <= first && std::uint64_t{first} + count <= inside + size) return true;
    return false;
}

Plan planForWorker(const WorkerDescriptor& worker, const Places& places, const Policy& policy,
                   std::uint32_t hostUser) {
    Plan plan = basePlan(places, hostUser);
    plan.binds.push_back({places.workerDir, "/worker"});
    plan.binds.push_back({places.root + "/action.json", "/action.json"});
    plan.network = worker.network && policy.networkAllowed;
    setLimits(plan, worker.resources.memoryMb, policy);
    return plan;
}

Plan planForWarm(const WorkerDescriptor& worker, const std::string& workerDir, const RequestPlaces& places,
                 const Policy& policy, std::uint32_t hostUser) {
    Plan plan;
    plan.hostUser = hostUser;
    plan.binds.push_back({workerDir, "/worker"});
    if (!places.requests.empty())
        plan.binds.push_back({places.requests, std::string(kRequests), places.outputs.empty()});
    if (!places.outputs.empty()) plan.binds.push_back({places.outputs, std::string(kWarmOutputs), true});
    plan.network = worker.network && policy.networkAllowed;
    setLimits(plan, worker.resources.memoryMb, policy);
    return plan;
}

Plan planForHook(const std::string& directory, bool network, const Policy& policy, std::uint32_t hostUser) {
    Plan plan;
    plan.hostUser = hostUser;
    plan.binds.push_back({.from = directory, .to = std::string(kHooks), .isolated = true});
    plan.network = network;
    setLimits(plan, 0, policy);
    return plan;
}

Plan planForExec(const ActionSpec& spec, const Places& places, const Policy& policy, std::uint32_t hostUser) {
    Plan plan = basePlan(places, hostUser);
    plan.cleanEnvironment = false;
    setLimits(plan, spec.resources ? spec.resources->memoryMb : 0, policy);
    plan.asked = spec.cwd.value_or("");
    return plan;
}

Result<void> showDirectory(Plan& plan, const std::string& dataDir) {
    if (plan.asked.empty()) return {};
    const std::string directory = realPath(plan.asked);
    const auto refused = [](ErrorKind kind, std::string sentence, int err) {
        return std::unexpected(
            Error{.kind = kind, .message = std::move(sentence), .field = "cwd", .need = {}, .sysErrno = err});
    };
    if (directory.empty()) {
        const int err = errno;
        return refused(ErrorKind::NotFound,
                       fmt::format("the working directory '{}' cannot be entered: {}", plan.asked,
                                   err == ENOENT ? "it does not exist" : "look at its rights"),
                       err);
    }
    const std::string data = realPath(dataDir);
    const bool showsData = isBelow(data, directory) || isBelow(directory, data) || directory == "/";
    bool hidesOwn = directory == "/tmp";
    for (const std::string_view own : kOwn) hidesOwn = hidesOwn || isBelow(directory, own);
    if (showsData || hidesOwn || !isCleanPath(directory))
        return refused(ErrorKind::Invalid,
                       fmt::format("'{}' cannot be the working directory of a sandboxed action{}: name a "
                                   "directory of your own, or leave \"cwd\" or \"sandbox\" out.",
                                   plan.asked, showsData ? ", as the engine's own files lie there" : ""),
                       EACCES);
    plan.binds.push_back({.from = directory, .to = directory, .isolated = true});
    plan.cwd = directory;
    plan.asked.clear();
    return {};
}

std::string outsideOf(const Plan& plan, const std::string& inside) {
    for (auto bind = plan.binds.rbegin(); bind != plan.binds.rend(); ++bind)
        if (isBelow(inside, bind->to) && !bind->from.empty()) return bind->from + inside.substr(bind->to.size());
    return inside;
}

bool isCleanPath(std::string_view path) {
    if (path == "/") return true;
    if (path.empty() || path.front() != '/' || path.size() >= PATH_MAX) return false;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::string_view part = path.substr(0, path.find('/'));
        if (part.empty() || part == "." || part == "..") return false;
        path.remove_prefix(part.size());
    }
    return true;
}

} // namespace yard::sandbox
