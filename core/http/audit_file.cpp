#include "core/http/audit_file.h"

#include "core/base/files.h"
#include "core/base/parsed_number.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace yard::http {

static constexpr std::string_view kAuditSuffix = ".jsonl";

static std::string nameOfAuditDay(std::int64_t day) {
    const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
    return fmt::format("{:04}-{:02}-{:02}{}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()), kAuditSuffix);
}

/// The day of a file; nothing: it is none of ours.
static std::optional<std::int64_t> auditDayOf(std::string_view name) {
    constexpr std::size_t kDate = 10;
    if (name.size() != kDate + kAuditSuffix.size() || !name.ends_with(kAuditSuffix)) return std::nullopt;
    const auto year = parsedNumber<int>(name.substr(0, 4));
    const auto month = parsedNumber<unsigned>(name.substr(5, 2));
    const auto day = parsedNumber<unsigned>(name.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                           std::chrono::day(*day)};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count();
}

std::vector<std::int64_t> auditDaysIn(const std::string& directory) {
    std::vector<std::int64_t> days;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
        if (const auto day = auditDayOf(entry.path().filename().string())) days.push_back(*day);
    std::ranges::sort(days, std::greater());
    return days;
}

std::string auditPathOf(const std::string& directory, std::int64_t day) {
    return directory + "/" + nameOfAuditDay(day);
}

/// The open file is the one at its path: whoever moved or replaced that meant it.
bool AuditFile::isInPlace() const {
    struct stat open{};
    struct stat there{};
    return file_ && ::fstat(file_.get(), &open) == 0 &&
           ::lstat(auditPathOf(directory_, day_).c_str(), &there) == 0 && open.st_dev == there.st_dev &&
           open.st_ino == there.st_ino;
}

Result<void> AuditFile::openFor(std::int64_t day) {
    if (day == day_ && isInPlace()) return {};
    file_.reset();
    end_ = 0;
    if (auto made = makeDirectories(directory_, 0700); !made) return made;
    if (day != day_)
        for (const std::int64_t old : auditDaysIn(directory_))
            if (old <= day - kAuditDays) (void)::unlink(auditPathOf(directory_, old).c_str());
    day_ = day;
    const std::string path = auditPathOf(directory_, day);
    file_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    return file_ ? Result<void>() : failErrno("open " + path, errno);
}

Result<void> AuditFile::append(const AuditLine& line) {
    const ThreadLock lock(mutex_);
    if (auto opened = openFor(line.day); !opened) return opened;
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) return failErrno("look at " + auditPathOf(directory_, day_), errno);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size + line.text.size() > kMostAuditDay)
        return fail(ErrorKind::AtLimit,
                    fmt::format("{} has {} bytes, and no day may have more", auditPathOf(directory_, day_), size));
    // What does not end where our last line did may end with a line that a crash, or a full disk, cut off.
    bool isWhole = size == 0 || size == end_;
    if (!isWhole) {
        const auto last = readFileAt(file_.get(), size - 1, 1);
        isWhole = last && *last == "\n";
    }
    const std::string text = (isWhole ? "" : "\n") + line.text;
    auto written = writeAll(file_.get(), text);
    end_ = written ? size + text.size() : 0;
    return written;
}

} // namespace yard::http
