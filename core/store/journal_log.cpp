#include "core/store/journal_log.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/store/log_state.h"
#include "core/store/wal_frames.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

namespace yard::store {
namespace {

constexpr std::uint32_t kUsualPageSize = 8192;
constexpr std::size_t kCopyBlock = std::size_t{1} << 20;

std::string logOf(const std::string& journal) {
    return journal + "-wal";
}
std::string keptOf(const std::string& journal) {
    return journal + "-wal.kept";
}

/// Nothing: there is no such file.
Result<std::optional<UniqueFd>> openIfThere(const std::string& path, int flags) {
    UniqueFd file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW));
    if (file) return std::optional(std::move(file));
    if (errno == ENOENT) return std::nullopt;
    return failErrno("open " + path, errno);
}

bool isSameFile(const std::string& one, const std::string& other) {
    struct stat first{};
    struct stat second{};
    return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 &&
           first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/// The same round of the log, by its salts. A directory that was copied file by file has two files of one round.
Result<bool> isSameRound(int one, int other) {
    const auto first = readFileAt(one, 0, kWalHeader);
    if (!first) return std::unexpected(first.error());
    const auto second = readFileAt(other, 0, kWalHeader);
    if (!second) return std::unexpected(second.error());
    return first->size() == kWalHeader && *first == *second;
}

Result<std::uint32_t> pageSizeFor(const std::string& journal) {
    auto file = openIfThere(journal, O_RDONLY);
    if (!file) return std::unexpected(file.error());
    if (!*file) return kUsualPageSize;
    auto size = pageSizeOf((*file)->get());
    if (!size) return std::unexpected(size.error());
    return size->value_or(kUsualPageSize);
}

/// SQLite's own mark in the header: a tool that takes a journal out of this mode has checkpointed it before.
bool usesLog(const std::string& journal) {
    constexpr std::uint64_t kVersions = 18;
    auto file = openIfThere(journal, O_RDONLY);
    if (!file || !*file) return true;
    const auto versions = readFileAt((*file)->get(), kVersions, 2);
    return !versions || versions->size() < 2 || *versions != std::string_view("\1\1", 2);
}

/// Each page of the log stands in the journal as well.
Result<bool> isCheckpointed(const std::string& journal, int log) {
    auto pageSize = pageSizeFor(journal);
    if (!pageSize) return std::unexpected(pageSize.error());
    auto survey = surveyWal(log, *pageSize);
    if (!survey) return std::unexpected(survey.error());
    auto file = openIfThere(journal, O_RDONLY);
    if (!file) return std::unexpected(file.error());
    if (!*file) return survey->pages.empty();
    for (const auto& [number, offset] : survey->pages) {
        if (number > survey->pageCount) continue; // given back by a later transaction
        const auto logged = readFileAt(log, offset + kWalFrameHeader, survey->pageSize);
        if (!logged) return std::unexpected(logged.error());
        const auto kept =
            readFileAt((*file)->get(), std::uint64_t{number - 1} * survey->pageSize, survey->pageSize);
        if (!kept) return std::unexpected(kept.error());
        if (*logged != *kept) return false;
    }
    return true;
}

Result<void> copyAll(int from, int to) {
    for (std::uint64_t at = 0;; at += kCopyBlock) {
        const auto block = readFileAt(from, at, kCopyBlock);
        if (!block) return std::unexpected(block.error());
        if (auto written = writeAll(to, *block); !written) return written;
        if (block->size() < kCopyBlock) break;
    }
    if (::fsync(to) != 0) return failErrno("fsync", errno);
    return {};
}

/// The name of the copy, on the disk with its content.
Result<std::string> copyAside(const std::string& journal, int log) {
    for (int number = 1; number <= kMostDamagedLogs; ++number) {
        std::string path = fmt::format("{}-wal.damaged-{}", journal, number);
        const UniqueFd copy(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!copy && errno == EEXIST) continue;
        if (!copy) return failErrno("make " + path, errno);
        auto copied = copyAll(log, copy.get());
        if (copied) copied = syncDirectory(std::filesystem::path(journal).parent_path());
        if (copied) return path;
        ::unlink(path.c_str());
        copied.error().message = fmt::format("{} is damaged and cannot be copied to {}: {}", logOf(journal), path,
                                             copied.error().message);
        return std::unexpected(std::move(copied.error()));
    }
    return fail(
        ErrorKind::WrongState,
        fmt::format("{} is damaged, and so were {} before it: look at the disk, and move {}-wal.damaged-* to "
                    "another place to start",
                    logOf(journal), kMostDamagedLogs, journal));
}

std::unexpected<Error> lostLog(const std::string& journal, bool fits) {
    const std::string log = logOf(journal);
    const std::string kept = keptOf(journal);
    if (fits)
        return fail(
            ErrorKind::WrongState,
            fmt::format("{0} of an engine that did not end by itself is missing, and with it what was accepted "
                        "and finished last; {1} has its content. To go on with it: mv {1} {0}",
                        log, kept));
    return fail(
        ErrorKind::WrongState,
        fmt::format("{0} of an engine that did not end by itself is missing, and the journal was changed since. "
                    "Restore both from a backup; to go on with the journal as it is: rm {1}",
                    log, kept));
}

/// One that was written before the journal got what it has now: each page of it would undo something.
Result<void> refuseOlderLog(const std::string& journal, int log, const std::optional<LogState::Seen>& state) {
    const auto salts = saltsOf(log);
    if (!state || !salts || !isLaterRound(state->salts, *salts)) return {};
    return fail(
        ErrorKind::WrongState,
        fmt::format("{0} is older than the journal: somebody put it there. Restore both from a backup; to go on "
                    "with the journal as it was when its log was last emptied into it: mv {0} {0}.older",
                    logOf(journal)));
}

} // namespace

