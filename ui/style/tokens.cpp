#include "ui/style/tokens.h"

#include <array>
#include <utility>

namespace yard::ui {

namespace {

struct Pair {
    std::string_view name;
    QRgb dark;
    QRgb light;
    QRgb of(Scheme scheme) const { return scheme == Scheme::Dark ? dark : light; }
};

constexpr std::array<Pair, kTokens> kTokenColours{{
    {"bg0", 0x14171B, 0xEFF1F4},         {"bg1", 0x1A1E23, 0xFFFFFF},       {"bg2", 0x20252B, 0xF6F7F9},
    {"bg3", 0x272D35, 0xEDF0F4},         {"bg4", 0x303741, 0xE1E6EC},       {"lane", 0x171B20, 0xF8F9FB},
    {"lane2", 0x1A1E23, 0xFFFFFF},       {"line", 0x2F353E, 0xD9DDE3},      {"line2", 0x737D89, 0x7F8894},
    {"grid", 0x242A31, 0xE8EBEF},        {"text1", 0xE4E8EC, 0x1A1E24},     {"text2", 0xABB3BD, 0x48505A},
    {"text3", 0x8F98A3, 0x5F6873},       {"dis", 0x5C6570, 0xA0A7B0},       {"accent", 0x93A8FF, 0x3554C8},
    {"accent-fill", 0x4C66D6, 0x3554C8}, {"on-accent", 0xFFFFFF, 0xFFFFFF}, {"sel", 0x2A3459, 0xDDE5FB},
    {"sel-dim", 0x242B3F, 0xEBEEF6},
}};

constexpr std::array<Pair, kFaces> kInks{{
    {"pending", 0x939BA4, 0x626A73},
    {"held", 0xC9B2FA, 0x5A41B5},
    {"retry", 0xF5D36E, 0x8A6500},
    {"submitting", 0xC0E0F0, 0x3F6E86},
    {"running", 0x3FA4EE, 0x0A6DB0},
    {"completed", 0x6FCDB0, 0x185A45},
    {"failed", 0xFF6B40, 0xA01608},
    {"abandoned", 0xDB8FBC, 0x8A2670},
    {"cancelled", 0x938E88, 0x716B61},
}};

constexpr std::array<Pair, kFaces> kFills{{
    {"pending", 0x8E979F, 0x767F8A},
    {"held", 0x7566CC, 0x8068C4},
    {"retry", 0xEFC24A, 0xB08A10},
    {"submitting", 0xB3D2E4, 0x6797B0},
    {"running", 0x3C92DB, 0x2F96E6},
    {"completed", 0x2F7F63, 0x3A7F65},
    {"failed", 0xEA5530, 0xC22A12},
    {"abandoned", 0xBE7DAE, 0x96407F},
    {"cancelled", 0x6C6F74, 0x8F9094},
}};

constexpr std::array<Pair, kMarks> kMarkColours{{
    {"none", 0x1A1E23, 0xFFFFFF},
    {"red", 0xE5534B, 0xCF222E},
    {"orange", 0xE0823D, 0xC2570C},
    {"yellow", 0xE3C34A, 0xA77F00},
    {"green", 0x57AB5A, 0x1A7F37},
    {"blue", 0x539BF5, 0x0969DA},
    {"purple", 0xB083F0, 0x8250DF},
    {"grey", 0x8B949E, 0x6E7781},
}};

} // namespace

QColor colour(Scheme scheme, Mark mark) {
    return QColor::fromRgb(kMarkColours[std::to_underlying(mark)].of(scheme));
}
QColor colour(Scheme scheme, Token token) {
    return QColor::fromRgb(kTokenColours[std::to_underlying(token)].of(scheme));
}
QColor ink(Scheme scheme, DisplayState face) {
    return QColor::fromRgb(kInks[std::to_underlying(face)].of(scheme));
}
QColor fill(Scheme scheme, DisplayState face) {
    return QColor::fromRgb(kFills[std::to_underlying(face)].of(scheme));
}
std::string_view name(Token token) {
    return kTokenColours[std::to_underlying(token)].name;
}
std::string_view name(DisplayState face) {
    return kInks[std::to_underlying(face)].name;
}

QColor mixed(const QColor& under, const QColor& over, double amount) {
    const auto channel = [amount](int a, int b) { return qRound(a + (b - a) * amount); };
    return {channel(under.red(), over.red()), channel(under.green(), over.green()),
            channel(under.blue(), over.blue())};
}

} // namespace yard::ui
