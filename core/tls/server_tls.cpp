#include "core/tls/server_tls.h"

#include "core/base/log.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <utility>

namespace yard::tls {

namespace {

/// What differs once a file was written or replaced; empty when it is not there.
std::string stampOf(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return {};
    return fmt::format("{} {} {} {}", status.st_ino, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

} // namespace

ServerTls::ServerTls(Identity identity, std::optional<IdentityFiles> files)
    : files_(std::move(files))
    , identity_(std::move(identity)) {
    stamp_ = stampOfFiles();
}

Result<std::shared_ptr<ServerTls>> ServerTls::own(const std::string& directory) {
    auto identity = Identity::own(directory);
    if (!identity) return std::unexpected(std::move(identity.error()));
    return std::shared_ptr<ServerTls>(new ServerTls(std::move(*identity), std::nullopt));
}

Result<std::shared_ptr<ServerTls>> ServerTls::of(IdentityFiles files) {
    auto identity = Identity::read(files);
    if (!identity) return std::unexpected(std::move(identity.error()));
    return std::shared_ptr<ServerTls>(new ServerTls(std::move(*identity), std::move(files)));
}

std::string ServerTls::stampOfFiles() const {
    return files_ ? stampOf(files_->certificate) + "; " + stampOf(files_->key) : std::string();
}

std::unique_ptr<Session> ServerTls::accept() const {
    const ThreadLock lock(mutex_);
    return Session::serve(identity_);
}

std::string ServerTls::fingerprint() const {
    const ThreadLock lock(mutex_);
    return identity_.fingerprint();
}

void ServerTls::reload() {
    if (!files_) return;
    std::string stamp = stampOfFiles();
    if (stamp == stamp_) return;
    auto identity = Identity::read(*files_);
    if (!identity) {
        if (stamp != told_)
            logWarning("tls", "the certificate was changed and is not used yet: {}", identity.error().message);
        told_ = std::move(stamp);
        return;
    }
    stamp_ = std::move(stamp);
    const std::string before = fingerprint();
    const std::string now = identity->fingerprint();
    {
        const ThreadLock lock(mutex_);
        identity_ = std::move(*identity);
    }
    logInfo("tls", "the certificate was changed; fingerprint {}", now);
    if (now != before && onChanged) onChanged(now);
}

} // namespace yard::tls