Result<void> refuseLostLog(const std::string& journal) {
    const std::string log = logOf(journal);
    const std::string kept = keptOf(journal);
    const auto state = LogState::read(journal);
    auto first = openIfThere(log, O_RDONLY);
    if (!first) return std::unexpected(std::move(first.error()));
    auto second = openIfThere(kept, O_RDONLY);
    if (!second) return std::unexpected(std::move(second.error()));
    if (*first && (!*second || isSameFile(log, kept))) return refuseOlderLog(journal, (*first)->get(), state);
    if (!*second) return {};
    if (*first) {
        auto same = isSameRound((*first)->get(), (*second)->get());
        if (!same) return std::unexpected(std::move(same.error()));
        if (*same) return {};
    }
    if (!usesLog(journal)) return {};
    auto done = isCheckpointed(journal, (*second)->get());
    if (!done) return std::unexpected(std::move(done.error()));
    if (*done) return {};
    return lostLog(journal, !state || state->isUntouched(journal));
}

namespace {

/// Fewer frames than the last engine wrote, and the journal has not all of these.
bool isCut(const WalSurvey& survey, std::optional<std::uint64_t> salts,
           const std::optional<LogState::Seen>& state) {
    if (!state || state->isAllKept()) return false;
    if (salts && *salts != state->salts && survey.validEnd > 0) return false; // of a later round
    const std::uint64_t size = kWalFrameHeader + survey.pageSize;
    const std::uint64_t frames = survey.validEnd > kWalHeader ? (survey.validEnd - kWalHeader) / size : 0;
    return std::max<std::uint64_t>(frames, state->checkpointed) < state->frames;
}

/// In a directory that was copied file by file the second name is a file of its own.
Result<bool> takeKept(const std::string& journal, const WalSurvey& survey, std::uint32_t pageSize) {
    const std::string kept = keptOf(journal);
    auto file = openIfThere(kept, O_RDONLY);
    if (!file || !*file || isSameFile(kept, logOf(journal))) return false;
    auto other = surveyWal((*file)->get(), pageSize);
    if (!other || other->groupsAfter > 0 || other->validEnd <= survey.validEnd) return false;
    if (::rename(kept.c_str(), logOf(journal).c_str()) != 0) return failErrno("rename " + kept, errno);
    return true;
}

} // namespace

Result<std::optional<LogDamage>> setDamagedLogAside(const std::string& journal) {
    const std::string path = logOf(journal);
    const auto state = LogState::read(journal);
    auto log = openIfThere(path, O_RDWR);
    if (!log) return std::unexpected(std::move(log.error()));
    if (!*log) {
        if (!usesLog(journal) || !isCut({}, {}, state)) return std::nullopt;
        LogState::remove(journal);
        return LogDamage{};
    }
    auto pageSize = pageSizeFor(journal);
    if (!pageSize) return std::unexpected(std::move(pageSize.error()));
    const int file = (*log)->get();
    auto survey = surveyWal(file, *pageSize);
    if (!survey) return std::unexpected(std::move(survey.error()));
    if (survey->groupsAfter == 0 && !isCut(*survey, saltsOf(file), state)) return std::nullopt;
    auto copy = copyAside(journal, file);
    if (!copy) return std::unexpected(std::move(copy.error()));
    auto taken = takeKept(journal, *survey, *pageSize);
    if (!taken) return std::unexpected(std::move(taken.error()));
    if (*taken) return std::nullopt;
    if (::ftruncate(file, static_cast<off_t>(survey->validEnd)) != 0 || ::fsync(file) != 0)
        return failErrno("cut " + path, errno);
    LogState::remove(journal);
    return LogDamage{survey->groupsAfter, std::move(*copy)};
}

Result<void> keepLog(const std::string& journal) {
    const std::string log = logOf(journal);
    const std::string kept = keptOf(journal);
    if (isSameFile(log, kept)) return {};
    const std::string fresh = kept + ".new";
    ::unlink(fresh.c_str());
    if (::link(log.c_str(), fresh.c_str()) != 0) return failErrno(fmt::format("link {} to {}", fresh, log), errno);
    if (::rename(fresh.c_str(), kept.c_str()) != 0) return failErrno("rename " + fresh, errno);
    return {};
}

void letGoOfLog(const std::string& journal) {
    if (::access(logOf(journal).c_str(), F_OK) == 0 || errno != ENOENT) return;
    ::unlink(keptOf(journal).c_str());
    LogState::remove(journal);
}

} // namespace yard::store
