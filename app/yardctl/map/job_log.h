// A job log in GNU parallel's format: a row for each job that has ended, written in one piece when its output was delivered,
// so that a map that was killed can be resumed from it. One thread. A log is of one map at a time: it is locked.
#pragma once

#include "app/yardctl/failure.h"
#include "core/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace yard::ctl {

inline constexpr std::string_view kJobLogHead =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";

struct JobLogRow {
    std::int64_t seq = 0;
    std::int64_t startMicros = 0;
    double seconds = 0;
    std::uint64_t sent = 0;     ///< bytes of stdin
    std::uint64_t received = 0; ///< bytes of stdout
    int exitCode = 0;
    int signal = 0;
    std::string command{};
};
/// With its line feed; line feeds of the command are bytes 0, as parallel writes them.
std::string jobLogLine(const JobLogRow& row);

/// Numbers of the jobs that need not run again, with what loggedHash() says of their commands.
using DoneJobs = std::unordered_map<std::int64_t, std::size_t>;
/// The same for a command as it is and as a log has it.
std::size_t loggedHash(std::string command);
/// Of a log's text, without a last line that was not finished. `onlyGood`: those that failed are not done. Failed: a line
/// is none of a job log.
Outcome<DoneJobs> doneJobs(std::string_view text, bool onlyGood);

class JobLog {
public:
    enum class Begin : unsigned char { New, Resume };
    /// Resume: a log that is not there is a new one; the unfinished line of a kill is cut off. Failed: it is no file.
    static Outcome<JobLog> open(const std::string& path, Begin begin);
    /// Complete lines of it when it was opened.
    const std::string& textBefore() const { return before_; }
    Outcome<void> append(const JobLogRow& row);
    /// The same for the same file, whatever it was called; empty for what is no file.
    const std::string& identity() const { return identity_; }

private:
    UniqueFd file_;
    std::string path_;
    std::string before_;
    std::string identity_;
};

} // namespace yard::ctl
