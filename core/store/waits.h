// Who was submitted to wait for whom, as the journal has it: for the graph of what waits. Values; no owner.
#pragma once

#include "core/base/ids.h"
#include "core/model/action_spec.h"
#include "core/model/states.h"
#include "core/store/bulk.h"
#include "core/store/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::store {

/// An action that is no element of an array, or an array as a whole, by one of its rows.
struct WaitUnit {
    LsnRun lsns{Lsn{}, 0};                    ///< count 0: not known, or retired
    ActionState state = ActionState::Pending; ///< of that row; Pending whatever the session does with it
    QueueId queue{};
    ClassNumber classNumber = 0;
    LabelNumber label = 0;
};

/// `child`, all of it, was submitted to wait for `parent`: an action, an element, or an array as a whole.
struct WaitEdge {
    LsnRun parent;
    LsnRun child;
    DependencyOn on = DependencyOn::Completed;
};
struct ParentEdges {
    std::vector<WaitEdge> edges;
    std::size_t looked = 0; ///< of those asked for
};
/// How far children were looked for. A value from an answer goes on behind it.
struct WaitPlace {
    std::size_t at = 0; ///< which of the parents
    Lsn parent{};
    Lsn child{};
};
struct ChildEdges {
    std::vector<WaitEdge> edges; ///< `on` is not looked up
    WaitPlace place;             ///< `at` behind the last: that was all
};
struct WaitsOfQueue {
    std::vector<Lsn> lsns; ///< actions that wait, first LSNs of arrays, and what they wait for
    Lsn cursor;            ///< looked at down to here; 0: that was all
};
/// What an action is called, as far as it was not labelled.
struct WaitName {
    std::string id;      ///< of its list
    std::string command; ///< in short; of an element with "{index}" in it
    std::optional<std::int64_t> arrayIndex;
};

} // namespace yard::store
