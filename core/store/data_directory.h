// The data directory (docs/lifetimes.md): who may use it, that one engine does, its identity and secrets. Held
// from the start of the engine to its end; the lock goes with it. Blocks; one thread.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::store {

class DataDirectory {
public:
    /// Makes the directory 0700 when it is not there, locks it and reads or makes engine_id. Errors: Forbidden when
    /// it is someone else's, others may enter or it lies on a network; AtLimit when another engine holds it (after
    /// `patience`; the message names its pid); WrongState when a newer version wrote it, or its journal is lost,
    /// and then nothing in it was changed; Io, NoSpace. The patience is for a dead engine's child between clone and exec, which keeps the lock
    /// a little.
    ///
    /// The journal is locked as well as `lock`: somebody may remove the one, nobody can do without the other.
    static Result<DataDirectory> open(std::string path, Duration patience = std::chrono::seconds(2));
    DataDirectory(DataDirectory&&) noexcept = default;
    DataDirectory& operator=(DataDirectory&&) noexcept = default;
    /// Removes the address file and lets go of the lock.
    ~DataDirectory();

    const std::string& path() const { return path_; }
    const std::string& engineId() const { return engineId_; } ///< made with the directory, 32 hex digits
    /// Bearer token of the API, made at first use. `file` empty: `token` below the directory; else `token` is made
    /// a copy of it, so that who has the directory has the token. Forbidden, with what to type, when others can
    /// read the file.
    Result<std::string> token(const std::string& file = {}) const;
    /// Writes `address`, with the fingerprint of its TLS on a second line, and puts the address in `lock` too. "http://127.0.0.1:8640", with the prefix of the API where that
    /// is not the usual one.
    Result<void> publishAddress(std::string_view url, std::string_view fingerprint = {});
    void withdrawAddress();

    std::string journal() const { return path_ + "/journal.sqlite"; }
    std::string chunks() const { return path_ + "/chunks"; }
    std::string workers() const { return path_ + "/workers"; }
    std::string scratch() const { return path_ + "/scratch"; }
    std::string slots() const { return path_ + "/slots"; }
    std::string settings() const { return path_ + "/settings.json"; }
    std::string stats() const { return path_ + "/stats"; }
    std::string timeline() const { return path_ + "/timeline"; }
    std::string backdoor() const { return path_ + "/backdoor.sock"; }
    int lockFd() const { return lock_.get(); }

private:
    DataDirectory() = default;
    Result<void> writeLockFile(std::string_view address) const;

    std::string path_;
    std::string engineId_;
    UniqueFd lock_;
    /// flock() of journal.sqlite. Opened before SQLite opens it and closed after: closing any descriptor of a file
    /// gives up the POSIX locks that this process has on it, and those are SQLite's.
    UniqueFd journalLock_;
    bool published_ = false;
};

/// Forbidden where the type (statfs) is that of a file system on other machines: several of them can change a file
/// there without seeing each other's locks. FUSE and 9p carry local disks, too; they are taken, and refused by the
/// journal where they cannot share memory.
Result<void> refuseNetworkFileSystem(const std::string& path, std::uint64_t type);

/// What a client on this machine needs: of a directory that an engine may or may not be using. NotFound: not
/// serving.
struct ServedDirectory {
    std::string address;
    std::string token;
    std::string fingerprint; ///< empty: plain HTTP
};
Result<ServedDirectory> readServedDirectory(const std::string& path);
/// A secret from a file that only its owner can read: Forbidden otherwise, with the chmod to type. Trimmed.
Result<std::string> readSecretFile(const std::string& path);

} // namespace yard::store
