#include "app/yardctl/chunks.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/whole_file.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/model/action_spec.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <vector>

namespace yard::ctl {

namespace {

Result<UniqueFd> openFile(const std::string& path, std::uint64_t& size) {
    // Non-blocking, so that a fifo is refused rather than waited for.
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd) return failErrno(fmt::format("cannot open {}", path), errno);
    struct stat info{};
    if (::fstat(fd.get(), &info) != 0) return failErrno(fmt::format("cannot read {}", path), errno);
    if (!S_ISREG(info.st_mode)) return fail(ErrorKind::Invalid, fmt::format("{} is not a regular file", path));
    size = static_cast<std::uint64_t>(info.st_size);
    return fd;
}

/// One output of an action: it has its name when its hash is right.
Outcome<void> saveChunk(Engine& engine, std::int64_t lsn, const Hash256& hash, const std::string& path) {
    if (auto made = makeDirectories(path.substr(0, path.rfind('/')), 0755); !made) return failedWith(made.error());
    auto file = WholeFile::make(path);
    if (!file) return std::unexpected(file.error());
    const auto came = receiveChunk(engine, lsn, hash, file->fd());
    if (!came) return failedWith(came.error());
    if (*came != hash)
        return failedWith(
            fail(ErrorKind::Io, fmt::format("what came for {} is not what its hash says; try again", path))
                .error());
    return file->finish();
}

} // namespace

Result<Hash256> receiveChunk(Engine& engine, std::int64_t lsn, const Hash256& hash, int to) {
    Sha256 hasher;
    const auto read = engine.stream(fmt::format("chunks/{}?lsn={}", hash.hex(), lsn), std::chrono::seconds(60),
                                    [&](std::string_view bytes) {
                                        hasher.update(bytes);
                                        return writeAll(to, bytes);
                                    });
    if (!read) return std::unexpected(read.error());
    return hasher.finish();
}

Outcome<FileHash> ChunkSource::add(const std::string& path) {
    if (const auto it = known_.find(path); it != known_.end()) return it->second;
    auto hash = hashFile(path);
    if (!hash) return failedWith(hash.error());
    known_.emplace(path, *hash);
    add(hash->hash, path);
    return *hash;
}

void ChunkSource::add(const Hash256& hash, UniqueFd file, std::string what) {
    files_.emplace(hash.hex(), File{fmt::format("/proc/self/fd/{}", file.get()), std::move(what)});
    open_.push_back(std::move(file));
}

Outcome<void> ChunkSource::send(Engine& engine, const std::vector<std::string>& need) {
    for (const std::string& hex : need) {
        const auto it = files_.find(hex);
        if (it == files_.end())
            return failed(fmt::format("the engine lacks the chunk {} and no file given here has this content; name "
                                      "the file as \"@path\"",
                                      printable(hex)));
        std::uint64_t size = 0;
        auto fd = openFile(it->second.path, size);
        if (!fd) return failedWith(fd.error());
        if (auto put = engine.putFile("chunks/" + hex, fd->get(), size); !put)
            return failed(fmt::format("cannot send {}: {}", it->second.what, put.error().message));
        ++sentFiles_;
        sentBytes_ += size;
    }
    return {};
}

Result<Answer> postWithChunks(Engine& engine, const Call& call, ChunkSource& source) {
    for (int round = 0;; ++round) {
        auto answer = call.idempotencyKey.empty() ? engine.call(call) : engine.callPatiently(call);
        if (answer || answer.error().kind != ErrorKind::NeedChunks || round == kMaxNeedRounds) return answer;
        if (auto sent = source.send(engine, answer.error().need); !sent)
            return fail(ErrorKind::Io, sent.error().message);
    }
}

Outcome<std::size_t> saveOutputs(Engine& engine, const json::object& action, const std::string& directory) {
    const json::object* outputs = objectOf(action, "outputs");
    if (!outputs) return std::size_t{0};
    std::size_t count = 0;
    for (const auto& [name, value] : *outputs) {
        const auto hash = Hash256::fromHex(value.is_object() ? textOf(value.get_object(), "hash") : "");
        // The engine promises safe names; a client that writes files does not take its word for it.
        if (!isSafeRelativePath(name) || !hash)
            return failed(fmt::format("the output '{}' has a name or hash that cannot be used", printable(name)));
        const std::int64_t lsn = integerOf(action, "lsn").value_or(0);
        const std::string path = fmt::format("{}/{}/{}", directory, lsn, std::string_view(name));
        if (auto saved = saveChunk(engine, lsn, *hash, path); !saved) return std::unexpected(saved.error());
        ++count;
    }
    return count;
}

} // namespace yard::ctl
