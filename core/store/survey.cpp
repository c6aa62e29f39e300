#include "core/store/survey.h"

#include "core/base/directory_entries.h"
#include "core/base/disk_space.h"
#include "core/store/packing.h"
#include "core/store/read_budget.h"
#include "core/store/store_impl.h"
#include "core/store/taken_bytes.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace yard::store {

namespace {

/// A step looks at the clock every so many rows, and ends after this long.
constexpr int kRowsPerLook = 64;
constexpr Duration kStep = std::chrono::milliseconds(5);
/// After so many rows in a row that are too young, whatever follows is younger still: LSNs and times of submission
/// rise together but for a clock that was wrong for a while.
constexpr int kYoungInARow = 10'000;
/// What an action takes besides its chunks: rows of done and attempt.
constexpr std::int64_t kRowBytes = 200;

constexpr std::size_t kLeastWords = 1u << 10;
constexpr std::size_t kMostWords = 1u << 22; // 32 MiB
constexpr std::uint64_t kBitsPerChunk = 12;
constexpr int kProbes = 4;
/// Of an array, to find out whether all of them go.
constexpr std::int64_t kMostElements = 20'000;

/// The chunks of an attempt's columns, from column `first` on: out, err, outputs.
void eachChunk(const Statement& row, int first, auto&& function) {
    for (int column = first; column < first + 2; ++column)
        if (const auto chunk = unpackChunk(row.text(column))) function(*chunk);
    for (const NamedChunk& output : unpackOutputs(row.text(first + 2))) function(output.chunk);
}

/// SHA-256 of a file's name in chunks/ab/: nothing when it is not a chunk's.
std::optional<Hash256> chunkOfFile(unsigned folder, std::string_view file) {
    if (file.ends_with(".z")) file.remove_suffix(2);
    return Hash256::fromHex(fmt::format("{:02x}{}", folder, file));
}

} // namespace

// --- the filter

ChunkFilter::ChunkFilter(std::uint64_t expected, std::uint64_t seed)
    : bits_(std::bit_ceil(std::clamp<std::uint64_t>(expected * kBitsPerChunk / 64, kLeastWords, kMostWords)))
    , seed_(seed) {}

namespace {

/// The bits of a hash: it is random already, the seed moves its false friends.
auto probes(const Hash256& hash, std::uint64_t seed, std::size_t words) {
    std::array<std::uint64_t, kProbes> places{};
    std::memcpy(places.data(), hash.bytes.data(), sizeof places);
    for (std::uint64_t& place : places) {
        place = (place ^ seed) * 0x9E3779B97F4A7C15ull;
        place = (place ^ place >> 32) & (words * 64 - 1);
    }
    return places;
}

} // namespace

void ChunkFilter::add(const Hash256& hash) {
    for (const std::uint64_t place : probes(hash, seed_, bits_.size()))
        bits_[place / 64] |= std::uint64_t{1} << place % 64;
}

bool ChunkFilter::mayContain(const Hash256& hash) const {
    return std::ranges::all_of(probes(hash, seed_, bits_.size()),
                               [this](std::uint64_t place) { return (bits_[place / 64] >> place % 64 & 1) != 0; });
}

// --- the connection

struct Survey::Impl {
    Impl(ChunkFiles& chunkFiles, std::atomic<int>& count)
        : files(chunkFiles)
        , readers(count) {
        ++readers;
    }
    ~Impl() {
        for (Statement* statement : {&done, &spent, &specLength, &specs, &attempts, &workers, &blobs, &packs})
            *statement = Statement();
        database = Database();
        --readers;
    }
    Result<void> prepare();
    std::unexpected<Error> failed(std::string_view doing) const {
        return std::unexpected(database.error(ErrorKind::Io, doing));
    }
    std::int64_t bytesOf(std::int64_t lsn);
    Result<bool> markSpecs(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor);
    Result<bool> markAttempts(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor);
    /// An array's inputs go with the last of its elements.
    Result<bool> wholeArrayGoes(const ExpiredRows& except, std::int64_t base, std::int64_t live);
    Result<bool> markWorkers(ChunkFilter& filter, MarkCursor& cursor);

