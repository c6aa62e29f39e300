// Several runners as one: their slots are numbered through, and each lease goes to the runner whose slot it names.
//
// Owner: the engine thread. Lifetime: runners are borrowed and outlive the group, or are removed before. Invariant:
// outside, slots have the group's numbers; a runner gets and tells its own. Numbers of a runner that was removed are given
// again.
#pragma once

#include "core/lease/runner.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace yard::runners {

class RunnerGroup {
public:
    /// Its slots come behind those of the runners before, or where one was removed. Returns the number of the first one.
    std::uint32_t add(Runner& runner);
    /// Nothing that it had is in flight any more: not even in the way to the journal.
    void remove(const Runner& runner);
    std::size_t size() const { return members_.size(); }
    unsigned capacity() const;
    unsigned free() const;

    /// The runner that has the slot. Requires: there is one.
    Runner& of(SlotId slot) const { return *memberOf(slot)->runner; }
    void submit(std::vector<Lease> batch);
    void acknowledge(SlotId slot, AttemptId id);
    /// In what the runner whose first slot is `first` tells, slots get the group's numbers.
    static void number(std::uint32_t first, std::vector<Update>& batch);

    // --- of all
    void endAll(StopCause cause, std::optional<Duration> grace = {});
    void shutDown(Duration grace);
    bool isDown() const;

private:
    struct Member {
        Runner* runner = nullptr;
        std::uint32_t first = 0;
    };
    const Member* memberOf(SlotId slot) const;

    std::vector<Member> members_; ///< by first
};

} // namespace yard::runners
