#include "app/yardctl/engine_words.h"

#include "core/base/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <poll.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

using ServingClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestStart{30};
constexpr std::int64_t kLookMs = 50; ///< where it may be given up
constexpr std::size_t kMaxLog = 1u << 20;

} // namespace

std::expected<std::string, NotServing> awaitServing(int said, const std::function<bool()>& isGivenUp) {
    std::string line;
    const auto until = ServingClock::now() + kLongestStart;
    while (!line.contains('\n')) {
        const std::int64_t left =
            std::chrono::duration_cast<std::chrono::milliseconds>(until - ServingClock::now()).count();
        if (left <= 0) return std::unexpected(NotServing::Late);
        if (isGivenUp && isGivenUp()) return std::unexpected(NotServing::GivenUp);
        pollfd wait{said, POLLIN, 0};
        const int came = ::poll(&wait, 1, static_cast<int>(isGivenUp ? std::min(left, kLookMs) : left));
        if (came < 0 && errno != EINTR) return std::unexpected(NotServing::Ended);
        if (came <= 0) continue;
        std::array<char, 256> piece{};
        const ssize_t n = ::read(said, piece.data(), piece.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return std::unexpected(NotServing::Ended);
        line.append(piece.data(), static_cast<std::size_t>(n));
    }
    return line.substr(0, line.find('\n'));
}

std::string lastLineOf(const std::string& log) {
    std::string text = readFile(log, kMaxLog).value_or("");
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

} // namespace yard::ctl
