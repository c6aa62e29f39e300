#include "core/console/console.h"

#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/base/unique_fd.h"
#include "core/console/command_files.h"
#include "core/console/values.h"
#include "core/coro/events.h"
#include "core/coro/loop.h"
#include "core/coro/timeout.h"

#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace yard::console {

namespace {

constexpr Duration kAcceptBackoff = std::chrono::milliseconds(50);
constexpr Duration kUnwind = std::chrono::seconds(1);
constexpr int kBacklog = 16;

/// `path` in a directory that is open: a socket's address has 107 characters only.
sockaddr_un addressIn(int directory, const std::string& path) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    const std::string shortened = fmt::format("/proc/self/fd/{}/{}", directory, path.substr(path.rfind('/') + 1));
    std::strncpy(std::data(address.sun_path), shortened.c_str(), sizeof address.sun_path - 1);
    return address;
}

Result<UniqueFd> listenAt(const std::string& path) {
    struct stat there{};
    if (::lstat(path.c_str(), &there) == 0) {
        if (!S_ISSOCK(there.st_mode)) return fail(ErrorKind::Io, fmt::format("{} is there and is no socket", path));
        ::unlink(path.c_str()); // of a dead engine: ours holds the directory's lock
    }
    const UniqueFd directory(::open(path.substr(0, path.rfind('/')).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!directory || !fd) return failErrno("open the console's socket", errno);
    const sockaddr_un address = addressIn(directory.get(), path);
    ::fchmod(fd.get(), S_IRUSR | S_IWUSR); // the file gets it when it is made
    if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0 || ::listen(fd.get(), kBacklog) != 0)
        return failErrno(fmt::format("listen at {}", path), errno);
    return fd;
}

/// One who is at the prompt.
struct Guest {
    Guest(coro::Loop& loop, UniqueFd fd, std::uint64_t number_, pid_t process_)
        : watch(loop, std::move(fd))
        , number(number_)
        , process(process_) {}

    coro::FdWatch watch;
    const std::uint64_t number;
    const pid_t process;
    bool isProgram = false;
    bool isReadOnly = false;
    std::string received{};
    std::set<std::string> badFiles{}; ///< that are not run again
    std::optional<Interpreter> interpreter{};
};

std::optional<std::chrono::milliseconds> secondsFrom(const std::string& word) {
    constexpr double kLeast = 0.2;
    constexpr double kMost = 3'600;
    double seconds = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
    if (error != std::errc() || end != word.data() + word.size() || !(seconds >= kLeast && seconds <= kMost))
        return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000));
}

} // namespace

struct Console::Impl {
    explicit Impl(ConsoleOptions given)
        : options(std::move(given))
        , loop(coro::Loop::Options{.name = "console"}) {}

    void begin(UniqueFd fd);
    coro::Task<void> acceptAll(UniqueFd fd);
    coro::Task<void> take(UniqueFd fd);
    coro::Task<void> serve(UniqueFd fd, std::uint64_t number, pid_t process);
    coro::Task<bool> write(Guest& guest, std::string text);
    coro::Task<std::optional<std::string>> readLine(Guest& guest);
    coro::Task<bool> isHeard(Guest& guest, std::chrono::milliseconds limit);
    coro::Task<std::optional<bool>> run(Guest& guest, const std::string& line);
    coro::Task<bool> evaluate(Guest& guest, const std::string& line);
    coro::Task<bool> watchFor(Guest& guest, std::chrono::milliseconds pause, const std::string& expression);
    coro::Task<bool> finish(Guest& guest, bool isGood);
    coro::Task<Interpreter::Step> runStarted(Guest& guest);
    coro::Task<bool> load(Guest& guest, std::string& said);
    coro::Task<std::string> fresh(Guest& guest);
    coro::Task<ApiAnswer> ask(const Guest& guest, ApiRequest request);

    const ConsoleOptions options;
    coro::Loop loop;
    std::size_t open = 0;
    std::uint64_t nextNumber = 1;
    std::jthread thread;
};

void Console::Impl::begin(UniqueFd fd) {
    loop.spawn("console accept", acceptAll(std::move(fd)));
    loop.release();
    thread = std::jthread([this] {
        nameThisThread("console");
        loop.runForever();
        loop.shutdown(kUnwind);
        loop.release();
    });
}

