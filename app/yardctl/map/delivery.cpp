#include "app/yardctl/map/delivery.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/output_follower.h"
#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::chrono::seconds kOutputSilence{30};
constexpr std::size_t kMaxName = 255; ///< bytes of a file's name

std::uint64_t sizeOfStream(const json::object& row, std::string_view stream) {
    const json::object* kept = objectOf(row, stream);
    return kept ? static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(*kept, "size").value_or(0), 0)) : 0;
}

std::string nameOfValue(const std::string& value) {
    std::string out;
    for (const char c : value) {
        if (c == '\\')
            out += "\\\\";
        else if (c == '\t')
            out += "\\t";
        else if (c == '/')
            out += "\\_";
        else
            out += c;
    }
    // Names that are no directory below this one.
    if (out == "." || out == "..") out.insert(0, "\\");
    return out.substr(0, kMaxName);
}

} // namespace

EndedJob endedJob(std::int64_t lsn, FlyingJob job, const json::object& row) {
    EndedJob out{.lsn = lsn, .job = std::move(job)};
    const json::object none;
    const json::object* times = objectOf(row, "timestamps");
    if (!times) times = &none;
    const std::string_view state = textOf(row, "state");
    const auto begin = integerOf(*times, "running").or_else([&] { return integerOf(*times, "submitting"); });
    const auto end = integerOf(*times, "exited").or_else([&] { return integerOf(*times, state); });
    out.startMicros = begin.or_else([&] { return end; }).value_or(0);
    if (begin && end) out.seconds = static_cast<double>(std::max<std::int64_t>(*end - *begin, 0)) / 1e6;
    out.outSize = sizeOfStream(row, "stdout");
    out.errSize = sizeOfStream(row, "stderr");
    out.shellCode = shellExitCode(row);
    const auto signal = integerOf(row, "signal");
    const bool isEndedFromOutside = textOf(row, "reason") == "deadline" || state == "cancelled";
    if (isEndedFromOutside) { // as parallel has those that it ended
        out.exitCode = -1;
        out.signal = static_cast<int>(signal.value_or(15));
        if (out.shellCode == 0) out.shellCode = 128 + out.signal;
    } else if (signal) {
        out.signal = static_cast<int>(*signal);
    } else {
        out.exitCode = out.shellCode;
    }
    return out;
}

std::string resultsDirectory(const std::string& directory, const std::vector<std::string>& values,
                             const std::vector<std::string>& names) {
    std::string out = directory;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool isNamed = i < names.size() && !names[i].empty();
        out += fmt::format("/{}/{}", isNamed ? nameOfValue(names[i]) : fmt::format("{}", i + 1),
                           nameOfValue(values[i]));
    }
    return out;
}

/// Two threads that copy what an action writes, line by line, until it has ended.
struct Delivery::Follower {
    Follower(Engine& engine, std::int64_t lsn, const std::string& tag, LockedOutput& out, LockedOutput& err)
        : outLines(out, tag)
        , errLines(err, tag) {
        for (const bool isOut : {true, false}) {
            PrefixedLines& lines = isOut ? outLines : errLines;
            auto& follower = isOut ? outFollower : errFollower;
            follower = std::make_unique<OutputFollower>(
                engine.another(),
                OutputFollower::What{.lsn = lsn, .stream = isOut ? "stdout" : "stderr", .end = &end},
                [&lines](std::int64_t attempt, std::string_view bytes) { return lines.take(attempt, bytes); });
            threads.at(isOut ? 0 : 1) = std::thread([&lines, &follower] {
                (void)follower->run();
                (void)lines.finish();
            });
        }
    }
    void join() {
        for (std::thread& thread : threads)
            if (thread.joinable()) thread.join();
    }
    ~Follower() {
        outFollower->stop();
        errFollower->stop();
        join();
    }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

    KnownEnd end;
    PrefixedLines outLines;
    PrefixedLines errLines;
    std::unique_ptr<OutputFollower> outFollower;
    std::unique_ptr<OutputFollower> errFollower;
    std::array<std::thread, 2> threads;
};

Delivery::Delivery(const Parts& parts)
    : parts_(parts)
    , out_(STDOUT_FILENO)
    , err_(STDERR_FILENO) {}

Delivery::~Delivery() = default;

