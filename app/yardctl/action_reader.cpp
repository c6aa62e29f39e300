#include "app/yardctl/action_reader.h"

#include "app/yardctl/json_text.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kPiece = 64u << 10;
constexpr int kSlowMs = 100;

bool isSpace(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

} // namespace

ActionReader::ActionReader(int fd, std::string name, int stop)
    : fd_(fd)
    , stop_(stop)
    , name_(std::move(name)) {}

/// Waits until there is something to read, or the end of it. True: it is not to be read.
bool ActionReader::isStopped() const {
    if (stop_ < 0) return false;
    std::array<pollfd, 2> fds{{{fd_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    while (::poll(fds.data(), fds.size(), -1) < 0 && errno == EINTR) {
    }
    return fds[1].revents != 0;
}

/// False at the end of the input.
Outcome<bool> ActionReader::fill() {
    if (atEnd_) return false;
    if (isStopped())
        return std::unexpected(
            Failure(fmt::format("interrupted while reading {}", name_), kExitFailed, kInterrupted));
    buffer_.erase(0, std::exchange(at_, 0));
    const std::size_t old = buffer_.size();
    buffer_.resize(old + kPiece);
    ssize_t n = 0;
    do n = ::read(fd_, buffer_.data() + old, kPiece);
    while (n < 0 && errno == EINTR);
    buffer_.resize(old + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0) return failed(fmt::format("cannot read {}: {}", name_, ::strerrordesc_np(errno)));
    atEnd_ = n == 0;
    return n > 0;
}

/// To the next byte that is no white space; false when the buffer has none.
bool ActionReader::skipSpace() {
    while (at_ < buffer_.size() && isSpace(buffer_[at_]))
        if (buffer_[at_++] == '\n') ++line_;
    return at_ < buffer_.size();
}

bool ActionReader::wouldBlock() const {
    if (atEnd_ || !std::all_of(buffer_.begin() + static_cast<std::ptrdiff_t>(at_), buffer_.end(), isSpace))
        return false;
    pollfd probe{fd_, POLLIN, 0};
    return ::poll(&probe, 1, kSlowMs) == 0;
}

std::unexpected<Failure> ActionReader::malformed(std::size_t line, const std::string& why) const {
    return failed(fmt::format("{}, line {}: {}; an action is a JSON object", name_, line, why));
}

/// Moves what was read from the buffer to the text.
void ActionReader::take(Value& value, std::size_t bytes) {
    const std::string_view used = std::string_view(buffer_).substr(at_, bytes);
    line_ += static_cast<std::size_t>(std::ranges::count(used, '\n'));
    value.text += used;
    at_ += bytes;
}

/// The value that has begun holds bytes that are not UTF-8: they are put into the whole of it before it is parsed.
Outcome<ActionReader::Value> ActionReader::withBytes(Value value) {
    ValueEnd end;
    (void)end.find(value.text);
    for (std::size_t length = 0; length == 0;) {
        if (at_ == buffer_.size()) {
            auto more = fill();
            if (!more) return std::unexpected(more.error());
            if (!*more) return malformed(value.line, "it is not complete");
        }
        length = end.find(std::string_view(buffer_).substr(at_));
        take(value, length > 0 ? length : buffer_.size() - at_);
        if (value.text.size() > kMaxValueBytes) return malformed(value.line, "it is over 64 MiB");
    }
    boost::system::error_code ec;
    value.value = parseJson(value.text, ec);
    if (ec) return malformed(line_, fmt::format("it is not JSON ({})", ec.message()));
    return value;
}

Outcome<std::optional<ActionReader::Value>> ActionReader::next() {
    while (!skipSpace()) {
        auto more = fill();
        if (!more) return std::unexpected(more.error());
        if (!*more) return std::nullopt;
    }
    Value out{.text = {}, .value = {}, .line = line_};
    if (buffer_[at_] != '{' && buffer_[at_] != '[') return malformed(line_, "this is no action");
    boost::json::stream_parser parser;
    while (!parser.done()) {
        if (at_ == buffer_.size()) {
            auto more = fill();
            if (!more) return std::unexpected(more.error());
            if (!*more) return malformed(out.line, "it is not complete");
        }
        boost::system::error_code ec;
        const std::size_t n = parser.write_some(buffer_.data() + at_, buffer_.size() - at_, ec);
        if (ec == boost::json::error::illegal_leading_surrogate ||
            ec == boost::json::error::illegal_trailing_surrogate)
            return withBytes(std::move(out));
        take(out, n);
        if (ec) return malformed(line_, fmt::format("it is not JSON ({})", ec.message()));
        if (out.text.size() > kMaxValueBytes) return malformed(out.line, "it is over 64 MiB");
    }
    out.value = parser.release();
    while (!out.text.empty() && isSpace(out.text.back())) out.text.pop_back();
    return out;
}

} // namespace yard::ctl
