// What an engine that was started here says: the line with which it serves, or in its log why it does not. Blocks.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <string>

namespace yard::ctl {

enum class NotServing : unsigned char { Late, Ended, GivenUp };

/// The first line that comes from `said`, the engine's stdout, without its end. `isGivenUp`, where there is one, is asked
/// several times a second.
std::expected<std::string, NotServing> awaitServing(int said, const std::function<bool()>& isGivenUp = {});
/// The last line of its log.
std::string lastLineOf(const std::string& log);

} // namespace yard::ctl
