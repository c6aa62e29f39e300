// The variables that a child gets: of the engine, of its lease and our own marks. Pure.
#pragma once

#include "core/lease/runner.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

/// Purpose: one place for which variables come, and which replace which.
///
/// Lifetime: as long as the launcher, whose strings it borrows. Constant: any thread.
/// Invariant: the owner and the LSN of an attempt are ours: no lease replaces them, and every child has them, as
/// orphans are known by them. The status file of another action is nobody's here.
class ChildEnvironment {
public:
    /// `engine`: the engine's own variables, without YARD_OWNER and YARD_LSN.
    ChildEnvironment(const std::vector<std::string>& engine, const std::string& ownerToken)
        : engine_(engine)
        , ownerToken_(ownerToken) {}

    /// Where its program is looked up.
    std::string_view searchPath(const Lease& lease) const;
    /// Those of the lease, and our marks.
    std::vector<std::string> own(const Lease& lease) const;
    /// All, as execve takes them, of a child without a sandbox: good as long as `own`, the launcher and `pointers`
    /// are.
    void pointTo(const Lease& lease, const std::vector<std::string>& own, std::vector<char*>& pointers) const;
    /// All of one in a sandbox. Those of the lease come last and replace all others.
    std::vector<std::string> inside(const Lease& lease) const;

private:
    const std::vector<std::string>& engine_;
    const std::string& ownerToken_;
};

} // namespace yard::runners
