// yardctl trace: what ran in a span as a Chrome trace, into a file.
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/whole_file.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// gzip(1) between a pipe and a file.
class Gzip {
public:
    /// `file` stays open. 0, or errno.
    int start(int file) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno;
        const UniqueFd in(ends[0]);
        to_.reset(ends[1]);
        SpawnPlan plan(SpawnPlan::Apart::No);
        plan.give(in.get(), STDIN_FILENO);
        plan.give(file, STDOUT_FILENO);
        return plan.run(pid_, {"gzip", "-c"});
    }
    ~Gzip() { (void)end(); }
    Gzip() = default;
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;

    int input() const { return to_.get(); }
    /// Whether all of it was written.
    bool end() {
        to_.reset();
        int status = 0;
        if (pid_ <= 0) return false;
        while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
        }
        pid_ = -1;
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    UniqueFd to_;
    pid_t pid_ = -1;
};

/// `file`: what people call where it goes.
Result<void> streamTrace(Engine& engine, const std::string& path, int to, const std::string& file) {
    return engine.stream(path, std::chrono::seconds(60), [&](std::string_view bytes) -> Result<void> {
        auto written = writeAll(to, bytes);
        if (!written) written.error().message = fmt::format("cannot write {}: {}", file, written.error().message);
        return written;
    });
}

Outcome<void> traceInto(Engine& engine, const std::string& path, const std::string& file) {
    auto out = WholeFile::named(file);
    if (!out) return std::unexpected(out.error());
    if (file.ends_with(".gz")) {
        Gzip gzip;
        if (const int err = gzip.start(out->fd()); err != 0)
            return failed(fmt::format("cannot start gzip: {}; name a file without .gz", ::strerrordesc_np(err)));
        const auto before = ::signal(SIGPIPE, SIG_IGN);
        const auto done = streamTrace(engine, path, gzip.input(), file);
        (void)::signal(SIGPIPE, before);
        if (!done) return failedWith(done.error());
        if (!gzip.end()) return failed(fmt::format("gzip could not write {}", file));
    } else if (auto done = streamTrace(engine, path, out->fd(), file); !done) {
        return failedWith(done.error());
    }
    return out->finish();
}

Outcome<int> traceCommand(const Invocation& invocation) {
    const auto& operands = invocation.arguments.operands();
    const std::int64_t now = wallNow();
    const auto from = parseMoment(operands.front(), now);
    if (!from) return std::unexpected(from.error());
    const auto to = operands.size() > 1 ? parseMoment(operands.back(), now) : Outcome<std::int64_t>(now);
    if (!to) return std::unexpected(to.error());
    if (*from >= *to) return usageError("FROM is not before TO: exchange them");
    std::string path = fmt::format("timelines?format=chrome&from={}&to={}", *from, *to);
    if (const auto worker = invocation.arguments.value("worker")) path += "&worker=" + percentEncode(*worker);
    const std::string file = invocation.arguments.value("output").value_or("-");
    if (file.empty()) return usageError("--output wants a file");
    if (file == "-") {
        if (::isatty(STDOUT_FILENO) != 0) return usageError("name a file with -o: a trace is not for a terminal");
        if (auto done = streamTrace(invocation.engine, path, STDOUT_FILENO, "standard output"); !done)
            return failedWith(done.error());
        return 0;
    }
    if (auto done = traceInto(invocation.engine, path, file); !done) return std::unexpected(done.error());
    if (invocation.json)
        fmt::print("{}\n", json::serialize(json::object{{"file", file}, {"from", *from}, {"to", *to}}));
    return 0;
}

} // namespace

Command traceRow() {
    return {.name = "trace",
            .usage = "FROM [TO] -o FILE",
            .summary = "what ran in a span, as a trace for Perfetto",
            .details =
                "Every attempt with its phases, by worker and slot, and the figures of the machine, as a Chrome "
                "trace: ui.perfetto.dev and chrome://tracing open it. FROM and TO (now, if it is left out) are "
                "-2h, 09:45, yesterday, 2026-11-20 or '2026-11-20 09:45'. A FILE that ends in .gz is compressed.",
            .examples = "yardctl trace -2h -o evening.json.gz\n"
                        "yardctl trace yesterday today -o yesterday.json.gz",
            .options = {{"output", 'o', "FILE", "write it there; - is standard output"},
                        {"worker", 0, "NAME", "only this worker's slots"}},
            .minOperands = 1,
            .maxOperands = 2,
            .function = traceCommand};
}

} // namespace yard::ctl
