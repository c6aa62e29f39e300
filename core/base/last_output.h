// The end of what a stream carried: the last kLastOutputBytes of it, however much that was. A value; its owner's
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// Of each stream of a warm process so much is kept: the end, since what it wrote first says nothing later on.
inline constexpr std::size_t kLastOutputBytes = 64u << 10;

class LastOutput {
public:
    void append(std::string_view bytes) {
        total_ += bytes.size();
        if (bytes.size() >= kLastOutputBytes) {
            kept_.assign(bytes.substr(bytes.size() - kLastOutputBytes));
            return;
        }
        kept_.append(bytes);
        // Not at each call: moving 64 KiB for a line would cost more than reading it did.
        if (kept_.size() > kLastOutputBytes + kSlack) kept_.erase(0, kept_.size() - kLastOutputBytes);
    }
    std::string_view text() const {
        const std::string_view all(kept_);
        return all.size() > kLastOutputBytes ? all.substr(all.size() - kLastOutputBytes) : all;
    }
    std::uint64_t total() const { return total_; }

private:
    static constexpr std::size_t kSlack = 16u << 10;
    std::string kept_;
    std::uint64_t total_ = 0;
};

} // namespace yard
