// The TLS of a server that goes on while its certificate is replaced: new connections show the new one.
//
// Thread-safe. Lifetime: outlives the sessions that it makes. reload() blocks: for a helper.
#pragma once

#include "core/base/error.h"
#include "core/base/thread_mutex.h"
#include "core/tls/identity.h"
#include "core/tls/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace yard::tls {

class ServerTls {
public:
    /// Made here and kept in `directory`; never replaced.
    static Result<std::shared_ptr<ServerTls>> own(const std::string& directory);
    static Result<std::shared_ptr<ServerTls>> of(IdentityFiles files);

    /// For one more connection. Null: out of memory.
    std::unique_ptr<Session> accept() const;
    std::string fingerprint() const;

    bool mayChange() const { return files_.has_value(); }
    /// Takes over files that have changed. Those that cannot be used are told in the log, once, and what was there stays;
    /// the next call tries again, as it may not have been for them.
    void reload();
    /// Called by reload() with another fingerprint, on its thread. Set before the server starts.
    std::function<void(const std::string& fingerprint)> onChanged;

private:
    explicit ServerTls(Identity identity, std::optional<IdentityFiles> files);
    std::string stampOfFiles() const;

    const std::optional<IdentityFiles> files_;
    std::string stamp_; ///< of the files that are in use; of reload() alone
    std::string told_;  ///< of those that could not be used, according to the log; of reload() alone
    mutable ThreadMutex mutex_;
    Identity identity_ YARD_GUARDED_BY(mutex_);
};

} // namespace yard::tls
