// yardctl run: one exec action, its output as it comes, its exit code.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "app/yardctl/signal_watch.h"
#include "core/base/environment.h"
#include "core/base/hash.h"
#include "core/model/action_spec.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr int kSignalBase = 128;

/// JSON holds text only; a path that is not UTF-8 cannot go through it unharmed.
Outcome<json::string> text(const std::string& bytes, std::string_view what) {
    if (isUtf8(bytes)) return json::string(bytes);
    return usageError(fmt::format("{} is not valid UTF-8: {}", what, printable(bytes)));
}

Outcome<json::array> texts(const std::vector<std::string>& list, std::string_view what) {
    json::array out;
    for (const std::string& item : list) {
        auto value = text(item, what);
        if (!value) return std::unexpected(value.error());
        out.emplace_back(std::move(*value));
    }
    return out;
}

Outcome<json::object> environment(const std::vector<std::string>& settings) {
    json::object out;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        const std::string name = setting.substr(0, equals);
        const auto here = equals == std::string::npos ? yard::environment(name.c_str()) : std::nullopt;
        if (name.empty() || (equals == std::string::npos && !here))
            return usageError(fmt::format("--env wants K=V, or the name of a variable that is set here, not '{}'",
                                          printable(setting)));
        auto value = text(here ? *here : setting.substr(equals + 1), "a variable");
        if (!value) return std::unexpected(value.error());
        out[name] = std::move(*value);
    }
    return out;
}

Outcome<json::string> workingDirectory(const Arguments& arguments) {
    std::error_code ec;
    const auto here = std::filesystem::current_path(ec);
    if (ec) return failed(fmt::format("cannot tell the current directory: {}; name one with --cwd", ec.message()));
    const std::string path = (here / arguments.value("cwd").value_or("")).lexically_normal().string();
    return text(path.size() > 1 && path.ends_with('/') ? path.substr(0, path.size() - 1) : path, "the directory");
}

Outcome<void> addNumbers(json::object& action, const Arguments& arguments) {
    if (const auto word = arguments.value("priority")) {
        auto value = parseInteger(*word, "--priority");
        if (!value) return std::unexpected(value.error());
        action["priority"] = *value;
    }
    action["max_retries"] = 0; // as typed into a shell: once
    if (const auto word = arguments.value("retries")) {
        auto value = parseInteger(*word, "--retries");
        if (!value) return std::unexpected(value.error());
        action["max_retries"] = *value;
    }
    if (const auto word = arguments.value("deadline")) {
        auto value = parseDuration(*word);
        if (!value) return std::unexpected(value.error());
        action["deadline_s"] = *value;
    }
    json::object resources;
    for (const auto& [option, member] : {std::pair("cores", "cores"), std::pair("memory-mb", "memory_mb")}) {
        const auto word = arguments.value(option);
        if (!word) continue;
        auto value = parseInteger(*word, fmt::format("--{}", option));
        if (!value) return std::unexpected(value.error());
        resources[member] = *value;
    }
    if (!resources.empty()) action["resources"] = std::move(resources);
    if (const auto words = arguments.values("after"); !words.empty()) {
        auto lsns = parseLsns(words);
        if (!lsns) return std::unexpected(lsns.error());
        action["after"] = json::array(lsns->begin(), lsns->end());
    }
    return {};
}

/// The program and its arguments, or the shell with its line; what follows the line are the line's $0, $1, ...
Outcome<std::vector<std::string>> commandOf(const Arguments& arguments) {
    std::vector<std::string> words = arguments.operands();
    const auto line = arguments.value("command");
    if (!line && words.empty()) return usageError("'run' wants a program, or a line for the shell with -c");
    if (line) words.insert(words.begin(), {"/bin/sh", "-c", std::string(*line)});
    return words;
}

Outcome<std::string> actionText(const Arguments& arguments) {
    json::object action{{"worker", "exec"}};
    const auto command = commandOf(arguments);
    if (!command) return std::unexpected(command.error());
    auto argv = texts(*command, "an argument");
    if (!argv) return std::unexpected(argv.error());
    action["argv"] = std::move(*argv);
    auto cwd = workingDirectory(arguments);
    if (!cwd) return std::unexpected(cwd.error());
    action["cwd"] = std::move(*cwd);
    if (const auto settings = arguments.values("env"); !settings.empty()) {
        auto env = environment(settings);
        if (!env) return std::unexpected(env.error());
        action["env"] = std::move(*env);
    }
    if (const auto label = arguments.value("label")) {
        auto value = text(*label, "the label");
        if (!value) return std::unexpected(value.error());
        action["label"] = std::move(*value);
    }
    if (const auto names = arguments.values("lock"); !names.empty()) {
        auto locks = texts(names, "a lock");
        if (!locks) return std::unexpected(locks.error());
        action["locks"] = std::move(*locks);
    }
    if (auto added = addNumbers(action, arguments); !added) return std::unexpected(added.error());
    for (const std::string_view flag : {"hold", "sandbox"})
        if (arguments.has(flag)) action[flag] = true;
    return compactJson(action);
}

Outcome<std::int64_t> submitAction(Engine& engine, const Arguments& arguments, const std::string& action) {
    auto answer = engine.call(
        {.method = "POST", .path = jobsPath(arguments), .body = action, .idempotencyKey = randomHex(16)});
    if (!answer) return failedWith(answer.error());
    const auto lsn = integerOf(answer->object, "lsn");
    if (!lsn) return failed("the engine accepted the action but did not say as which; 'yardctl ls' shows it");
    return *lsn;
}

