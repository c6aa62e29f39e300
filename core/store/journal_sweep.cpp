// Clearing up: finished actions that are outdated, chunks that nothing refers to, packs that are mostly empty, free
// pages. Each operation is one bounded step of a group.
#include "core/store/journal_writer.h"

#include "core/store/packing.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yard::store {

using Applied = JournalWriter::Applied;

namespace {

constexpr std::size_t kMostNoted = 1'000'000;
/// What one step moves out of a pack.
constexpr std::size_t kMovedAtOnce = 1u << 20;
/// Free pages are kept for what comes next unless they are many, and a good part of the file.
constexpr std::int64_t kFewPages = 1'000;
constexpr std::int64_t kGoodPart = 10;

Applied answered(Swept swept) {
    auto detail = std::make_unique<AckDetail>();
    detail->swept = std::move(swept);
    return {SQLITE_OK, std::move(detail)};
}

} // namespace

// --- finished actions

/// The rows that go, as runs; where to go on in `swept`.
int JournalWriter::findOutdated(const RetireOutdated& retire, std::vector<Run>& runs, Swept& swept) {
    Selecting row(scanDone_, retire.from, retire.most);
    int looked = 0;
    int rc = row.step();
    for (; rc == SQLITE_ROW; rc = row.step()) {
        const std::int64_t lsn = row->integer(0);
        const auto base = row->optionalInteger(1);
        if (lsn > retire.what.last.value) return SQLITE_OK;
        ++looked;
        swept.next = Lsn(lsn + 1);
        if (!retire.what.covers(Lsn(lsn), row->integer(2))) continue;
        if (!runs.empty() && runs.back().last + 1 == lsn && runs.back().arrayBase == base)
            runs.back().last = lsn;
        else
            runs.push_back({lsn, lsn, base});
        ++swept.gone;
    }
    swept.more = looked == retire.most;
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int JournalWriter::retireRun(const Run& run) {
    int rc = deleteDoneRun_.run(run.first, run.last);
    if (rc == SQLITE_OK) {
        const std::int64_t firstAttempt = run.first << kAttemptBits;
        const std::int64_t lastAttempt = ((run.last + 1) << kAttemptBits) - 1;
        rc = deleteAttempts_.run(firstAttempt, lastAttempt);
    }
    if (rc != SQLITE_OK) return rc;
    if (!run.arrayBase) return forgetSubmitted(run.first, run.last);
    rc = releaseArrayBy_.run(*run.arrayBase, run.last - run.first);
    return rc == SQLITE_OK ? forgetSpec(Lsn(run.last), run.arrayBase) : rc; // the last of the run, and what is left
}

Applied JournalWriter::on(const RetireOutdated& retire) {
    Swept swept;
    std::vector<Run> runs;
    int rc = findOutdated(retire, runs, swept);
    for (const Run& run : runs) {
        if (rc == SQLITE_OK) rc = retireRun(run);
        swept.runs.emplace_back(run.first, run.last);
    }
    if (rc != SQLITE_OK) return {rc, nullptr};
    group_.doneRemoved += swept.gone;
    return answered(std::move(swept));
}

// --- chunks

void JournalWriter::note(std::span<const Hash256> chunks) {
    if (!marking_) return;
    if (noted_.size() + chunks.size() > kMostNoted) notedTooMany_ = true;
    if (notedTooMany_) return;
    for (const Hash256& hash : chunks) noted_.insert(keyOf(hash));
}

void JournalWriter::note(const AttemptRecord& attempt) {
    if (!marking_) return;
    if (attempt.outcome.out) note(*attempt.outcome.out);
    if (attempt.outcome.err) note(*attempt.outcome.err);
    for (const NamedChunk& output : attempt.outcome.outputs) note(std::span(&output.chunk.hash, 1));
}

Applied JournalWriter::on(const Marking& marking) {
    marking_ = marking.on;
    notedTooMany_ = false;
    noted_ = {};
    return {};
}

int JournalWriter::dropUnused(const Hash256& hash, Swept& swept) {
    if (noted_.contains(keyOf(hash)) || files_.isRecent(hash)) {
        ++swept.kept;
        return SQLITE_OK;
    }
    std::int64_t bytes = -1;
    {
        Selecting found(blobSize_, keyOf(hash));
        int rc = found.step();
        while (rc == SQLITE_ROW && found->hash(0) != hash) rc = found.step();
        if (rc == SQLITE_ROW) bytes = found->integer(1);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) return rc;
    }
    if (bytes >= 0) {
        if (const int rc = deleteBlob_.run(keyOf(hash), bytesOf(hash)); rc != SQLITE_OK) return rc;
    } else if (files_.has(hash)) {
        // Nothing refers to it whatever becomes of this group: no need to wait for the commit.
        bytes = files_.setAside(hash);
    }
    if (bytes < 0) return SQLITE_OK;
    ++swept.gone;
    swept.bytes += bytes;
    return SQLITE_OK;
}

