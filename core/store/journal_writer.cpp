#include "core/store/journal_writer.h"

namespace yard::store {

namespace {

template<class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};

} // namespace

JournalWriter::JournalWriter(Database& database, ChunkFiles& files)
    : database_(database)
    , statements_(database, owner_)
    , folds_(statements_)
    , tally_(statements_, folds_)
    , packs_(statements_, files)
    , notes_(owner_)
    , chunks_(statements_, files, packs_, notes_)
    , actions_(statements_)
    , attempts_(statements_, notes_)
    , specs_(statements_)
    , replaced_(statements_, actions_)
    , annotations_(statements_, actions_)
    , keys_(statements_)
    , objects_(statements_, keys_)
    , acceptance_(statements_, {actions_, specs_, replaced_, chunks_, keys_, folds_, objects_})
    , ends_(statements_, {actions_, attempts_, specs_, chunks_, tally_})
    , many_(statements_, tally_)
    , retirement_(statements_, {actions_, attempts_, specs_, replaced_, annotations_, tally_, objects_})
    , registrations_(statements_, chunks_, annotations_, tally_)
    , meta_(statements_)
    , documents_(statements_)
    , freePages_(statements_) {
    begin_ = statements_("BEGIN IMMEDIATE");
    commit_ = statements_("COMMIT");
    rollback_ = statements_("ROLLBACK");
    savepoint_ = statements_("SAVEPOINT one");
    release_ = statements_("RELEASE one");
    rollbackTo_ = statements_("ROLLBACK TO one");
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::create(Database& database, ChunkFiles& files) {
    std::unique_ptr<JournalWriter> writer(new JournalWriter(database, files));
    if (auto made = writer->statements_.result(); !made) return std::unexpected(std::move(made.error()));
    if (auto done = writer->tally_.load(); !done) return std::unexpected(std::move(done.error()));
    writer->owner_.release();
    return writer;
}

Applied JournalWriter::apply(const Action& action) {
    YARD_ASSERT_OWNER(owner_);
    return std::visit(Overloaded{
                          [this](const Accept& accept) { return acceptance_.apply(accept); },
                          [this](const UndoAccept& undo) { return acceptance_.apply(undo); },
                          [this](const Finish& finish) { return ends_.apply(finish); },
                          [this](const Retry& retry) { return ends_.apply(retry); },
                          [this](const Reopen& reopen) { return ends_.apply(reopen); },
                          [this](const Update& update) { return actions_.apply(update); },
                          [this](const PlaceActions& placed) { return actions_.apply(placed); },
                          [this](const UpdateMany& update) { return many_.apply(update); },
                          [this](const FinishMany& finish) { return many_.apply(finish); },
                          [this](const PutOp& put) { return many_.apply(put); },
                          [this](const DropOp& drop) { return many_.apply(drop); },
                          [this](const Retire& retire) { return retirement_.apply(retire); },
                          [this](const RetireOutdated& retire) { return retirement_.apply(retire); },
                          [this](const PutQueue& put) { return registrations_.apply(put); },
                          [this](const DropQueue& drop) { return registrations_.apply(drop); },
                          [this](const PutWorker& put) { return registrations_.apply(put); },
                          [this](const DropWorker& drop) { return registrations_.apply(drop); },
                          [this](const PutChunk& put) { return chunks_.apply(put); },
                          [this](const DropChunk& drop) { return chunks_.apply(drop); },
                          [this](const DropUnused& drop) { return chunks_.apply(drop); },
                          [this](const ChunkMark& marking) { return notes_.apply(marking); },
                          [this](const CompactPack& compact) { return packs_.apply(compact); },
                          [this](const ShrinkJournal& shrink) { return freePages_.apply(shrink); },
                          [this](const PutDocuments& put) { return documents_.apply(put); },
                          [this](const MarkActions& marking) { return annotations_.apply(marking); },
                          [this](const AddComment& added) { return annotations_.apply(added); },
                          [this](const ReserveLsns& reserve) { return meta_.apply(reserve); },
                          [this](const PutObjectType& put) { return objects_.apply(put); },
                          [this](const DropObjectType& drop) { return objects_.apply(drop); },
                          [this](const CreateObjects& create) { return objects_.apply(create); },
                          [this](const ClaimObjects& claim) { return objects_.apply(claim); },
                          [this](const MoveObject& move) { return objects_.apply(move); },
                          [this](const WakeObjects& wake) { return objects_.apply(wake); },
                          [this](const DropEffect& drop) { return objects_.apply(drop); },
                          [this](const DropObjects& drop) { return objects_.apply(drop); },
                      },
                      action);
}

// --- transactions

int JournalWriter::begin() {
    YARD_ASSERT_OWNER(owner_);
    tally_.clear();
    packs_.clear();
    return begin_.run();
}

int JournalWriter::commit() {
    int rc = packs_.write();
    if (rc == SQLITE_OK) rc = tally_.write();
    if (rc == SQLITE_OK) rc = commit_.run();
    if (rc != SQLITE_OK) return rc;
    tally_.committed();
    packs_.committed();
    return SQLITE_OK;
}

void JournalWriter::rollback() {
    // A disk failure may have rolled back already; then this fails, harmlessly.
    if (sqlite3_get_autocommit(database_.handle()) == 0) (void)rollback_.run();
    tally_.clear();
    packs_.clear();
}

int JournalWriter::savepoint() {
    tally_.mark();
    packs_.mark();
    return savepoint_.run();
}

int JournalWriter::endSavepoint(bool keep) {
    if (keep) return release_.run();
    tally_.backToMark();
    packs_.backToMark();
    const int rc = rollbackTo_.run();
    return rc == SQLITE_OK ? release_.run() : rc;
}

int JournalWriter::probe() {
    int rc = begin();
    if (rc == SQLITE_OK) rc = meta_.probe();
    if (rc == SQLITE_OK) rc = commit_.run();
    if (rc != SQLITE_OK) rollback();
    return rc;
}

// --- at a start

std::unexpected<Error> JournalWriter::failed(int rc) {
    Error error = journalError(rc, sqlite3_errmsg(database_.handle()));
    rollback();
    return std::unexpected(std::move(error));
}

Result<int> JournalWriter::undoUnfinished() {
    std::vector<LsnRun> wholes;
    if (const int rc = acceptance_.findUnfinished(wholes); rc != SQLITE_OK) return failed(rc);
    if (wholes.empty()) return 0;
    int rc = begin();
    for (const LsnRun& whole : wholes)
        if (rc == SQLITE_OK) rc = acceptance_.undo(whole);
    if (rc == SQLITE_OK) rc = commit();
    if (rc != SQLITE_OK) return failed(rc);
    return static_cast<int>(wholes.size());
}

Result<int> JournalWriter::finishOps(const std::vector<OpRow>& ops) {
    if (ops.empty()) return 0;
    int rc = begin();
    for (const OpRow& row : ops)
        if (rc == SQLITE_OK) rc = many_.finish(row);
    if (rc == SQLITE_OK) rc = commit();
    if (rc != SQLITE_OK) return failed(rc);
    return static_cast<int>(ops.size());
}

} // namespace yard::store
