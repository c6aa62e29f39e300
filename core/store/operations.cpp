#include "core/store/operations.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::store {
namespace {

// A step of clearing up shares its transaction with whatever came with it, and that waits for it.
constexpr int kMostRetired = 10'000;
constexpr std::size_t kMostDropped = 1'000;
constexpr int kMostPages = 10'000;

std::size_t bytesOfChunks(const std::vector<SmallChunk>& chunks) {
    std::size_t bytes = 0;
    for (const auto& chunk : chunks) bytes += chunk.bytes.size() + sizeof chunk;
    return bytes;
}

std::size_t bytesOfAttempt(const AttemptRecord& attempt) {
    const auto& outcome = attempt.outcome;
    std::size_t bytes = outcome.result.size() + outcome.note.size() + outcome.machine.size();
    bytes += outcome.samples.size() * sizeof(UsageSample);
    for (const GivenResource& one : outcome.given)
        for (const std::string& name : one.names) bytes += one.resource.size() + name.size() + 8;
    for (const auto& output : outcome.outputs) bytes += sizeof output + output.name.size();
    for (const auto& denial : outcome.denied) bytes += sizeof denial + denial.what.size() + denial.path.size();
    return bytes;
}

struct Footprint {
    std::size_t operator()(const Accept& accept) const {
        std::size_t bytes = 0;
        for (const auto& item : accept.items)
            bytes += sizeof item + item.spec.size() + item.chunks.size() * sizeof(Hash256) +
                     item.row.after.size() * sizeof(Edge) + item.row.command.size() + item.row.id.size();
        bytes += accept.folds.size() * sizeof(FoldRun);
        for (const auto& label : accept.labels) bytes += sizeof label + label.text.size();
        for (const auto& entry : accept.classes) bytes += sizeof entry + entry.text.size();
        if (accept.effect) bytes += accept.effect->name.size();
        if (accept.idempotency) bytes += accept.idempotency->key.size() + accept.idempotency->answer.size();
        return bytes;
    }
    std::size_t operator()(const Finish& finish) const {
        return bytesOfChunks(finish.chunks) + (finish.attempt ? bytesOfAttempt(*finish.attempt) : 0);
    }
    std::size_t operator()(const Retry& retry) const {
        return bytesOfChunks(retry.chunks) + bytesOfAttempt(retry.attempt);
    }
    std::size_t operator()(const UpdateMany& update) const { return update.runs.size() * sizeof(LsnRun); }
    std::size_t operator()(const FinishMany& finish) const { return finish.runs.size() * sizeof(LsnRun); }
    std::size_t operator()(const PutQueue& put) const { return put.row.config.size() + put.row.tag.size(); }
    std::size_t operator()(const PutWorker& put) const {
        return put.row.canonical.size() + put.row.chunks.size() * sizeof(Hash256);
    }
    std::size_t operator()(const PutOp& put) const { return put.row.body.size(); }
    std::size_t operator()(const PutChunk& put) const { return put.chunk.bytes.size(); }
    std::size_t operator()(const DropUnused& drop) const { return drop.chunks.size() * sizeof(Hash256); }
    std::size_t operator()(const MarkActions& marking) const { return marking.runs.size() * sizeof(LsnRun); }
    std::size_t operator()(const PlaceActions& placed) const {
        return placed.rows.size() * sizeof placed.rows.front();
    }
    std::size_t operator()(const AddComment& added) const {
        return added.comment.by.size() + added.comment.text.size();
    }
    std::size_t operator()(const PutObjectType& put) const { return put.row.name.size() + put.row.body.size(); }
    std::size_t operator()(const CreateObjects& create) const {
        std::size_t bytes = 0;
        for (const auto& object : create.objects)
            bytes += sizeof object + object.fields.size() + (object.key ? object.key->size() : 0);
        if (create.idempotency) bytes += create.idempotency->key.size() + create.idempotency->answer.size();
        return bytes;
    }
    std::size_t operator()(const ClaimObjects& claim) const {
        return claim.claims.size() * sizeof(ClaimObjects::Claim);
    }
    std::size_t operator()(const MoveObject& move) const {
        std::size_t bytes = move.set.size() + move.lastError.size();
        for (const auto& effect : move.effects) bytes += sizeof effect + effect.second.size();
        if (move.idempotency) bytes += move.idempotency->key.size();
        return bytes;
    }
    std::size_t operator()(const WakeObjects& wake) const {
        return wake.ids.size() * sizeof(std::int64_t) + wake.told.size() * sizeof(Lsn);
    }
    std::size_t operator()(const DropObjects& drop) const { return drop.ids.size() * sizeof(std::int64_t); }
    std::size_t operator()(const PutDocuments& put) const {
        std::size_t bytes = 0;
        for (const auto& change : put.changes)
            bytes += sizeof change + change.name.size() + (change.body ? change.body->size() : 0);
        return bytes;
    }
    template<class Other>
    std::size_t operator()(const Other&) const {
        return 0;
    }
};

Result<void> checkItem(const AcceptItem& item, int index) {
    const auto refuse = [index](std::string_view what) -> std::unexpected<Error> {
        auto error = fail(ErrorKind::Invalid, fmt::format("not a row for the journal: {}", what));
        error.error().index = index;
        return error;
    };
    if (item.row.lsn.value <= 0) return refuse("no LSN");
    if (item.row.queue.value < 0) return refuse("a negative queue");
    if (item.count < 1 || item.count > kMaxArrayCount) return refuse("a count out of range");
    if (item.count > 1 && !item.isArray) return refuse("many rows that are no array");
    if (item.spec.empty() != (item.before > 0)) return refuse("no spec, or one too many");
    if (item.before < 0 || (item.before > 0 && !item.isArray)) return refuse("a part of no array");
    if (item.total != 0 && item.before + item.count > item.total) return refuse("more than there are of the array");
    return {};
}

Result<void> checkChunks(const std::vector<SmallChunk>& chunks) {
    for (const auto& chunk : chunks)
        if (chunk.bytes.size() > kSmallChunk)
            return fail(ErrorKind::Invalid,
                        fmt::format("a chunk of {} bytes is too large for the journal: at most {}",
                                    chunk.bytes.size(), kSmallChunk));
    return {};
}

Result<void> checkDocument(const DocumentChange& change) {
    constexpr std::size_t kMaxKind = 32;
    constexpr std::size_t kMaxName = 256;
    const auto isWord = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
    if (change.kind.empty() || change.kind.size() > kMaxKind || !std::ranges::all_of(change.kind, isWord))
        return fail(ErrorKind::Invalid, fmt::format("'{}' is not a kind of documents", change.kind));
    if (change.name.empty() || change.name.size() > kMaxName)
        return fail(ErrorKind::Invalid, fmt::format("the name of a document has 1 to {} bytes", kMaxName));
    if (change.body && change.body->size() > kMaxDocument)
        return fail(ErrorKind::Invalid, fmt::format("'{}' has {} bytes, and a document has at most {}", change.name,
                                                    change.body->size(), kMaxDocument));
    return {};
}

Result<void> checkLsn(Lsn lsn) {
    if (lsn.value <= 0) return fail(ErrorKind::Invalid, "not an operation for the journal: no LSN");
    return {};
}

Result<void> checkAttempt(const AttemptRecord& attempt) {
    if (attempt.n == 0) return fail(ErrorKind::Invalid, "attempts count from 1");
    if (!isEnded(attempt.outcome.state))
        return fail(ErrorKind::Invalid, "an attempt that has not ended is not kept");
    return {};
}

Result<void> checkRuns(const std::vector<LsnRun>& runs) {
    std::int64_t rows = 0;
    for (const LsnRun& run : runs) {
        if (run.first.value <= 0 || run.count < 1 || run.count > kMostAtOnce)
            return fail(ErrorKind::Invalid, "not an operation for the journal: no LSNs");
        rows += run.count;
    }
    if (rows > kMostAtOnce)
        return fail(ErrorKind::Invalid, fmt::format("at most {} actions can be changed at once", kMostAtOnce));
    return {};
}

Result<void> checkObjectCount(std::size_t count) {
    if (count <= kMostObjects) return {};
    return fail(ErrorKind::Invalid, fmt::format("at most {} objects can be changed at once", kMostObjects));
}

Result<void> checkNewObject(const NewObject& object) {
    if (object.id <= 0 || object.type <= 0 || object.status.empty())
        return fail(ErrorKind::Invalid, "not an object for the journal: no number, type or status");
    if (object.fields.size() <= kMaxObjectText) return {};
    return fail(ErrorKind::Invalid, fmt::format("the fields of an object have at most {} bytes", kMaxObjectText));
}

struct Validate {
    Result<void> operator()(const Accept& accept) const {
        for (std::size_t i = 0; i < accept.items.size(); ++i)
            if (auto ok = checkItem(accept.items[i], static_cast<int>(i)); !ok) return ok;
        for (const FoldRun& fold : accept.folds)
            if (fold.lsns.first.value <= 0 || fold.lsns.count < 2)
                return fail(ErrorKind::Invalid, "an array or a list that is one row has two actions at least");
        return {};
    }
    Result<void> operator()(const UndoAccept& undo) const { return checkRuns({undo.rows}); }
    Result<void> operator()(const Finish& finish) const {
        if (auto ok = checkLsn(finish.lsn); !ok) return ok;
        if (!isEnded(finish.state)) return fail(ErrorKind::Invalid, "only an end state finishes an action");
        if (finish.attempt)
            if (auto ok = checkAttempt(*finish.attempt); !ok) return ok;
        return checkChunks(finish.chunks);
    }
    Result<void> operator()(const Retry& retry) const {
        if (auto ok = checkLsn(retry.lsn); !ok) return ok;
        if (auto ok = checkAttempt(retry.attempt); !ok) return ok;
        return checkChunks(retry.chunks);
    }
    Result<void> operator()(const Update& update) const { return checkLsn(update.lsn); }
    Result<void> operator()(const UpdateMany& update) const { return checkRuns(update.runs); }
    Result<void> operator()(const MarkActions& marking) const { return checkRuns(marking.runs); }
    Result<void> operator()(const PlaceActions& placed) const {
        if (std::ssize(placed.rows) > kMostAtOnce)
            return fail(ErrorKind::Invalid, fmt::format("at most {} actions can be moved at once", kMostAtOnce));
        for (const auto& [lsn, to] : placed.rows)
            if (auto ok = checkLsn(lsn); !ok) return ok;
        return {};
    }
    Result<void> operator()(const PutObjectType& put) const {
        if (put.row.id > 0 && !put.row.name.empty() && put.row.body.size() <= kMaxObjectText) return {};
        return fail(ErrorKind::Invalid, "not a type for the journal: no number or name, or too large");
    }
    Result<void> operator()(const CreateObjects& create) const {
        if (auto ok = checkObjectCount(create.objects.size()); !ok) return ok;
        for (const NewObject& object : create.objects)
            if (auto ok = checkNewObject(object); !ok) return ok;
        return {};
    }
    Result<void> operator()(const ClaimObjects& claim) const { return checkObjectCount(claim.claims.size()); }
    Result<void> operator()(const MoveObject& move) const {
        if (move.id <= 0 || move.to.empty()) return fail(ErrorKind::Invalid, "not a move for the journal");
        if (move.ends != (move.retryAt == 0))
            return fail(ErrorKind::Invalid, "an object has retry_at exactly when its status is not final");
        if (!move.effects.empty() && move.newRevision <= move.revision)
            return fail(ErrorKind::Invalid, "a move with effects has a revision of its own");
        if (move.set.size() <= kMaxObjectText) return checkObjectCount(move.effects.size());
        return fail(ErrorKind::Invalid,
                    fmt::format("the fields of an object have at most {} bytes", kMaxObjectText));
    }
    Result<void> operator()(const WakeObjects& wake) const { return checkObjectCount(wake.ids.size()); }
    Result<void> operator()(const DropObjects& drop) const { return checkObjectCount(drop.ids.size()); }
    Result<void> operator()(const PutDocuments& put) const {
        if (put.changes.size() > kMostDocumentChanges)
            return fail(ErrorKind::Invalid,
                        fmt::format("at most {} documents can be changed at once", kMostDocumentChanges));
        for (const auto& change : put.changes)
            if (auto ok = checkDocument(change); !ok) return ok;
        return {};
    }
    Result<void> operator()(const FinishMany& finish) const {
        if (finish.state != ActionState::Cancelled && finish.state != ActionState::Abandoned)
            return fail(ErrorKind::Invalid, "without an attempt many actions are cancelled or abandoned");
        return checkRuns(finish.runs);
    }
    Result<void> operator()(const Retire& retire) const { return checkLsn(retire.lsn); }
    Result<void> operator()(const Reopen& reopen) const { return checkLsn(reopen.lsn); }
    Result<void> operator()(const DropQueue& drop) const {
        if (drop.id == QueueId(0)) return fail(ErrorKind::Invalid, "queue 0 is always there and cannot be deleted");
        return {};
    }
    Result<void> operator()(const PutChunk& put) const {
        if (put.chunk.bytes.size() <= kSmallChunk) return {};
        return fail(ErrorKind::Invalid, fmt::format("a chunk of {} bytes is too large for the journal: at most {}",
                                                    put.chunk.bytes.size(), kSmallChunk));
    }
    Result<void> operator()(const RetireOutdated& retire) const {
        if (retire.most >= 1 && retire.most <= kMostRetired) return {};
        return fail(ErrorKind::Invalid, fmt::format("between 1 and {} rows are looked at in a step", kMostRetired));
    }
    Result<void> operator()(const DropUnused& drop) const {
        if (drop.chunks.size() <= kMostDropped) return {};
        return fail(ErrorKind::Invalid, fmt::format("at most {} chunks are dropped in a step", kMostDropped));
    }
    Result<void> operator()(const ShrinkJournal& shrink) const {
        if (shrink.pages >= 1 && shrink.pages <= kMostPages) return {};
        return fail(ErrorKind::Invalid, fmt::format("between 1 and {} pages are given back in a step", kMostPages));
    }
    Result<void> operator()(const ReserveLsns& reserve) const {
        if (reserve.count >= 1 && reserve.count <= 1'000'000'000) return {};
        return fail(ErrorKind::Invalid, "between 1 and 1,000,000,000 LSNs can be reserved at once");
    }
    template<class Other>
    Result<void> operator()(const Other&) const {
        return {};
    }
};

} // namespace

bool isResult(const Action& action) {
    return std::holds_alternative<Finish>(action) || std::holds_alternative<FinishMany>(action) ||
           std::holds_alternative<Retry>(action);
}

bool isUpkeep(const Action& action) {
    return std::holds_alternative<RetireOutdated>(action) || std::holds_alternative<ChunkMark>(action) ||
           std::holds_alternative<DropUnused>(action) || std::holds_alternative<CompactPack>(action) ||
           std::holds_alternative<ShrinkJournal>(action);
}

std::int64_t costInRows(const Action& action) {
    if (const auto* update = std::get_if<UpdateMany>(&action)) return costOf(update->runs);
    if (const auto* finish = std::get_if<FinishMany>(&action)) return costOf(finish->runs);
    if (const auto* marking = std::get_if<MarkActions>(&action)) return costOf(marking->runs);
    if (const auto* placed = std::get_if<PlaceActions>(&action)) return std::ssize(placed->rows);
    if (const auto* put = std::get_if<PutDocuments>(&action)) return std::ssize(put->changes);
    if (const auto* create = std::get_if<CreateObjects>(&action)) return std::ssize(create->objects);
    if (const auto* claim = std::get_if<ClaimObjects>(&action)) return std::ssize(claim->claims);
    if (const auto* wake = std::get_if<WakeObjects>(&action)) return std::ssize(wake->ids);
    if (const auto* drop = std::get_if<DropObjects>(&action)) return std::ssize(drop->ids);
    if (const auto* undo = std::get_if<UndoAccept>(&action)) return undo->rows.count;
    return rowCount(action);
}

std::int64_t rowCount(const Action& action) {
    const auto* accept = std::get_if<Accept>(&action);
    if (!accept) return 0;
    std::int64_t rows = 0;
    for (const auto& item : accept->items) rows += item.count;
    return rows;
}

std::size_t footprint(const Action& action) {
    return sizeof(Operation) + std::visit(Footprint{}, action);
}

Result<void> validate(const Action& action) {
    return std::visit(Validate{}, action);
}

} // namespace yard::store
