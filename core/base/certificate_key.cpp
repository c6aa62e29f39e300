#include "core/base/certificate_key.h"

#include <cstddef>

namespace yard {

namespace {

constexpr unsigned char kSequence = 0x30;
constexpr unsigned char kVersion = 0xA0; ///< [0] of the first part, where it has one
constexpr int kBeforeKey = 5;            ///< serial number, algorithm, issuer, validity, subject

/// One element of DER, with its header.
struct Element {
    unsigned char tag = 0;
    std::string_view all;
    std::string_view content;
};

/// That at the beginning of `der`; nothing where it is none, or ends early.
std::optional<Element> firstElement(std::string_view der) {
    constexpr std::size_t kMostSizeBytes = 4;
    if (der.size() < 2) return std::nullopt;
    std::size_t size = static_cast<unsigned char>(der[1]);
    std::size_t header = 2;
    if (size & 0x80) {
        const std::size_t count = size & 0x7f;
        if (count == 0 || count > kMostSizeBytes || der.size() < header + count) return std::nullopt;
        size = 0;
        for (std::size_t i = 0; i < count; ++i) size = size << 8 | static_cast<unsigned char>(der[header + i]);
        header += count;
    }
    if (size > der.size() - header) return std::nullopt;
    return Element{.tag = static_cast<unsigned char>(der[0]),
                   .all = der.substr(0, header + size),
                   .content = der.substr(header, size)};
}

} // namespace

std::optional<Hash256> publicKeyHash(std::string_view der) {
    const auto certificate = firstElement(der);
    if (!certificate || certificate->tag != kSequence) return std::nullopt;
    const auto first = firstElement(certificate->content);
    if (!first || first->tag != kSequence) return std::nullopt;
    std::string_view rest = first->content;
    const auto version = firstElement(rest);
    if (version && version->tag == kVersion) rest.remove_prefix(version->all.size());
    for (int i = 0; i < kBeforeKey; ++i) {
        const auto before = firstElement(rest);
        if (!before) return std::nullopt;
        rest.remove_prefix(before->all.size());
    }
    const auto key = firstElement(rest);
    if (!key || key->tag != kSequence) return std::nullopt;
    return Sha256::of(key->all);
}

} // namespace yard
