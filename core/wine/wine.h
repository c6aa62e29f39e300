// Wine on this machine, and what a program for Windows is started with: values and pure functions, but for find().
// docs/wine.md says what people can rely on. Any thread.
#pragma once

#include "core/model/worker.h"
#include "core/sandbox/plan.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::wine {

/// Of workers that run by it.
inline constexpr std::string_view kPlatform = "windows-x86_64";

struct Installation {
    std::string loader;  ///< wine64; below /usr, which sandboxes show
    std::string server;  ///< wineserver
    std::string version; ///< another one for another Wine or starter: letters and digits, for the name of a file
    friend bool operator==(const Installation&, const Installation&) = default;
};
/// Nothing: it is not installed, this is no x86-64, or there is no starter. Looks at some files: blocks for as long
/// as that takes. `root` is "" but in tests.
std::optional<Installation> find(const std::string& root = "");
/// What there is to do where it is not.
inline constexpr std::string_view kHowToInstall =
    "Wine is not installed here (Debian: apt install --no-install-recommends wine wine64)";

// --- places inside the sandbox
inline constexpr std::string_view kPrefix = "/wine";
inline constexpr std::string_view kEnding = "/ending";
/// Of an attempt, below its directory outside.
inline constexpr std::string_view kEndingFile = "/ending";
/// Of the starter, below a prefix.
inline constexpr std::string_view kStarterDirectory = "/drive_c/yard";
inline constexpr std::string_view kStarterFile = "/drive_c/yard/starter.exe";

/// "/worker/a.exe" as Windows has it: "Z:\worker\a.exe".
std::string windowsPath(std::string_view inside);
/// Which words start this program of the worker.
std::vector<std::string> commandOf(const Installation& wine, const WorkerDescriptor& worker);
/// What Wine is told; variables that are in `given` already stay as they are there.
std::vector<std::pair<std::string, std::string>>
environmentOf(const std::vector<std::pair<std::string, std::string>>& given);
/// Shows in the sandbox the prefix `made`, of which each has its own layer, and the file `ending`, both outside.
void addTo(sandbox::Plan& plan, const std::string& made, const std::string& ending);

} // namespace yard::wine
