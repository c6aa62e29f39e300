#include "core/launcher/output_reader.h"

#include "core/base/hash.h"

#include <algorithm>
#include <cerrno>

namespace yard::runners {

static constexpr std::size_t kReadAtOnce = 64u << 10;

OutputReader::OutputReader(EpollSet& epoll, Pump& pump, Done done)
    : epoll_(epoll)
    , pump_(pump)
    , done_(std::move(done))
    , buffer_(kReadAtOnce) {}

void OutputReader::reset(SlotChild& child) {
    for (OutputFlow* flow : child.flows()) {
        flow->kept.clear();
        flow->result = StreamResult{};
    }
}

void OutputReader::drop(SlotChild& child) {
    for (OutputFlow* flow : child.flows()) {
        flow->pipe.reset();
        flow->where = OutputFlow::Where::Closed;
    }
}

// --- while it runs

void OutputReader::watchPipes(SlotChild& child) {
    child.registerAt = MonoTime::max();
    if (child.phase == SlotChild::Phase::Idle) return;
    for (OutputFlow* flow : child.flows()) {
        if (flow->where != OutputFlow::Where::Here || flow->registered) continue;
        const EventKind kind = flow->stream == Stream::Out ? EventKind::Out : EventKind::Err;
        flow->registered = epoll_.add(flow->pipe.get(), EPOLLIN, ChildEvent(kind, child).key());
    }
}

void OutputReader::stopWatching(OutputFlow& flow) {
    if (flow.registered) epoll_.remove(flow.pipe.get());
    flow.registered = false;
}

void OutputReader::read(SlotChild& child, OutputFlow& flow) {
    if (flow.where != OutputFlow::Where::Here) return;
    const bool isEmpty = drain(child, flow, kReadAtOnce) == 0;
    // Closed by its writers while the action goes on: level-triggered, it would be reported forever. A terminal
    // that was hung up says so; else it may have nothing for a moment.
    if (isEmpty && (!flow.isTerminal || errno == EIO)) stopWatching(flow);
}

/// How much it read.
std::size_t OutputReader::drain(SlotChild& child, OutputFlow& flow, std::size_t limit) {
    std::size_t all = 0;
    while (flow.where == OutputFlow::Where::Here && all < limit) {
        const std::size_t got =
            readWaiting({flow.pipe.get(), flow.isTerminal}, buffer_.data(), std::min(buffer_.size(), limit - all));
        if (got == 0) break;
        all += got;
        flow.kept.append(buffer_.data(), got);
        // A flood is the pump's: a spawner has other children.
        if (flow.kept.size() > kInlineStreamBytes) toPump(child, flow, false);
    }
    return all;
}

void OutputReader::watch(SlotChild& child, OutputFlow& flow, bool on) {
    if (flow.where == OutputFlow::Where::Pumped)
        pump_.post(Pump::Watch{child.pumpKey(flow), on});
    else if (on)
        toPump(child, flow, true);
}

void OutputReader::toPump(SlotChild& child, OutputFlow& flow, bool watched) {
    if (flow.where != OutputFlow::Where::Here) return;
    stopWatching(flow);
    flow.where = OutputFlow::Where::Pumped;
    Pump::Adopt adopt;
    adopt.key = child.pumpKey(flow);
    adopt.id = child.lease.id;
    adopt.stream = flow.stream;
    adopt.pipe = std::move(flow.pipe);
    adopt.isTerminal = flow.isTerminal;
    adopt.head = std::move(flow.kept);
    flow.kept.clear();
    adopt.limit = child.lease.streamBytes;
    adopt.watched = watched;
    adopt.keepsLast = child.lease.keepsLast;
    adopt.done = [this, slot = child.slot, id = child.lease.id, stream = flow.stream](StreamResult result) {
        done_({slot, id, stream, std::move(result)});
    };
    pump_.post(std::move(adopt));
}

// --- its end

void OutputReader::finish(SlotChild& child) {
    for (OutputFlow* flow : child.flows()) {
        // What is there, not until the end of file: somebody unknown may hold the other end.
        if (flow->where == OutputFlow::Where::Here) drain(child, *flow, kMaxLeftover);
        if (flow->where == OutputFlow::Where::Here)
            close(*flow);
        else if (flow->where == OutputFlow::Where::Pumped)
            pump_.post(Pump::Finish{child.pumpKey(*flow)});
    }
}

void OutputReader::close(OutputFlow& flow) {
    stopWatching(flow);
    flow.pipe.reset();
    flow.where = OutputFlow::Where::Closed;
    flow.result.size = flow.kept.size();
    if (!flow.kept.empty()) flow.result.hash = Sha256::of(flow.kept); // here, so that the engine's thread need not
    flow.result.bytes = std::move(flow.kept);
    flow.kept.clear();
}

void OutputReader::take(OutputFlow& flow, StreamResult result) {
    flow.where = OutputFlow::Where::Closed;
    flow.result = std::move(result);
}

bool OutputReader::isComplete(const SlotChild& child) {
    return child.out.where == OutputFlow::Where::Closed && child.err.where == OutputFlow::Where::Closed;
}

} // namespace yard::runners
