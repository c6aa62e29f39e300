// The last views of warm processes that are gone, newest first, with what they printed last.
//
// Owner: the thread of the warm runner; nothing here blocks. Bounded: kMost views, and kMostOutput bytes of what they
// printed in all: of those that ended before, only the view is kept then.
#pragma once

#include "core/base/owner.h"
#include "core/runners/warm_view.h"

#include <cstddef>
#include <deque>
#include <string>

namespace yard::runners {

class GoneProcesses {
public:
    static constexpr std::size_t kMost = 50;
    static constexpr std::size_t kMostOutput = 1u << 20;

    void keep(WarmProcessView view);
    /// Newest first.
    const std::deque<WarmProcessView>& all() const { return views_; }
    /// By the id of the view; null: it is not among the last ones.
    const WarmProcessView* find(const std::string& id) const;

private:
    std::deque<WarmProcessView> views_;
    OwnerCheck owner_;
};

} // namespace yard::runners
