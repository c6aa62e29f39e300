// What becomes of a job of a map that has ended: its output to stdout and stderr, in whole or already line by line, its files
// below --results, its row in the job log. One thread, which blocks while others do not take the output.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/log_lines.h"
#include "app/yardctl/map/in_flight.h"
#include "app/yardctl/map/job_log.h"
#include "app/yardctl/map/map_options.h"
#include "app/yardctl/map/progress.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

/// A job that has ended.
struct EndedJob {
    std::int64_t lsn = 0;
    FlyingJob job{};
    std::int64_t startMicros = 0;
    double seconds = 0;
    std::uint64_t outSize = 0;
    std::uint64_t errSize = 0;
    int exitCode = 0; ///< as the job log has it
    int signal = 0;
    int shellCode = 0;
    std::string row{}; ///< the engine's JSON, where that is what is printed
};
/// Of an action's row that says it has ended.
EndedJob endedJob(std::int64_t lsn, FlyingJob job, const json::object& row);
/// DIR/1/VALUE/2/VALUE as GNU parallel names it, with the names of columns for numbers where they have some; nothing in
/// a value or a name leaves its directory.
std::string resultsDirectory(const std::string& directory, const std::vector<std::string>& values,
                             const std::vector<std::string>& names = {});

class Delivery {
public:
    static constexpr std::size_t kMostFollowed = 16;
    struct Parts {
        Engine& engine;
        const MapOptions& options;
        const std::vector<std::string>& names; ///< of columns, for directories of results
        JobLog* log = nullptr;                 ///< null: none
        MapProgress& progress;
        bool json = false; ///< rows are printed instead of what the jobs wrote
        /// So many jobs run at once. Where one ends as the next begins, that one is followed once all of the first is shown.
        std::size_t atOnce = kMostFollowed;
    };
    /// All outlive it.
    explicit Delivery(const Parts& parts);
    ~Delivery();
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;

    /// --line-buffer: an action runs, and all that ended before was delivered. Up to kMostFollowed are followed, others are
    /// shown at their end.
    void begun(std::int64_t lsn, const std::string& tag);
    /// Io with EPIPE: nobody reads stdout.
    Outcome<void> deliver(const EndedJob& ended);
    /// The same failure where that is so already, though there is nothing to write.
    Outcome<void> checkReader();
    bool readerLeft() const { return readerLeft_; }

private:
    struct Follower;
    Outcome<void> copy(const EndedJob& ended, std::string_view stream, LockedOutput& out);
    Result<void> fetch(std::int64_t lsn, std::string_view stream, const BodySink& sink);
    Outcome<void> keepResults(const EndedJob& ended);
    Outcome<void> written(const Result<void>& result);

    const Parts parts_;
    LockedOutput out_;
    LockedOutput err_;
    std::map<std::int64_t, std::unique_ptr<Follower>> followers_;
    bool readerLeft_ = false;
};

} // namespace yard::ctl
