#include "app/yardctl/chunks.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/model/action_spec.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
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

/// One output of an action: into a temporary name beside its own, renamed when its hash is right.
Outcome<void> saveChunk(Engine& engine, std::int64_t lsn, const std::string& hex, const std::string& path) {
    const auto slash = path.rfind('/');
    if (auto made = makeDirectories(path.substr(0, slash), 0755); !made) return failedWith(made.error());
    const std::string temporary = fmt::format("{}/.{}.part", path.substr(0, slash), randomHex(8));
    const UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (!fd) return failedWith(failErrno(fmt::format("cannot create {}", temporary), errno).error());
    Sha256 hasher;
    Result<void> done = engine.stream(fmt::format("chunks/{}?lsn={}", hex, lsn), std::chrono::seconds(60),
                                      [&](std::string_view bytes) {
                                          hasher.update(bytes);
                                          return writeAll(fd.get(), bytes);
                                      });
    if (done && hasher.finish().hex() != hex)
        done = fail(ErrorKind::Io, fmt::format("what came for {} is not what its hash says; try again", path));
    if (done && ::rename(temporary.c_str(), path.c_str()) != 0)
        done = failErrno(fmt::format("cannot rename {} to {}", temporary, path), errno);
    if (done) return {};
    ::unlink(temporary.c_str());
    return failedWith(done.error());
}

} // namespace

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
        const std::string_view hash = value.is_object() ? textOf(value.get_object(), "hash") : std::string_view();
        // The engine promises safe names; a client that writes files does not take its word for it.
        if (!isSafeRelativePath(name) || !Hash256::fromHex(hash))
            return failed(fmt::format("the output '{}' has a name or hash that cannot be used", printable(name)));
        const std::int64_t lsn = integerOf(action, "lsn").value_or(0);
        const std::string path = fmt::format("{}/{}/{}", directory, lsn, std::string_view(name));
        if (auto saved = saveChunk(engine, lsn, std::string(hash), path); !saved)
            return std::unexpected(saved.error());
        ++count;
    }
    return count;
}

} // namespace yard::ctl
