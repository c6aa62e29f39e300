// Starts wait while few descriptors of this process are left: what runs, the journal and those who ask need them first.
//
// Owner: engine thread; watch() is a cooperative thread of it. Bound: while it holds it looks five times a second, and the
// log tells of it once a minute.
#pragma once

#include "core/base/open_files.h"
#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"

#include <functional>
#include <optional>
#include <string>

namespace yard::engine {

class DescriptorGuard {
public:
    struct Parts {
        std::function<void()> wake;    ///< something may start again
        std::function<void()> changed; ///< it holds, or does no longer: the session's `why` is another
        OpenFilesRoom::Look look = &openFiles;
    };
    explicit DescriptorGuard(Parts parts);

    /// Asked before each turn that may start something; once it says no, watch() looks until there is room.
    bool mayStart();
    bool isHolding() const { return short_.isSet(); }
    /// Why nothing starts.
    std::string reason() const;
    coro::Task<void> watch();

private:
    void tell();

    Parts parts_;
    OpenFilesRoom room_;
    coro::Event short_; ///< it holds
    std::optional<MonoTime> told_{};
    OwnerCheck owner_;
};

} // namespace yard::engine
