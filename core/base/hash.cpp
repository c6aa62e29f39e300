#include "core/base/hash.h"

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>
#include <utility>
#include <vector>

namespace yard {

namespace {

constexpr char kDigits[] = "0123456789abcdef";

std::string toHex(std::span<const std::uint8_t> bytes) {
    std::string text(bytes.size() * 2, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text[2 * i] = kDigits[bytes[i] >> 4];
        text[2 * i + 1] = kDigits[bytes[i] & 15];
    }
    return text;
}

/// 0..15, or -1 for anything but a lower-case hex digit.
int digitValue(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// Without SHA-256, random numbers or memory nothing here can go on.
void require(bool holds) {
    if (!holds) std::abort();
}

const EVP_MD* algorithm() {
    // Fetched once: EVP_sha256() makes OpenSSL 3 search its providers for every digest.
    static const EVP_MD* md = ::EVP_MD_fetch(nullptr, "SHA256", nullptr);
    require(md != nullptr);
    return md;
}

EVP_MD_CTX* context(void* ctx) {
    assert(ctx && "a hasher that was moved from");
    return static_cast<EVP_MD_CTX*>(ctx);
}

} // namespace

std::string Hash256::hex() const {
    return toHex(bytes);
}

std::optional<Hash256> Hash256::fromHex(std::string_view text) {
    Hash256 hash;
    if (text.size() != hash.bytes.size() * 2) return std::nullopt;
    for (std::size_t i = 0; i < hash.bytes.size(); ++i) {
        const int high = digitValue(text[2 * i]);
        const int low = digitValue(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        hash.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
    }
    return hash;
}

const Hash256& Hash256::ofNothing() {
    static const Hash256 hash = Sha256::of({});
    return hash;
}

Sha256::Sha256()
    : ctx_(::EVP_MD_CTX_new()) {
    require(ctx_ != nullptr);
    require(::EVP_DigestInit_ex2(context(ctx_), algorithm(), nullptr) == 1);
}

Sha256::~Sha256() {
    ::EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(ctx_));
}

Sha256::Sha256(Sha256&& other) noexcept
    : ctx_(std::exchange(other.ctx_, nullptr)) {}

Sha256& Sha256::operator=(Sha256&& other) noexcept {
    std::swap(ctx_, other.ctx_);
    return *this;
}

void Sha256::update(std::span<const std::byte> data) {
    if (data.empty()) return;
    require(::EVP_DigestUpdate(context(ctx_), data.data(), data.size()) == 1);
}

void Sha256::updateZeros(std::uint64_t count) {
    static constexpr std::array<std::byte, 64u << 10> kZeros{};
    while (count > 0) {
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(count, kZeros.size()));
        update(std::span(kZeros).first(part));
        count -= part;
    }
}

Hash256 Sha256::finish() {
    Hash256 hash;
    require(::EVP_DigestFinal_ex(context(ctx_), hash.bytes.data(), nullptr) == 1);
    require(::EVP_DigestInit_ex2(context(ctx_), nullptr, nullptr) == 1);
    return hash;
}

Hash256 Sha256::of(std::string_view data) {
    Hash256 hash;
    require(::EVP_Digest(data.data(), data.size(), hash.bytes.data(), nullptr, algorithm(), nullptr) == 1);
    return hash;
}

std::string randomHex(std::size_t bytes) {
    std::vector<std::uint8_t> raw(bytes);
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t n = ::getrandom(raw.data() + done, bytes - done, 0);
        require(n > 0 || errno == EINTR);
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    return toHex(raw);
}

bool equalConstantTime(std::string_view a, std::string_view b) {
    return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace yard

std::size_t std::hash<yard::Hash256>::operator()(const yard::Hash256& h) const noexcept {
    // Eight bytes of a digest are as good as a hash of it. Maps hold digests of bytes we have seen: nobody can
    // choose many that collide.
    std::size_t value = 0;
    std::memcpy(&value, h.bytes.data(), sizeof value);
    return value;
}