    ChunkFiles& files;
    std::atomic<int>& readers;
    Database database;
    Statement done, spent, specLength, specs, elements, attempts, workers, blobs, packs;
};

/// The end of a finished action that is outdated on its own account; NULL for one that is not finished.
Result<void> Survey::Impl::prepare() {
    struct Wanted {
        Statement& statement;
        const char* sql;
    };
    for (const Wanted& wanted : {
             Wanted{done, "SELECT lsn, t_new, t_new + coalesce(d_end, 0) FROM done WHERE lsn>=? ORDER BY lsn"},
             Wanted{spent, "SELECT out, err, outputs, length(result) FROM attempt WHERE id BETWEEN ? AND ?"},
             Wanted{specLength, "SELECT length(text) FROM spec WHERE lsn=?"},
             Wanted{specs,
                    "SELECT s.lsn, s.chunks, d.t_new + coalesce(d.d_end, 0), a.live FROM spec s "
                    "INDEXED BY spec_chunks LEFT JOIN done d ON d.lsn=s.lsn LEFT JOIN array a ON a.base=s.lsn "
                    "WHERE s.chunks IS NOT NULL AND s.lsn>? ORDER BY s.lsn"},
             Wanted{elements,
                    "SELECT lsn, t_new + coalesce(d_end, 0), array_base FROM done WHERE lsn>=? ORDER BY lsn"},
             Wanted{attempts, "SELECT a.id, a.out, a.err, a.outputs, d.t_new + coalesce(d.d_end, 0) FROM attempt a "
                              "LEFT JOIN done d ON d.lsn=a.id>>16 WHERE a.id>? ORDER BY a.id"},
             Wanted{workers, "SELECT chunks FROM worker"},
             Wanted{blobs, "SELECT id, hash, size FROM blob WHERE id>? ORDER BY id"},
             Wanted{packs, "SELECT id, size, coalesce((SELECT sum(size) FROM blob WHERE pack=p.id), 0) AS used "
                           "FROM pack p WHERE used*2<size ORDER BY id LIMIT 1000"},
         }) {
        auto statement = database.prepare(wanted.sql);
        if (!statement) return std::unexpected(std::move(statement.error()));
        wanted.statement = std::move(*statement);
    }
    return {};
}

