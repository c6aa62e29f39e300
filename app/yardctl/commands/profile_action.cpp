// yardctl profile record --action N: perf measures the processes of a running action on this machine, and what it saw
// becomes a profile like those of the engine.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/parsed_number.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"
#include "core/profile/perf_script.h"
#include "core/profile/profile_file.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostMeasured = 200; ///< processes of one action; others of it are left out
constexpr std::size_t kEnvironmentBytes = std::size_t{2} << 20;

struct ActionProcesses {
    std::vector<std::string> pids{};
    std::set<std::string, std::less<>> owners{}; ///< engines
};

/// The value of a variable in the text of /proc/PID/environ.
std::optional<std::string_view> variableIn(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const std::string_view entry = environment.substr(0, environment.find('\0'));
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
            return entry.substr(name.size() + 1);
        environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
    }
    return std::nullopt;
}

/// Those whose environment this user may read.
ActionProcesses processesOf(std::int64_t lsn) {
    ActionProcesses found;
    const std::string wanted = std::to_string(lsn);
    std::error_code error;
    for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
        const std::string name = at->path().filename().string();
        if (!parsedNumber<std::uint64_t>(name) || found.pids.size() == kMostMeasured) continue;
        const auto environment = readFile(at->path().string() + "/environ", kEnvironmentBytes);
        if (!environment || variableIn(*environment, "YARD_LSN") != wanted) continue;
        found.pids.push_back(name);
        found.owners.emplace(variableIn(*environment, "YARD_OWNER").value_or(""));
    }
    return found;
}

/// A directory that goes with what is in it.
class OwnDirectory {
public:
    OwnDirectory() {
        if (!::mkdtemp(path_.data())) path_.clear();
    }
    OwnDirectory(const OwnDirectory&) = delete;
    OwnDirectory& operator=(const OwnDirectory&) = delete;
    ~OwnDirectory() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

private:
    /// A TMPDIR that is no directory makes mkdtemp() say so.
    static std::string pattern() {
        const char* named = std::getenv("TMPDIR");
        return std::string(named && *named ? named : "/tmp") + "/yardctl-perf-XXXXXX";
    }
    std::string path_ = pattern();
};

/// Runs perf with its stdout in a file. Its own sentence goes to stderr where it fails.
Outcome<void> runPerf(const std::vector<std::string>& words, const std::string& out) {
    SpawnPlan plan(SpawnPlan::Apart::No);
    plan.open("/dev/null", O_RDONLY, STDIN_FILENO);
    plan.open(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    pid_t pid = -1;
    const int err = plan.run(pid, words);
    if (err == ENOENT) return failed("there is no perf here; install it (linux-perf, perf) to measure actions");
    if (err != 0) return failedWith(failErrno("cannot run perf", err).error());
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    // Where all it measured has ended, 'perf record' ends its sleep, writes what it saw, and dies as that did.
    const bool isCutShort = words[1] == "record" && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    if (isCutShort || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return {};
    return failed(
        fmt::format("'perf {}' failed; the sysctl kernel.perf_event_paranoid says who may measure", words[1]));
}

} // namespace

Outcome<int> recordActionProfile(const Invocation& invocation, std::int64_t lsn, std::int64_t seconds) {
    const ActionProcesses processes = processesOf(lsn);
    if (processes.pids.empty())
        return failed(fmt::format("action {} has no process here that this user may look at", lsn));
    if (processes.owners.size() > 1)
        return failed(fmt::format("{} engines run an action {} here", processes.owners.size(), lsn));
    const OwnDirectory directory;
    if (directory.path().empty()) return failedWith(failErrno("cannot make a directory for perf", errno).error());
    std::string pids;
    for (const std::string& pid : processes.pids) pids += (pids.empty() ? "" : ",") + pid;
    const std::string data = directory.path() + "/data";
    const std::string text = directory.path() + "/text";
    if (auto ran = runPerf({"perf", "record", "-q", "-F", "99", "-g", "-p", pids, "-o", data, "--", "sleep",
                            std::to_string(seconds)},
                           "/dev/null");
        !ran)
        return std::unexpected(ran.error());
    if (auto ran = runPerf({"perf", "script", "-i", data}, text); !ran) return std::unexpected(ran.error());
    const auto script = readFile(text, profile::kLargestFile);
    if (!script) return failedWith(script.error());
    auto taken = profile::readPerfScript(*script);
    if (!taken) return failed(fmt::format("action {} used no processor in these {} s", lsn, seconds));
    taken->loop = fmt::format("action {}", lsn);
    const std::string path = invocation.arguments.value("out").value_or(fmt::format("action-{}.yprof", lsn));
    if (auto written = writeNamedFile(path, profile::encode(*taken), 0600); !written)
        return failedWith(written.error());
    fmt::print("{}\n", invocation.json ? json::serialize(json::object{{"file", path}}) : printable(path));
    return 0;
}

} // namespace yard::ctl
