// Reader: how long objects stay in their statuses, and rows of several objects at once.
#include "core/store/object_operations.h"
#include "core/store/object_reads.h"
#include "core/store/reader_impl.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace yard::store {

namespace {

/// Objects that are looked at, of all statuses together; each has kKeptHistory moves at most.
constexpr std::int64_t kMostStayObjects = 400;
constexpr std::int64_t kLeastOfStatus = 8;

using StayTimes = std::map<std::string, std::vector<Duration>, std::less<>>;

/// Moves of one object.
void addStays(StayTimes& times, std::span<const StayMove> moves) {
    std::optional<WallMicros> since;
    std::string status;
    if (moves.back().revision <= kKeptHistory) { // none were cut
        since = moves.front().created;
        status = moves.front().from;
    }
    for (const StayMove& move : moves) {
        const bool isKnown = since && status == move.from;
        if (isKnown && move.from == move.to) continue; // a retry: it stays
        if (isKnown && move.t >= *since) times[move.from].push_back(Duration(move.t - *since));
        since = move.t;
        status = move.to;
    }
}

Duration median(std::vector<Duration>& times) {
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::ranges::nth_element(times, middle);
    return *middle;
}

} // namespace

std::vector<StatusStay> usualStays(const std::vector<StayMove>& moves, const std::vector<std::string>& statuses) {
    StayTimes times;
    const std::span<const StayMove> all(moves);
    for (std::size_t at = 0; at < all.size();) {
        std::size_t end = at + 1;
        while (end < all.size() && all[end].object == all[at].object) ++end;
        addStays(times, all.subspan(at, end - at));
        at = end;
    }
    std::vector<StatusStay> stays;
    for (const std::string& status : statuses)
        if (const auto known = times.find(status); known != times.end())
            stays.push_back({.status = status, .usual = median(known->second), .of = std::ssize(known->second)});
    return stays;
}

Result<std::vector<StatusStay>> Reader::objectStays(std::int64_t type, const std::vector<std::string>& statuses) {
    Impl& reader = *impl_;
    const Impl::Snapshot snapshot(reader);
    auto rows = reader.database.prepare(
        "SELECT s.id, s.created, h.revision, h.t, h.came_from, h.went_to FROM "
        "(SELECT id, created FROM object WHERE type=? AND status=? ORDER BY id DESC LIMIT ?) s "
        "CROSS JOIN object_history h ON h.object=s.id ORDER BY s.id, h.revision");
    if (!rows) return std::unexpected(rows.error());
    std::vector<StayMove> moves;
    const std::int64_t each =
        std::max(kLeastOfStatus, kMostStayObjects / std::max<std::int64_t>(1, std::ssize(statuses)));
    for (const std::string& status : statuses) {
        QueryScope row(*rows, type, status, each);
        int rc = SQLITE_ROW;
        while ((rc = row.step()) == SQLITE_ROW)
            moves.push_back({.object = row->integer(0),
                             .created = row->integer(1),
                             .revision = row->integer(2),
                             .t = row->integer(3),
                             .from = std::string(row->text(4)),
                             .to = std::string(row->text(5))});
        if (rc != SQLITE_DONE) return reader.failed(rc, "reading moves of objects");
    }
    return usualStays(moves, statuses);
}

Result<std::vector<ObjectWithRelatives>> Reader::objectsOf(const std::vector<std::int64_t>& ids,
                                                           std::size_t mostBytes) {
    std::vector<ObjectWithRelatives> all;
    std::size_t bytes = 0;
    for (const std::int64_t id : ids) {
        auto one = object(id);
        if (!one) return std::unexpected(one.error());
        if (!*one) continue;
        bytes += (*one)->row.fields.size() + ((*one)->parent ? (*one)->parent->fields.size() : 0);
        if (bytes > mostBytes) break;
        all.push_back(std::move(**one));
    }
    return all;
}

} // namespace yard::store
