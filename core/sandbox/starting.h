// What all share who start a sandbox (enter.h) without the launcher: words for it, and signals that do not come meanwhile. Any
// thread.
#pragma once

#include "core/base/error.h"
#include "core/sandbox/enter.h"

#include <signal.h>
#include <string>
#include <vector>

namespace yard::sandbox {

/// Who starts a sandbox has all signals of its thread blocked; they are as before at the end of the scope.
class AllSignalsBlocked {
public:
    AllSignalsBlocked() {
        sigset_t all;
        sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~AllSignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    AllSignalsBlocked(const AllSignalsBlocked&) = delete;
    AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
    sigset_t before_{};
};

/// As execve() wants them, with a null pointer at the end. Valid as long as the texts.
inline std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

/// A start that could not begin.
inline Start notStarted(const Error& why) {
    Start none;
    none.failed = Step::System;
    none.err = why.sysErrno;
    none.doing = why.message;
    return none;
}

} // namespace yard::sandbox
