#include "core/base/directory_entries.h"

#include <cerrno>

namespace yard {

Result<DirectoryEntries> DirectoryEntries::open(const std::string& path) {
    DIR* stream = ::opendir(path.c_str());
    if (!stream) return failErrno("cannot open " + path, errno);
    return DirectoryEntries(stream);
}

Result<DirectoryEntries> DirectoryEntries::of(UniqueFd directory) {
    DIR* stream = ::fdopendir(directory.get());
    if (!stream) return failErrno("cannot read the directory", errno);
    (void)directory.release(); // the stream has it
    return DirectoryEntries(stream);
}

std::optional<std::string_view> DirectoryEntries::next() {
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(stream_.get()); // NOLINT(concurrency-mt-unsafe): a stream of our own
        if (!entry) {
            error_ = errno;
            return std::nullopt;
        }
        const std::string_view name(entry->d_name);
        if (name != "." && name != "..") return name;
    }
}

} // namespace yard
