#include "core/store/store_impl.h"

#include "core/base/log.h"
#include "core/base/thread_name.h"
#include "core/store/journal_log.h"
#include "core/store/restore.h"
#include "core/store/schema.h"

#include <cassert>
#include <cerrno>
#include <fmt/format.h>

namespace yard::store {

Store::Store(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}

Result<std::unique_ptr<Store>> Store::open(StoreOptions options, ChunkFiles& files, StoreCallbacks callbacks) {
    auto impl = std::make_unique<Impl>(std::move(options), files, std::move(callbacks));
    if (auto opened = impl->open(); !opened) return std::unexpected(std::move(opened.error()));
    return std::unique_ptr<Store>(new Store(std::move(impl)));
}

Store::~Store() {
    stop();
    assert(impl_->readers.load() == 0 && "readers are closed before their store");
}

namespace {

/// Which file it is, and what can be done about it.
std::unexpected<Error> cannotOpen(const std::string& path, const Database& database, Error error) {
    if (error.kind == ErrorKind::WrongState) return std::unexpected(std::move(error)); // says so itself
    const int rc = database.handle() ? sqlite3_errcode(database.handle()) : SQLITE_OK;
    const char* advice = "look at the disk and at who may write there";
    if (error.kind == ErrorKind::NoSpace) advice = "make room on the disk and start again";
    if (rc == SQLITE_NOTADB || rc == SQLITE_CORRUPT)
        advice = "restore it from a backup, or move it aside to begin with an empty one";
    if (rc == SQLITE_READONLY || error.sysErrno == EROFS)
        advice = "make it writable: the file system or the file is read-only";
    error.message = fmt::format("{} cannot be opened: {}; {}.", path, error.message, advice);
    return std::unexpected(std::move(error));
}

} // namespace

Result<void> Store::Impl::open() {
    auto damage = setDamagedLogAside(options.path);
    if (!damage) return std::unexpected(std::move(damage.error()));
    logDamage = std::move(*damage);
    auto opened = Database::openForWriting(options.path, options.vfs);
    if (!opened) return cannotOpen(options.path, database, std::move(opened.error()));
    database = std::move(*opened);
    if (auto prepared = prepareJournal(database, options.durability); !prepared)
        return cannotOpen(options.path, database, std::move(prepared.error()));
    sqlite3_wal_hook(
        database.handle(),
        [](void* store, sqlite3*, const char*, int inLog) {
            static_cast<Impl*>(store)->committed(inLog);
            return SQLITE_OK;
        },
        this);
    if (auto removed = removeStrayPacks(database, files); !removed)
        return cannotOpen(options.path, database, std::move(removed.error()));
    auto madeWriter = JournalWriter::create(database, files);
    if (!madeWriter) return cannotOpen(options.path, database, std::move(madeWriter.error()));
    writer = std::move(*madeWriter);
    auto madeSpecs = SpecSource::create(database);
    if (!madeSpecs) return cannotOpen(options.path, database, std::move(madeSpecs.error()));
    specs = std::move(*madeSpecs);
    return {};
}

Result<Restored> Store::restore(const std::function<void(std::span<PendingRow>)>& rows) {
    assert(!impl_->thread.joinable() && "restore() comes before start()");
    const auto cannot = [this](Error error) {
        return cannotOpen(impl_->options.path, impl_->database, withoutGoingOn(std::move(error)));
    };
    auto restored = readEverythingElse(impl_->database);
    if (!restored) return cannot(std::move(restored.error()));
    auto undone = impl_->writer->undoUnfinished();
    if (!undone) return cannot(std::move(undone.error()));
    if (*undone > 0) logInfo("store", "{} submissions that the last end cut in two are removed", *undone);
    auto finished = impl_->writer->finishOps(restored->ops);
    if (!finished) return cannot(std::move(finished.error()));
    if (*finished > 0)
        logInfo("store", "{} operations on many actions, accepted before the last end, are carried out", *finished);
    if (auto read = readPendingRows(impl_->database, rows); !read) return cannot(std::move(read.error()));
    auto owned = readOwnedActions(impl_->database);
    if (!owned) return cannot(std::move(owned.error()));
    restored->ownedActions = *std::move(owned);
    if (auto passed = impl_->passOverLostLsns(); !passed) return cannot(std::move(passed.error()));
    auto applied = impl_->reserve(ReserveLsns{});
    if (applied.rc != SQLITE_OK) return cannot(journalError(applied.rc, sqlite3_errmsg(impl_->database.handle())));
    restored->lsns = applied.detail->lsns;
    restored->logDamage = std::move(impl_->logDamage);
    impl_->watchLog();
    impl_->writer->releaseOwner();
    return restored;
}

Result<void> Store::restoreObjects(const std::function<void(std::span<ObjectStanding>)>& rows) {
    assert(!impl_->thread.joinable() && "restoreObjects() comes before start()");
    auto read = readObjects(impl_->database, rows);
    if (!read) return std::unexpected(withoutGoingOn(std::move(read.error())));
    return {};
}

/// Where the log has lost something: says so, and gives no LSN twice. That holds from here on, whatever becomes of the
/// log: it stands in the journal itself.
Result<void> Store::Impl::passOverLostLsns() {
    if (!logDamage) return {};
    const std::string what = logDamage->groups > 0
                                 ? fmt::format("is damaged, and what was written behind that place is "
                                               "lost, in {} transaction{}",
                                               logDamage->groups, logDamage->groups == 1 ? "" : "s")
                                 : "is not as long as it was, and what was written last is lost";
    logWarning("store", "{}-wal {}{}{}. LSNs go on {} later, so that none is given twice", options.path, what,
               logDamage->copy.empty() ? "" : "; a copy of it is ", logDamage->copy, kLsnsAfterDamage);
    const auto skipped = reserve(ReserveLsns{kLsnsAfterDamage});
    int rc = skipped.rc;
    if (rc == SQLITE_OK)
        rc = sqlite3_wal_checkpoint_v2(database.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
    if (rc == SQLITE_OK) return {};
    return std::unexpected(journalError(rc, sqlite3_errmsg(database.handle())));
}

/// From now on a start can find out what became of the log.
void Store::Impl::watchLog() {
    auto kept = keepLog(options.path);
    auto state = LogState::open(options.path);
    if (state) {
        logState = std::move(*state);
        logState->committed(static_cast<std::uint32_t>(walPages));
    }
    if (kept && state) return;
    logInfo("store", "a start cannot find out what became of the journal's log: {}",
            kept ? state.error().message : kept.error().message);
}

void Store::Impl::committed(int inLog) {
    walPages = inLog;
    if (logState) logState->committed(static_cast<std::uint32_t>(inLog));
}

void Store::start() {
    assert(!impl_->thread.joinable());
    impl_->thread = std::thread([impl = impl_.get()] {
        nameThisThread("store");
        if (impl->callbacks.begun) impl->callbacks.begun();
        impl->run();
    });
}

void Store::startSucceeded() {
    impl_->startSucceeded = true;
}

void Store::stop() {
    impl_->mailbox.close();
    if (impl_->thread.joinable()) impl_->thread.join();
}

Result<void> Store::post(std::vector<Operation>& operations) {
    Batch batch;
    batch.operations.swap(operations);
    auto posted = impl_->mailbox.post(batch);
    if (!posted) operations.swap(batch.operations);
    return posted;
}

Result<void> Store::post(Operation operation) {
    std::vector<Operation> one;
    one.push_back(std::move(operation));
    return post(one);
}

Result<void> Store::fetchSpecs(std::vector<Lsn> lsns, int ahead) {
    return impl_->mailbox.request({std::move(lsns), ahead});
}

Result<void> Store::carryOutAndWait(Action action) {
    assert(std::this_thread::get_id() != impl_->thread.get_id() && "would wait for itself");
    Batch batch;
    batch.operations.push_back({.tag = 0, .unhurried = false, .action = std::move(action)});
    batch.waiter = std::make_unique<std::promise<Result<void>>>();
    auto written = batch.waiter->get_future();
    if (auto posted = impl_->mailbox.post(batch); !posted) return posted;
    return written.get();
}

bool Store::writable() const {
    return impl_->writable.load(std::memory_order_relaxed);
}

const std::string& Store::path() const {
    return impl_->options.path;
}

Store::Stats Store::stats() const {
    const auto& counts = impl_->counts;
    return {counts.groups.load(), counts.operations.load(), counts.failedGroups.load(), counts.replays.load(),
            counts.checkpoints.load()};
}

} // namespace yard::store