Applied JournalWriter::on(const DropUnused& drop) {
    if (!marking_ || notedTooMany_)
        return Applied::refused(ErrorKind::WrongState, "what refers to chunks was not, or could not be, noted");
    if (MonoClock::now() > drop.validUntil)
        return Applied::refused(ErrorKind::WrongState, "it took too long from the look at chunks to their end");
    Swept swept;
    for (const Hash256& hash : drop.chunks)
        if (const int rc = dropUnused(hash, swept); rc != SQLITE_OK) return {rc, nullptr};
    return answered(std::move(swept));
}

// --- packs

int JournalWriter::readPack(std::int64_t pack, std::vector<Packed>& live) {
    Selecting row(packedBlobs_, pack);
    int rc = row.step();
    for (std::size_t bytes = 0; rc == SQLITE_ROW && bytes < kMovedAtOnce; rc = row.step()) {
        const std::int64_t size = std::clamp<std::int64_t>(row->integer(2), 0, kSmallChunk);
        live.push_back({row->integer(0), row->integer(1), size});
        bytes += static_cast<std::size_t>(size);
    }
    return rc == SQLITE_DONE || rc == SQLITE_ROW ? SQLITE_OK : rc;
}

/// The bytes of these chunks, one after another.
Result<void> JournalWriter::readLive(std::int64_t pack, const std::vector<Packed>& live, std::string& bytes) const {
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

Applied JournalWriter::on(const CompactPack& compact) {
    std::int64_t size = 0;
    {
        Selecting row(packSize_, compact.pack);
        const int rc = row.step();
        if (rc == SQLITE_DONE)
            return Applied::refused(ErrorKind::NotFound, fmt::format("there is no pack {}", compact.pack));
        if (rc != SQLITE_ROW) return {rc, nullptr};
        size = row->integer(0);
    }
    std::vector<Packed> live;
    if (const int rc = readPack(compact.pack, live); rc != SQLITE_OK) return {rc, nullptr};
    Swept swept{.gone = 0, .bytes = 0, .kept = std::ssize(live), .more = !live.empty(), .next = {}, .runs = {}};
    if (live.empty()) {
        const int rc = deletePack_.run(compact.pack);
        if (rc != SQLITE_OK) return {rc, nullptr};
        group_.emptyPacks.push_back(compact.pack);
        swept.gone = 1;
        swept.bytes = size;
        return answered(std::move(swept));
    }
    if (group_.packId == compact.pack) return answered(std::move(swept)); // being written just now
    std::string bytes;
    if (auto read = readLive(compact.pack, live, bytes); !read)
        return Applied::refused(read.error().kind, std::move(read.error().message));
    if (const int rc = beginPack(); rc != SQLITE_OK) return {rc, nullptr};
    std::size_t at = 0;
    for (const Packed& chunk : live) {
        const int rc = movePacked_.run(chunk.id, group_.packId, group_.pack.size());
        if (rc != SQLITE_OK) return {rc, nullptr};
        group_.pack.append(bytes, at, static_cast<std::size_t>(chunk.size));
        at += static_cast<std::size_t>(chunk.size);
    }
    group_.moves = true;
    return answered(std::move(swept));
}

// --- free pages

Applied JournalWriter::on(const ShrinkJournal& shrink) {
    const auto number = [](Statement& statement) {
        Selecting row(statement);
        return row.step() == SQLITE_ROW ? row->integer(0) : 0;
    };
    const std::int64_t before = number(freePages_);
    if (before < kFewPages || before * kGoodPart < number(allPages_)) return answered({});
    // The pragma gives back one page for each step of its statement.
    auto statement = database_.prepare(fmt::format("PRAGMA incremental_vacuum({})", shrink.pages));
    if (!statement) return {sqlite3_errcode(database_.handle()), nullptr};
    int rc = statement->step();
    while (rc == SQLITE_ROW) rc = statement->step();
    if (rc != SQLITE_DONE) return {rc, nullptr};
    statement->reset();
    const std::int64_t after = number(freePages_);
    Swept swept;
    swept.gone = before - after;
    swept.more = swept.gone > 0 && after >= kFewPages && after * kGoodPart >= number(allPages_);
    return answered(std::move(swept));
}

} // namespace yard::store
