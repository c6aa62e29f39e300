#include "core/model/right.h"

#include <array>
#include <utility>

namespace yard {

namespace {

constexpr std::array<std::string_view, kRights> kRightWords = {"read", "submit", "operate", "admin"};

} // namespace

std::string_view name(Right right) {
    return kRightWords[std::to_underlying(right)];
}

std::optional<Right> rightFrom(std::string_view word) {
    for (std::size_t i = 0; i < kRights; ++i)
        if (kRightWords[i] == word) return static_cast<Right>(i);
    return std::nullopt;
}

std::string rightNames() {
    std::string names;
    for (std::size_t i = 0; i < kRights; ++i) {
        names += i == 0 ? "" : i + 1 == kRights ? " or " : ", ";
        names += kRightWords[i];
    }
    return names;
}

} // namespace yard
