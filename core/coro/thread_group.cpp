#include "core/coro/thread_group.h"

#include "core/coro/loop.h"

#include <algorithm>

namespace yard::coro {

ThreadGroup::~ThreadGroup() {
    for ([[maybe_unused]] const ThreadRef& thread : threads_)
        assert((thread->hasEnded() || thread->loop().isShuttingDown()) && "a group is joined before it goes");
}

ThreadRef ThreadGroup::spawn(Loop& loop, std::string name, Task<void> body) {
    if (threads_.size() >= forgetAt_) {
        forgetEnded();
        forgetAt_ = std::max<std::size_t>(64, threads_.size() * 2);
    }
    threads_.push_back(loop.spawn(std::move(name), std::move(body)));
    return threads_.back();
}

ThreadRef ThreadGroup::spawn(std::string name, Task<void> body) {
    return spawn(currentLoop(), std::move(name), std::move(body));
}

std::size_t ThreadGroup::size() const noexcept {
    return static_cast<std::size_t>(std::count_if(threads_.begin(), threads_.end(),
                                                  [](const ThreadRef& thread) { return !thread->hasEnded(); }));
}

void ThreadGroup::interruptAll() {
    for (const ThreadRef& thread : threads_) thread->interrupt();
}

Task<void> ThreadGroup::join() {
    while (!threads_.empty()) {
        ThreadRef last = threads_.back();
        co_await last.join();
        while (!threads_.empty() && threads_.back()->hasEnded()) threads_.pop_back();
    }
}

Task<void> ThreadGroup::stop() {
    Uninterruptible always;
    interruptAll();
    while (!threads_.empty()) {
        ThreadRef last = threads_.back();
        last->interrupt(); // it may have been started since
        co_await last.join();
        while (!threads_.empty() && threads_.back()->hasEnded()) threads_.pop_back();
    }
}

void ThreadGroup::forgetEnded() {
    std::erase_if(threads_, [](const ThreadRef& thread) { return thread->hasEnded(); });
}

} // namespace yard::coro
