#include "core/recording/recording_writer.h"

#include "core/recording/recording_schema.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_set>
#include <utility>
#include <vector>

namespace yard::recording {

namespace {

/// A row of `actions` whose frame is not written yet.
struct WaitingRow {
    std::int64_t n = 0;
    ActionColumns columns;
    std::string machine;
    Hash256 actionHash;
    Hash256 resultHash;
    std::size_t offset = 0;
    std::size_t actionBytes = 0;
    std::size_t resultBytes = 0;
};

std::optional<std::int64_t> known(WallMicros time) {
    return time == 0 ? std::nullopt : std::optional(time);
}

} // namespace

struct RecordingWriter::Impl {
    SqliteFile file;
    Statement begin, commit, savepoint, release, rollback;
    Statement worker, frame, action, chunk, part, state, counts, times, pages;
    std::uint64_t maxBytes = 0;
    std::uint64_t committed = 0;   ///< bytes of the file
    std::uint64_t sinceCommit = 0; ///< bytes that were bound since then
    std::int64_t actions = 0;
    std::int64_t frames = 0;
    std::int64_t chunks = 0;
    bool ofThePast = false;
    RecordedSpan span;
    std::string text; ///< of the frame that is being filled
    std::vector<WaitingRow> waiting;
    std::unordered_set<std::int64_t> lsns;
    std::unordered_set<Hash256> chunkHashes;
    std::unordered_set<Hash256> workerIds;

    bool isBroken = false; ///< the disk did not take something: what was not committed is lost

