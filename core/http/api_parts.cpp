// POST jobs as multipart/form-data: the action's JSON and the chunks it needs in one request. Chunks go to the
// content store as they come, in constant memory; the JSON is kept until all have come.
#include "core/http/handler_steps.h"

#include "core/http/multipart.h"

#include <fmt/format.h>

namespace yard::http {

namespace {

constexpr std::string_view kActionPart = "action";
constexpr std::uint64_t kMaxActionPart = 8u << 20;
constexpr Duration kBudgetWait = std::chrono::seconds(1);
/// Behind the last boundary: so much is read and dropped.
constexpr std::size_t kMaxEpilogue = 4'096;

/// The parts of a body, one after the other; read() gives the bytes of the one that is open.
class PartSource final : public BodySource {
public:
    PartSource(BodySource& body, std::string_view boundary)
        : body_(body)
        , parser_(boundary) {}

    /// False at the end of the body. The part before must have been read to its end.
    coro::Task<Result<bool>> open() {
        const auto event = co_await next();
        if (!event) co_return std::unexpected(event.error());
        co_return *event == MultipartParser::Event::PartBegan;
    }
    const std::string& name() const { return parser_.name(); }

    coro::Task<Result<std::string_view>> read() override {
        const auto event = co_await next();
        if (!event) co_return std::unexpected(event.error());
        co_return *event == MultipartParser::Event::Data ? data_ : std::string_view{};
    }

    /// What follows the last boundary, so that the connection can go on.
    coro::Task<Result<void>> finish() {
        for (std::size_t dropped = in_.size(); dropped <= kMaxEpilogue;) {
            const auto piece = co_await body_.read();
            if (!piece) co_return std::unexpected(piece.error());
            if (piece->empty()) co_return Result<void>{};
            dropped += piece->size();
        }
        co_return fail(ErrorKind::Malformed, "Something follows the last boundary; end the body there.");
    }

private:
    /// Anything but NeedMore.
    coro::Task<Result<MultipartParser::Event>> next() {
        for (;;) {
            const auto event = parser_.next(in_, data_);
            if (!event || *event != MultipartParser::Event::NeedMore) co_return event;
            const auto piece = co_await body_.read();
            if (!piece) co_return std::unexpected(piece.error());
            if (piece->empty()) co_return fail(ErrorKind::Malformed, "The body ends before its last boundary.");
            std::string joined(in_);
            joined += *piece;
            buffer_ = std::move(joined);
            in_ = buffer_;
        }
    }

    BodySource& body_;
    MultipartParser parser_;
    std::string buffer_; ///< a piece of the body, and what was left of those before
    std::string_view in_;
    std::string_view data_;
};

std::unexpected<Error> tooLarge() {
    return fail(
        ErrorKind::TooLarge,
        fmt::format("The part \"action\" is over {} bytes; send its chunks with PUT chunks/{{hash}} and the "
                    "action as a JSON body.",
                    kMaxActionPart));
}

coro::Task<Result<std::string>> readActionPart(BodySource& part, BodyShare& share) {
    std::string text;
    for (;;) {
        const auto piece = co_await part.read();
        if (!piece) co_return std::unexpected(piece.error());
        if (piece->empty()) co_return text;
        if (piece->size() > kMaxActionPart - text.size()) co_return tooLarge();
        const bool room = co_await share.growTo(text.size() + piece->size(), kBudgetWait);
        if (!room)
            co_return fail(ErrorKind::Busy, "Too many requests are under way; send this one again in a second.");
        text += *piece;
    }
}

} // namespace

coro::Task<Result<std::string>> readParts(Call& call, BodyShare& share) {
    const auto boundary = multipartBoundary(call.request.head.field("Content-Type").value_or(""));
    if (!boundary) co_return std::unexpected(boundary.error());
    PartSource parts(*call.request.source, boundary->value_or(""));
    std::optional<std::string> action;
    for (;;) {
        const auto more = co_await parts.open();
        if (!more) co_return std::unexpected(more.error());
        if (!*more) break;
        if (parts.name() == kActionPart) {
            if (action) co_return invalid("action", "Send one part \"action\"; it may hold a list of actions.");
            auto read = co_await readActionPart(parts, share);
            if (!read) co_return std::unexpected(std::move(read.error()));
            action = std::move(*read);
            continue;
        }
        const auto hash = Hash256::fromHex(parts.name());
        if (!hash)
            co_return invalid(parts.name(),
                              "Name the part with the JSON \"action\", and each other one by the SHA-256 "
                              "of its bytes, in 64 lower-case hexadecimal digits.");
        const auto stored = co_await storeChunk(call, parts, *hash, std::nullopt);
        if (!stored) co_return std::unexpected(stored.error());
    }
    if (!action) co_return invalid("action", "Send the action's JSON as the part \"action\".");
    if (auto end = co_await parts.finish(); !end) co_return std::unexpected(std::move(end.error()));
    co_return std::move(*action);
}

} // namespace yard::http
