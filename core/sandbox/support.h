// What this machine allows of the sandbox, found by making one and looking around inside. Values.
#pragma once

#include <string>
#include <vector>

namespace yard::sandbox {

struct Part {
    std::string name; ///< "user", "mount", "pid", "network", "ipc", "uts", "root", "rights", "filter", "limits"
    bool holds = false;
    std::string why; ///< a sentence, when it does not
};

struct Support {
    std::vector<Part> parts;
    /// Every part holds: only then is a program started in a sandbox at all.
    bool isComplete() const;
    /// Of the first part that does not hold; empty when all do.
    std::string why() const;
};

/// Starts a program in a sandbox that looks whether it is in one; where that fails, finds out which parts are
/// refused. Takes some milliseconds; blocks; from a thread of its own process's start, with signals blocked or not.
Support probe();

} // namespace yard::sandbox
