#include "core/coro/thread_list.h"

#include <string_view>

namespace yard::coro {

namespace {

constexpr std::size_t kStep = 2'000; // threads of one turn: some 0.2 ms where they lie far apart
// The walk begins again where the thread is gone at which the last step ended. After so many times the page ends.
constexpr int kMostRestarts = 100;

} // namespace

/// A place in a loop's list of threads, which changes between two steps.
class ThreadWalk {
public:
    ThreadWalk(Loop& loop, ThreadQuery query)
        : loop_(loop)
        , query_(std::move(query)) {
        page_.next = query_.after;
    }

    /// True: there is more to look at.
    bool step();
    ThreadPage take() { return std::move(page_); }

private:
    bool fits(const Thread& thread) const {
        return query_.filter.empty() || thread.name().contains(query_.filter) ||
               std::string_view(thread.where()).contains(query_.filter);
    }

    Loop& loop_;
    ThreadQuery query_;
    ThreadPage page_;
    ThreadRef at_; ///< the last one looked at
    int restarts_ = 0;
};

bool ThreadWalk::step() {
    auto place = loop_.threads_.begin();
    if (at_ && !at_->hasEnded())
        place = std::next(loop_.threads_.iterator_to(*at_));
    else if (at_ && ++restarts_ > kMostRestarts)
        return false;
    const MonoTime now = loop_.now();
    for (std::size_t looked = 0; place != loop_.threads_.end(); ++place) {
        if (looked++ == kStep) return true;
        at_ = ThreadRef(&*place);
        if (place->id() <= page_.next) continue;
        if (fits(*place)) {
            if (page_.threads.size() == query_.limit) return false;
            page_.threads.push_back(Loop::infoOf(*place, now));
        }
        page_.next = place->id();
    }
    page_.next = 0;
    return false;
}

Task<ThreadPage> listThreads(ThreadQuery query) {
    ThreadWalk walk(currentLoop(), std::move(query));
    while (walk.step()) co_await yieldNow();
    co_return walk.take();
}

} // namespace yard::coro
