#include "core/lease/left_stream.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <algorithm>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::runners {
namespace {

constexpr std::uint64_t kPiece = 1u << 20;

std::optional<Hash256> hashOf(int fd, std::uint64_t size) {
    Sha256 hash;
    for (std::uint64_t at = 0; at < size;) {
        const auto piece = readFileAt(fd, at, std::min(kPiece, size - at));
        if (!piece || piece->empty()) return {};
        hash.update(*piece);
        at += piece->size();
    }
    return hash.finish();
}

} // namespace

std::string streamName(AttemptId id, Stream stream) {
    return fmt::format("{}.{}.{}", id.lsn.value, id.attempt, stream == Stream::Out ? "stdout" : "stderr");
}

std::optional<StreamResult> takeLeftStream(const std::string& path, std::uint64_t limit) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    struct stat st{};
    if (!file || ::fstat(file.get(), &st) != 0) return {};
    StreamResult stream;
    stream.size = static_cast<std::uint64_t>(st.st_size);
    if (stream.size <= kInlineStreamBytes) {
        auto bytes = readFileAt(file.get(), 0, stream.size);
        if (!bytes) return {};
        stream.bytes = std::move(*bytes);
        if (!stream.bytes.empty()) stream.hash = Sha256::of(stream.bytes);
        ::unlink(path.c_str());
        return stream;
    }
    stream.path = path;
    stream.gap = gapOf(stream.size, limit);
    stream.truncated = !stream.gap.empty();
    if (stream.truncated) return stream;
    const auto hash = hashOf(file.get(), stream.size);
    if (!hash) return {};
    stream.hash = *hash;
    return stream;
}

} // namespace yard::runners
