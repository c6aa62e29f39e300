#include "core/linkio/link_connection.h"

#include "core/coro/loop.h"
#include "core/coro/suspend.h"
#include "core/coro/thread_group.h"
#include "core/coro/timeout.h"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

namespace yard::linkio {

namespace {

/// Small frames go out together up to this. A chunk is more, so that control waits for one chunk at most.
constexpr std::size_t kBatch = 16u << 10;
/// A long frame may take long on a slow line: the limit is for each part of it.
constexpr std::size_t kPart = 64u << 10;

} // namespace

std::string_view name(LinkEnd end) {
    switch (end) {
    case LinkEnd::Ended: return "ended";
    case LinkEnd::PeerLeft: return "peer left";
    case LinkEnd::BrokenRules: return "broken rules";
    case LinkEnd::NotReading: return "not reading";
    case LinkEnd::Silent: break;
    }
    return "silent";
}

coro::Task<LinkEnd> LinkConnection::run() {
    coro::ThreadGroup writer;
    writer.spawn("link writer", writeOn());
    std::exception_ptr trouble;
    try {
        co_await readOn();
    } catch (...) {
        trouble = std::current_exception();
    }
    end(LinkEnd::Ended);
    co_await writer.stop();
    if (trouble) std::rethrow_exception(trouble);
    co_return *cause_;
}

void LinkConnection::end(LinkEnd cause) {
    if (!cause_) cause_ = cause;
    stream_.close();
    due_.set();
}

void LinkConnection::finish() {
    isFinishing_ = true;
    due_.set();
}

bool LinkConnection::send(link::Kind kind, std::uint64_t id, std::string_view body) {
    if (cause_ || isFinishing_) return false;
    if (!queue_.put(kind, id, body)) {
        if (!link::isBulk(kind)) end(LinkEnd::NotReading);
        return false;
    }
    count();
    due_.set();
    return true;
}

void LinkConnection::count() {
    held_.set(buffer_.size() + queue_.bytes() + reader_.kept());
}

// --- reading

coro::Task<void> LinkConnection::readOn() {
    while (!cause_) {
        const auto came = co_await coro::within(limits_.silence, stream_.read(buffer_));
        if (!came) co_return end(LinkEnd::Silent);
        if (*came == 0) co_return end(isFinishing_ ? LinkEnd::Ended : LinkEnd::PeerLeft);
        received_ += *came;
        if (isFinishing_) continue;
        reader_.append({buffer_.data(), *came});
        count();
        const bool good = co_await takeFrames();
        count();
        if (!good) co_return end(LinkEnd::BrokenRules);
    }
}

coro::Task<bool> LinkConnection::takeFrames() {
    while (!cause_ && !isFinishing_) {
        const auto frame = reader_.next();
        if (!frame) co_return !reader_.isBroken();
        if (frame->kind == 0 || frame->kind > link::kLastKind) continue; // of a later version
        const bool good = co_await sink_.frameCame(*frame);
        if (!good) co_return false;
    }
    co_return true;
}

// --- writing

coro::Task<void> LinkConnection::writeOn() {
    for (;;) {
        while (!cause_ && !queue_.isEmpty()) co_await sendSome();
        if (cause_) co_return;
        if (isFinishing_) break;
        due_.clear();
        co_await due_.wait();
    }
    // Closed at once, what the other side still sends would be answered by a reset, and the last word be lost in it.
    co_await coro::sleepFor(limits_.goodbye);
    end(LinkEnd::Ended);
}

coro::Task<void> LinkConnection::sendSome() {
    const bool wasFull = !queue_.hasRoomForBulk();
    std::string batch;
    while (batch.size() < kBatch) {
        auto frame = queue_.take();
        if (!frame) break;
        if (batch.empty())
            batch = std::move(*frame);
        else
            batch += *frame;
    }
    count();
    for (std::string_view left = batch; !left.empty() && !cause_;) {
        const std::string_view part = left.substr(0, kPart);
        left.remove_prefix(part.size());
        const auto written = co_await coro::within(patience(), stream_.write(part));
        if (!written) co_return end(LinkEnd::NotReading);
        if (!*written) co_return end(isFinishing_ ? LinkEnd::Ended : LinkEnd::PeerLeft);
        sent_ += part.size();
    }
    if (wasFull && queue_.hasRoomForBulk() && !isFinishing_) sink_.roomForBulk();
}

/// How long the next part may take.
Duration LinkConnection::patience() {
    if (isFinishing_ && !finishBy_) finishBy_ = coro::currentLoop().now() + limits_.goodbye;
    if (!finishBy_) return limits_.writeStall;
    return std::clamp<Duration>(*finishBy_ - coro::currentLoop().now(), Duration::zero(), limits_.writeStall);
}

} // namespace yard::linkio
