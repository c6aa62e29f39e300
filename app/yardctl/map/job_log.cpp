#include "app/yardctl/map/job_log.h"

#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/hash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kMaxJobLog = std::size_t{4} << 30;
constexpr std::size_t kLogColumns = 9;

template<class Number>
std::optional<Number> numberIn(std::string_view text) {
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

std::optional<std::array<std::string_view, kLogColumns>> columnsOfLog(std::string_view line) {
    std::array<std::string_view, kLogColumns> out;
    for (std::size_t i = 0; i + 1 < kLogColumns; ++i) {
        const std::size_t tab = line.find('\t');
        if (tab == std::string_view::npos) return std::nullopt;
        out[i] = line.substr(0, tab); // NOLINT(cppcoreguidelines-pro-bounds-constant-array-index): below the size
        line.remove_prefix(tab + 1);
    }
    out.back() = line;
    return out;
}

/// Empty where it is no file, which maps that have nothing to do with each other may share. The number of a file that was
/// removed comes again, not so when it was made.
std::string identityOfLog(int fd) {
    struct statx info{};
    if (::statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &info) != 0 || !S_ISREG(info.stx_mode))
        return {};
    const bool hasBirth = (info.stx_mask & STATX_BTIME) != 0;
    const std::string text =
        fmt::format("{} {} {} {} {}", info.stx_dev_major, info.stx_dev_minor, info.stx_ino,
                    hasBirth ? info.stx_btime.tv_sec : 0, hasBirth ? info.stx_btime.tv_nsec : 0);
    return Sha256::of(text).hex().substr(0, 16);
}

} // namespace

std::string jobLogLine(const JobLogRow& row) {
    std::string line = fmt::format("{}\t:\t{:.3f}\t{:10.3f}\t{}\t{}\t{}\t{}\t{}", row.seq,
                                   static_cast<double>(row.startMicros) / 1e6, row.seconds, row.sent, row.received,
                                   row.exitCode, row.signal, row.command);
    std::ranges::replace(line, '\n', '\0');
    return line + '\n';
}

std::size_t loggedHash(std::string command) {
    std::ranges::replace(command, '\n', '\0');
    return std::hash<std::string>()(command);
}

Outcome<DoneJobs> doneJobs(std::string_view text, bool onlyGood) {
    DoneJobs done;
    std::size_t number = 0;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end + 1);
        if (++number == 1 && line == kJobLogHead.substr(0, kJobLogHead.size() - 1)) continue;
        const auto columns = columnsOfLog(line);
        const auto seq = columns ? numberIn<std::int64_t>(columns->at(0)) : std::nullopt;
        const auto exit = columns ? numberIn<int>(columns->at(6)) : std::nullopt;
        const auto signal = columns ? numberIn<int>(columns->at(7)) : std::nullopt;
        if (!seq || *seq < 1 || !exit || !signal)
            return failed(fmt::format("line {} of the job log is none of a job log: {}", number,
                                      printable(line.substr(0, 200))));
        if (!onlyGood || (*exit == 0 && *signal == 0))
            done.insert_or_assign(*seq, loggedHash(std::string(columns->back())));
    }
    return done;
}

Outcome<JobLog> JobLog::open(const std::string& path, Begin begin) {
    JobLog log;
    log.path_ = printable(path);
    log.file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    struct stat info{};
    if (!log.file_ || ::fstat(log.file_.get(), &info) != 0)
        return failed(fmt::format("cannot open the job log {}: {}", log.path_, ::strerrordesc_np(errno)));
    if (S_ISREG(info.st_mode) && ::flock(log.file_.get(), LOCK_EX | LOCK_NB) != 0)
        return failed(fmt::format("another map writes the job log {}", log.path_));
    if (!S_ISREG(info.st_mode) && begin == Begin::Resume)
        return failed(fmt::format("{} is not a file: there is no job log in it to go on from", log.path_));
    log.identity_ = identityOfLog(log.file_.get());
    if (S_ISREG(info.st_mode) && begin == Begin::Resume) {
        auto text = readFile(path, kMaxJobLog);
        if (!text) return failedWith(text.error());
        log.before_ = text->substr(0, text->rfind('\n') + 1);
    }
    if (S_ISREG(info.st_mode) && ::ftruncate(log.file_.get(), static_cast<off_t>(log.before_.size())) != 0)
        return failed(fmt::format("cannot write the job log {}: {}", log.path_, ::strerrordesc_np(errno)));
    if (log.before_.empty())
        if (auto written = writeAll(log.file_.get(), kJobLogHead); !written)
            return failed(fmt::format("cannot write the job log {}: {}", log.path_, written.error().message));
    return log;
}

Outcome<void> JobLog::append(const JobLogRow& row) {
    auto written = writeAll(file_.get(), jobLogLine(row));
    if (written) return {};
    return failed(fmt::format("cannot write the job log {}: {}", path_, written.error().message));
}

} // namespace yard::ctl
