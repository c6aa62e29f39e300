// The folder of programs that are hooks, as a start finds it: each executable file whose name is that of a hook, and
// what hooks.json says of them. Values; reading blocks.
#pragma once

#include "core/base/error.h"
#include "core/lifecycle/hooks.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct HookFile {
    lifecycle::HookPattern pattern{}; ///< its text is the file's name
    bool isSandboxed = true;
    bool hasNetwork = false; ///< in its sandbox
};

struct HookFolder {
    static constexpr std::size_t kMostFiles = 64;
    /// Of all kinds, so that reading it has an end.
    static constexpr std::size_t kMostEntries = 10'000;
    std::string directory{};
    std::vector<HookFile> files{}; ///< by name
};

/// Files that are no hooks are left out, and the log names those that could be run, unless it is read again. Without the
/// folder there are none, unless it `mustExist`. NotFound; AtLimit; Invalid: hooks.json cannot be read or names what is not there, or others
/// may write what would run here. Each is a sentence that says what to do.
Result<HookFolder> readHookFolder(const std::string& directory, bool mustExist, bool isAgain = false);
/// The same programs under the same rules.
bool isSame(const HookFolder& a, const HookFolder& b);

/// {"sandbox": true, "network": false, "programs": {"page_clean": {"sandbox": false}}}: for all, then for one.
Result<void> applyHookRules(HookFolder& folder, std::string_view json);

} // namespace yard::engine
