// What `yardctl top` shows, as text: the engine in one line, queues, running actions. Pure functions.
#pragma once

#include "app/yardctl/engine.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace yard::ctl {

/// What was asked of the engine for one picture. Empty objects: not answered.
struct TopPicture {
    json::object session;
    json::object queues;  ///< GET queues
    json::object running; ///< GET jobs/running
    std::string trouble;  ///< one line: why it is not fresh
    std::int64_t now = 0; ///< microseconds since the epoch
};

struct TopSize {
    std::size_t columns = 0; ///< 0: any
    std::size_t rows = 0;    ///< 0: any
};

/// Lines with a line feed each, at most `rows`, none wider than `columns`. What does not fit is counted.
std::string topText(const TopPicture& picture, TopSize size);

} // namespace yard::ctl