Survey::Survey(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
Survey::~Survey() = default;

Result<std::unique_ptr<Survey>> Survey::open(Store& store) {
    auto impl = std::make_unique<Impl>(store.impl_->files, store.impl_->readers);
    auto opened = Database::openForReading(store.path(), store.impl_->options.vfs);
    if (!opened) return std::unexpected(std::move(opened.error()));
    impl->database = std::move(*opened);
    if (auto prepared = impl->prepare(); !prepared) return std::unexpected(std::move(prepared.error()));
    return std::unique_ptr<Survey>(new Survey(std::move(impl)));
}

// --- how much there is

Result<DiskUse> Survey::diskUse() {
    Database& database = impl_->database;
    std::array<std::int64_t, 5> numbers{};
    constexpr std::array kQueries{"PRAGMA page_size", "PRAGMA page_count", "PRAGMA freelist_count",
                                  "SELECT coalesce(sum(size), 0) FROM pack",
                                  "SELECT CAST(value AS INTEGER) FROM meta WHERE key='finished'"};
    for (std::size_t i = 0; i < kQueries.size(); ++i) {
        auto number = database.number(kQueries[i]);
        if (!number) return std::unexpected(std::move(number.error()));
        numbers[i] = *number;
    }
    const auto [pageSize, pages, freePages, packBytes, finished] = numbers;
    auto disk = diskSpace(impl_->files.directory());
    if (!disk) return std::unexpected(std::move(disk.error()));
    struct stat log{};
    const std::string path = std::string(sqlite3_db_filename(database.handle(), "main")) + "-wal";
    const std::int64_t logged = ::stat(path.c_str(), &log) == 0 ? log.st_size : 0;
    return DiskUse{.journal = (pages - freePages) * pageSize,
                   .journalFree = freePages * pageSize,
                   .log = logged,
                   .packs = packBytes,
                   .files = 0,
                   .disk = disk->bytes,
                   .actions = finished};
}

Result<std::uint64_t> Survey::smallChunks() {
    auto number = impl_->database.number("SELECT coalesce(max(id), 0) FROM blob");
    if (!number) return std::unexpected(std::move(number.error()));
    return static_cast<std::uint64_t>(*number);
}

namespace {

/// Calls `function` with name and status of each file in chunks/ab/.
Result<void> eachFile(const std::string& directory, unsigned folder, auto&& function) {
    const std::string path = fmt::format("{}/{:02x}", directory, folder);
    auto entries = DirectoryEntries::open(path);
    if (!entries && entries.error().sysErrno == ENOENT) return {};
    if (!entries) return std::unexpected(std::move(entries.error()));
    while (const auto entry = entries->next()) {
        const std::string name(*entry);
        struct stat status{};
        if (::fstatat(entries->fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (S_ISREG(status.st_mode)) function(std::string_view(name), status);
    }
    return {};
}

} // namespace

Result<void> Survey::measureFolder(unsigned folder, std::int64_t& bytes, std::uint64_t& count) const {
    return eachFile(impl_->files.directory(), folder, [&](std::string_view, const struct stat& status) {
        bytes += takenBytes(status);
        ++count;
    });
}

// --- which actions

/// What would be free, if nobody else refers to it, when this one were gone.
std::int64_t Survey::Impl::bytesOf(std::int64_t lsn) {
    std::int64_t bytes = kRowBytes;
    {
        QueryScope row(specLength, lsn);
        if (row.step() == SQLITE_ROW) bytes += row->integer(0);
    }
    QueryScope row(spent, lsn << kAttemptBits, ((lsn + 1) << kAttemptBits) - 1);
    while (row.step() == SQLITE_ROW) {
        bytes += kRowBytes + row->integer(3);
        eachChunk(*row.operator->(), 0,
                  [&](const ChunkRef& chunk) { bytes += static_cast<std::int64_t>(chunk.size); });
    }
    return bytes;
}

Result<bool> Survey::planStep(const RetireLimits& limits, RetirePlan& plan) {
    ReadBudget looking(kStep, kRowsPerLook);
    QueryScope row(impl_->done, plan.next);
    int young = 0;
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        const std::int64_t lsn = row->integer(0);
        const WallMicros end = row->integer(2);
        const bool tooMany = plan.total() < limits.actionsToGo;
        const bool tooMuch = plan.bytes < limits.bytesToFree;
        plan.next = Lsn(lsn + 1);
        if (end >= plan.what.keptSince) {
            // stays, whatever else there is
        } else if (end < plan.what.endedBefore) {
            ++plan.byAge;
            plan.what.last = Lsn(lsn);
            if (limits.bytesToFree > 0) plan.bytes += impl_->bytesOf(lsn);
        } else if (tooMany || tooMuch) {
            ++(tooMany ? plan.byCount : plan.bySize);
            plan.what.last = Lsn(lsn);
            plan.what.below = Lsn(lsn + 1);
            if (limits.bytesToFree > 0) plan.bytes += impl_->bytesOf(lsn);
        }
        young = row->integer(1) < plan.what.endedBefore || tooMany || tooMuch ? 0 : young + 1;
        if (young >= kYoungInARow) return false;
        if (looking.isOverAfter()) return true;
    }
    if (rc != SQLITE_DONE) return impl_->failed("looking for what is outdated");
    return false;
}

// --- what is referred to

/// `live`: elements that are not retired; those that are pending are among them, and then it stays. Of an array of
/// more than kMostElements it is not found out: it counts as one that stays.
Result<bool> Survey::Impl::wholeArrayGoes(const ExpiredRows& except, std::int64_t base, std::int64_t live) {
    if (live > kMostElements) return false;
    QueryScope row(elements, base);
    int rc = row.step();
    for (; rc == SQLITE_ROW && live > 0; rc = row.step()) {
        if (row->isNull(2) || row->integer(2) != base) break; // its LSNs follow each other
        if (!except.covers(Lsn(row->integer(0)), row->integer(1))) return false;
        --live;
    }
    if (rc != SQLITE_DONE && rc != SQLITE_ROW) return failed("looking for the elements of an array");
    return live == 0;
}

Result<bool> Survey::Impl::markSpecs(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor) {
    ReadBudget looking(kStep, kRowsPerLook);
    QueryScope row(specs, cursor.after);
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        cursor.after = row->integer(0);
        bool goes = !row->isNull(2) && row->isNull(3) && except.covers(Lsn(cursor.after), row->integer(2));
        if (!row->isNull(3) && except.last.value > 0) {
            const auto array = wholeArrayGoes(except, cursor.after, row->integer(3));
            if (!array) return std::unexpected(array.error());
            goes = *array;
        }
        if (!goes)
            for (const Hash256& hash : unpackHashes(row->text(1))) filter.add(hash);
        if (looking.isOverAfter()) return true;
    }
    if (rc != SQLITE_DONE) return failed("looking for inputs");
    cursor = {MarkCursor::Table::Attempts, 0};
    return true;
}

Result<bool> Survey::Impl::markAttempts(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor) {
    ReadBudget looking(kStep, kRowsPerLook);
    QueryScope row(attempts, cursor.after);
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        cursor.after = row->integer(0);
        const bool goes = !row->isNull(4) && except.covers(Lsn(cursor.after >> kAttemptBits), row->integer(4));
        if (!goes) eachChunk(*row.operator->(), 1, [&](const ChunkRef& chunk) { filter.add(chunk.hash); });
        if (looking.isOverAfter()) return true;
    }
    if (rc != SQLITE_DONE) return failed("looking for outputs");
    cursor = {MarkCursor::Table::Workers, 0};
    return true;
}

