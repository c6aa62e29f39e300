// Private to core/store: how long a walk through rows goes on. Values; the reader's thread.
#pragma once

#include "core/base/clock.h"

namespace yard::store {

/// Ends after its time, which is looked at once in a while: a look at the clock costs as much as a row.
class ReadBudget {
public:
    explicit ReadBudget(Duration atMost, int rowsBetweenLooks = 128)
        : until_(MonoClock::now() + atMost)
        , rowsBetweenLooks_(rowsBetweenLooks) {}
    bool isOver() const { return MonoClock::now() >= until_; }
    /// One more was looked at, and shown or not. True: it was time for a look, and time is over.
    bool isOverAfter(bool isShown = false) {
        rows_ += isShown ? 1 + kCostOfShown : 1;
        if (rows_ < rowsBetweenLooks_) return false;
        rows_ = 0;
        return isOver();
    }

private:
    /// A row that is shown costs as much as sixteen that are passed over: it is read whole, with what refers to it.
    static constexpr int kCostOfShown = 16;
    MonoTime until_;
    int rowsBetweenLooks_;
    int rows_ = 0;
};

} // namespace yard::store
