#include "core/runners/gone_processes.h"

#include <algorithm>
#include <utility>

namespace yard::runners {

void GoneProcesses::keep(WarmProcessView view) {
    YARD_ASSERT_OWNER(owner_);
    views_.push_front(std::move(view));
    if (views_.size() > kMost) views_.pop_back();
    std::size_t bytes = 0;
    for (WarmProcessView& gone : views_) {
        if (!gone.output) continue;
        bytes += gone.output->out.bytes.size() + gone.output->err.bytes.size();
        if (bytes > kMostOutput) gone.output.reset();
    }
}

const WarmProcessView* GoneProcesses::find(const std::string& id) const {
    const auto at = std::ranges::find(views_, id, &WarmProcessView::id);
    return at == views_.end() ? nullptr : &*at;
}

} // namespace yard::runners
