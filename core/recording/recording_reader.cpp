#include "core/recording/recording_reader.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"
#include "core/model/worker.h"
#include "core/recording/recording_schema.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <utility>

namespace yard::recording {

namespace {

std::unexpected<Error> lie(std::string_view what) {
    return fail(ErrorKind::Malformed, fmt::format("The recording is damaged or not what it says: {}.", what));
}

bool isTextOf(std::string_view text, std::size_t most) {
    return text.size() <= most && isUtf8(text);
}

bool hasBounds(const RecordingHead& head) {
    return isTextOf(head.note, kMostNoteBytes) && isTextOf(head.engine, kMostEngineBytes) &&
           isTextOf(head.filter, kMostFilterBytes) && isTextOf(head.why, kMostWhyBytes) && head.started >= 0 &&
           head.ended >= 0 && head.missed >= 0 && head.gone >= 0;
}

std::unexpected<Error> unfinished() {
    return fail(ErrorKind::NotAccepting, "The recording was not looked at to its end.");
}

/// A file of another journal mode would have files made beside it when it is opened.
Result<void> looksLikeOurs(const std::string& path) {
    constexpr std::string_view kMagic("SQLite format 3\0", 16);
    constexpr std::size_t kHeader = 100;
    constexpr std::size_t kModes = 18; // of writing, then of reading: 1 is that of a journal
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return failErrno("cannot open " + path, errno);
    const auto head = readFileAt(fd.get(), 0, kHeader);
    if (!head) return std::unexpected(head.error());
    if (head->size() < kHeader || !head->starts_with(kMagic) || head->at(kModes) != 1 || head->at(kModes + 1) != 1)
        return fail(ErrorKind::Malformed, "This is no recording.");
    return {};
}

/// A row of `actions`, as far as the file says it.
struct Row {
    std::int64_t n = 0;
    ActionColumns columns;
    std::string machine;
    std::optional<Hash256> actionHash;
    std::optional<Hash256> resultHash;
    std::int64_t frame = 0;
    std::int64_t offset = 0;
    std::int64_t actionBytes = 0;
    std::int64_t resultBytes = 0;
};

constexpr std::string_view kRows =
    "SELECT "
    "n,lsn,state,exit_code,worker,label,machine,t_new,t_pending,t_submitting,t_running,t_exited,t_end,stdout,"
    "stderr,action_hash,result_hash,frame,offset,action_bytes,result_bytes FROM actions WHERE n>? ORDER BY n";

Row rowOf(const Statement& query) {
    Row row;
    int at = 0;
    row.n = query.integer(at++);
    row.columns.lsn = Lsn(query.integer(at++));
    row.columns.state = query.text(at++);
    row.columns.exitCode = query.optionalInteger(at++);
    row.columns.worker = query.text(at++);
    row.columns.label = query.text(at++);
    row.machine = query.text(at++);
    for (WallMicros& time : row.columns.times) time = query.integer(at++);
    row.columns.out = query.hash(at++);
    row.columns.err = query.hash(at++);
    row.actionHash = query.hash(at++);
    row.resultHash = query.hash(at++);
    row.frame = query.integer(at++);
    row.offset = query.integer(at++);
    row.actionBytes = query.integer(at++);
    row.resultBytes = query.integer(at++);
    return row;
}

} // namespace

struct RecordingReader::Impl {
    SqliteFile file;
    Statement rows, frame, workerOf, chunkOf, parts;
    std::int64_t frameId = 0; ///< whose text is at hand; 0: none
    std::string text;

