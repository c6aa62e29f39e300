// The numbers of accepted actions on their way to stdout, which may be full, closed or left by its reader: what the engine
// has accepted it runs, whoever hears of it.
#pragma once

#include "app/yardctl/failure.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace yard::ctl {

/// "5", "5..9", "5..9, 12": runs of consecutive numbers, in the order given; the first ten of them.
std::string lsnWords(std::span<const std::int64_t> lsns);
/// Writes `text`, unbuffered. Where that fails, the failure names the actions. Ignores SIGPIPE from then on.
Outcome<void> printAccepted(std::string_view text, std::span<const std::int64_t> lsns);

} // namespace yard::ctl
