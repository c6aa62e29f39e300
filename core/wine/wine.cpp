#include "core/wine/wine.h"

#include "core/base/hash.h"
#include "core/wine/starter_image.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::wine {
namespace {

// Debian has its programs apart, others beside all programs.
constexpr std::array kLoaders = {"/usr/lib/wine/wine64", "/usr/bin/wine64", "/usr/local/bin/wine64",
                                 "/usr/bin/wine", "/usr/local/bin/wine"};
constexpr std::array kServers = {"/usr/lib/wine/wineserver64", "/usr/lib/wine/wineserver", "/usr/bin/wineserver",
                                 "/usr/local/bin/wineserver"};

template<std::size_t N>
std::string firstOf(const std::string& root, const std::array<const char*, N>& names) {
    const auto at =
        std::ranges::find_if(names, [&](const char* name) { return ::access((root + name).c_str(), X_OK) == 0; });
    return at == names.end() ? std::string() : std::string(*at);
}

// It says nothing to stderr but that a program crashes, starts no debugger then, shows no window, and asks for nothing to be
// downloaded or put into a menu. Of devices there are none inside; looking for them would be denied, and noted.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kVariables = {
    {{"WINEPREFIX", kPrefix},
     {"WINEDEBUG", "-all"},
     {"WINEDLLOVERRIDES", "mscoree,mshtml,winebus.sys,wineusb.sys,winehid.sys,winedbg.exe,winemenubuilder.exe="},
     // Names of files are UTF-8, whatever the engine speaks.
     {"LC_ALL", "C.UTF-8"}}};

} // namespace

std::optional<Installation> find(const std::string& root) {
    if (starterImage().empty() || thisPlatform() != "linux-x86_64") return {};
    Installation found{.loader = firstOf(root, kLoaders), .server = firstOf(root, kServers), .version = {}};
    struct stat st{};
    if (found.loader.empty() || found.server.empty() || ::stat((root + found.server).c_str(), &st) != 0) return {};
    // The starter is in the prefix: another one wants another prefix too.
    constexpr std::size_t kDigits = 16;
    static const std::string starter = Sha256::of(starterImage()).hex().substr(0, kDigits);
    found.version = fmt::format("{:x}x{:x}x{}", st.st_mtim.tv_sec, st.st_size, starter);
    return found;
}

std::string windowsPath(std::string_view inside) {
    std::string path = "Z:";
    for (const char c : inside) path += c == '/' ? '\\' : c;
    return path;
}

std::vector<std::string> commandOf(const Installation& wine, const WorkerDescriptor& worker) {
    return {wine.loader, "C:\\yard\\starter.exe", windowsPath("/worker/" + worker.executable)};
}

std::vector<std::pair<std::string, std::string>>
environmentOf(const std::vector<std::pair<std::string, std::string>>& given) {
    std::vector<std::pair<std::string, std::string>> all = given;
    for (const auto& [name, value] : kVariables) {
        const bool isFixed = name == "WINEPREFIX";
        if (isFixed) std::erase_if(all, [&](const auto& variable) { return variable.first == name; });
        if (std::ranges::none_of(all, [&](const auto& variable) { return variable.first == name; }))
            all.emplace_back(name, value);
    }
    for (auto& [name, value] : all)
        if (name == "YARD_ACTION") value = windowsPath(value);
    return all;
}

void addTo(sandbox::Plan& plan, const std::string& made, const std::string& ending) {
    plan.binds.push_back({.from = made, .to = std::string(kPrefix), .writable = true, .isolated = true});
    plan.binds.push_back({.from = ending, .to = std::string(kEnding), .writable = true});
}

} // namespace yard::wine
