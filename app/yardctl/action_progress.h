// How far an action says that it is: in words, and as a line on stderr that is drawn over while it goes on. One thread.
#pragma once

#include "app/yardctl/engine.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace yard::ctl {

/// "45 %, linking"; empty: it does not say.
std::string progressWords(const json::object& action);
/// "12  [#########           ]  45 %, linking, 12 s left"; without a fraction its state and its note. `now`: microseconds since
/// the epoch; `columns` it has at most.
std::string actionProgressLine(const json::object& action, std::int64_t now, std::size_t columns);

/// At a terminal alone: elsewhere it shows nothing.
class ActionProgress {
public:
    explicit ActionProgress(bool isWanted);
    bool isShown() const { return isShown_; }
    void show(const json::object& action);
    /// Takes the line away before something else is written to the terminal.
    void clear();

private:
    const bool isShown_;
    bool isDrawn_ = false;
};

} // namespace yard::ctl
