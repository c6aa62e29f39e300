// yardmaster: the engine and its API in one process, with a window or without. Main opens the engine, starts the
// server, and then only waits for a signal, the session's sunset, or the end of its window.
#include "app/yardmaster/arguments.h"
#include "app/yardmaster/backing_up.h"
#include "app/yardmaster/console_door.h"
#include "app/yardmaster/display.h"
#include "app/yardmaster/entering.h"
#include "app/yardmaster/example_loading.h"
#include "app/yardmaster/pilot.h"
#include "app/yardmaster/service_manager.h"
#include "app/yardmaster/signal_to.h"
#include "app/yardmaster/stdio_link.h"
#include "app/yardmaster/watchdog.h"
#include "app/yardmaster/windowed.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/open_files.h"
#include "core/base/unique_fd.h"
#include "core/console/command_files.h"
#include "core/console/console.h"
#include "core/engine/engine.h"
#include "core/http/api.h"
#include "core/http/closing.h"
#include "core/http/machine_door.h"
#include "core/http/server.h"
#include "core/launcher/launcher.h"
#include "core/tls/server_tls.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <malloc.h>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

using namespace yard;

enum ExitCode : int { kFine = 0, kFailure = 1, kUsage = 2, kDirectoryInUse = 3, kCannotListen = 4 };

int complain(int code, const std::string& sentence) {
    flushLog();
    std::fputs(fmt::format("yardmaster: {}\n", sentence).c_str(), stderr);
    return code;
}

/// A full disk is somebody's to clear, and one that is not need not be this one.
std::string withAdvice(const Error& error, const std::string& dataDir) {
    if (error.kind != ErrorKind::NoSpace) return error.message;
    return fmt::format("{}: the disk with the data directory {} is full; free some space there, or give another "
                       "directory with --data-dir",
                       error.message, dataDir);
}

/// SIGTERM, SIGINT, SIGHUP and SIGUSR2 (Slurm's notice before the end of a job's time) as a descriptor, for all threads that follow. A closed client is no signal either.
UniqueFd blockSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// With fewer it would fail somewhere in the middle.
Result<void> checkDescriptors() {
    constexpr rlim_t kNeeded = 64;
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= kNeeded) return {};
    return fail(ErrorKind::Invalid,
                fmt::format("only {} files may be open at once, and it takes {}: raise the hard limit "
                            "(ulimit -Hn), then start again.",
                            files.rlim_cur, kNeeded));
}

