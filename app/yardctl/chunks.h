// Files on their way into the engine's content store and out of it, in constant memory. Blocking functions.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"
#include "core/model/worker_package.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace yard::ctl {

/// Files by the hash of their content, so that what an engine asks for can be sent.
class ChunkSource {
public:
    /// Hashes the file, once however often it is named.
    Outcome<FileHash> add(const std::string& path);
    void add(const Hash256& hash, const std::string& path) { files_.emplace(hash.hex(), File{path, path}); }
    /// A file that has no name; in sentences it is called `what`.
    void add(const Hash256& hash, UniqueFd file, std::string what);
    /// Sends the chunks the engine asked for. Fails when one is not among the files.
    Outcome<void> send(Engine& engine, const std::vector<std::string>& need);
    std::uint64_t sentFiles() const { return sentFiles_; }
    std::uint64_t sentBytes() const { return sentBytes_; }

private:
    struct File {
        std::string path;
        std::string what; ///< as people know it
    };
    std::unordered_map<std::string, File> files_;     ///< by hash in hex
    std::unordered_map<std::string, FileHash> known_; ///< by path
    std::vector<UniqueFd> open_;
    std::uint64_t sentFiles_ = 0;
    std::uint64_t sentBytes_ = 0;
};

/// The bytes of a chunk, of an action's inputs or outputs, into an open file. Returns the hash of what came: it is for
/// the caller to compare.
Result<Hash256> receiveChunk(Engine& engine, std::int64_t lsn, const Hash256& hash, int to);

/// POST, over restarts of the engine where it has a key, sending missing chunks as long as the engine names new
/// ones (at most kMaxNeedRounds times).
Result<Answer> postWithChunks(Engine& engine, const Call& call, ChunkSource& source);
inline constexpr int kMaxNeedRounds = 5;

/// The outputs of an ended action into `directory`/<lsn>/: verified against their hashes, each renamed into place
/// when whole. Returns how many.
Outcome<std::size_t> saveOutputs(Engine& engine, const json::object& action, const std::string& directory);

} // namespace yard::ctl
