// How a recording is to be run again: what is asked, and an action as it is submitted then. Values; any thread.
#pragma once

#include "core/model/action_spec.h"
#include "core/model/filter.h"
#include "core/recording/comparison.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yard::recording {

struct ReplayTerms {
    double speed = 0;     ///< so many times as fast as it was recorded; 0: as fast as it goes
    std::string worker{}; ///< name@version that takes the place of all versions of that name; empty: none
    CompareTerms compare{};
    Filter filter{};       ///< of what was recorded; empty: all of it
    std::string machine{}; ///< a name or tag: all of it runs there; empty: where each may
    bool inOrder = false;  ///< one after another, as they were recorded, whatever waits for what
};
/// {"to":"self"|"<machine>","speed":"full"|1.0,"order":"recorded"|"dependencies","replace":{"worker":"name@1.3"},
/// "filter":"state:failed","compare":{…}}. Invalid; NotImplemented: "to" is an address.
Result<ReplayTerms> parseReplayTerms(std::string_view json);

/// What is submitted for a recorded action: its text with this worker and these to wait for, and without what held it
/// back, or named it in its list. `machine`: where it is to run; empty: where it was to before.
std::string replayedAction(std::string_view text, std::string_view worker, std::span<const Dependency> after,
                           std::string_view machine = {});

} // namespace yard::recording