coro::Task<void> Console::Impl::acceptAll(UniqueFd listening) {
    coro::FdWatch watch(coro::currentLoop(), std::move(listening));
    bool isWarned = false; // until one is taken again
    for (;;) {
        UniqueFd fd(::accept4(watch.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (fd) {
            isWarned = false;
            co_await take(std::move(fd));
            continue;
        }
        if (errno == EAGAIN || errno == ECONNABORTED || errno == EINTR) {
            const int error = co_await watch.readable();
            if (error != 0) co_return;
            continue;
        }
        if (!std::exchange(isWarned, true))
            logWarning("console", "cannot take a connection: {}",
                       std::strerror(errno)); // NOLINT(concurrency-mt-unsafe)
        co_await coro::sleepFor(kAcceptBackoff);
    }
}

coro::Task<void> Console::Impl::take(UniqueFd fd) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != options.user) {
        logWarning("console", "user {} (process {}) was refused: the console is its owner's alone", peer.uid,
                   peer.pid);
        co_return;
    }
    if (open >= options.connections) {
        const std::string sentence =
            fmt::format("{} consoles are open already; close one of them.\n", options.connections);
        (void)::send(fd.get(), sentence.data(), sentence.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        co_return;
    }
    ++open;
    const std::uint64_t number = nextNumber++;
    coro::spawn(fmt::format("console {}", number), serve(std::move(fd), number, peer.pid));
}

coro::Task<bool> Console::Impl::write(Guest& guest, std::string text) {
    std::string_view left = text;
    while (!left.empty()) {
        const ssize_t sent = ::send(guest.watch.fd(), left.data(), left.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            left.remove_prefix(static_cast<std::size_t>(sent));
            continue;
        }
        if (sent < 0 && errno == EINTR) continue;
        if (sent == 0 || errno != EAGAIN) co_return false;
        const std::optional<int> ready = co_await coro::within(options.writeStall, guest.watch.writable());
        if (!ready || *ready != 0) co_return false;
    }
    co_return true;
}

/// Nothing: the client has gone, or its line is too long.
coro::Task<std::optional<std::string>> Console::Impl::readLine(Guest& guest) {
    for (;;) {
        if (const std::size_t end = guest.received.find('\n'); end != std::string::npos) {
            std::string line = guest.received.substr(0, end);
            guest.received.erase(0, end + 1);
            if (line.ends_with('\r')) line.pop_back();
            co_return line;
        }
        if (guest.received.size() > options.lineBytes) {
            const std::string sentence = fmt::format("error: a line has {} bytes at most\n", options.lineBytes);
            (void)co_await write(guest, sentence);
            co_return std::nullopt;
        }
        std::array<char, 4096> bytes{};
        const ssize_t size = ::recv(guest.watch.fd(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size > 0) {
            guest.received.append(bytes.data(), static_cast<std::size_t>(size));
            continue;
        }
        if (size < 0 && errno == EINTR) continue;
        if (size == 0 || errno != EAGAIN) {
            // The last line of a file need not end.
            if (size == 0 && !guest.received.empty()) co_return std::exchange(guest.received, {});
            co_return std::nullopt;
        }
        const int error = co_await guest.watch.readable();
        if (error != 0) co_return std::nullopt;
    }
}

/// Whether something came, or it went, within this time.
coro::Task<bool> Console::Impl::isHeard(Guest& guest, std::chrono::milliseconds limit) {
    if (!guest.received.empty()) co_return true;
    const std::optional<int> ready = co_await coro::within(limit, guest.watch.readable());
    if (!ready) co_return false;
    char byte = 0;
    const ssize_t size = ::recv(guest.watch.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    co_return size >= 0 || errno != EAGAIN;
}

coro::Task<ApiAnswer> Console::Impl::ask(const Guest& guest, ApiRequest request) {
    const std::string what = request.method + " " + request.path;
    const bool changes = request.method != "GET";
    if (changes && guest.isReadOnly)
        co_return ApiAnswer{.status = 403,
                            .body = R"({"message":"this console is read-only until changes are allowed"})"};
    std::optional<ApiAnswer> answer = co_await coro::within(options.answer, options.ask(std::move(request)));
    if (!answer) answer = ApiAnswer{.status = 0, .body = "the engine did not answer in time"};
    if (changes) {
        std::string shown;
        appendPrintable(shown, what);
        logInfo("console", "console {} (process {}): {}: {}", guest.number, guest.process, shown, answer->status);
    }
    co_return std::move(*answer);
}

coro::Task<Interpreter::Step> Console::Impl::runStarted(Guest& guest) {
    for (;;) {
        const Interpreter::Step step = guest.interpreter->resume();
        if (step == Interpreter::Step::Paused) {
            co_await coro::yieldNow();
        } else if (step == Interpreter::Step::Asks) {
            ApiAnswer answer = co_await ask(guest, guest.interpreter->request());
            guest.interpreter->answer(std::move(answer));
        } else {
            co_return step;
        }
    }
}

/// Runs the files in a new state; false: one of them harmed it, and is not run again.
coro::Task<bool> Console::Impl::load(Guest& guest, std::string& said) {
    guest.interpreter.emplace(options.line);
    for (CommandFile& file : commandFiles(options.commands)) {
        if (guest.badFiles.contains(file.name)) continue;
        if (!file.problem.empty()) {
            guest.badFiles.insert(file.name);
            said += fmt::format("{} {}\n", file.name, file.problem);
            continue;
        }
        Helps helps = commandHelps(file.text);
        guest.interpreter->startFile(file.name, std::move(file.text), std::move(helps));
        const Interpreter::Step step = co_await runStarted(guest);
        said += guest.interpreter->takeOutput();
        if (step != Interpreter::Step::Failed) continue;
        guest.badFiles.insert(file.name);
        said += fmt::format("{}: {}\n", file.name, guest.interpreter->error());
        if (guest.interpreter->isSpent()) co_return false;
    }
    co_return true;
}

/// A new state, with the commands of files; what is to be said of those.
coro::Task<std::string> Console::Impl::fresh(Guest& guest) {
    std::string said;
    for (;;) {
        const bool loaded = co_await load(guest, said);
        if (loaded) co_return said;
    }
}

coro::Task<bool> Console::Impl::finish(Guest& guest, bool isGood) {
    if (!guest.isProgram) co_return co_await write(guest, std::string(kPrompt));
    co_return co_await write(guest, fmt::format("{}{}\n", kAnswerEnd, isGood ? "ok" : "error"));
}

/// Runs one line and writes what it says: whether it went well. Nothing: the client has gone.
coro::Task<std::optional<bool>> Console::Impl::run(Guest& guest, const std::string& line) {
    if (guest.interpreter->isSpent()) (void)co_await fresh(guest);
    guest.interpreter->start(line);
    const Interpreter::Step step = co_await runStarted(guest);
    const bool isGood = step == Interpreter::Step::Done;
    std::string said = guest.interpreter->takeOutput();
    if (!isGood) said += fmt::format("error: {}\n", guest.interpreter->error());
    const bool written = co_await write(guest, std::move(said));
    co_return written ? std::optional(isGood) : std::nullopt;
}

/// False: the client has gone.
coro::Task<bool> Console::Impl::evaluate(Guest& guest, const std::string& line) {
    const std::optional<bool> isGood = co_await run(guest, line);
    if (!isGood) co_return false;
    co_return co_await finish(guest, *isGood);
}

/// Until the client says something or goes.
coro::Task<bool> Console::Impl::watchFor(Guest& guest, std::chrono::milliseconds pause,
                                         const std::string& expression) {
    for (;;) {
        const std::optional<bool> isGood = co_await run(guest, expression);
        if (!isGood) co_return false;
        bool stops = !*isGood;
        if (!stops) stops = co_await isHeard(guest, pause);
        if (stops) co_return co_await finish(guest, *isGood);
    }
}

coro::Task<void> Console::Impl::serve(UniqueFd fd, std::uint64_t number, pid_t process) {
    struct Leave {
        std::size_t& open;
        ~Leave() { --open; }
    } const leave{open};
    Guest guest(coro::currentLoop(), std::move(fd), number, process);
    logInfo("console", "console {} is opened by process {}", number, process);
    std::string said = co_await fresh(guest);
    said.insert(0, options.greeting.empty() ? std::string() : options.greeting + "\n");
    bool isThere = co_await write(guest, std::move(said) + std::string(kPrompt));
    while (isThere) {
        const std::optional<std::string> line = co_await readLine(guest);
        if (!line) break;
        const std::vector<std::string> words = wordsOf(*line);
        if (*line == kForPrograms) {
            guest.isProgram = true;
            isThere = co_await finish(guest, true);
        } else if (*line == kReadOnly || *line == kChanges) {
            guest.isReadOnly = *line == kReadOnly;
            isThere = co_await finish(guest, true);
        } else if (line->find_first_not_of(" \t") == std::string::npos) {
            isThere = co_await finish(guest, true);
        } else if (words.size() == 1 && (words.front() == "exit" || words.front() == "quit")) {
            break;
        } else if (const auto pause =
                       words.size() == 3 && words.front() == "watch" ? secondsFrom(words[1]) : std::nullopt) {
            isThere = co_await watchFor(guest, *pause, words[2]);
        } else {
            isThere = co_await evaluate(guest, *line);
        }
    }
    logInfo("console", "console {} is closed", number);
}

Result<std::unique_ptr<Console>> Console::start(ConsoleOptions options) {
    auto fd = listenAt(options.socket);
    if (!fd) return std::unexpected(std::move(fd.error()));
    try {
        auto impl = std::make_unique<Impl>(std::move(options));
        impl->begin(std::move(*fd));
        return std::unique_ptr<Console>(new Console(std::move(impl)));
    } catch (const std::runtime_error& problem) {
        return fail(ErrorKind::Io, fmt::format("the console's thread cannot be started ({})", problem.what()));
    }
}

Console::Console(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

Console::~Console() {
    stop();
}

void Console::stop() {
    if (!impl_->thread.joinable()) return;
    impl_->loop.stop();
    impl_->thread.join();
    ::unlink(impl_->options.socket.c_str());
}

} // namespace yard::console
