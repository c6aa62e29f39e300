#include "core/alerts/url.h"

#include "core/base/port.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <netinet/in.h>
#include <optional>
#include <span>

namespace yard::alerts {

namespace {

std::unexpected<Error> noUrl() {
    return invalid("webhook", R"(Give "webhook" as an address: "https://host/path", without a user or a "#".)");
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

bool isPlain(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c > ' ' && c < 0x7f && c != '\\' && c != '#'; });
}

bool isHost(std::string_view host, bool isBracketed) {
    if (host.empty() || host.size() > 253) return false;
    return std::ranges::all_of(host, [isBracketed](char c) {
        const bool isWord = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
        return isWord || (isBracketed && c == ':');
    });
}

/// Host and port of "host:port" or "[::1]:port".
bool readAuthority(std::string_view text, Url& into) {
    const bool isBracketed = text.starts_with('[');
    std::string_view rest;
    if (isBracketed) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return false;
        into.host = lower(text.substr(1, end - 1));
        rest = text.substr(end + 1);
    } else {
        const std::size_t colon = std::min(text.find(':'), text.size());
        into.host = lower(text.substr(0, colon));
        rest = text.substr(colon);
    }
    into.port = into.secure ? "443" : "80";
    if (!isHost(into.host, isBracketed)) return false;
    if (rest.empty()) return true;
    if (!rest.starts_with(':') || !isPort(rest.substr(1))) return false;
    into.port = rest.substr(1);
    return true;
}

/// 16 bytes; of IPv4 the form that maps it.
using Address = std::array<std::uint8_t, 16>;

std::optional<Address> addressIn(const std::string& text, unsigned& bits) {
    Address address{};
    in_addr four{};
    if (::inet_pton(AF_INET, text.c_str(), &four) == 1) {
        address[10] = address[11] = 0xff;
        const auto bytes = std::as_bytes(std::span(&four, 1));
        for (std::size_t i = 0; i < 4; ++i) address[12 + i] = std::to_integer<std::uint8_t>(bytes[i]);
        bits = 32;
        return address;
    }
    bits = 128;
    if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
    return std::nullopt;
}

bool isInNetwork(const std::string& host, std::string_view network) {
    const std::size_t slash = network.find('/');
    if (slash == std::string_view::npos) return false;
    unsigned width = 0;
    unsigned ofHost = 0;
    const auto base = addressIn(std::string(network.substr(0, slash)), width);
    const auto address = addressIn(host, ofHost);
    unsigned bits = 0;
    const std::string_view digits = network.substr(slash + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (!base || !address || width != ofHost || error != std::errc{} || end != digits.data() + digits.size() ||
        bits > width)
        return false;
    const unsigned same = bits + (128 - width);
    for (unsigned bit = 0; bit < same; ++bit) {
        const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
        if (((*base)[bit / 8] & mask) != ((*address)[bit / 8] & mask)) return false;
    }
    return true;
}

} // namespace

std::string Url::authority() const {
    const std::string shown = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == (secure ? "443" : "80") ? shown : shown + ":" + port;
}

std::string Url::origin() const {
    return fmt::format("{}://{}:{}", secure ? "https" : "http", host, port);
}

std::string Url::text() const {
    return fmt::format("{}://{}{}", secure ? "https" : "http", authority(), target);
}

Result<Url> parseUrl(std::string_view text) {
    Url url;
    if (text.size() > kMostUrlBytes || !isPlain(text)) return noUrl();
    const std::size_t colon = text.find("://");
    if (colon == std::string_view::npos) return noUrl();
    const std::string scheme = lower(text.substr(0, colon));
    if (scheme != "http" && scheme != "https") return noUrl();
    url.secure = scheme == "https";
    std::string_view rest = text.substr(colon + 3);
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    if (!readAuthority(rest.substr(0, end), url)) return noUrl();
    rest.remove_prefix(end);
    url.target = rest.starts_with('/') ? std::string(rest) : "/" + std::string(rest);
    return url;
}

Result<Url> redirected(const Url& from, std::string_view location) {
    if (!location.starts_with('/') || location.starts_with("//")) return parseUrl(location);
    if (location.size() > kMostUrlBytes || !isPlain(location)) return noUrl();
    Url url = from;
    url.target = location;
    return url;
}

bool mayFollow(const Url& from, const Url& to, std::string_view allowed) {
    if (from.origin() == to.origin()) return true;
    if (from.secure && !to.secure) return false; // what was kept secret so far stays so
    while (!allowed.empty()) {
        const std::size_t end = std::min(allowed.find_first_of(" ,"), allowed.size());
        const std::string word = lower(allowed.substr(0, end));
        if (!word.empty() && (word == to.host || isInNetwork(to.host, word))) return true;
        allowed.remove_prefix(std::min(end + 1, allowed.size()));
    }
    return false;
}

} // namespace yard::alerts
