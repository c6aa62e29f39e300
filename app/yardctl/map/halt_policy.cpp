#include "app/yardctl/map/halt_policy.h"

#include "app/yardctl/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace yard::ctl {

namespace {
constexpr int kMostFailures = 101; ///< as an exit code: over 100
}

Outcome<HaltPolicy> HaltPolicy::parse(const std::string& text) {
    HaltPolicy out;
    if (text == "never" || text == "0") return out;
    const std::string full = text == "1" ? "soon,fail=1" : text == "2" ? "now,fail=1" : text;
    const auto wrong = usageError(fmt::format(
        "--halt wants soon or now, then fail, success or done with a number: now,fail=1 or soon,fail=10%, not '{}'",
        printable(text)));
    const std::size_t comma = full.find(',');
    const std::size_t equals = full.find('=');
    if (comma == std::string::npos || equals == std::string::npos || equals < comma) return wrong;
    const std::string when = full.substr(0, comma);
    const std::string what = full.substr(comma + 1, equals - comma - 1);
    std::string number = full.substr(equals + 1);
    constexpr std::array<std::string_view, 3> kWhats{"fail", "success", "done"};
    const auto* which = std::ranges::find(kWhats, what);
    if ((when != "soon" && when != "now") || which == kWhats.end()) return wrong;
    out.when_ = when == "soon" ? When::Soon : When::Now;
    out.what_ = static_cast<What>(which - kWhats.begin());
    out.isPercent_ = number.ends_with('%');
    if (out.isPercent_) number.pop_back();
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), out.limit_);
    const bool isWhole = out.limit_ == std::floor(out.limit_);
    if (error != std::errc{} || end != number.data() + number.size() || !(out.limit_ > 0) || out.limit_ > 1e9 ||
        (!out.isPercent_ && !isWhole))
        return wrong;
    return out;
}

HaltPolicy::When HaltPolicy::note(int code) {
    ++ended_;
    if (code != 0) ++failed_;
    if (when_ == When::Never || exit_) return exit_ ? when_ : When::Never;
    const bool counts = what_ == What::Done || (what_ == What::Fail) == (code != 0);
    if (!counts || (isPercent_ && !total_)) return When::Never;
    const std::int64_t reached = what_ == What::Fail ? failed_ : what_ == What::Success ? ended_ - failed_ : ended_;
    const double needed = isPercent_ ? static_cast<double>(*total_) * limit_ / 100 : limit_;
    if (static_cast<double>(reached) < needed) return When::Never;
    if (what_ == What::Success)
        exit_ = 0;
    else if (isPercent_)
        exit_ = static_cast<int>(std::ceil(static_cast<double>(failed_) / static_cast<double>(*total_) * 100));
    else
        exit_ = static_cast<int>(std::min<std::int64_t>(failed_, kMostFailures));
    if (what_ != What::Success && needed == 1) exit_ = code;
    return when_;
}

std::optional<std::int64_t> HaltPolicy::stopsAfterFailures() const {
    if (when_ == When::Never || what_ != What::Fail || isPercent_) return std::nullopt;
    return static_cast<std::int64_t>(limit_);
}

} // namespace yard::ctl
