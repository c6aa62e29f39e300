#include "core/engine/guests/known_yards.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/engine/guests/join.h"
#include "core/tls/trust.h"

#include <algorithm>
#include <fmt/format.h>
#include <sys/stat.h>

namespace yard::engine {

namespace {

constexpr std::size_t kMostBytes = 64u << 10;
constexpr std::string_view kNone = "-";

std::string_view takeWord(std::string_view& line) {
    const std::string_view word = line.substr(0, line.find(' '));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    return word;
}

std::unexpected<Error> damaged(const std::string& path) {
    return fail(ErrorKind::Invalid, fmt::format("{} is damaged: remove it, and join again with a token.", path));
}

} // namespace

Result<KnownYards> KnownYards::read(const std::string& path) {
    KnownYards known;
    struct stat file{};
    if (::stat(path.c_str(), &file) == 0 && (file.st_mode & 077) != 0)
        return fail(ErrorKind::Invalid,
                    fmt::format("Others can read {}, which has this machine's keys: chmod 600 it.", path));
    const auto text = readFile(path, kMostBytes);
    if (!text && text.error().kind == ErrorKind::NotFound) return known;
    if (!text) return std::unexpected(text.error());
    for (std::string_view rest = *text; !rest.empty();) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        const std::string_view key = takeWord(line);
        const std::string_view fingerprint = takeWord(line);
        if (!isMachineKey(key) || (fingerprint != kNone && !tls::isFingerprint(fingerprint)) || line.empty() ||
            known.all_.size() == kMost)
            return damaged(path);
        known.all_.push_back({.url = std::string(line),
                              .key = std::string(key),
                              .fingerprint = std::string(fingerprint == kNone ? "" : fingerprint)});
    }
    return known;
}

const KnownYard* KnownYards::find(std::string_view url) const {
    const auto at = std::ranges::find(all_, url, &KnownYard::url);
    return at == all_.end() ? nullptr : &*at;
}

const KnownYard& KnownYards::add(std::string_view url, std::string_view fingerprint) {
    const auto at = std::ranges::find(all_, url, &KnownYard::url);
    if (at != all_.end()) {
        if (!fingerprint.empty()) at->fingerprint = fingerprint;
        return *at;
    }
    if (all_.size() == kMost) all_.erase(all_.begin());
    all_.push_back({.url = std::string(url), .key = randomHex(kKeyBytes), .fingerprint = std::string(fingerprint)});
    return all_.back();
}

Result<void> KnownYards::write(const std::string& path) const {
    std::string text;
    for (const KnownYard& yard : all_)
        text += fmt::format("{} {} {}\n", yard.key, yard.fingerprint.empty() ? kNone : yard.fingerprint, yard.url);
    return writeFileAtomically(path, text, 0600, true);
}

} // namespace yard::engine
