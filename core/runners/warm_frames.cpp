#include "core/runners/warm_frames.h"

#include "core/json/json_reader.h"
#include "core/json/json_writer.h"
#include "core/json/utf8.h"
#include "core/model/progress_words.h"

#include <bit>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <limits>
#include <sys/socket.h>

namespace yard::runners::warm {

namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kIdBytes = 8;
constexpr std::size_t kMaxMessage = 4'096;
/// Of a document that our reader refuses: it takes itself apart level by level.
constexpr std::size_t kMostLevels = 1'000;

static_assert(std::endian::native == std::endian::little, "frames are little-endian: swap here");

std::unexpected<Error> notAnObject(std::string_view what) {
    return fail(ErrorKind::Invalid, std::string(what) + " is not a JSON object");
}

Result<unsigned> smallNumber(JsonView member, unsigned least, unsigned most) {
    const JsonNode& node = member.node();
    if (node.kind != JsonKind::Integer || node.integer < least || node.integer > most)
        return fail(ErrorKind::Invalid, std::string(member.key()) + " is not a number from " +
                                            std::to_string(least) + " to " + std::to_string(most));
    return static_cast<unsigned>(node.integer);
}

/// Of an answer that our reader refuses: where it is whole JSON, what it says beside its result. Nothing: it is
/// garbage.
std::optional<Answer> withoutResult(std::string_view json, const Error& refusal) {
    boost::json::parse_options options;
    options.max_depth = kMostLevels;
    boost::system::error_code ec;
    const boost::json::value value = boost::json::parse(json, ec, {}, options);
    const boost::json::object* object = ec ? nullptr : value.if_object();
    if (!object || !object->contains("result")) return std::nullopt;
    Answer answer;
    answer.resultRefused = refusal.message;
    if (const boost::json::value* code = object->if_contains("exit_code")) {
        const std::int64_t* number = code->if_int64();
        if (!number || *number != static_cast<int>(*number)) return std::nullopt;
        answer.exitCode = static_cast<int>(*number);
    }
    if (const boost::json::value* message = object->if_contains("message"); message && !message->is_null()) {
        const boost::json::string* text = message->if_string();
        if (!text) return std::nullopt;
        answer.message = utf8Prefix({text->data(), text->size()}, kMaxMessage);
    }
    return answer;
}

} // namespace

bool put(std::string& out, const Request& request) {
    const std::size_t start = out.size();
    out.append(kLengthBytes, '\0');
    out.append(reinterpret_cast<const char*>(&request.id), kIdBytes);
    JsonWriter writer(out);
    writer.openObject();
    if (request.look.empty()) writer.member("lsn", request.lsn.value);
    writer.member("function", request.function);
    if (request.look.empty()) {
        writer.key("args");
        writer.raw(request.args.empty() ? std::string_view("null") : request.args);
    } else {
        out += ',';
        out += request.look;
    }
    if (!request.inputs.empty()) writer.member("inputs", request.inputs);
    if (!request.outputs.empty()) writer.member("outputs", request.outputs);
    if (!request.given.empty()) {
        writer.key("resources_given");
        writer.raw(request.given);
    }
    writer.closeObject();
    const std::size_t length = out.size() - start - kLengthBytes;
    if (length > kMaxFrame) {
        out.resize(start);
        return false;
    }
    const auto written = static_cast<std::uint32_t>(length);
    std::memcpy(out.data() + start, &written, kLengthBytes);
    return true;
}

Result<Ready> parseReady(std::string_view json) {
    const auto tape = readJson(json);
    if (!tape) return std::unexpected(tape.error());
    if (!tape->root().isObject()) return notAnObject("the first frame");
    Ready ready;
    bool said = false;
    for (const JsonView member : tape->root()) {
        Result<unsigned> number = 0;
        if (member.key() == "ready")
            said = member.kind() == JsonKind::Bool && member.node().boolean;
        else if (member.key() == "concurrency" && (number = smallNumber(member, 1, kMaxConcurrency)))
            ready.concurrency = *number;
        else if (member.key() == "ahead" && (number = smallNumber(member, 0, kMaxAhead)))
            ready.ahead = *number;
        if (!number) return std::unexpected(number.error());
    }
    if (!said) return fail(ErrorKind::Invalid, "the first frame does not say \"ready\": true");
    return ready;
}

