// A kind of action: what the scheduler tells apart. Many actions share one; the engine numbers them, the journal
// keeps the text. Immutable values; any thread.
#pragma once

#include "core/model/action_spec.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard {

struct ClassKey {
    std::string workerId;      ///< 64 hex digits, or "exec"
    std::string workerName;    ///< "exec" for exec
    std::string workerVersion; ///< empty for exec
    std::string function;
    Resources resources;
    std::vector<std::string> locks;
    RetryLimits retryLimits;
    /// Where it may run, as ActionSpec::machines; empty: any machine, of exec this one. What may run anywhere has
    /// "any" alone, of a registered worker nothing.
    std::vector<std::string> machines;
    std::string platform;
    /// What may run on another machine takes no longer, in seconds: its deadline, rounded up (longestFor()). 0: it has none.
    std::int64_t longestS = 0;
    bool isExec() const { return workerId == "exec"; }
    friend bool operator==(const ClassKey&, const ClassKey&) = default;

    /// A line of JSON, the same for equal keys: {"worker":…,"name":…,"version":…,"function":…,"cores":…,…}.
    std::string text() const;
    /// The inverse; nothing for a text that is no class key.
    static std::optional<ClassKey> parse(std::string_view text);
};

/// Rounded up by an eighth at most, so that few classes have all deadlines; whole seconds, at least a minute.
std::int64_t longestFor(Duration time);

} // namespace yard
