// yardctl backup and restore: a backup of the data directory, and the way back. The engine's program does the work, in a process
// of its own: nothing of it goes by the API, so it works beside an engine and without one.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/engine_start.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/spawn_plan.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostBackupWords = 64u << 10;
constexpr int kSignalledBackup = 128;

struct ProgramEnd {
    std::string said; ///< on stdout
    int code = 0;
};

/// The engine's program with these words, until it has ended; its stderr is ours.
Outcome<ProgramEnd> runEngineProgram(const std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return failedWith(failErrno("cannot make a pipe", errno).error());
    const UniqueFd out(ends[0]);
    pid_t pid = -1;
    {
        const UniqueFd in(ends[1]);
        SpawnPlan plan(SpawnPlan::Apart::No);
        plan.give(in.get(), STDOUT_FILENO);
        const int error = plan.run(pid, words);
        if (error != 0) return failedWith(failErrno(fmt::format("cannot start {}", words.front()), error).error());
    }
    ProgramEnd end;
    std::array<char, 4096> buffer{};
    for (;;) {
        const ssize_t got = ::read(out.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (end.said.size() < kMostBackupWords) end.said.append(buffer.data(), static_cast<std::size_t>(got));
    }
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalledBackup + WTERMSIG(status);
    return end;
}

std::string usedDataDirectory(const Invocation& invocation) {
    return invocation.engine.options().dataDir.value_or(defaultDataDirectory());
}

Outcome<int> runBackup(const Invocation& invocation, const char* option, const char* done) {
    if (invocation.engine.options().url)
        return usageError("a backup is taken where the data directory is: give --data-dir, not --url");
    std::error_code error;
    const std::string directory =
        std::filesystem::absolute(invocation.arguments.operands().front(), error).string();
    const auto end =
        runEngineProgram({engineProgram(), "--data-dir", usedDataDirectory(invocation), option, directory});
    if (!end) return std::unexpected(end.error());
    if (end->said.empty()) return end->code == 0 ? 1 : end->code; // its sentence is on stderr
    if (invocation.json) {
        fmt::print("{}", end->said);
        return end->code;
    }
    boost::system::error_code wrong;
    const json::value told = json::parse(end->said, wrong);
    const json::object* counts = wrong ? nullptr : told.if_object();
    if (!counts) return failed("the engine's program did not say what it did");
    const auto bytes = std::max<std::int64_t>(integerOf(*counts, "bytes").value_or(0), 0);
    const auto of = [&](std::string_view key, std::string_view what) {
        return fmt::format("{} {}{}", countText(*counts, key), what, integerOf(*counts, key) == 1 ? "" : "s");
    };
    fmt::print("{} {}: {}, {}; {} copied\n", done, printable(textOf(*counts, "directory")), of("chunks", "chunk"),
               of("files", "other file"), sizeWords(static_cast<std::uint64_t>(bytes)));
    return end->code;
}

Outcome<int> backupCommand(const Invocation& invocation) {
    return runBackup(invocation, "--backup", "backup in");
}

Outcome<int> restoreCommand(const Invocation& invocation) {
    const auto done = runBackup(invocation, "--restore", "restored into");
    if (done && *done == 0 && !invocation.json)
        fmt::print("Its queues are held: look, then 'yardctl release --all' once its engine runs.\n");
    return done;
}

} // namespace

Command backupRow() {
    return {
        .name = "backup",
        .usage = "DIR",
        .summary = "take a backup of the data directory",
        .details =
            "The journal as it is at one moment, all chunks, settings, tokens, recordings and figures. Each chunk "
            "is "
            "looked at as it is copied. The work goes on meanwhile. With an earlier backup of the same engine in "
            "DIR "
            "only what is new is copied; the earlier one counts until the new one is whole, so one that was cut "
            "short is simply taken again. DIR has all secrets of the engine: it is made for its owner alone.",
        .examples = "yardctl backup /mnt/backup/yard\n"
                    "yardctl --data-dir /srv/yard backup /mnt/backup/yard",
        .options = {},
        .minOperands = 1,
        .maxOperands = 1,
        .function = backupCommand};
}

Command restoreRow() {
    return {
        .name = "restore",
        .usage = "DIR",
        .summary = "make an empty data directory of a backup",
        .details =
            "The data directory must be new or empty. What comes back is another engine with the same work: it "
            "gets "
            "an engine_id of its own at its first start, and all queues are held until 'yardctl release --all'. "
            "Backups of older versions are brought up to date by that start; one of a newer version is refused. "
            "Chunks that are damaged in the backup are left out, and exit code 1 says so.",
        .examples = "yardctl --data-dir /srv/yard restore /mnt/backup/yard",
        .options = {},
        .minOperands = 1,
        .maxOperands = 1,
        .function = restoreCommand};
}

} // namespace yard::ctl
