// The names in a directory, one after the other. Hostile programs may change it meanwhile: a name may be gone when it is
// looked at, and need not be UTF-8. Value type, one thread at a time. Each call blocks on the file system.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <dirent.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard {

class DirectoryEntries {
public:
    /// Follows links. Io with the errno: it cannot be opened, or is no directory.
    static Result<DirectoryEntries> open(const std::string& path);
    /// Of a directory that is open for reading. Who reads it by this descriptor elsewhere, too, shares the place in it.
    static Result<DirectoryEntries> of(UniqueFd directory);

    /// The next name in no order, without "." and ".."; valid until the next call. Nothing: there are no more, or
    /// error() says why the rest cannot be read.
    std::optional<std::string_view> next();
    /// errno of what ended it; 0: all names were read.
    int error() const { return error_; }
    /// The directory itself, for calls as fstatat().
    int fd() const { return ::dirfd(stream_.get()); }

private:
    struct Close {
        void operator()(DIR* stream) const { ::closedir(stream); }
    };
    explicit DirectoryEntries(DIR* stream)
        : stream_(stream) {}

    std::unique_ptr<DIR, Close> stream_;
    int error_ = 0;
};

} // namespace yard
