// How far attempts on other machines say that they are, while somebody follows them. A machine may say anything.
//
// Owner: engine thread. Lifetime: as Machines. Bound: kMost attempts; what others say is passed over.
#pragma once

#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/model/result.h"

#include <cstddef>
#include <functional>
#include <map>

namespace yard::engine {

class RemoteProgress {
public:
    static constexpr std::size_t kMost = 2'000;

    /// Requires: an update of the kind Progress. What it does not say is as it was.
    void came(runners::AttemptId id, const link::Update& update);
    /// Null: nothing is known.
    const ReportedProgress* of(runners::AttemptId id) const;
    /// Now and then: what has ended goes.
    void sweep(const std::function<bool(runners::AttemptId)>& isThere);

private:
    std::map<runners::AttemptId, ReportedProgress> all_;
};

} // namespace yard::engine