Result<bool> Survey::Impl::markWorkers(ChunkFilter& filter, MarkCursor& cursor) {
    QueryScope row(workers);
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step())
        for (const Hash256& hash : unpackHashes(row->text(0))) filter.add(hash);
    if (rc != SQLITE_DONE) return failed("looking for workers");
    cursor = {MarkCursor::Table::Done, 0};
    return false;
}

Result<bool> Survey::markStep(const ExpiredRows& except, ChunkFilter& filter, MarkCursor& cursor) {
    switch (cursor.table) {
    case MarkCursor::Table::Specs: return impl_->markSpecs(except, filter, cursor);
    case MarkCursor::Table::Attempts: return impl_->markAttempts(except, filter, cursor);
    case MarkCursor::Table::Workers: return impl_->markWorkers(filter, cursor);
    case MarkCursor::Table::Done: break;
    }
    return false;
}

// --- what nothing refers to

Result<bool> Survey::unusedSmall(const ChunkFilter& filter, std::int64_t& after, std::vector<UnusedChunk>& unused) {
    ReadBudget looking(kStep, kRowsPerLook);
    QueryScope row(impl_->blobs, after);
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        after = row->integer(0);
        if (const auto hash = row->hash(1); hash && !filter.mayContain(*hash))
            unused.push_back({*hash, row->integer(2)});
        if (looking.isOverAfter()) return true;
    }
    if (rc != SQLITE_DONE) return impl_->failed("looking for small chunks");
    return false;
}

Result<void> Survey::unusedFiles(const ChunkFilter& filter, unsigned folder,
                                 std::vector<UnusedChunk>& unused) const {
    return eachFile(impl_->files.directory(), folder, [&](std::string_view name, const struct stat& status) {
        if (const auto hash = chunkOfFile(folder, name); hash && !filter.mayContain(*hash))
            unused.push_back({*hash, takenBytes(status)});
    });
}

Result<std::vector<Survey::SparsePack>> Survey::sparsePacks() {
    std::vector<SparsePack> sparse;
    QueryScope row(impl_->packs);
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) sparse.push_back({row->integer(0), row->integer(1), row->integer(2)});
    if (rc != SQLITE_DONE) return impl_->failed("looking for sparse packs");
    return sparse;
}

} // namespace yard::store
