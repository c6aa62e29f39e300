// Results that the yard is to be told over this connection: in their order, so many bytes at a time.
//
// Owner: the desk, on the engine thread. Bound: kBytes every kPause, or one result that is larger.
#pragma once

#include "core/guests/desk_out.h"
#include "core/guests/update_batch.h"

#include <cstddef>
#include <deque>
#include <string>

namespace yard::guests {

class ResultQueue {
public:
    static constexpr std::size_t kBytes = 4u << 20;
    static constexpr Duration kPause = UpdateBatch::kPause;

    void add(const link::AttemptRefs& ids) { waiting_.insert(waiting_.end(), ids.begin(), ids.end()); }
    void linkGone() { waiting_.clear(); }
    /// `bodyOf` an attempt: its result, or null if it is gone meanwhile.
    template<typename BodyOf>
    void tell(link::BootTime now, BodyOf bodyOf, DeskOut& out) {
        if (now - toldSince_ >= kPause) {
            toldSince_ = now;
            told_ = 0;
        }
        while (!waiting_.empty() && told_ < kBytes) {
            if (const std::string* body = bodyOf(waiting_.front())) {
                told_ += body->size();
                out.send(link::Kind::Finished, 0, *body);
            }
            waiting_.pop_front();
        }
    }

private:
    std::deque<link::AttemptRef> waiting_;
    std::size_t told_ = 0; ///< bytes since toldSince_
    link::BootTime toldSince_{};
};

} // namespace yard::guests
