#include "core/store/journal_copy.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/base/unique_fd.h"
#include "core/store/schema.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::store {

namespace {

/// Behind whom it is not asked for again: whatever the journal's durability, the copy is there to last.
Result<void> syncFile(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) return failErrno("open " + path, errno);
    if (::fchmod(file.get(), 0600) != 0) return failErrno("chmod " + path, errno);
    if (::fsync(file.get()) != 0) return failErrno("sync " + path, errno);
    return {};
}

Result<void> writeCopy(Database& database, const std::string& path) {
    auto statement = database.prepare("VACUUM INTO ?");
    if (!statement) return std::unexpected(std::move(statement.error()));
    if (statement->run(path) != SQLITE_OK) return std::unexpected(database.error(ErrorKind::Io, "VACUUM INTO"));
    return syncFile(path);
}

} // namespace

std::string copyOfVersion(const std::string& journal, std::int64_t version) {
    return fmt::format("{}.version-{}", journal, version);
}

Result<void> keepCopy(Database& database, std::int64_t version) {
    const char* name = sqlite3_db_filename(database.handle(), "main");
    if (name == nullptr || *name == '\0') return {};
    const std::string journal = name;
    const std::string copy = copyOfVersion(journal, version);
    const std::string fresh = copy + ".new";
    ::unlink(fresh.c_str()); // of a start that was killed
    logInfo("store", "the journal is of version {}: it is copied first, which takes a while where it is large",
            version);
    if (auto written = writeCopy(database, fresh); !written) {
        ::unlink(fresh.c_str());
        written.error().message =
            fmt::format("it is of version {}, and no copy of it can be kept while it is brought "
                        "to version {}: {}",
                        version, kSchemaVersion, written.error().message);
        return written;
    }
    if (::rename(fresh.c_str(), copy.c_str()) != 0) return failErrno("rename " + fresh, errno);
    if (auto synced = syncDirectory(std::filesystem::path(journal).parent_path().string()); !synced) return synced;
    logInfo("store",
            "the journal is brought from version {} to {}; until this engine has ended once {} is a copy of it; to "
            "go back to it move "
            "{} and all of {}-* away first",
            version, kSchemaVersion, copy, journal, journal);
    return {};
}

void letGoOfCopies(const std::string& journal) {
    for (int version = 1; version < kSchemaVersion; ++version) ::unlink(copyOfVersion(journal, version).c_str());
}

} // namespace yard::store
