#include "core/coro/async_op.h"

namespace yard::coro {

void AsyncWait::emit() noexcept {
    signal_.emit(boost::asio::cancellation_type::terminal);
    if (!completed_) alsoCancel_(*this);
}

bool AsyncWait::leave(Wait& wait) noexcept {
    AsyncWait& self = static_cast<AsyncWait&>(wait);
    self.emit();
    // The buffers are still lent out: the thread resumes when the handler has come (complete).
    if (!self.completed_) self.thread().loop().cancelling().push_back(self);
    return false;
}

void AsyncWait::complete() noexcept {
    completed_ = true;
    if (isParked()) wake();
}

} // namespace yard::coro
