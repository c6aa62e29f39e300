// A directory that this program makes, with all that is in it: nothing that is there already is opened, followed or written
// over, whoever made it meanwhile. Blocks. One thread.
#pragma once

#include "app/yardctl/failure.h"
#include "core/base/unique_fd.h"

#include <string>
#include <string_view>

namespace yard::ctl {

class NewDirectory {
public:
    /// Fails where anything is at `path`; what is above it is there.
    static Outcome<NewDirectory> make(const std::string& path);

    /// A directory in it, with those on the way. `path`: relative, safe (isSafeRelativePath). One that this made before
    /// is fine.
    Outcome<void> directory(const std::string& path) const;
    /// A new file in it, open for writing. Fails where something has that name.
    Outcome<UniqueFd> file(const std::string& path, unsigned mode) const;
    /// The same with all of its bytes.
    Outcome<void> write(const std::string& path, unsigned mode, std::string_view bytes) const;
    /// Absolute.
    const std::string& path() const { return path_; }

private:
    NewDirectory(std::string path, UniqueFd directory)
        : path_(std::move(path))
        , directory_(std::move(directory)) {}
    std::string path_;
    UniqueFd directory_;
};

} // namespace yard::ctl
