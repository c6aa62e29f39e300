#include "app/yardctl/program_input.h"

#include "app/yardctl/output_follower.h"
#include "core/base/files.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

/// More is a chunk.
constexpr std::size_t kLongestText = 4096;
constexpr int kLongSilenceMs = 3'000;

std::unexpected<Failure> tooMuch(const std::string& name) {
    return failed(
        fmt::format("{} has more than {} MiB, the most that an action is given as its stdin: let the program "
                    "read the file itself, or give it with --input NAME=FILE",
                    name, kMaxStdinBytes >> 20));
}

/// Bytes in memory, and beyond kLongestText in a file without a name.
class Received {
public:
    Outcome<void> add(std::string_view bytes) {
        size_ += bytes.size();
        if (size_ <= kLongestText) {
            text_ += bytes;
            return {};
        }
        if (!file_) {
            file_.reset(::memfd_create("stdin", MFD_CLOEXEC));
            if (!file_) return failedWith(failErrno("cannot make memory for stdin", errno).error());
            if (auto done = becomeChunk(text_); !done) return done;
        }
        return becomeChunk(bytes);
    }
    std::uint64_t size() const { return size_; }
    json::object member(ChunkSource& files, const std::string& name) {
        if (!file_ && isUtf8(text_)) return {{"text", text_}};
        if (!file_) {
            file_.reset(::memfd_create("stdin", MFD_CLOEXEC));
            (void)becomeChunk(text_);
        }
        const Hash256 hash = hasher_->finish();
        files.add(hash, std::move(file_), name);
        return {{"hash", hash.hex()}};
    }

private:
    /// A text goes in the action itself, and has no use for a hash: that costs more to begin with than a short text.
    Outcome<void> becomeChunk(std::string_view bytes) {
        if (!hasher_) hasher_.emplace();
        hasher_->update(bytes);
        if (auto done = writeAll(file_.get(), bytes); !done) return failedWith(done.error());
        return {};
    }

    std::optional<Sha256> hasher_; ///< of what is in the file
    std::uint64_t size_ = 0;
    std::string text_;
    UniqueFd file_;
};

/// Says after kLongSilenceMs that it waits. An inherited pipe that nobody closes never ends.
void awaitFirst(int fd, const Invocation* toldTo) {
    pollfd p{fd, POLLIN, 0};
    if (!toldTo || toldTo->json || ::poll(&p, 1, kLongSilenceMs) != 0) return;
    (void)writeOutput(STDERR_FILENO,
                      "yardctl: reading stdin to its end before the program is run; < /dev/null gives it none\n");
}

Outcome<Received> receive(int fd, const std::string& name, const Invocation* toldTo) {
    Received received;
    struct stat info{};
    const off_t at = ::lseek(fd, 0, SEEK_CUR);
    const bool isFile = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    if (isFile && at >= 0 && info.st_size - at > static_cast<off_t>(kMaxStdinBytes)) return tooMuch(name);
    if (!isFile) awaitFirst(fd, toldTo);
    std::array<char, 65536> piece{};
    for (;;) {
        const ssize_t n = ::read(fd, piece.data(), piece.size());
        if (n == 0) return received;
        if (n < 0 && errno == EAGAIN) {
            pollfd wait{fd, POLLIN, 0};
            ::poll(&wait, 1, -1);
        }
        if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (n < 0)
            return failed(fmt::format("cannot read {}: {}{}", name, ::strerrordesc_np(errno),
                                      toldTo ? "; < /dev/null gives the program none" : ""));
        if (auto added = received.add({piece.data(), static_cast<std::size_t>(n)}); !added)
            return std::unexpected(added.error());
        if (received.size() > kMaxStdinBytes) return tooMuch(name);
    }
}

Outcome<Received> receiveFile(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failed(fmt::format("cannot open {}: {}", path, ::strerrordesc_np(errno)));
    return receive(file.get(), path, nullptr);
}

bool isGivenAlong(int fd) {
    struct stat info{};
    if (::fstat(fd, &info) != 0) return false;
    // Of /dev/null nothing. What cannot be read, as a directory, is given along as well, so that its error is told.
    return !S_ISCHR(info.st_mode) || ::isatty(fd) == 0;
}

} // namespace

Outcome<json::object> stdinFrom(const std::string& path, ChunkSource& files) {
    auto received = receiveFile(path);
    if (!received) return std::unexpected(received.error());
    return received->member(files, path);
}

Outcome<std::optional<json::object>> stdinOfRun(const Invocation& invocation, ChunkSource& files) {
    const auto path = invocation.arguments.value("stdin");
    if (!path && !isGivenAlong(STDIN_FILENO)) return std::nullopt;
    const bool isOurs = !path || *path == "-";
    auto received = isOurs ? receive(STDIN_FILENO, "stdin", &invocation) : receiveFile(*path);
    if (!received) return std::unexpected(received.error());
    if (received->size() == 0) return std::nullopt;
    return received->member(files, isOurs ? "stdin" : *path);
}

} // namespace yard::ctl
