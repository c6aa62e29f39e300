// What all sandboxes of this machine show of the system, and roots that are furnished with it once: namespaces of
// mounts that nobody is in. A sandbox begins with a copy of one: one step instead of a hundred, and none of the
// machine's other mounts is ever copied, to be taken away again at once. They share one small file system,
// read-only for all of them. Where the process is not root there are none, and each sandbox furnishes its own.
//
// Thread-safe. What is shown is looked at before each use: a mount that came or went, or a file that was replaced,
// came or went, and all is made again.
#pragma once

#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"
#include "core/sandbox/layout.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace yard::sandbox {

/// Where a new root is put before it becomes the root: any directory that is there, that nothing is bound from, and
/// that is covered before it is needed.
inline constexpr const char* kPlace = "/sys";
/// Of the tmpfs that a root is, shared by many or of one sandbox.
inline constexpr const char* kRootOptions = "mode=755,size=1m,nr_inodes=4096";

class Roots {
public:
    /// `system` makes the layout.
    explicit Roots(std::function<Layout()> system = [] { return systemLayout(); });

    /// What is to be shown, as of now. Blocks for some microseconds.
    std::shared_ptr<const Layout> system();
    /// A namespace of mounts to copy, with everything of the system's layout but /proc, and with the places that
    /// `own` needs. Empty: there is none for it. Blocks for some microseconds, a few milliseconds when it is made.
    std::shared_ptr<const UniqueFd> furnishedFor(const Layout& own);

    /// How many were made, and made again, so far.
    unsigned made() const;

private:
    struct Root {
        std::string places;
        std::shared_ptr<const UniqueFd> space;
    };
    void lookAgain() YARD_REQUIRES(mutex_);
    bool isOutdated() YARD_REQUIRES(mutex_);

    const std::function<Layout()> makeSystem_;
    mutable ThreadMutex mutex_;
    UniqueFd mounts_ YARD_GUARDED_BY(mutex_); ///< /proc/self/mountinfo: says when what is mounted has changed
    std::shared_ptr<const Layout> system_ YARD_GUARDED_BY(mutex_);
    std::vector<Root> roots_ YARD_GUARDED_BY(mutex_);
    bool isPossible_ YARD_GUARDED_BY(mutex_) = true;
    unsigned made_ YARD_GUARDED_BY(mutex_) = 0;
};

} // namespace yard::sandbox