void Delivery::begun(std::int64_t lsn, const std::string& tag) {
    if (!parts_.options.byLine || parts_.json || parts_.options.results || followers_.contains(lsn) ||
        followers_.size() >= std::min(kMostFollowed, parts_.atOnce))
        return;
    const std::string prefix = parts_.options.tags ? tag + "\t" : std::string();
    followers_.emplace(lsn, std::make_unique<Follower>(parts_.engine, lsn, prefix, out_, err_));
}

/// A failure for the caller, who asks readerLeft() first.
Outcome<void> Delivery::written(const Result<void>& result) {
    if (result) return {};
    if (result.error().sysErrno == EPIPE) readerLeft_ = true;
    return failedWith(result.error());
}

Outcome<void> Delivery::checkReader() {
    pollfd out{STDOUT_FILENO, 0, 0};
    if (::poll(&out, 1, 0) <= 0 || (out.revents & POLLERR) == 0) return {};
    readerLeft_ = true;
    return failed("nobody reads what the jobs print");
}

/// The kept stream, over restarts of the engine: what was taken before is passed over.
Result<void> Delivery::fetch(std::int64_t lsn, std::string_view stream, const BodySink& sink) {
    std::uint64_t taken = 0;
    Result<void> sunk;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (true) {
        std::uint64_t at = 0;
        const auto fetched = parts_.engine.stream(
            fmt::format("jobs/{}/{}", lsn, stream), kOutputSilence, [&](std::string_view bytes) -> Result<void> {
                const auto known = std::min<std::uint64_t>(taken - std::min(taken, at), bytes.size());
                at += bytes.size();
                bytes.remove_prefix(known);
                taken = std::max(taken, at);
                sunk = sink(bytes);
                return sunk;
            });
        if (!sunk) return sunk;
        const bool isLost = !fetched && isGone(fetched.error()) && std::chrono::steady_clock::now() < until;
        if (fetched || (!isLost && fetched.error().kind == ErrorKind::NotFound)) return {}; // retired meanwhile
        if (!isLost) return std::unexpected(fetched.error());
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
}

Outcome<void> Delivery::copy(const EndedJob& ended, std::string_view stream, LockedOutput& out) {
    parts_.progress.clear();
    if (!parts_.options.tags)
        return written(fetch(ended.lsn, stream, [&](std::string_view bytes) { return out.write(bytes); }));
    PrefixedLines lines(out, ended.job.tag + "\t");
    auto fetched = fetch(ended.lsn, stream, [&](std::string_view bytes) { return lines.take(1, bytes); });
    if (fetched) fetched = lines.finish();
    return written(fetched);
}

Outcome<void> Delivery::keepResults(const EndedJob& ended) {
    const std::string directory = resultsDirectory(*parts_.options.results, ended.job.values, parts_.names);
    if (auto made = makeDirectories(directory, 0777); !made) return failedWith(made.error());
    for (const std::string_view stream : {"stdout", "stderr"}) {
        std::string text;
        auto fetched = fetch(ended.lsn, stream, [&](std::string_view bytes) -> Result<void> {
            text += bytes;
            return {};
        });
        if (fetched) fetched = writeFileAtomically(fmt::format("{}/{}", directory, stream), text, 0666);
        if (!fetched) return failedWith(fetched.error());
    }
    auto seq = writeFileAtomically(directory + "/seq", fmt::format("{}", ended.job.seq), 0666);
    if (!seq) return failedWith(seq.error());
    return {};
}

Outcome<void> Delivery::deliver(const EndedJob& ended) {
    const auto follower = followers_.find(ended.lsn);
    if (parts_.json) {
        if (auto told = written(out_.write(ended.row + '\n')); !told) return told;
    } else if (follower != followers_.end()) {
        parts_.progress.clear();
        follower->second->join();
        followers_.erase(follower);
    } else {
        const bool isShown = !parts_.options.results; // it is in the files
        if (isShown && ended.outSize > 0)
            if (auto copied = copy(ended, "stdout", out_); !copied) return copied;
        if (isShown && ended.errSize > 0)
            if (auto copied = copy(ended, "stderr", err_); !copied) return copied;
    }
    if (parts_.options.results)
        if (auto kept = keepResults(ended); !kept) return kept;
    if (!parts_.log) return {};
    return parts_.log->append({.seq = ended.job.seq,
                               .startMicros = ended.startMicros,
                               .seconds = ended.seconds,
                               .sent = ended.job.sent,
                               .received = parts_.options.isUngrouped ? 0 : ended.outSize,
                               .exitCode = ended.exitCode,
                               .signal = ended.signal,
                               .command = ended.job.command});
}

} // namespace yard::ctl