/// One run, from submission to the end. The thread that made it waits for signals; one worker thread submits and
/// waits for the result, one thread follows each stream, one sends the cancel when it comes to that.
class Run {
public:
    explicit Run(const Invocation& invocation)
        : invocation_(invocation) {
        // A reader that left must end the action, not only this process.
        std::signal(SIGPIPE, SIG_IGN);
    }

    Outcome<int> perform(const std::string& action) {
        std::thread worker([&] {
            result_ = work(action);
            signals_.finish();
        });
        while (const auto signal = signals_.next()) {
            if (signal_ != 0) leaveAtOnce(*signal);
            signal_ = *signal;
            requestCancel();
        }
        worker.join();
        if (canceller_.joinable()) canceller_.join();
        return result_ ? exitCode(*result_) : std::unexpected(result_.error());
    }

private:
    Outcome<Answer> work(const std::string& action) {
        auto engine = invocation_.engine.another();
        auto lsn = submitAction(*engine, invocation_.arguments, action);
        if (!lsn) return std::unexpected(lsn.error());
        {
            const std::scoped_lock lock(mutex_);
            lsn_ = *lsn;
            if (cancelRequested_) startCancel();
        }
        if (invocation_.json) return awaitResult(*engine, *lsn);
        std::thread out([&] { follow(*engine, *lsn, "stdout", STDOUT_FILENO); });
        std::thread err([&] { follow(*engine, *lsn, "stderr", STDERR_FILENO); });
        auto result = awaitResult(*engine, *lsn);
        out.join();
        err.join();
        return result;
    }

    static Outcome<Answer> awaitResult(Engine& engine, std::int64_t lsn) {
        auto answer = awaitEnd(engine, lsn);
        if (answer) return std::move(*answer);
        return failed(
            fmt::format("{}; what became of action {}: 'yardctl show {}'", answer.error().message, lsn, lsn));
    }

    void follow(const Engine& engine, std::int64_t lsn, const char* stream, int fd) {
        OutputFollower follower(engine.another(),
                                {.lsn = lsn, .stream = stream, .announceRetries = fd == STDERR_FILENO},
                                [fd](std::int64_t, std::string_view bytes) { return writeOutput(fd, bytes); });
        const auto followed = follower.run();
        if (followed) return;
        const bool readerLeft = followed.error().message.find("cannot write") != std::string::npos;
        if (!readerLeft || signal_ == 0)
            (void)writeOutput(STDERR_FILENO, "yardctl: " + followed.error().message + "\n");
        // A program whose output nobody can take would get SIGPIPE in a shell.
        if (readerLeft) {
            brokenPipe_ = true;
            requestCancel();
        }
    }

    void requestCancel() {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(cancelRequested_, true) || !lsn_) return;
        startCancel();
    }

    /// Under mutex_. The cancel has a thread of its own so that a second signal is heard meanwhile.
    void startCancel() {
        canceller_ = std::thread([lsn = *lsn_, engine = invocation_.engine.another()] {
            constexpr std::chrono::seconds kLimit{10};
            const auto answer =
                engine->call({.method = "POST", .path = fmt::format("jobs/{}/cancel", lsn), .silence = kLimit});
            // Already finished is as good.
            if (answer || answer.error().kind == ErrorKind::WrongState) return;
            (void)writeOutput(STDERR_FILENO,
                              fmt::format("yardctl: cannot cancel action {}: {}\n", lsn, answer.error().message));
        });
    }

    [[noreturn]] void leaveAtOnce(int signal) {
        const std::scoped_lock lock(mutex_);
        if (lsn_)
            (void)writeOutput(STDERR_FILENO,
                              fmt::format("yardctl: leaving; action {} is being cancelled\n", *lsn_));
        ::_exit(kSignalBase + signal);
    }

    Outcome<int> exitCode(const Answer& result) const {
        if (invocation_.json) fmt::print("{}\n", result.text);
        const std::string_view state = textOf(result.object, "state");
        if (state == "cancelled" && (signal_ != 0 || brokenPipe_))
            return kSignalBase + (signal_ != 0 ? signal_.load() : SIGPIPE);
        const std::string_view reason = textOf(result.object, "reason");
        // The program's own end needs no comment, any other does.
        if (state != "completed" && reason != "exit_code" && !invocation_.json) {
            const std::string note = printable(textOf(result.object, "note"));
            fmt::print(stderr, "yardctl: action {} {}{}{}\n", *lsn_, stateWords(result.object),
                       note.empty() ? "" : ": ", note);
        }
        if (state == "cancelled" && !integerOf(result.object, "signal") && !integerOf(result.object, "exit_code"))
            return kSignalBase + SIGINT;
        return shellExitCode(result.object);
    }

    SignalWatch signals_; // first: blocks the signals before a thread exists
    const Invocation& invocation_;
    Outcome<Answer> result_ = failed("the run did not begin");
    std::mutex mutex_; ///< guards the next three
    std::optional<std::int64_t> lsn_;
    bool cancelRequested_ = false;
    std::thread canceller_;
    std::atomic<int> signal_{0}; ///< the first that came
    std::atomic<bool> brokenPipe_{false};
};

} // namespace

Outcome<int> runCommand(const Invocation& invocation) {
    auto action = actionText(invocation.arguments);
    if (!action) return std::unexpected(action.error());
    if (!invocation.arguments.has("detach")) return Run(invocation).perform(*action);
    auto lsn = submitAction(invocation.engine, invocation.arguments, *action);
    if (!lsn) return std::unexpected(lsn.error());
    if (invocation.json)
        fmt::print("{{\"lsn\":{}}}\n", *lsn);
    else
        fmt::print("{}\n", *lsn);
    return 0;
}

} // namespace yard::ctl