bool isReadable(const pollfd& fd) {
    return (fd.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

void takeSignal(int fd) {
    signalfd_siginfo info{};
    while (::read(fd, &info, sizeof info) == sizeof info)
        logInfo("main", "signal {} from process {}", info.ssi_signo, info.ssi_pid);
}

/// What the yard said that does not want this machine (--join). Told on the engine thread, read by main after that.
class Refusal {
public:
    void tell(const std::string& sentence) {
        sentence_ = sentence;
        app::signalTo(fd_.get());
    }
    int fd() const { return fd_.get(); }
    /// Nothing: nobody refused it. Once the engine thread has ended.
    const std::string& sentence() const { return sentence_; }

private:
    UniqueFd fd_{::eventfd(0, EFD_CLOEXEC)};
    std::string sentence_;
};

/// Until a signal comes, the session is sunset, the yard refuses this machine, nothing is to be done any more, or the
/// window or the engine that started this by ssh has gone. Each but `signals` may be -1.
void waitForEnd(int signals, std::array<int, 5> others) {
    std::array<pollfd, 6> fds{{{signals, POLLIN, 0}}};
    std::ranges::transform(others, fds.begin() + 1, [](int fd) { return pollfd{fd, POLLIN, 0}; });
    while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
    }
    if (isReadable(fds[0])) takeSignal(signals);
}

/// The engine that had the directory before may just be about to close its door: it lets go of that last.
Result<http::ListeningSocket> listenPatiently(const http::ListenAddress& address) {
    constexpr auto kPatience = std::chrono::seconds(1);
    constexpr auto kPause = std::chrono::milliseconds(20);
    const MonoTime until = MonoClock::now() + kPatience;
    for (;;) {
        auto socket = http::Server::listen(address);
        if (socket || socket.error().sysErrno != EADDRINUSE || MonoClock::now() >= until) return socket;
        std::this_thread::sleep_for(kPause);
    }
}

/// Who comes to the door while everything behind it goes down is told so. Few at once, and none for long.
Result<std::unique_ptr<http::Server>> serveTheEnd(http::Server& server, http::Handler& closing,
                                                  std::shared_ptr<tls::ServerTls> tls) {
    http::Limits limits;
    limits.maxConnections = 64;
    limits.idle = std::chrono::seconds(1);
    limits.stop = std::chrono::milliseconds(300);
    limits.certificate = std::chrono::hours(1); // nobody publishes a new one any more
    return http::Server::startOn(server.handOver(), closing, limits, std::move(tls));
}

struct Serving {
    engine::Engine& engine;
    http::Api& api;
    http::Server& server;
    http::ClosingHandler& closing;
    std::shared_ptr<tls::ServerTls> tls;
};

/// Everything down, gently; a further signal makes it hurry.
void closeDown(int signals, const Serving& serving) {
    const UniqueFd done(::eventfd(0, EFD_CLOEXEC));
    engine::Engine& engine = serving.engine;
    std::jthread closer([&] {
        serving.api.beginSunset();
        const auto last = serveTheEnd(serving.server, serving.closing, serving.tls);
        if (!last) logWarning("main", "nobody is told that the engine ends: {}", last.error().message);
        serving.server.stop();
        engine.close();
        if (last) (*last)->stop();
        app::signalTo(done.get());
    });
    for (;;) {
        std::array<pollfd, 2> fds{{{signals, POLLIN, 0}, {done.get(), POLLIN, 0}}};
        if (::poll(fds.data(), fds.size(), -1) < 0) continue;
        if (isReadable(fds[1])) return;
        takeSignal(signals);
        engine.hurry();
    }
}

/// What it shows to clients; null: plain HTTP, which is for this machine alone unless it was asked for.
Result<std::shared_ptr<tls::ServerTls>> tlsFor(const app::Arguments& arguments,
                                               const http::ListenAddress& address) {
    if (!arguments.tlsCert.empty())
        return tls::ServerTls::of({.certificate = arguments.tlsCert, .key = arguments.tlsKey});
    if (http::isLoopback(address) || arguments.insecure) return nullptr;
    return tls::ServerTls::own(arguments.dataDir + "/tls");
}

/// What has to be there before the engine begins to work.
struct Door {
    std::optional<Result<http::ListeningSocket>> socket{};
    std::shared_ptr<tls::ServerTls> tls{};

    Result<void> open(const app::Arguments& arguments, const http::ListenAddress& address) {
        auto shown = tlsFor(arguments, address);
        if (!shown) return std::unexpected(shown.error());
        tls = std::move(*shown);
        socket.emplace(listenPatiently(address));
        return *socket ? Result<void>() : std::unexpected(socket->error());
    }
};

/// On stdout, for programs; what people should know goes to stderr.
void announce(const std::string& url, const std::string& fingerprint, bool insecure) {
    std::fputs(fmt::format("listening on {}\n", url).c_str(), stdout);
    if (!fingerprint.empty()) std::fputs(fmt::format("fingerprint {}\n", fingerprint).c_str(), stdout);
    std::fflush(stdout);
    if (insecure)
        std::fputs(
            "yardmaster: it serves plain HTTP beyond this machine: others can read along, tokens too. Without "
            "--insecure it serves TLS.\n",
            stderr);
}

/// The engine that this machine is to work for, if any.
std::optional<engine::JoinOptions> joinOf(const app::Arguments& arguments, Refusal& refusal) {
    if (arguments.join.empty()) return std::nullopt;
    return engine::JoinOptions{.url = arguments.join,
                               .token = arguments.joinToken,
                               .insecure = arguments.insecure,
                               .refused = [&refusal](const std::string& sentence) { refusal.tell(sentence); }};
}

/// The back door. The engine works without it; then the log says why.
std::unique_ptr<console::Console> openConsole(engine::Engine& engine, app::ConsoleDoor door) {
    auto opened = console::Console::start(
        {.socket = engine.dataDir() + "/backdoor.sock",
         .commands = console::commandDirectory(),
         .greeting = "Yardmaster " YARD_VERSION ". A line is a command or Lua; help lists the commands.",
         .ask = app::askBy(std::move(door)),
         .user = ::geteuid()});
    if (!opened) {
        logWarning("main", "there is no console: {}", opened.error().message);
        return nullptr;
    }
    return std::move(*opened);
}

/// How the window reaches this engine.
app::Served servedHere(const app::Arguments& arguments, const std::string& url, const engine::Engine& engine,
                       const std::string& fingerprint) {
    return {.url = url + arguments.prefix,
            .token = engine.token(),
            .fingerprint = fingerprint,
            .embedded = true,
            .dataDir = arguments.dataDir,
            .tokenFile = arguments.tokenFile};
}

/// `refusal` outlives the engine.
engine::Options optionsOf(const app::Arguments& arguments, Refusal& refusal) {
    engine::Options options;
    options.dataDir = arguments.dataDir;
    options.tokenFile = arguments.tokenFile;
    options.noSandbox = arguments.noSandbox;
    options.hooksDir = arguments.hooks;
    options.plugins = arguments.plugins;
    options.set = arguments.set;
    options.serves = arguments.serves;
    options.takesYards = arguments.takesYards;
    options.name = arguments.name;
    options.bundle = arguments.bundle;
    options.mayProbeCloud = arguments.headless;
    options.hasWindow = !arguments.headless;
    options.join = joinOf(arguments, refusal);
    return options;
}

http::ApiOptions apiFor(const app::Arguments& arguments, http::MachineDoor& links,
                        std::shared_ptr<tls::ServerTls> tls, bool insecure) {
    http::ApiOptions api;
    api.links = &links;
    api.prefix = arguments.prefix;
    api.allowHosts = arguments.allowHosts;
    api.tls = std::move(tls);
    api.insecure = insecure;
    return api;
}

/// For who comes while everything goes down.
http::ClosingHandler closingFor(const app::Arguments& arguments, engine::Engine& engine) {
    return {engine.token(), arguments.allowHosts, arguments.dataDir + std::string(http::Tokens::kFile),
            arguments.dataDir + std::string(http::JoinTokens::kFile), &engine.pilotTickets()};
}

/// Until a signal comes, the engine was told to end, a pilot has nothing to do, or one of these can be read (-1: none).
void workUntilEnd(const app::Arguments& arguments, const app::ServiceManager& manager, engine::Engine& engine,
                  int signals, const std::array<int, 3>& others) {
    {
        const app::Watchdog watchdog(manager, engine);
        const app::Pilot pilot(engine, {.idle = arguments.idleExit, .lifetime = arguments.lifetime});
        waitForEnd(signals, {engine.sunsetFd(), pilot.fd(), others[0], others[1], others[2]});
    }
    manager.ending();
}

/// `stdio`: of the engine that started this by ssh, if one did.
int serve(const app::Arguments& arguments, const app::ServiceManager& manager, int signals,
          const app::ServeHooks& hooks, std::optional<app::StdioEnds> stdio = std::nullopt) {
    const auto complain = [&hooks](int code, const std::string& sentence) {
        if (hooks.failed && code != kDirectoryInUse) hooks.failed(sentence);
        return ::complain(code, sentence);
    };
    const auto address = http::parseListenAddress(arguments.listen);
    if (!address) return complain(kUsage, address.error().message);
    Refusal refusal;
    engine::Options options = optionsOf(arguments, refusal);
    // Before the engine begins to work: a port in use must not cost its actions an attempt.
    Door door;
    options.onOwned = [&] { return door.open(arguments, *address); };
    auto engine = engine::Engine::open(std::move(options));
    if (door.socket && !*door.socket) return complain(kCannotListen, door.socket->error().message);
    if (!engine)
        return complain(engine.error().kind == ErrorKind::AtLimit ? kDirectoryInUse : kFailure,
                        withAdvice(engine.error(), arguments.dataDir));
    http::MachineDoor links(**engine);
    const bool insecure = !door.tls && !http::isLoopback(*address);
    http::Api handler(**engine, apiFor(arguments, links, door.tls, insecure));
    const std::string url = http::Server::urlOf(**door.socket, door.tls != nullptr);
    const auto publish = [&](const std::string& fingerprint) {
        return (*engine)->publishAddress(publishedAddress(url, arguments.prefix), fingerprint);
    };
    if (door.tls)
        door.tls->onChanged = [&](const std::string& fingerprint) {
            if (auto published = publish(fingerprint); !published)
                logWarning("main", "{}", published.error().message);
        };
    auto server = http::Server::startOn(std::move(**door.socket), handler, {}, door.tls);
    if (!server) return complain(kCannotListen, server.error().message);
    handler.showServer(**server);
    const std::string fingerprint = door.tls ? door.tls->fingerprint() : std::string();
    if (auto published = publish(fingerprint); !published) return complain(kFailure, published.error().message);
    const app::ConsoleDoor inside{.server = **server,
                                  .handler = handler,
                                  .prefix = arguments.prefix,
                                  .token = (*engine)->token(),
                                  .secure = door.tls != nullptr};
    auto backDoor = openConsole(**engine, inside);
    std::optional<app::StdioLink> byStdio; // until the engine has said its last
    if (stdio) {
        byStdio.emplace(**engine, std::move(*stdio));
        if (!byStdio->ok()) return complain(kFailure, "the engine that started this could not be answered");
    } else {
        announce(url, fingerprint, insecure);
    }
    if (arguments.example) app::beginExample(inside);
    if (hooks.serving) hooks.serving(servedHere(arguments, url, **engine, fingerprint));
    manager.serving(url);
    workUntilEnd(arguments, manager, **engine, signals, {refusal.fd(), hooks.endFd, byStdio ? byStdio->fd() : -1});
    backDoor.reset(); // before what it asks
    http::ClosingHandler closing = closingFor(arguments, **engine);
    closeDown(signals, {**engine, handler, **server, closing, door.tls});
    if (!refusal.sentence().empty())
        return complain(kFailure,
                        fmt::format("{} does not want this machine: {}", arguments.join, refusal.sentence()));
    return kFine;
}

/// What --link-stdio does: the directory is the other engine's own, unless one was given.
int serveByStdio(app::Arguments arguments, const app::ServiceManager& manager, int signals) {
    constexpr auto kLimit = std::chrono::seconds(20);
    auto ends = app::takeStdio(kLimit);
    if (!ends) return complain(ends.error().kind == ErrorKind::Invalid ? kUsage : kFailure, ends.error().message);
    if (arguments.dataDir.empty()) arguments.dataDir = defaultDataDirectory() + "/" + ends->directory();
    const int code = serve(arguments, manager, signals, {}, std::move(*ends));
    flushLog();
    return code;
}

/// Why --attach can show nothing.
std::string whyNoWindow(const app::Display& display) {
    return fmt::format("--attach opens the window on an engine elsewhere, and {}; use yardctl --url instead.",
                       display.silent.empty() ? "there is no display here"
                                              : fmt::format("the display {} does not answer", display.silent));
}

} // namespace

