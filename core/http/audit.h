// Who did what, from where, with which result: each request that changes queues, actions of others, workers, machines,
// settings, tokens or the session is a line of a file below `audit/` in the data directory, one file for each day (UTC). Kept
// for kAuditDays; a day has kMostAuditDay bytes at most, what comes after that is counted and left out.
//
// Submissions and the bytes for them are not in it: an action is its own record.
//
// Owner: the http thread; files are read and written by helpers. Lifetime: as its Api. A line is written before its request is
// answered. One helper writes at a time, to a file that stays open. The lines that come meanwhile are written together after
// that, kMostAuditWaiting at most. What comes beyond these, or cannot be written (a full disk), is counted, told once in the log,
// and keeps nobody from his work.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/http/audit_file.h"
#include "core/http/router.h"
#include "core/json/json_writer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

inline constexpr std::size_t kMostAuditWaiting = 1'024; ///< lines
inline constexpr std::size_t kMostAuditText = 400;      ///< bytes of a path, and of a body
inline constexpr std::int64_t kAuditPage = 1'000;

struct AuditEntry {
    WallMicros t = 0;
    std::string who;    ///< name of a token; kAuditOwner, which no token can have
    std::string from;   ///< address; empty: not known
    std::string method; ///< and path: what was asked for
    std::string path;
    std::string body; ///< of requests that have no secrets in it, cut; else empty
    int result = 0;   ///< status of the answer
};
/// As an object: a line of the file, and a row of GET audit.
void writeAuditEntry(JsonWriter& writer, const AuditEntry& entry);
inline constexpr std::string_view kAuditOwner = "the owner";

struct AuditQuery {
    std::optional<WallMicros> from, to; ///< from inclusive, to exclusive
    std::string who;                    ///< empty: all
    std::string text;                   ///< in path or body; empty: all
    std::int64_t limit = 100;
    std::string cursor;
};
struct AuditPage {
    std::vector<AuditEntry> entries; ///< the latest first
    std::string cursor;              ///< empty: that was all
};

/// Whether requests of this route are noted.
bool isAudited(const RouteSpec& spec);
/// What is kept of the body of such a request.
std::string auditedBody(const RouteSpec& spec, std::string_view body);

class Audit {
public:
    /// Below the data directory.
    static constexpr std::string_view kDirectory = "/audit";
    explicit Audit(std::string directory)
        : directory_(std::move(directory))
        , file_(std::make_shared<AuditFile>(directory_)) {}

    /// False: it could not be kept.
    coro::Task<bool> note(AuditEntry entry, coro::HelperPool& helpers);
    /// A page may be short and still have a cursor. Invalid (cursor), Io.
    coro::Task<Result<AuditPage>> read(AuditQuery query, coro::HelperPool& helpers);
    /// Since the start: what could not be kept.
    std::uint64_t dropped() const { return dropped_; }

private:
    /// Lines that are written together.
    struct Batch {
        std::vector<AuditLine> lines;
        std::vector<Result<void>> written; ///< of each; empty: not yet, or the engine ends
    };
    bool count(const Result<void>& written);

    const std::string directory_;
    std::shared_ptr<AuditFile> file_;                            ///< shared with a helper's job
    coro::Mutex writing_;                                        ///< a batch at a time
    std::shared_ptr<Batch> waiting_ = std::make_shared<Batch>(); ///< comes next; never null
    std::uint64_t dropped_ = 0;
    bool isTold_ = false; ///< that a line could not be written
};

} // namespace yard::http