    Result<void> prepare();
    Result<void> readFrame(std::int64_t id);
    Result<RecordedAction> read(const Row& row);
    Result<void> checkAction(const Row& row, const RecordedAction& action);
    Result<void> checkPages(const std::function<bool()>& goOn);
    Result<void> checkWorkers(const std::function<bool()>& goOn);
    Result<void> checkActions(const std::function<bool()>& goOn);
    Result<void> checkChunks(const std::function<bool()>& goOn);
    Result<void> eachPart(std::int64_t id, std::int64_t size,
                          const std::function<Result<void>(std::string_view)>& sink);
};

Result<void> RecordingReader::Impl::prepare() {
    const std::initializer_list<std::pair<Statement*, std::string_view>> all = {
        {&rows, kRows},
        {&frame, "SELECT size,bytes FROM frames WHERE id=?"},
        {&workerOf, "SELECT descriptor FROM workers WHERE id=?"},
        {&chunkOf, "SELECT id,size FROM chunks WHERE hash=?"},
        {&parts, "SELECT n,size,bytes FROM parts WHERE chunk=? ORDER BY n"}};
    for (const auto& [query, sql] : all) {
        auto made = file.prepare(sql);
        if (!made) return std::unexpected(made.error());
        *query = std::move(*made);
    }
    return {};
}

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

Result<RecordingReader> RecordingReader::open(const std::string& path) {
    if (auto looked = looksLikeOurs(path); !looked) return std::unexpected(looked.error());
    auto file = SqliteFile::open(path, SqliteFile::How::Read);
    if (!file) return std::unexpected(file.error());
    const auto id = file->number("PRAGMA application_id");
    if (!id) return std::unexpected(id.error());
    if (*id != kApplicationId) return fail(ErrorKind::Malformed, "This is no recording.");
    const auto format = file->number("PRAGMA user_version");
    if (!format) return std::unexpected(format.error());
    if (*format != kFormat)
        return fail(ErrorKind::NotImplemented,
                    fmt::format("The recording has format {}; this version reads format {}.", *format, kFormat));
    const auto expected = expectedSchema();
    if (!expected) return std::unexpected(expected.error());
    const auto schema = schemaOf(*file);
    if (!schema) return std::unexpected(schema.error());
    if (*schema != *expected) return lie("it has other tables");
    auto impl = std::make_unique<Impl>();
    impl->file = std::move(*file);
    if (auto prepared = impl->prepare(); !prepared) return std::unexpected(prepared.error());
    return RecordingReader(std::move(impl));
}

Result<RecordingHead> RecordingReader::head() {
    auto query =
        impl_->file.prepare("SELECT note,engine,filter,attachments,state,why,started,ended,missed,gone FROM "
                            "recording LIMIT 2");
    if (!query) return std::unexpected(query.error());
    if (const int code = query->step(); code != SQLITE_ROW)
        return code == SQLITE_DONE ? lie("it has no head") : std::unexpected(impl_->file.error(code));
    int at = 0;
    RecordingHead head;
    head.note = query->text(at++);
    head.engine = query->text(at++);
    head.filter = query->text(at++);
    const auto attachments = attachmentsFrom(query->text(at++));
    const auto state = recordingStateFrom(query->text(at++));
    head.why = query->text(at++);
    head.started = query->integer(at++);
    head.ended = query->integer(at++);
    head.missed = query->integer(at++);
    head.gone = query->integer(at++);
    if (!attachments || !state || query->step() != SQLITE_DONE) return lie("its head");
    head.attachments = *attachments;
    head.state = *state;
    if (!hasBounds(head)) return lie("its head");
    return head;
}

Result<RecordingCounts> RecordingReader::counts() {
    RecordingCounts counts;
    for (const auto& [to, sql] :
         {std::pair(&counts.actions, std::string_view("SELECT count(*) FROM actions")),
          std::pair(&counts.failed, std::string_view("SELECT count(*) FROM actions WHERE state='failed'")),
          std::pair(&counts.workers, std::string_view("SELECT count(*) FROM workers")),
          std::pair(&counts.chunks, std::string_view("SELECT count(*) FROM chunks")),
          std::pair(&counts.chunkBytes, std::string_view("SELECT coalesce(sum(size),0) FROM chunks"))}) {
        const auto number = impl_->file.number(sql);
        if (!number) return std::unexpected(number.error());
        *to = *number;
    }
    return counts;
}

// --- actions

Result<void> RecordingReader::Impl::readFrame(std::int64_t id) {
    if (frameId == id) return {};
    frameId = 0;
    frame.begin(id);
    const int code = frame.step();
    if (code != SQLITE_ROW) {
        frame.reset();
        return code == SQLITE_DONE ? lie("an action is in no frame") : std::unexpected(file.error(code));
    }
    const std::int64_t size = frame.integer(0);
    const bool fits = size >= 0 && static_cast<std::uint64_t>(size) <= kMostActionBytes;
    auto bytes = fits ? decompressed(frame.text(1), static_cast<std::size_t>(size)) : lie("the size of a frame");
    frame.reset();
    if (!bytes) return std::unexpected(bytes.error());
    text = std::move(*bytes);
    frameId = id;
    return {};
}

Result<RecordedAction> RecordingReader::Impl::read(const Row& row) {
    if (auto got = readFrame(row.frame); !got) return std::unexpected(got.error());
    const auto size = static_cast<std::int64_t>(text.size());
    // One after another: the sum of hostile numbers may be anything.
    if (row.offset < 0 || row.offset > size || row.actionBytes < 0 || row.actionBytes > size - row.offset ||
        row.resultBytes < 0 || row.resultBytes > size - row.offset - row.actionBytes)
        return lie("an action is not within its frame");
    const auto offset = static_cast<std::size_t>(row.offset);
    const auto actionBytes = static_cast<std::size_t>(row.actionBytes);
    return RecordedAction{.n = row.n,
                          .action = text.substr(offset, actionBytes),
                          .result = text.substr(offset + actionBytes, static_cast<std::size_t>(row.resultBytes)),
                          .machine = row.machine};
}

Result<std::vector<RecordedAction>> RecordingReader::actions(std::int64_t n, std::size_t most) {
    std::vector<RecordedAction> page;
    std::size_t bytes = 0;
    impl_->rows.begin(n);
    int code = SQLITE_DONE;
    while (page.size() < most && bytes < kPageBytes && (code = impl_->rows.step()) == SQLITE_ROW) {
        auto action = impl_->read(rowOf(impl_->rows));
        if (!action) {
            impl_->rows.reset();
            return std::unexpected(action.error());
        }
        bytes += action->action.size() + action->result.size();
        page.push_back(std::move(*action));
    }
    impl_->rows.reset();
    if (auto done = impl_->file.outcome(code); !done) return std::unexpected(done.error());
    return page;
}

// --- workers and chunks

Result<std::optional<std::string>> RecordingReader::worker(const Hash256& id) {
    impl_->workerOf.begin(bytesOf(id));
    const int code = impl_->workerOf.step();
    std::optional<std::string> found;
    if (code == SQLITE_ROW) found = impl_->workerOf.text(0);
    impl_->workerOf.reset();
    if (auto done = impl_->file.outcome(code); !done) return std::unexpected(done.error());
    return found;
}

Result<std::vector<Hash256>> RecordingReader::workers() {
    auto query = impl_->file.prepare("SELECT id FROM workers ORDER BY id");
    if (!query) return std::unexpected(query.error());
    std::vector<Hash256> ids;
    int code = query->step();
    for (; code == SQLITE_ROW; code = query->step()) {
        const auto id = query->hash(0);
        if (!id) return lie("the id of a worker");
        ids.push_back(*id);
    }
    if (auto done = impl_->file.outcome(code); !done) return std::unexpected(done.error());
    return ids;
}

Result<bool> RecordingReader::hasChunk(const Hash256& hash) {
    impl_->chunkOf.begin(bytesOf(hash));
    const int code = impl_->chunkOf.step();
    impl_->chunkOf.reset();
    if (auto done = impl_->file.outcome(code); !done) return std::unexpected(done.error());
    return code == SQLITE_ROW;
}

Result<void> RecordingReader::chunk(const Hash256& hash,
                                    const std::function<Result<void>(std::string_view)>& sink) {
    impl_->chunkOf.begin(bytesOf(hash));
    const int code = impl_->chunkOf.step();
    const std::int64_t id = impl_->chunkOf.integer(0);
    const std::int64_t size = impl_->chunkOf.integer(1);
    impl_->chunkOf.reset();
    if (code == SQLITE_DONE) return fail(ErrorKind::NotFound, "The recording does not have this chunk.");
    if (auto done = impl_->file.outcome(code); !done) return done;
    return impl_->eachPart(id, size, sink);
}

Result<void> RecordingReader::Impl::eachPart(std::int64_t id, std::int64_t size,
                                             const std::function<Result<void>(std::string_view)>& sink) {
    parts.begin(id);
    Result<void> done;
    std::int64_t seen = 0;
    std::int64_t expected = 0;
    int code = SQLITE_DONE;
    while (done && (code = parts.step()) == SQLITE_ROW) {
        const std::int64_t part = parts.integer(1);
        const bool fits = part > 0 && std::cmp_less_equal(part, kPartBytes) && part <= size - seen;
        if (!fits || parts.integer(0) != expected++) {
            done = lie("the parts of a chunk");
            break;
        }
        seen += part;
        const auto bytes = decompressed(parts.text(2), static_cast<std::size_t>(part));
        done = bytes ? sink(*bytes) : std::unexpected(bytes.error());
    }
    parts.reset();
    if (!done) return done;
    if (auto read = file.outcome(code); !read) return read;
    return seen == size ? Result<void>() : lie("the size of a chunk");
}

// --- all of it

Result<void> RecordingReader::Impl::checkPages(const std::function<bool()>& goOn) {
    const sqlite::Connection::Watch watch(file.connection(), goOn);
    auto query = file.prepare("PRAGMA integrity_check(1)");
    if (!query) return std::unexpected(query.error());
    const int code = query->step();
    if ((code & 0xff) == SQLITE_INTERRUPT) return unfinished();
    return code == SQLITE_ROW && query->text(0) == "ok" ? Result<void>() : lie("its pages");
}

Result<void> RecordingReader::Impl::checkWorkers(const std::function<bool()>& goOn) {
    auto query = file.prepare("SELECT id,descriptor FROM workers");
    if (!query) return std::unexpected(query.error());
    int code = query->step();
    for (; code == SQLITE_ROW; code = query->step()) {
        if (!goOn()) return unfinished();
        if (query->text(1).size() > kMostDescriptorBytes) return lie("the size of a descriptor");
        const auto parsed = parseWorker(query->text(1));
        if (!parsed || parsed->canonical != query->text(1) || parsed->id != query->hash(0))
            return lie("a worker is not what its id says");
    }
    return file.outcome(code);
}

Result<void> RecordingReader::Impl::checkAction(const Row& row, const RecordedAction& action) {
    if (Sha256::of(action.action) != row.actionHash || Sha256::of(action.result) != row.resultHash)
        return lie("the hash of an action");
    const auto columns = columnsOf(action.result);
    if (!columns) return std::unexpected(columns.error());
    if (*columns != row.columns) return lie("an action is not what its row says");
    if (!isTextOf(row.machine, kMostMachineBytes)) return lie("the machine of an action");
    if (const auto left = chunksLeftBy(action.result); !left) return std::unexpected(left.error());
    if (action.action.empty()) return {}; // it was not kept
    const auto parsed = parseAction(action.action);
    return parsed ? Result<void>() : lie("an action: " + parsed.error().message);
}

Result<void> RecordingReader::Impl::checkActions(const std::function<bool()>& goOn) {
    rows.begin(0);
    Result<void> done;
    std::int64_t expected = 0;
    int code = SQLITE_DONE;
    while (done && (code = rows.step()) == SQLITE_ROW) {
        const Row row = rowOf(rows);
        if (!goOn()) done = unfinished();
        if (done && row.n != ++expected) done = lie("the numbers of its actions");
        if (!done) break;
        const auto action = read(row);
        done = action ? checkAction(row, *action) : std::unexpected(action.error());
    }
    rows.reset();
    return done ? file.outcome(code) : done;
}

Result<void> RecordingReader::Impl::checkChunks(const std::function<bool()>& goOn) {
    auto query = file.prepare("SELECT id,hash,size FROM chunks");
    if (!query) return std::unexpected(query.error());
    int code = query->step();
    for (; code == SQLITE_ROW; code = query->step()) {
        Sha256 hash;
        const auto each = [&](std::string_view bytes) -> Result<void> {
            if (!goOn()) return unfinished();
            hash.update(bytes);
            return {};
        };
        if (auto read = eachPart(query->integer(0), query->integer(2), each); !read) return read;
        if (hash.finish() != query->hash(1)) return lie("a chunk is not what its hash says");
    }
    return file.outcome(code);
}

Result<void> RecordingReader::check(const std::function<bool()>& goOn) {
    if (!goOn()) return unfinished();
    if (auto done = impl_->checkPages(goOn); !done) return done;
    if (const auto head = this->head(); !head) return std::unexpected(head.error());
    if (auto done = impl_->checkWorkers(goOn); !done) return done;
    if (auto done = impl_->checkActions(goOn); !done) return done;
    return impl_->checkChunks(goOn);
}

} // namespace yard::recording
