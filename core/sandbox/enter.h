// Starting a program in a sandbox: clone3 with the memory of the parent into new namespaces; the child builds the
// new root, gives up what it may, and becomes the sandbox's first process (init/), which starts the program. Linux
// only.
//
// As root the child keeps root until the mounts are made, becomes the plan's host user, and enters an empty user
// namespace last, so that nothing inside has a right over the other namespaces. As an ordinary user the user
// namespace comes first, and its only user is that one.
//
// The caller's thread must have all signals blocked and must live as long as the child (its end is the child's
// parent death signal). Blocks until the program runs or has failed, some milliseconds.
#pragma once

#include "core/base/unique_fd.h"
#include "core/sandbox/layout.h"
#include "core/sandbox/networks.h"
#include "core/sandbox/roots.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace yard::sandbox {

/// What a sandbox needs of whoever starts many: once per process. Opens files: blocks.
class Base {
public:
    /// Fails where there is no memory file that can be executed, or no descriptor of this process.
    static Result<Base> open();
    int imageFd() const { return image_.get(); }
    int selfFd() const { return self_.get(); }
    /// Rules of Landlock that keep a program from nameless sockets outside; -1: this kernel has none.
    int scopeFd() const { return scope_.get(); }
    const Layout& process() const { return process_; }
    Roots& roots() const { return *roots_; }
    Networks& networks() const { return *networks_; }

private:
    UniqueFd image_; ///< of init
    UniqueFd self_;  ///< pid descriptor of this process
    UniqueFd scope_;
    Layout process_;
    std::unique_ptr<Roots> roots_; ///< where they stay when this is moved
    std::unique_ptr<Networks> networks_;
};

/// Limits of each process inside; 0: as the starter has them.
struct Limits {
    std::uint64_t openFiles = 0;
    std::uint64_t processes = 0; ///< of all together
    std::uint64_t fileBytes = 0;
    std::uint64_t dataBytes = 0; ///< private memory that can be written
};

/// Parts that can be left out to find out which one a machine refuses.
struct Entry {
    const Base* base = nullptr;
    const Layout* own = nullptr;
    const char* program = nullptr; ///< inside, absolute or below `cwd`
    char* const* argv = nullptr;
    char* const* envp = nullptr;
    const char* cwd = "/";
    int inFd = -1; ///< becomes 0; this and the others are above 3, or in their place already
    int outFd = -1;
    int errFd = -1;
    int socketFd = -1; ///< becomes 3; -1: none
    int tokensFd = -1; ///< becomes 3 and 4, without a socket; -1: none
    /// The descriptor for 0 is a terminal, which becomes the controlling terminal of the session inside.
    bool hasTerminal = false;
    bool network = false;
    std::uint32_t hostUser = 0;
    rlimit openFiles{}; ///< the hard limit is the most that may be given
    Limits limits;
    int groupFd = -1; ///< of the control group (version 2) in which it is born; -1: the starter's
    /// Asked right before the process is made, when all that may block before is done. False: it is not to be made.
    std::function<bool()> mayClone;
};

/// Where a start failed.
enum class Step : unsigned char {
    None,
    Pipe,
    Clone, ///< the namespaces
    Session,
    IdMap,
    Propagation,
    Root,   ///< a file system for the new root
    System, ///< a step of the layout: `op`
    Pivot,
    SealRoot,
    Names, ///< host name, loopback
    ChangeDirectory,
    User,
    UserNamespace,
    Capabilities,
    ParentDeath,
    Streams,
    Limits,
    Init,  ///< init could not be started, or ended without a word
    Watch, ///< of init itself
    Process,
    Filter,
    Exec
};

struct Start {
    int pid = -1;
    UniqueFd pidfd;   ///< of init: its end is the end of everything inside
    UniqueFd records; ///< what init tells, until its end; non-blocking
    Network network;  ///< for the base's networks if nobody used it, when init has ended; none: it has its own
    Step failed = Step::None;
    int err = 0;
    std::string doing; ///< words of the step that failed
};

/// `stack`: its upper end and size, of at least 32 KiB, nobody else's meanwhile. A child that failed is reaped.
Start start(const Entry& entry, void* stackBase, std::size_t stackSize);

/// A call that was denied.
struct Denied {
    std::int64_t micros = 0; ///< since the epoch
    std::string call;
    std::string path;
    int err = 0;
    int pid = 0; ///< inside
};
struct Told {
    std::vector<Denied> denied;
    std::optional<int> signal; ///< by which the program ended
    bool isNetworkUnused = false;
    std::optional<std::int64_t> peakBytes; ///< of the largest process inside; absent: it was ended with init
};
/// Takes what init told so far. Call it when init has ended. Does not block.
Told readRecords(int fd);

std::string_view name(Step step);

} // namespace yard::sandbox
