// A part of a function that does not wait, named for a profiler: below the coroutine that runs, as if it were one. For turns
// that do much in functions without co_await, which would else be one figure.
//
// Owner: the loop's thread; a value of the block that it measures, without a co_await within. Off it costs a branch.
#pragma once

#include "core/coro/task.h"

#include <source_location>

namespace yard::coro {

class Part {
public:
    /// `name`: of the function that does it, as `yard::session::Session::schedule`; lives as long as the process.
    explicit Part(const char* name, std::source_location where = std::source_location::current()) noexcept
        : observer_(detail::kHasProfiler ? detail::functionObserver : nullptr) {
        if (observer_) [[unlikely]]
            observer_->enteredPart(name, where);
    }
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;
    ~Part() {
        if (observer_ && observer_ == detail::functionObserver) [[unlikely]]
            observer_->left();
    }

private:
    detail::FunctionObserver* observer_;
};

} // namespace yard::coro
