// Recordings: what ends, or has ended, as files that can be run again (docs/recordings.md).
#include "core/http/route.h"

#include "core/base/disk_space.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/engine/recordings/recordings.h"
#include "core/http/error_map.h"
#include "core/http/file_producers.h"
#include "core/http/handler_steps.h"
#include "core/http/list_filter.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <ranges>
#include <sys/stat.h>

namespace yard::http {

namespace {

using engine::Recordings;
using engine::RecordingView;

/// Pieces of an upload are handed to a helper in slices of this size.
constexpr std::size_t kUploadSlice = 1u << 20;

void writeRecording(JsonWriter& writer, const RecordingView& view) {
    writer.openObject();
    writer.member("name", view.name);
    writer.member("state", recording::name(view.head.state));
    if (!view.head.why.empty()) writer.member("why", view.head.why);
    writer.member("note", view.head.note);
    writer.member("filter", view.head.filter);
    writer.member("attachments", recording::name(view.head.attachments));
    writer.member("engine_id", view.head.engine);
    writer.member("started", view.head.started);
    if (view.head.ended != 0) writer.member("ended", view.head.ended);
    writer.member("actions", view.counts.actions);
    writer.member("failed", view.counts.failed);
    writer.member("waiting", view.waiting);
    writer.member("missed", view.head.missed);
    writer.member("workers", view.counts.workers);
    writer.member("chunks", view.counts.chunks);
    writer.member("chunk_bytes", view.counts.chunkBytes);
    writer.member("chunks_gone", view.head.gone);
    writer.member("bytes", view.bytes);
    writer.closeObject();
}

Response recordingResponse(const Result<RecordingView>& view) {
    if (!view) return errorResponse(view.error());
    std::string text;
    JsonWriter writer(text);
    writeRecording(writer, *view);
    return jsonResponse(std::move(text));
}

Result<void> readWhich(const std::string& text, engine::ListQuery& query, bool ofThePast) {
    if (text.empty()) return {};
    if (auto read = readFilter(text, "filter", query); !read) return read;
    const auto isLookedUp = [](const FilterTerm& term) {
        return term.key == FilterKey::After || term.key == FilterKey::Mark || term.key == FilterKey::Comment;
    };
    if (!ofThePast && std::ranges::any_of(query.filter.terms, isLookedUp))
        return invalid("filter", "What ends from now on has no marks, comments or dependents yet: leave \"mark:\", "
                                 "\"comment:\" and \"after:\" out, or give them in \"from\".");
    return {};
}

Result<engine::RecordingWish> recordingWishOf(const JsonRequest& body) {
    engine::RecordingWish wish;
    auto name = body.word("name", engine::kMostRecordingName);
    if (!name) return std::unexpected(name.error());
    wish.name = std::move(*name);
    auto note = body.text("note", engine::kMostRecordingNote);
    if (!note) return std::unexpected(note.error());
    wish.note = std::move(*note);
    auto text = body.word("filter", kMaxFilterBytes);
    if (!text) return std::unexpected(text.error());
    wish.ofThePast = !body.raw().empty();
    if (wish.ofThePast) {
        if (body.has("filter")) return invalid("filter", "Give the filter of the past within \"from\".");
        const auto from = JsonRequest::parse(body.raw(), "filter");
        if (!from) return std::unexpected(from.error());
        text = from->word("filter", kMaxFilterBytes);
        if (!text) return std::unexpected(text.error());
    }
    wish.text = std::move(*text);
    if (auto read = readWhich(wish.text, wish.which, wish.ofThePast); !read) return std::unexpected(read.error());
    const auto attachments = body.word("attachments", kMaxFilterBytes);
    if (!attachments) return std::unexpected(attachments.error());
    const auto which = recording::attachmentsFrom(attachments->empty() ? "all" : *attachments);
    if (!which) return invalid("attachments", R"(Give "attachments" as all, inputs or none.)");
    wish.attachments = *which;
    const auto most = body.integer("max_bytes", 1 << 20, static_cast<std::int64_t>(engine::kMostRecordingBytes));
    if (!most) return std::unexpected(most.error());
    if (*most) wish.maxBytes = static_cast<std::uint64_t>(**most);
    return wish;
}

coro::Task<Response> startRecording(Call& call) {
    auto wish = recordingWishOf(call.body);
    if (!wish) co_return errorResponse(wish.error());
    co_return recordingResponse(co_await call.engine.ask(&Recordings::start, std::move(*wish)));
}

coro::Task<Response> stopRecording(Call& call) {
    co_return recordingResponse(co_await call.engine.ask(&Recordings::stop, call.capture()));
}

coro::Task<Response> getRecordings(Call& call) {
    const auto views = co_await call.engine.ask(&Recordings::list);
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("recordings");
    writer.openArray();
    for (const RecordingView& view : views) writeRecording(writer, view);
    writer.closeArray();
    writer.closeObject();
    co_return jsonResponse(std::move(text));
}

coro::Task<Response> getRecording(Call& call) {
    co_return recordingResponse(co_await call.engine.ask(&Recordings::get, call.capture()));
}

coro::Task<Response> changeRecording(Call& call) {
    engine::RecordingChange change;
    auto name = call.body.word("name", engine::kMostRecordingName);
    if (!name) co_return errorResponse(name.error());
    if (call.body.has("name")) change.name = std::move(*name);
    auto note = call.body.text("note", engine::kMostRecordingNote);
    if (!note) co_return errorResponse(note.error());
    if (call.body.has("note")) change.note = std::move(*note);
    co_return recordingResponse(co_await call.engine.ask(&Recordings::change, call.capture(), std::move(change)));
}

coro::Task<Response> deleteRecording(Call& call) {
    const auto removed = co_await call.engine.ask(&Recordings::remove, call.capture());
    co_return removed ? jsonResponse("{}") : errorResponse(removed.error());
}

// --- the file

/// A file that stays as it is; read on helpers.
class FileProducer final : public BodyProducer {
public:
    FileProducer(coro::HelperPool& helpers, std::shared_ptr<UniqueFd> file, std::uint64_t size,
                 std::shared_ptr<const int> use)
        : helpers_(helpers)
        , use_(std::move(use))
        , file_(std::move(file))
        , left_(size) {}
    coro::Task<Result<std::string_view>> next() override {
        // No more than its length was said to be.
        const auto atMost = static_cast<std::size_t>(std::min<std::uint64_t>(kReadPiece, left_));
        auto read = [file = file_, offset = offset_, atMost] { return readFileAt(file->get(), offset, atMost); };
        auto piece = co_await helpers_.run(std::move(read));
        if (!piece) co_return std::unexpected(piece.error());
        piece_ = std::move(*piece);
        offset_ += piece_.size();
        left_ -= piece_.size();
        co_return std::string_view(piece_);
    }

private:
    coro::HelperPool& helpers_;
    std::shared_ptr<const int> use_; ///< nothing is written into the file as long as this is held
    std::shared_ptr<UniqueFd> file_;
    std::uint64_t offset_ = 0;
    std::uint64_t left_;
    std::string piece_;
};

coro::Task<Response> getRecordingFile(Call& call) {
    auto inUse = co_await call.engine.ask(&Recordings::fileToCopy, call.capture());
    if (!inUse) co_return errorResponse(inUse.error());
    struct Opened {
        std::shared_ptr<UniqueFd> file;
        std::uint64_t size = 0;
    };
    auto open = [path = inUse->path]() -> Result<Opened> {
        Opened opened{.file = std::make_shared<UniqueFd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW))};
        struct stat state{};
        if (!*opened.file || ::fstat(opened.file->get(), &state) != 0)
            return failErrno("cannot open " + path, errno);
        opened.size = static_cast<std::uint64_t>(state.st_size);
        return opened;
    };
    auto opened = co_await call.helpers.run(std::move(open));
    if (!opened) co_return errorResponse(opened.error());
    co_return bytesResponse(
        std::make_unique<FileProducer>(call.helpers, opened->file, opened->size, std::move(inUse->use)),
        opened->size);
}

