#include "core/model/known_engines.h"

#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/base/hash.h"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace yard {

namespace {

constexpr std::size_t kMostKnownBytes = 1u << 20;

/// Authority and fingerprint, in the order of the file.
using KnownEngines = std::vector<std::pair<std::string, std::string>>;

Result<KnownEngines> readKnownEngines(const std::string& file) {
    KnownEngines known;
    const auto text = readFile(file, kMostKnownBytes);
    if (!text && text.error().kind == ErrorKind::NotFound) return known;
    if (!text) return std::unexpected(text.error());
    for (std::string_view rest = *text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const std::size_t space = line.find(' ');
        if (space == line.npos || space == 0) continue;
        const std::string_view fingerprint = line.substr(space + 1);
        if (Hash256::fromHex(fingerprint)) known.emplace_back(line.substr(0, space), fingerprint);
    }
    return known;
}

} // namespace

std::string knownEnginesFile() {
    std::string config = environmentOrEmpty("XDG_CONFIG_HOME");
    // The XDG rules ignore a relative value.
    if (!config.starts_with('/')) config = homeDirectory() + "/.config";
    return config + "/yardmaster/known_engines";
}

Result<std::string> knownFingerprint(const std::string& file, std::string_view authority) {
    const auto known = readKnownEngines(file);
    if (!known) return std::unexpected(known.error());
    for (const auto& [engine, fingerprint] : *known)
        if (engine == authority) return fingerprint;
    return std::string();
}

Result<void> rememberFingerprint(const std::string& file, std::string_view authority,
                                 std::string_view fingerprint) {
    auto known = readKnownEngines(file);
    if (!known) return std::unexpected(known.error());
    std::erase_if(*known, [&](const auto& entry) { return entry.first == authority; });
    if (known->size() >= kMostKnownEngines)
        return fail(
            ErrorKind::AtLimit,
            fmt::format("{} has {} engines, as many as it may; remove some of its lines", file, known->size()));
    known->emplace_back(authority, fingerprint);
    std::string text;
    for (const auto& [engine, print] : *known) text += fmt::format("{} {}\n", engine, print);
    if (auto made = makeDirectories(file.substr(0, file.rfind('/'))); !made) return made;
    return writeFileAtomically(file, text, 0600);
}

} // namespace yard
