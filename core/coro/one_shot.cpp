#include "core/coro/one_shot.h"

namespace yard::coro::detail {

void OneShotBase::announce(std::shared_ptr<OneShotBase> self, std::shared_ptr<Mailbox> home) {
    if (!home) return;
    // Taken at once here, so that the wait's destructor and a second announcement find nothing.
    auto wakeWaiter = [self = std::move(self)] {
        if (Wait* waiter = std::exchange(self->waiter, nullptr)) waiter->wake();
    };
    const Thread* thread = currentThreadOrNull();
    if (thread && thread->loop().mailbox() == home)
        wakeWaiter();
    else
        home->post(Band::Results, std::move(wakeWaiter));
}

OneShotWait::OneShotWait(const char* where, std::shared_ptr<OneShotBase> state) noexcept
    : Wait(where, &OneShotWait::leave)
    , state_(std::move(state)) {}

OneShotWait::~OneShotWait() {
    if (state_->waiter == this) leave(*this);
}

bool OneShotWait::await_ready() {
    if (interruptPending()) return true;
    const ThreadLock lock(state_->mutex);
    return state_->done && succeedAtOnce();
}

bool OneShotWait::await_suspend(std::coroutine_handle<> handle) {
    if (outcome_ != Outcome::Got) {
        const ThreadLock lock(state_->mutex);
        if (state_->done) return false; // came since await_ready, from another OS thread
        assert(!state_->waiter && "one thread waits for a one-shot");
        state_->home = thread_->loop().mailbox();
        state_->waiter = this;
    }
    park(handle);
    return true;
}

bool OneShotWait::leave(Wait& wait) noexcept {
    OneShotBase& state = *static_cast<OneShotWait&>(wait).state_;
    const ThreadLock lock(state.mutex);
    state.home.reset();
    state.waiter = nullptr;
    return true;
}

} // namespace yard::coro::detail
