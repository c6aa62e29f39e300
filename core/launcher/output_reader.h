// Reads the output of a spawner's children while it is short, and hands it to the pump when it is long or somebody
// watches. The spawner's thread: one at a time (see Spawner).
#pragma once

#include "core/launcher/epoll_set.h"
#include "core/launcher/launcher_child.h"
#include "core/launcher/launcher_pump.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace yard::runners {

/// Purpose: moves each stream of a child from Here (read by us) to Closed, by way of Pumped (read by the pump) or
/// not.
///
/// Lifetime: as long as its spawner; the epoll set and the pump outlive it.
/// Invariants: a stream is in the epoll set only while it is Here. What is handed over takes along what was read so
/// far, so nothing is lost or twice. A stream that was handed over gives one StreamDone after finish().
class OutputReader {
public:
    /// The pump's answer.
    struct StreamDone {
        SlotId slot;
        AttemptId id;
        Stream stream = Stream::Out;
        StreamResult result;
    };
    /// Called on the pump's thread.
    using Done = std::function<void(StreamDone)>;

    OutputReader(EpollSet& epoll, Pump& pump, Done done);

    /// Before a start: nothing is kept of the attempt before.
    static void reset(SlotChild& child);
    /// A start failed: closes what was opened for it.
    static void drop(SlotChild& child);

    /// From now on there are events for what is read here.
    void watchPipes(SlotChild& child);
    /// There was an event.
    void read(SlotChild& child, OutputFlow& flow);
    /// Somebody looks on, or no longer.
    void watch(SlotChild& child, OutputFlow& flow, bool on);
    void toPump(SlotChild& child, OutputFlow& flow, bool watched);
    /// No writer is left that counts.
    void finish(SlotChild& child);
    static void take(OutputFlow& flow, StreamResult result);
    /// Both streams are closed, with their results.
    static bool isComplete(const SlotChild& child);

private:
    std::size_t drain(SlotChild& child, OutputFlow& flow, std::size_t limit);
    void close(OutputFlow& flow);
    void stopWatching(OutputFlow& flow);

    EpollSet& epoll_;
    Pump& pump_;
    const Done done_;
    std::vector<char> buffer_;
};

} // namespace yard::runners
