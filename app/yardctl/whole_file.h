// A file that takes its name once all of it is there: until then it has a temporary one in the same directory, and goes
// with that unless it was finished. Blocks. One thread.
#pragma once

#include "app/yardctl/failure.h"
#include "core/base/unique_fd.h"

#include <string>
#include <utility>

namespace yard::ctl {

class WholeFile {
public:
    static Outcome<WholeFile> make(const std::string& path);
    /// As a person named it: what a link leads to is replaced, not the link; a device, a pipe or a socket is written to.
    static Outcome<WholeFile> named(const std::string& path);
    WholeFile(WholeFile&&) noexcept = default;
    WholeFile& operator=(WholeFile&&) = delete;
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;
    ~WholeFile();

    int fd() const { return fd_.get(); }
    /// It has its name now, in place of what had it.
    Outcome<void> finish();

private:
    WholeFile(std::string path, std::string temporary, UniqueFd fd)
        : path_(std::move(path))
        , temporary_(std::move(temporary))
        , fd_(std::move(fd)) {}
    std::string path_;
    std::string temporary_; ///< empty: it is written to where it is
    UniqueFd fd_;           ///< none: finished
};

} // namespace yard::ctl