/// The actions of a file, each a line of JSON. Read on helpers.
class ActionsProducer final : public BodyProducer {
public:
    ActionsProducer(coro::HelperPool& helpers, std::shared_ptr<recording::RecordingReader> reader)
        : helpers_(helpers)
        , reader_(std::move(reader)) {}
    coro::Task<Result<std::string_view>> next() override {
        constexpr std::size_t kAtOnce = 200;
        auto read = [reader = reader_, n = n_] { return reader->actions(n, kAtOnce); };
        auto page = co_await helpers_.run(std::move(read));
        if (!page) co_return std::unexpected(page.error());
        lines_.clear();
        for (const recording::RecordedAction& action : *page) {
            const std::ptrdiff_t begin = std::ssize(lines_);
            JsonWriter writer(lines_);
            writer.openObject();
            writer.member("n", action.n);
            if (!action.machine.empty()) writer.member("machine", action.machine);
            if (!action.action.empty()) {
                writer.key("action");
                writer.raw(action.action);
            }
            writer.key("result");
            writer.raw(action.result);
            writer.closeObject();
            // White space of JSON, that is no text of it; a line is one action.
            const auto isBreak = [](char c) { return c == '\n' || c == '\r'; };
            std::ranges::replace_if(std::ranges::subrange(lines_.begin() + begin, lines_.end()), isBreak, ' ');
            lines_ += '\n';
            n_ = action.n;
        }
        co_return std::string_view(lines_);
    }

private:
    coro::HelperPool& helpers_;
    std::shared_ptr<recording::RecordingReader> reader_;
    std::int64_t n_ = 0;
    std::string lines_;
};

coro::Task<Response> getRecordedActions(Call& call) {
    const auto path = co_await call.engine.ask(&Recordings::file, call.capture());
    if (!path) co_return errorResponse(path.error());
    auto opened = co_await call.helpers.run([path = *path] { return recording::RecordingReader::open(path); });
    if (!opened) co_return errorResponse(opened.error());
    Response response;
    response.contentType = "application/x-ndjson";
    response.producer =
        std::make_unique<ActionsProducer>(call.helpers, endedByHelper(call.helpers, std::move(*opened)));
    co_return response;
}

