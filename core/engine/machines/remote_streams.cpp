#include "core/engine/machines/remote_streams.h"

#include "core/base/unique_fd.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40; ///< nothing of the middle is left out here

/// What stands where `bytes` are missing: as long, so that what follows has its place.
std::string blank(std::uint64_t bytes) {
    constexpr std::string_view kWords = "\n[some output has not arrived]\n";
    std::string text(static_cast<std::size_t>(bytes), ' ');
    if (text.size() >= kWords.size()) text.replace(0, kWords.size(), kWords);
    return text;
}

/// Blocks. False: it is not there.
bool writeAt(const std::string& path, std::uint64_t offset, std::string_view bytes) {
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    while (fd && !bytes.empty()) {
        const ssize_t written = ::pwrite(fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        offset += static_cast<std::uint64_t>(written);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return static_cast<bool>(fd);
}

void makeClean(const std::string& directory) {
    std::error_code error;
    std::filesystem::remove_all(directory, error);
    std::filesystem::create_directory(directory, error);
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
}

} // namespace

void RemoteStreams::came(runners::AttemptId id, runners::Stream stream, std::uint64_t offset, std::string bytes) {
    const Key key{id, stream};
    auto& file = files_[key];
    if (!file) {
        if (files_.size() > kMostStreams) {
            files_.erase(key);
            return;
        }
        file = std::make_shared<File>();
        file->path = fmt::format("{}/{}.{}.{}", parts_.directory, id.lsn.value, id.attempt,
                                 stream == runners::Stream::Out ? "out" : "err");
    }
    if (file->isOver || bytes.empty()) return;
    const std::uint64_t end = file->end;
    const bool isTooFar =
        offset > end + kMostGap || offset + bytes.size() > kMostBytes || inAll_ + bytes.size() > kMostInAll;
    if (isTooFar || file->waitingBytes + bytes.size() > kMostWaiting) {
        file->isOver = true;
        return;
    }
    if (offset + bytes.size() <= end) return; // it was told before: over an earlier link
    if (offset < end) bytes.erase(0, end - offset);
    if (offset > end) bytes.insert(0, blank(offset - end));
    offset = end;
    file->end += bytes.size();
    inAll_ += bytes.size();
    file->taken += bytes.size();
    file->waitingBytes += bytes.size();
    file->waiting.push_back({.offset = offset, .bytes = std::move(bytes)});
    if (!std::exchange(file->isWriting, true)) parts_.spawn("output from elsewhere", write(key, file));
}

coro::Task<void> RemoteStreams::write(Key key, std::shared_ptr<File> file) {
    co_await clean();
    while (!file->waiting.empty()) {
        std::vector<Piece> pieces = std::exchange(file->waiting, {});
        file->waitingBytes = 0;
        const std::uint64_t size = pieces.back().offset + pieces.back().bytes.size();
        const bool written = co_await parts_.helpers.run([path = file->path, pieces = std::move(pieces)] {
            return std::ranges::all_of(
                pieces, [&](const Piece& piece) { return writeAt(path, piece.offset, piece.bytes); });
        });
        if (!written) {
            file->isOver = true;
            file->waiting.clear();
            break;
        }
        file->size = size;
        tell(key, *file);
    }
    file->isWriting = false;
}

void RemoteStreams::tell(const Key& key, const File& file) {
    parts_.grown(key.first, {.stream = key.second, .path = file.path, .size = file.size, .limit = kNoLimit});
}

std::uint64_t RemoteStreams::has(runners::AttemptId id, runners::Stream stream) const {
    const auto at = files_.find({id, stream});
    return at == files_.end() ? 0 : at->second->end;
}

coro::Task<void> RemoteStreams::clean() {
    if (!std::exchange(isCleaning_, true)) {
        (void)co_await parts_.helpers.run([directory = parts_.directory] {
            makeClean(directory);
            return true;
        });
        isClean_.set();
    }
    co_await isClean_.wait();
}

void RemoteStreams::sweep() {
    std::vector<std::string> paths;
    std::erase_if(files_, [&](const auto& entry) {
        if (entry.second->isWriting || parts_.isThere(entry.first.first)) return false;
        paths.push_back(entry.second->path);
        inAll_ -= entry.second->taken;
        return true;
    });
    if (paths.empty()) return;
    parts_.spawn("output from elsewhere goes",
                 [](coro::HelperPool& helpers, std::vector<std::string> gone) -> coro::Task<void> {
                     (void)co_await helpers.run([gone = std::move(gone)] {
                         for (const std::string& path : gone) ::unlink(path.c_str());
                         return true;
                     });
                 }(parts_.helpers, std::move(paths)));
}

} // namespace yard::engine
