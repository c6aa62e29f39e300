#include "core/link/send_queue.h"

#include <utility>

namespace yard::link {

bool SendQueue::put(Kind kind, std::uint64_t id, std::string_view body) {
    Line& line = isBulk(kind) ? bulk_ : control_;
    const std::size_t size = kHeaderBytes + body.size();
    if (line.bytes + size > (isBulk(kind) ? kBulkBytes : kControlBytes)) return false;
    line.frames.push_back(frameBytes(kind, id, body));
    line.bytes += size;
    return true;
}

std::optional<std::string> SendQueue::take() {
    Line& line = control_.frames.empty() ? bulk_ : control_;
    if (line.frames.empty()) return std::nullopt;
    std::string frame = std::move(line.frames.front());
    line.frames.pop_front();
    line.bytes -= frame.size();
    return frame;
}

} // namespace yard::link
