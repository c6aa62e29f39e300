// The one timer of a warm runner: rings at the earliest of the times that it was asked for. Whoever hears it looks at
// everything that may be due, and asks for the next time again.
//
// Owner: the thread of the warm runner. Lifetime: that of WarmShared.
// Invariant: it rings no later than the earliest armAt() since it last rang.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/base/unique_fd.h"

namespace yard::runners {

class WarmTimer {
public:
    Result<void> open();
    int fd() const { return fd_.get(); }
    void armAt(MonoTime at);
    /// It rang; nothing is asked for any more.
    bool hasRung();

private:
    UniqueFd fd_;
    MonoTime armed_ = MonoTime::max();
    OwnerCheck owner_;
};

} // namespace yard::runners
