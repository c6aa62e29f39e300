#include "tests/runners/runner_bench.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/host/process_tree.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::runners::test {

std::string childProgram() {
    return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "yard_test_child").string();
}

Fifo::Fifo(const std::string& path)
    : path_(path) {
    if (::mkfifo(path.c_str(), 0600) != 0) std::abort();
    fd_.reset(::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
    ++alive;
}

Fifo::~Fifo() {
    --alive;
}

Fifo::Line Fifo::next() {
    for (;;) {
        if (const auto end = text_.find('\n'); end != std::string::npos) {
            const std::string line = text_.substr(0, end);
            text_.erase(0, end + 1);
            const auto space = line.find(' ');
            return {line.substr(0, space), std::atoi(line.c_str() + space + 1)};
        }
        pollfd p{fd_.get(), POLLIN, 0};
        if (::poll(&p, 1, kWaitMs) <= 0) return {};
        char buffer[4096];
        const ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
        if (n > 0) text_.append(buffer, static_cast<std::size_t>(n));
    }
}

void Fifo::open() {
    if (::write(fd_.get(), "x", 1) != 1) std::abort();
}

/// The log's thread starts with the first line and stays; it must not be counted as left over.
void startLogThread() {
    static const bool once = [] {
        logWarning("test", "the log's thread runs");
        return true;
    }();
    static_cast<void>(once);
}

RunnerBench::RunnerBench(unsigned slots, std::function<void(LauncherConfig&)> change)
    : fdsBefore_(openDescriptors() - Fifo::alive)
    , threadsBefore_((startLogThread(), threadCount())) {
    config_.dataDir = dir_.filePath("data").toStdString();
    config_.ownerToken = randomHex(16);
    config_.slots = slots;
    if (change) change(config_);
    auto started = LocalRunner::start(config_, [this](std::vector<Update> batch) {
        if (acknowledges)
            for (const Update& update : batch)
                if (const auto* end = std::get_if<Ended>(&update.what)) runner_->acknowledge(end->slot, update.id);
        if (onUpdates) onUpdates(batch);
        std::ranges::move(batch, std::back_inserter(seen));
    });
    if (!started) qFatal("%s", started.error().message.c_str());
    runner_ = std::move(*started);
}

RunnerBench::~RunnerBench() {
    runner_.reset();
    static_cast<void>(removeTree(config_.dataDir));
}

Lease RunnerBench::lease(std::int64_t lsn, std::vector<std::string> role) {
    Lease lease;
    lease.id = {Lsn(lsn), 1};
    lease.argv = std::move(role);
    lease.argv.insert(lease.argv.begin(), childProgram());
    lease.cwd = "/";
    return lease;
}

void RunnerBench::submit(Lease lease) {
    std::vector<Lease> batch;
    batch.push_back(std::move(lease));
    runner_->submit(std::move(batch));
}

bool RunnerBench::until(const std::function<bool()>& done) {
    const MonoTime end = MonoClock::now() + std::chrono::milliseconds(kWaitMs);
    while (!done()) {
        if (MonoClock::now() > end) return false;
        pollfd p{runner_->pollFd(), POLLIN, 0};
        // The time limit of poll is for conditions that other processes bring about, not for updates.
        if (::poll(&p, 1, 20) > 0) runner_->onReadable();
    }
    return true;
}

const Ended* RunnerBench::ended(std::int64_t lsn) {
    const auto find = [&]() -> const Ended* {
        for (const Update& update : seen)
            if (update.id.lsn.value == lsn)
                if (const auto* end = std::get_if<Ended>(&update.what)) return end;
        return nullptr;
    };
    until([&] { return find() != nullptr; });
    return find();
}

bool RunnerBench::isReturned(std::int64_t lsn) const {
    return !all<Returned>(lsn).empty();
}

const Started* RunnerBench::started(std::int64_t lsn) const {
    for (const Update& update : seen)
        if (update.id.lsn.value == lsn)
            if (const auto* what = std::get_if<Started>(&update.what)) return what;
    return nullptr;
}

bool RunnerBench::close(Duration grace) {
    runner_->shutDown(grace);
    const bool down = until([&] { return runner_->isDown(); });
    const std::size_t left = runner_->outstanding();
    runner_.reset();
    if (!down || left != 0) qWarning("the runner did not go down, %zu leases are left", left);
    const bool noProcess = eventually([&] { return ownedProcesses(config_.ownerToken).empty(); });
    const bool noChild = ::waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD;
    if (!noProcess || !noChild) qWarning("processes are left: %d, children: %d", !noProcess, !noChild);
    // Less than before is no leak: what a bench before this one left behind in the kernel ends when it ends.
    const auto descriptors = [] { return openDescriptors() - Fifo::alive; };
    const bool noDescriptor = eventually([&] { return descriptors() <= fdsBefore_; });
    if (!noDescriptor) qWarning("descriptors: %d before, %d after", fdsBefore_, descriptors());
    const bool noThread = eventually([&] { return threadCount() <= threadsBefore_; });
    if (!noThread) qWarning("threads: %d before, %d after", threadsBefore_, threadCount());
    return down && left == 0 && noProcess && noChild && noDescriptor && noThread;
}

namespace {
int entriesOf(const char* directory) {
    int count = 0;
    std::error_code err;
    for (auto it = std::filesystem::directory_iterator(directory, err); it != std::filesystem::directory_iterator();
         ++it)
        ++count;
    return count;
}
} // namespace

int openDescriptors() {
    return entriesOf("/proc/self/fd");
}
int threadCount() {
    return entriesOf("/proc/self/task");
}

std::vector<int> ownedProcesses(const std::string& token) {
    std::vector<int> found;
    for (const int pid : host::allProcesses()) {
        const auto stat = host::readStat(pid);
        if (stat && !stat->isDead() && host::readOwnerMark(pid, token).owned) found.push_back(pid);
    }
    return found;
}

bool isGone(int pid) {
    const auto stat = host::readStat(pid);
    return !stat || stat->isDead();
}

std::string textOf(const StreamResult& stream) {
    if (stream.path.empty()) return stream.bytes;
    auto text = readFile(stream.path, std::size_t{1} << 30);
    return text ? *text : std::string("(unreadable)");
}

std::string pattern(std::size_t bytes) {
    std::string text(bytes, '\0');
    for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 23);
    return text;
}

} // namespace yard::runners::test
