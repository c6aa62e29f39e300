#include "app/yardmaster/windowed.h"

#include "app/yardmaster/signal_to.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/open_files.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <thread>
#include <unistd.h>

namespace yard::app {

namespace {

constexpr int kFailure = 1;
constexpr int kDirectoryInUse = 3;

/// What Qt is told as its command line: our own is read already.
class QtArguments {
public:
    explicit QtArguments(std::string platform)
        : platform_(std::move(platform)) {
        if (platform_.empty()) return;
        arguments_[1] = option_.data();
        arguments_[2] = platform_.data();
    }
    int count() const { return arguments_[1] == nullptr ? 1 : 3; }
    char** data() { return arguments_.data(); }

private:
    std::string program_ = "yardmaster";
    std::string option_ = "-platform";
    std::string platform_;
    std::array<char*, 4> arguments_{program_.data(), nullptr, nullptr, nullptr};
};

int complain(const std::string& sentence) {
    flushLog();
    std::fputs(fmt::format("yardmaster: {}\n", sentence).c_str(), stderr);
    return kFailure;
}

/// Beside the program as it is built, or where it is installed: the folder may be moved as a whole.
std::string modulePath(const std::filesystem::path& programs) {
    std::error_code error;
    const std::filesystem::path installed = programs.parent_path() / "lib" / "yardmaster" / kWindowModule;
    const std::filesystem::path built = programs / kWindowModule;
    return (!std::filesystem::exists(built, error) && std::filesystem::exists(installed, error) ? installed : built)
        .string();
}

Result<RunWindow> loadModule() {
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::string path = modulePath(self.parent_path());
    void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr)
        return fail(ErrorKind::Io, fmt::format("the window cannot be loaded ({}); use --headless.", ::dlerror()));
    void* symbol = ::dlsym(module, kRunWindow);
    if (symbol == nullptr)
        return fail(ErrorKind::Io, fmt::format("{} is not the window of this program; build it again.", path));
    return reinterpret_cast<RunWindow>(symbol);
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

Result<std::string> fileText(const std::string& path) {
    constexpr std::size_t kMost = 4'096;
    auto text = readFile(path, kMost);
    if (!text) return std::unexpected(text.error());
    return trimmed(std::move(*text));
}

/// The engine that has the data directory, as it wrote itself down, whatever the arguments are here.
Result<Served> engineOf(const Arguments& arguments) {
    auto url = fileText(arguments.dataDir + "/address");
    if (!url) return std::unexpected(url.error());
    auto token = fileText(arguments.dataDir + "/token");
    if (!token) return std::unexpected(token.error());
    const std::size_t end = std::min(url->find('\n'), url->size());
    return Served{.url = apiOfPublished(url->substr(0, end)).url(),
                  .token = *token,
                  .fingerprint = trimmed(url->substr(std::min(end + 1, url->size()))),
                  .dataDir = arguments.dataDir};
}

Result<Served> engineAt(const Arguments& arguments) {
    Served served{.url = apiOfWritten(arguments.attach, arguments.prefix).url(),
                  .token = {},
                  .tokenFile = arguments.tokenFile};
    if (arguments.tokenFile.empty()) return served;
    auto token = fileText(arguments.tokenFile);
    if (!token) return std::unexpected(token.error());
    served.token = *token;
    return served;
}

/// What is told before the window listens waits for it. Any thread.
class Telling {
public:
    void listen(WindowListener listener) {
        const ThreadLock lock(mutex_);
        listener_ = std::move(listener);
        if (served_) listener_->serving(*served_);
        if (sentence_) listener_->failed(*sentence_);
        if (quit_) listener_->quit();
    }
    void serving(const Served& served) {
        const ThreadLock lock(mutex_);
        served_ = served;
        if (listener_) listener_->serving(served);
    }
    void failed(const std::string& sentence) {
        const ThreadLock lock(mutex_);
        sentence_ = sentence;
        if (listener_) listener_->failed(sentence);
    }
    void quit() {
        const ThreadLock lock(mutex_);
        quit_ = true;
        if (listener_) listener_->quit();
    }
    /// The window has gone: nothing is told any more.
    void deafen() {
        const ThreadLock lock(mutex_);
        listener_.reset();
    }

private:
    ThreadMutex mutex_;
    std::optional<WindowListener> listener_ YARD_GUARDED_BY(mutex_);
    std::optional<Served> served_ YARD_GUARDED_BY(mutex_);
    std::optional<std::string> sentence_ YARD_GUARDED_BY(mutex_);
    bool quit_ YARD_GUARDED_BY(mutex_) = false;
};

bool awaitEither(int first, int second) {
    std::array<pollfd, 2> fds{{{first, POLLIN, 0}, {second, POLLIN, 0}}};
    while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
    }
    return fds[0].revents != 0;
}

WindowHost hostFor(Telling& telling) {
    return {.listening = [&telling](WindowListener listener) { telling.listen(std::move(listener)); },
            .openFiles = openFilesAtStart().value_or(0)};
}

/// Without an engine here: the window until it is closed or a signal comes.
int showOnly(RunWindow run, QtArguments& qt, int signals, const Served& served) {
    const UniqueFd closed(::eventfd(0, EFD_CLOEXEC));
    Telling telling;
    telling.serving(served);
    int code = 0;
    {
        const std::jthread watcher([&] {
            if (awaitEither(signals, closed.get())) telling.quit();
        });
        code = run(qt.count(), qt.data(), hostFor(telling));
        telling.deafen();
        signalTo(closed.get());
    }
    return code;
}

} // namespace

int runWithWindow(const Arguments& arguments, int signals, std::string platform, const Serve& serve) {
    QtArguments qt(std::move(platform));
    auto run = loadModule();
    if (!run) return complain(run.error().message);
    if (!arguments.attach.empty()) {
        auto served = engineAt(arguments);
        return served ? showOnly(*run, qt, signals, *served) : complain(served.error().message);
    }
    const UniqueFd end(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    Telling telling;
    std::atomic<int> code = 0;
    int windowCode = 0;
    {
        const std::jthread engine([&] {
            ServeHooks hooks{[&](const Served& served) { telling.serving(served); },
                             [&](const std::string& sentence) { telling.failed(sentence); }, end.get()};
            code = serve(arguments, signals, hooks);
            if (code == kDirectoryInUse) {
                // The window then shows the engine that is there.
                if (auto other = engineOf(arguments)) {
                    code = 0;
                    telling.serving(*other);
                    awaitEither(signals, end.get());
                } else {
                    telling.failed(other.error().message);
                }
            }
            // Why it failed stays in the window until that is closed.
            if (code != 0) awaitEither(signals, end.get());
            telling.quit();
        });
        windowCode = (*run)(qt.count(), qt.data(), hostFor(telling));
        telling.deafen();
        signalTo(end.get());
    }
    return code != 0 ? code.load() : windowCode;
}

} // namespace yard::app