    /// Tables and the head, which are not committed yet.
    Result<void> start(const std::string& path, const RecordingHead& head);
    Result<void> prepare();
    Result<void> ran(int code) {
        isBroken = isBroken || code != SQLITE_OK;
        return file.outcome(code);
    }
    /// Back to what was committed.
    void forget();
    Result<void> ensureBegun();
    Result<void> closeFrame();
    Result<void> writeParts(std::int64_t id, const ChunkRef& ref, const Source& source);
    std::uint64_t bytes() const { return committed + sinceCommit + text.size(); }
    Result<void> room(std::uint64_t more) const {
        if (bytes() + more <= maxBytes) return {};
        return fail(ErrorKind::AtLimit, fmt::format("The recording has reached its limit of {} bytes.", maxBytes));
    }
};

Result<void> RecordingWriter::Impl::prepare() {
    const std::initializer_list<std::pair<Statement*, std::string_view>> all = {
        {&begin, "BEGIN"},
        {&commit, "COMMIT"},
        {&savepoint, "SAVEPOINT chunk"},
        {&release, "RELEASE chunk"},
        {&rollback, "ROLLBACK TO chunk"},
        {&worker, "INSERT INTO workers VALUES(?,?)"},
        {&frame, "INSERT INTO frames VALUES(?,?,?)"},
        {&action, "INSERT INTO actions VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&chunk, "INSERT INTO chunks VALUES(?,?,?)"},
        {&part, "INSERT INTO parts VALUES(?,?,?,?)"},
        {&state, "UPDATE recording SET state=?,why=?,ended=?"},
        {&counts, "UPDATE recording SET missed=?,gone=?"},
        {&times, "UPDATE recording SET started=?,ended=?"},
        {&pages, "SELECT page_count*page_size FROM pragma_page_count(),pragma_page_size()"}};
    for (const auto& [query, sql] : all) {
        auto made = file.prepare(sql);
        if (!made) return std::unexpected(made.error());
        *query = std::move(*made);
    }
    return {};
}

Result<void> RecordingWriter::Impl::ensureBegun() {
    return file.connection().isInTransaction() ? Result<void>() : ran(begin.run());
}

Result<void> RecordingWriter::Impl::closeFrame() {
    if (waiting.empty()) return {};
    const std::string packed = compressed(text);
    ++frames;
    if (auto done = ran(frame.run(frames, text.size(), Bytes{packed})); !done) return done;
    sinceCommit += packed.size();
    for (const WaitingRow& row : waiting) {
        const auto& [created, pending, submitting, running, exited, end] = row.columns.times;
        const int code = action.run(row.n, row.columns.lsn.value, row.columns.state, row.columns.exitCode,
                                    row.columns.worker, row.columns.label, row.machine, known(created),
                                    known(pending), known(submitting), known(running), known(exited), known(end),
                                    row.columns.out, row.columns.err, bytesOf(row.actionHash),
                                    bytesOf(row.resultHash), frames, row.offset, row.actionBytes, row.resultBytes);
        if (auto done = ran(code); !done) return done;
        constexpr std::uint64_t kRowBytes = 250;
        sinceCommit += kRowBytes;
    }
    waiting.clear();
    text.clear();
    return {};
}

void RecordingWriter::Impl::forget() {
    if (file.connection().isInTransaction()) (void)file.execute("ROLLBACK");
    waiting.clear();
    text.clear();
    sinceCommit = 0;
    actions = file.number("SELECT coalesce(max(n),0) FROM actions").value_or(actions);
    span = {.first = file.number("SELECT coalesce(min(min(coalesce(t_running,t_end),t_end)),0) FROM actions")
                         .value_or(span.first),
            .last = file.number("SELECT coalesce(max(t_end),0) FROM actions").value_or(span.last)};
    isBroken = false;
}

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;
RecordingWriter::~RecordingWriter() = default;

Result<RecordingWriter> RecordingWriter::create(const std::string& path, const RecordingHead& head,
                                                std::uint64_t maxBytes) {
    // SQLite would take a file that is there, and has no mode of its own for one that is not.
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) return failErrno("cannot make " + path, errno);
    ::close(fd);
    auto impl = std::make_unique<Impl>();
    impl->maxBytes = maxBytes;
    impl->ofThePast = head.ofThePast;
    auto done = impl->start(path, head);
    RecordingWriter made(std::move(impl));
    if (done) done = made.commit(head.missed, head.gone);
    if (done) return made;
    (void)::unlink(path.c_str());
    return std::unexpected(done.error());
}

Result<void> RecordingWriter::Impl::start(const std::string& path, const RecordingHead& head) {
    auto opened = SqliteFile::open(path, SqliteFile::How::Write);
    if (!opened) return std::unexpected(opened.error());
    file = std::move(*opened);
    std::string sql = fmt::format("PRAGMA journal_mode=DELETE; PRAGMA synchronous=NORMAL; BEGIN; "
                                  "PRAGMA application_id={}; PRAGMA user_version={};",
                                  kApplicationId, kFormat);
    for (const std::string_view table : kTables) sql.append(table).append(";");
    if (auto made = file.execute(sql); !made) return made;
    if (auto prepared = prepare(); !prepared) return prepared;
    auto insert = file.prepare("INSERT INTO recording VALUES(?,?,?,?,?,?,?,?,?,?)");
    if (!insert) return std::unexpected(insert.error());
    const int code = insert->run(head.note, head.engine, head.filter, name(head.attachments), name(head.state),
                                 head.why, head.started, head.ended, head.missed, head.gone);
    return file.outcome(code);
}

Result<void> RecordingWriter::recover(const std::string& path, WallMicros ended) {
    auto file = SqliteFile::open(path, SqliteFile::How::Write);
    if (!file) return std::unexpected(file.error());
    const auto id = file->number("PRAGMA application_id");
    if (!id) return std::unexpected(id.error());
    if (*id != kApplicationId) return fail(ErrorKind::Malformed, "This is no recording.");
    auto update = file->prepare("UPDATE recording SET state=?,ended=iif(ended>0,ended,?) WHERE state=?");
    if (!update) return std::unexpected(update.error());
    return file->outcome(update->run(name(RecordingState::Interrupted), ended, name(RecordingState::Running)));
}

Result<void> RecordingWriter::setNote(const std::string& path, std::string_view note) {
    auto file = SqliteFile::open(path, SqliteFile::How::Write);
    if (!file) return std::unexpected(file.error());
    auto update = file->prepare("UPDATE recording SET note=?");
    if (!update) return std::unexpected(update.error());
    return file->outcome(update->run(note));
}

bool RecordingWriter::hasWorker(const Hash256& id) {
    return impl_->workerIds.contains(id);
}

bool RecordingWriter::hasChunk(const Hash256& hash) {
    return impl_->chunkHashes.contains(hash);
}

Result<void> RecordingWriter::addWorker(const Hash256& id, std::string_view canonical) {
    if (hasWorker(id)) return {};
    if (canonical.size() > kMostDescriptorBytes) return fail(ErrorKind::TooLarge, "A descriptor is too large.");
    if (auto room = impl_->room(canonical.size()); !room) return room;
    if (auto begun = impl_->ensureBegun(); !begun) return begun;
    if (auto done = impl_->ran(impl_->worker.run(bytesOf(id), canonical)); !done) return done;
    impl_->sinceCommit += canonical.size();
    impl_->workerIds.insert(id);
    return {};
}

Result<void> RecordingWriter::Impl::writeParts(std::int64_t id, const ChunkRef& ref, const Source& source) {
    const auto lies = [] { return fail(ErrorKind::Malformed, "A chunk is not what its hash says."); };
    Sha256 hash;
    std::uint64_t size = 0;
    std::string piece;
    for (std::int64_t n = 0;; ++n) {
        piece.clear();
        while (piece.size() < kPartBytes) {
            auto more = source(kPartBytes - piece.size());
            if (!more) return std::unexpected(more.error());
            if (more->empty()) break;
            piece += *more;
        }
        if (piece.empty()) break;
        size += piece.size();
        if (size > ref.size) return lies();
        hash.update(piece);
        const std::string packed = compressed(piece);
        if (auto enough = room(packed.size()); !enough) return enough;
        if (auto done = ran(part.run(id, n, piece.size(), Bytes{packed})); !done) return done;
        sinceCommit += packed.size();
    }
    if (size != ref.size || hash.finish() != ref.hash) return lies();
    return {};
}

Result<void> RecordingWriter::addChunk(const ChunkRef& ref, const Source& source) {
    if (hasChunk(ref.hash)) return {};
    Impl& impl = *impl_;
    if (auto begun = impl.ensureBegun(); !begun) return begun;
    if (auto done = impl.ran(impl.savepoint.run()); !done) return done;
    const std::uint64_t before = impl.sinceCommit;
    const std::int64_t id = impl.chunks + 1;
    auto written = impl.ran(impl.chunk.run(id, bytesOf(ref.hash), ref.size));
    if (written) written = impl.writeParts(id, ref, source);
    if (!written) {
        impl.sinceCommit = before;
        if (impl.file.connection().isInTransaction()) {
            (void)impl.rollback.run();
            (void)impl.release.run();
        }
        return written;
    }
    impl.chunks = id;
    impl.chunkHashes.insert(ref.hash);
    return impl.ran(impl.release.run());
}

Result<void> RecordingWriter::add(const RecordedAction& action) {
    Impl& impl = *impl_;
    auto columns = columnsOf(action.result);
    if (!columns) return std::unexpected(columns.error());
    const std::size_t bytes = action.action.size() + action.result.size();
    if (bytes > kMostActionBytes) return fail(ErrorKind::TooLarge, "An action is too large to be recorded.");
    if (impl.lsns.contains(columns->lsn.value)) return fail(ErrorKind::WrongState, "An action is recorded once.");
    if (auto room = impl.room(bytes); !room) return room;
    if (auto begun = impl.ensureBegun(); !begun) return begun;
    if (!impl.text.empty() && impl.text.size() + bytes > kFrameBytes)
        if (auto closed = impl.closeFrame(); !closed) return closed;
    impl.lsns.insert(columns->lsn.value);
    impl.span = widened(impl.span, *columns);
    impl.waiting.push_back({.n = ++impl.actions,
                            .columns = std::move(*columns),
                            .machine = action.machine,
                            .actionHash = Sha256::of(action.action),
                            .resultHash = Sha256::of(action.result),
                            .offset = impl.text.size(),
                            .actionBytes = action.action.size(),
                            .resultBytes = action.result.size()});
    impl.text.append(action.action).append(action.result);
    return {};
}

Result<void> RecordingWriter::commit(std::int64_t missed, std::int64_t gone) {
    Impl& impl = *impl_;
    if (auto begun = impl.ensureBegun(); !begun) return begun;
    if (auto closed = impl.closeFrame(); !closed) return closed;
    if (auto done = impl.ran(impl.counts.run(missed, gone)); !done) return done;
    if (impl.ofThePast && impl.span.last > 0)
        if (auto done = impl.ran(impl.times.run(impl.span.first, impl.span.last)); !done) return done;
    const int code = impl.commit.run();
    if ((code & 0xff) == SQLITE_BUSY) return {}; // somebody reads it: it stays open
    if (auto done = impl.ran(code); !done) return done;
    impl.pages.begin();
    if (impl.pages.step() == SQLITE_ROW) impl.committed = static_cast<std::uint64_t>(impl.pages.integer(0));
    impl.pages.reset();
    impl.sinceCommit = 0;
    return {};
}

Result<void> RecordingWriter::finish(const RecordingHead& head) {
    if (impl_->isBroken) impl_->forget();
    if (auto begun = impl_->ensureBegun(); !begun) return begun;
    const int code = impl_->state.run(name(head.state), head.why, head.ended);
    if (auto done = impl_->ran(code); !done) return done;
    constexpr int kLastWait = 10'000;
    impl_->file.connection().waitForOthers(kLastWait);
    if (auto done = commit(head.missed, head.gone); !done) return done;
    return isUncommitted() ? impl_->file.outcome(SQLITE_BUSY) : Result<void>();
}

bool RecordingWriter::isUncommitted() const {
    return impl_->file.connection().isInTransaction();
}

std::int64_t RecordingWriter::actions() const {
    return impl_->actions;
}

RecordedSpan RecordingWriter::span() const {
    return impl_->span;
}

std::uint64_t RecordingWriter::bytes() const {
    return impl_->bytes();
}

} // namespace yard::recording