/// Io, NoSpace, TooLarge; Malformed of the connection.
coro::Task<Result<void>> takeFile(Call& call, const std::string& path) {
    auto open = [path]() -> Result<std::shared_ptr<UniqueFd>> {
        auto file = std::make_shared<UniqueFd>(
            ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
        if (!*file) return failErrno("cannot make " + path, errno);
        return file;
    };
    const auto file = co_await call.helpers.run(std::move(open));
    if (!file) co_return std::unexpected(file.error());
    std::uint64_t size = 0;
    for (bool atEnd = false; !atEnd;) {
        std::string slice;
        while (slice.size() < kUploadSlice) {
            const auto piece = co_await call.request.source->read();
            if (!piece) co_return std::unexpected(piece.error());
            atEnd = piece->empty();
            if (atEnd) break;
            slice += *piece;
        }
        size += slice.size();
        if (size > engine::kMostRecordingBytes) co_return fail(ErrorKind::TooLarge, "The recording is too large.");
        auto write = [file = *file, slice = std::move(slice)]() -> Result<void> {
            const auto disk = diskSpace(file->get());
            if (disk && static_cast<std::uint64_t>(disk->free) < engine::kLeftByRecordings)
                return fail(ErrorKind::NoSpace, "The disk is nearly full: what runs needs what is left of it.");
            return writeAll(file->get(), slice);
        };
        if (const auto written = co_await call.helpers.run(std::move(write)); !written) co_return written;
    }
    auto sync = [file = *file]() -> Result<void> {
        return ::fsync(file->get()) == 0 ? Result<void>() : failErrno("cannot write the recording", errno);
    };
    co_return co_await call.helpers.run(std::move(sync));
}

coro::Task<Response> putRecordingFile(Call& call) {
    const auto path = co_await call.engine.ask(&Recordings::expect, call.capture());
    if (!path) co_return errorResponse(path.error());
    Result<void> taken;
    std::exception_ptr interrupted;
    try {
        taken = co_await takeFile(call, *path);
    } catch (const coro::Interrupted&) {
        interrupted = std::current_exception();
    }
    if (!interrupted && taken)
        co_return recordingResponse(co_await call.engine.ask(&Recordings::receive, call.capture()));
    {
        const coro::Uninterruptible cleanUp;
        co_await call.engine.ask(&Recordings::giveUp, call.capture());
    }
    if (interrupted) std::rethrow_exception(interrupted);
    co_return errorResponse(taken.error());
}

} // namespace

std::span<const Route> recordingRoutes() {
    using enum Method;
    using enum Scope;
    using enum BodyKind;
    static constexpr Route kRoutes[] = {
        {{Get, "recordings", Global, None, Needs::Read},
         &getRecordings,
         {.id = "getRecordings", .summary = "All recordings, by name", .answers = {{{200, "Recordings"}}}}},
        {{Post, "recordings", Global, Json, Needs::Operate},
         &startRecording,
         {.id = "startRecording",
          .summary = "Record what ends from now on, or what has ended and is kept",
          .members = "name note filter attachments max_bytes from",
          .rawMember = "from",
          .request = "StartRecording",
          .answers = {{{200, "Recording"}}}}},
        {{Get, "recordings/{name}", Global, None, Needs::Read},
         &getRecording,
         {.id = "getRecording", .summary = "One recording, and how far it is", .answers = {{{200, "Recording"}}}}},
        {{Patch, "recordings/{name}", Global, Json, Needs::Operate},
         &changeRecording,
         {.id = "changeRecording",
          .summary = "Another name or note, of one that is over",
          .members = "name note",
          .request = "ChangeRecording",
          .answers = {{{200, "Recording"}}}}},
        {{Delete, "recordings/{name}", Global, None, Needs::Operate},
         &deleteRecording,
         {.id = "deleteRecording", .summary = "Remove one that is over", .answers = {{{200, "AnyObject"}}}}},
        {{Post, "recordings/{name}/stop", Global, OptionalJson, Needs::Operate},
         &stopRecording,
         {.id = "stopRecording",
          .summary = "End it; answers once all that had ended is in it",
          .answers = {{{200, "Recording"}}}}},
        {{Get, "recordings/{name}/actions", Global, None, Needs::Admin},
         &getRecordedActions,
         {.id = "getRecordedActions",
          .summary = "The actions of one that is over, as they were posted and as they ended",
          .answers = {{{200, "ndjson:RecordedAction"}}}}},
        {{Get, "recordings/{name}/file", Global, None, Needs::Admin},
         &getRecordingFile,
         {.id = "getRecordingFile",
          .summary = "The file of one that is over: all inputs, environments and outputs of its actions",
          .answers = {{{200, "bytes"}}}}},
        {{Put, "recordings/{name}/file", Global, Stream, Needs::Admin},
         &putRecordingFile,
         {.id = "putRecordingFile",
          .summary = "Bring a recording in; all of it is checked before it is listed",
          .members = kReadsItself,
          .request = "bytes",
          .answers = {{{200, "Recording"}}}}},
    };
    return kRoutes;
}

} // namespace yard::http
