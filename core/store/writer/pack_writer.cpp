#include "core/store/writer/pack_writer.h"

#include "core/base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yard::store {

static constexpr std::size_t kPackOver = 4u << 10;
/// What one step moves out of a pack.
static constexpr std::size_t kMovedAtOnce = 1u << 20;

PackWriter::PackWriter(StatementMaker& sql, ChunkFiles& files)
    : owner_(sql.owner())
    , files_(files) {
    insertPack_ = sql("INSERT INTO pack VALUES(?,?)");
    lastPack_ = sql("SELECT coalesce(max(id), 0) FROM pack");
    packedBlobs_ = sql("SELECT id, at, size FROM blob WHERE pack=? ORDER BY at");
    movePacked_ = sql("UPDATE blob SET pack=?2, at=?3 WHERE id=?1");
    packSize_ = sql("SELECT size FROM pack WHERE id=?");
    deletePack_ = sql("DELETE FROM pack WHERE id=?");
}

bool PackWriter::takes(std::size_t size) const {
    return packing_ && size > kPackOver;
}

int PackWriter::append(std::string_view bytes, Place& place) {
    YARD_ASSERT_OWNER(owner_);
    if (const int rc = beginPack(); rc != SQLITE_OK) return rc;
    place = {.pack = group_.id, .at = std::ssize(group_.bytes)};
    group_.bytes += bytes;
    return SQLITE_OK;
}

int PackWriter::beginPack() {
    if (group_.id != 0) return SQLITE_OK;
    QueryScope last(lastPack_);
    if (const int rc = last.step(); rc != SQLITE_ROW) return rc;
    group_.id = lastId_ = std::max(lastId_, last->integer(0)) + 1;
    return SQLITE_OK;
}

bool PackWriter::holds(Place place, std::int64_t size) const {
    return place.pack == group_.id || files_.packHolds(place.pack, place.at + size);
}

bool PackWriter::hasBytes(Place place, std::string_view bytes) const {
    if (place.pack == group_.id) {
        const auto at = static_cast<std::size_t>(place.at);
        return at <= group_.bytes.size() && std::string_view(group_.bytes).substr(at, bytes.size()) == bytes;
    }
    const auto packed = files_.readPacked(place.pack, place.at, std::ssize(bytes));
    return packed && *packed == bytes;
}

// --- moving what is used

int PackWriter::readPack(std::int64_t pack, std::vector<Packed>& live) {
    QueryScope row(packedBlobs_, pack);
    int rc = row.step();
    for (std::size_t bytes = 0; rc == SQLITE_ROW && bytes < kMovedAtOnce; rc = row.step()) {
        const std::int64_t size = std::clamp<std::int64_t>(row->integer(2), 0, kSmallChunk);
        live.push_back({row->integer(0), row->integer(1), size});
        bytes += static_cast<std::size_t>(size);
    }
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/// The bytes of these chunks, one after another.
Result<void> PackWriter::readLive(std::int64_t pack, const std::vector<Packed>& live, std::string& bytes) const {
    const std::string path = files_.packPath(pack);
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failErrno("open " + path, errno);
    for (const Packed& chunk : live) {
        const std::size_t at = bytes.size();
        bytes.resize(at + static_cast<std::size_t>(chunk.size));
        if (::pread(file.get(), bytes.data() + at, static_cast<std::size_t>(chunk.size), chunk.at) != chunk.size)
            return fail(ErrorKind::Io, fmt::format("{} cannot be read, or ends early", path));
    }
    return {};
}

Applied PackWriter::removeEmpty(std::int64_t pack, std::int64_t size) {
    if (const int rc = deletePack_.run(pack); rc != SQLITE_OK) return Applied::with(rc);
    group_.empty.push_back(pack);
    SweepResult swept;
    swept.gone = 1;
    swept.bytes = size;
    return Applied::swept(std::move(swept));
}

int PackWriter::move(const std::vector<Packed>& live, std::string_view bytes) {
    for (const Packed& chunk : live) {
        const auto size = static_cast<std::size_t>(chunk.size);
        Place place;
        int rc = append(bytes.substr(0, size), place);
        if (rc == SQLITE_OK) rc = movePacked_.run(chunk.id, place.pack, place.at);
        if (rc != SQLITE_OK) return rc;
        bytes.remove_prefix(size);
    }
    group_.moves = true;
    return SQLITE_OK;
}

Applied PackWriter::apply(const CompactPack& compact) {
    YARD_ASSERT_OWNER(owner_);
    std::int64_t size = 0;
    {
        QueryScope row(packSize_, compact.pack);
        const int rc = row.step();
        if (rc == SQLITE_DONE)
            return Applied::refused(ErrorKind::NotFound, fmt::format("there is no pack {}", compact.pack));
        if (rc != SQLITE_ROW) return Applied::with(rc);
        size = row->integer(0);
    }
    std::vector<Packed> live;
    if (const int rc = readPack(compact.pack, live); rc != SQLITE_OK) return Applied::with(rc);
    if (live.empty()) return removeEmpty(compact.pack, size);
    if (group_.id != compact.pack) { // else it is being written just now
        std::string bytes;
        if (auto read = readLive(compact.pack, live, bytes); !read)
            return Applied::refused(read.error().kind, std::move(read.error().message));
        if (const int rc = move(live, bytes); rc != SQLITE_OK) return Applied::with(rc);
    }
    SweepResult swept;
    swept.kept = std::ssize(live);
    swept.more = true;
    return Applied::swept(std::move(swept));
}

// --- the group

void PackWriter::clear() {
    group_ = {};
    packing_ = false;
}

void PackWriter::mark() {
    marked_ = group_;
}

void PackWriter::backToMark() {
    group_ = marked_;
}

int PackWriter::write() {
    YARD_ASSERT_OWNER(owner_);
    if (group_.bytes.empty()) return SQLITE_OK;
    // What is moved was safe before, and stays so: its old pack goes once nothing refers to that.
    const auto path = files_.packPath(group_.id);
    if (auto written = writeFileAtomically(path, group_.bytes, 0600, files_.sync() || group_.moves); !written)
        return written.error().kind == ErrorKind::NoSpace ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    return insertPack_.run(group_.id, group_.bytes.size());
}

void PackWriter::committed() {
    // The store has synced this group: no power cut brings the rows back whose bytes are gone.
    for (const std::int64_t pack : group_.empty) files_.setAsidePack(pack);
    clear();
}

} // namespace yard::store
