// The yards that this machine has joined, and the key that it comes back with: the file `joined` of the data directory,
// 0600, a line for each. A value; reading and writing block.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

struct KnownYard {
    std::string url; ///< as it was joined
    std::string key;
    std::string fingerprint; ///< empty: none was pinned
    friend bool operator==(const KnownYard&, const KnownYard&) = default;
};

class KnownYards {
public:
    /// The one joined longest ago goes.
    static constexpr std::size_t kMost = 64;
    static constexpr std::string_view kFile = "joined";

    /// No file: none is known. Invalid: it is damaged, or can be read by others.
    static Result<KnownYards> read(const std::string& path);
    const KnownYard* find(std::string_view url) const;
    /// The one of this address, made with a new key where there is none; a fingerprint that is given replaces the old.
    const KnownYard& add(std::string_view url, std::string_view fingerprint);
    Result<void> write(const std::string& path) const;

private:
    std::vector<KnownYard> all_; ///< oldest first
};

} // namespace yard::engine