Result<Answer> parseAnswer(std::string_view json) {
    Answer answer;
    if (json == R"({"exit_code":0})") return answer; // the most frequent one by far
    const auto read = [&answer](JsonView value, std::string_view text) -> Result<void> {
        if (!value.isObject()) return notAnObject("an answer");
        for (const JsonView member : value) {
            const JsonNode& node = member.node();
            if (member.key() == "exit_code") {
                if (node.kind != JsonKind::Integer || node.integer < std::numeric_limits<int>::min() ||
                    node.integer > std::numeric_limits<int>::max())
                    return fail(ErrorKind::Invalid, "exit_code is not a number of 32 bits");
                answer.exitCode = static_cast<int>(node.integer);
            } else if (member.key() == "message") {
                if (node.kind == JsonKind::Null) continue;
                if (node.kind != JsonKind::String) return fail(ErrorKind::Invalid, "message is not a string");
                answer.message = utf8Prefix(member.string(), kMaxMessage);
            } else if (member.key() == "result" && node.size > kMaxResult) {
                answer.resultTooLarge = true;
            } else if (member.key() == "result") {
                answer.result = text.substr(node.offset, node.size);
            }
        }
        return {};
    };
    const auto list = readJsonElements(json, "result", read);
    if (!list) {
        if (auto rest = withoutResult(json, list.error())) return std::move(*rest);
        return std::unexpected(list.error());
    }
    if (*list) return notAnObject("an answer");
    return answer;
}

std::optional<ReportedProgress> parseProgress(std::string_view json) {
    if (!json.starts_with(R"({"progress":)")) return {};
    const auto tape = readJson(json);
    if (!tape || !tape->root().isObject()) return {};
    for (const JsonView member : tape->root())
        if (member.key() == "exit_code" || member.key() == "result") return {};
    ReportedProgress said;
    addProgress(tape->root(), said);
    return said;
}

FrameBuffer::Fill FrameBuffer::receive(int socketFd) {
    if (!chunk_) chunk_ = std::make_unique_for_overwrite<char[]>(kRead);
    ssize_t got = -1;
    do got = ::recv(socketFd, chunk_.get(), kRead, MSG_DONTWAIT);
    while (got < 0 && errno == EINTR);
    const int err = errno;
    if (got > 0) append({chunk_.get(), static_cast<std::size_t>(got)});
    if (got > 0) return static_cast<std::size_t>(got) == kRead ? Fill::Data : Fill::LastData;
    return got < 0 && (err == EAGAIN || err == EWOULDBLOCK) ? Fill::WouldBlock : Fill::Closed;
}

void FrameBuffer::append(std::string_view bytes) {
    if (at_ == bytes_.size())
        bytes_.clear();
    else if (at_ > 0)
        bytes_.erase(0, at_);
    at_ = 0;
    bytes_.append(bytes);
}

std::optional<Frame> FrameBuffer::next() {
    if (broken_ || held() < kLengthBytes) return {};
    std::uint32_t length = 0;
    std::memcpy(&length, bytes_.data() + at_, kLengthBytes);
    if (length < kIdBytes || length > kMaxFrame) {
        broken_ = true;
        return {};
    }
    if (held() - kLengthBytes < length) return {};
    Frame frame;
    std::memcpy(&frame.id, bytes_.data() + at_ + kLengthBytes, kIdBytes);
    frame.json = std::string_view(bytes_).substr(at_ + kLengthBytes + kIdBytes, length - kIdBytes);
    at_ += kLengthBytes + length;
    return frame;
}

} // namespace yard::runners::warm
