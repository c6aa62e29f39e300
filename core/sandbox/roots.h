// Roots that are furnished once and copied: what all sandboxes of this machine show of the system, as a tree of
// mounts that nobody sees, of which each sandbox gets a copy in one step instead of a hundred. They share one small
// file system, read-only for all of them. Where the process is not root, or Linux older than 6.15, there is none,
// and each sandbox furnishes its own.
//
// Thread-safe. What a root shows is looked at before each copy: a mount that came or went, or a file that was
// replaced, and it is made anew.
#pragma once

#include "core/base/unique_fd.h"
#include "core/sandbox/layout.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <sys/types.h>
#include <vector>

namespace yard::sandbox {

/// Of the tmpfs that a root is, shared by many or of one sandbox.
inline constexpr const char* kRootOptions = "mode=755,size=1m,nr_inodes=4096";

class Roots {
public:
    /// Roots of this layout, which outlives them.
    explicit Roots(const Layout& system);

    /// A tree of mounts that nobody else has, with everything of the system's layout but /proc, and with the places
    /// that `own` needs. Invalid: there is none for it. Blocks for some microseconds, a millisecond when it is
    /// made.
    UniqueFd copyFor(const Layout& own);

    /// How many were made, and made anew, so far.
    unsigned made() const { return made_; }

private:
    struct Root {
        std::string places;
        UniqueFd tree;
    };
    struct Shown {
        const char* path;
        dev_t device;
        ino_t inode;
    };
    bool isOutdated();
    UniqueFd make(const Layout& own);
    bool furnish(int tree, const Op& op);

    const Layout& system_;
    std::mutex mutex_;
    UniqueFd mounts_; ///< /proc/self/mountinfo: says when what is mounted has changed
    std::vector<Root> roots_;
    std::vector<Shown> shown_; ///< files that are bound
    bool isPossible_ = true;
    unsigned made_ = 0;
};

} // namespace yard::sandbox