int main(int argc, char** argv) {
    if (const auto launched = runners::runLauncherIfAsked(argc, argv)) return *launched;
    // Threads free each other's strings: two arenas keep the memory of an idle engine small.
    ::mallopt(M_ARENA_MAX, 2);
    const auto manager = app::ServiceManager::fromEnvironment();
    const auto parsed = app::parseArguments(argc, argv);
    if (const auto* exit = std::get_if<app::EarlyExit>(&parsed)) {
        std::fputs(exit->text.c_str(), exit->code == 0 ? stdout : stderr);
        return exit->code;
    }
    const auto& arguments = std::get<app::Arguments>(parsed);
    if (!arguments.enter.empty()) return app::enter(arguments.enter, arguments.enterWith);
    if (!arguments.backup.empty()) return app::backUp(arguments.dataDir, arguments.backup);
    if (!arguments.restore.empty()) return app::restoreFrom(arguments.restore, arguments.dataDir);
    raiseOpenFiles();
    if (auto enough = checkDescriptors(); !enough) return complain(kFailure, enough.error().message);
    const UniqueFd signals = blockSignals();
    if (!signals) return complain(kFailure, "signalfd is not to be had on this system.");
    if (arguments.linkStdio) return serveByStdio(arguments, manager, signals.get());
    app::Display display = arguments.headless ? app::Display{} : app::findDisplay();
    if (!display.answers && !arguments.attach.empty()) return complain(kFailure, whyNoWindow(display));
    if (!display.silent.empty())
        logWarning("window", "the display {} does not answer: it goes on without a window", display.silent);
    const auto serveHere = [&manager](const app::Arguments& asked, int ends, const app::ServeHooks& hooks) {
        return serve(asked, manager, ends, hooks);
    };
    const int code = display.answers
                         ? app::runWithWindow(arguments, signals.get(), std::move(display.platform), serveHere)
                         : serveHere(arguments, signals.get(), {});
    flushLog();
    return code;
}
