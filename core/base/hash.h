// SHA-256, the name of every chunk and worker. Values and a streaming hasher; no owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yard {

struct Hash256 {
    std::array<std::uint8_t, 32> bytes{};
    friend auto operator<=>(const Hash256&, const Hash256&) = default;
    std::string hex() const;
    /// Exactly 64 lower-case hex digits, else nothing.
    static std::optional<Hash256> fromHex(std::string_view text);
    /// Of the empty sequence of bytes: most stderr.
    static const Hash256& ofNothing();
};

/// Streaming SHA-256. Not copyable; one thread at a time.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;
    void update(std::span<const std::byte> data);
    void update(std::string_view data) { update(std::as_bytes(std::span(data.data(), data.size()))); }
    void updateZeros(std::uint64_t count);
    /// The digest; the hasher starts again afterwards.
    Hash256 finish();
    static Hash256 of(std::string_view data);

private:
    void* ctx_;
};

/// `bytes` random bytes from the kernel, in lower-case hex. Tokens, ids.
std::string randomHex(std::size_t bytes);
/// Compares in time that depends on the lengths only: for secrets.
bool equalConstantTime(std::string_view a, std::string_view b);

} // namespace yard

template<>
struct std::hash<yard::Hash256> {
    std::size_t operator()(const yard::Hash256& h) const noexcept;
};
