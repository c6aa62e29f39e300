// Frames between engine and launcher: the other side may have gone mad. Bytes come in pieces; a frame that is
// understood, written and cut again is the same.
#include "core/lease/wire.h"
#include "tests/fuzz/fuzz.h"

#include <string>

using namespace yard;
using namespace yard::runners;
using namespace yard::runners::wire;

namespace {

/// Reads as T; what was read is written as a frame with the same payload.
template<class T>
void stable(std::string_view payload) {
    T value;
    if (!get(payload, value)) return;
    std::string once;
    put(once, value);
    FrameBuffer buffer;
    buffer.append(once);
    const auto frame = buffer.next();
    fuzz::promise(frame.has_value(), "a frame that was read can be written");
    T again;
    fuzz::promise(get(frame->payload, again), "a frame that was written is read");
    std::string twice;
    put(twice, again);
    fuzz::promise(twice == once, "a frame reads back");
}

void read(const Frame& frame) {
    AttemptId id;
    SlotId slot;
    Started started;
    StreamAt at;
    LockBusy busy;
    OutputEnds ends;
    Frozen frozen;
    switch (frame.type) {
    case FrameType::Setup: stable<Setup>(frame.payload); break;
    case FrameType::Hello: stable<Hello>(frame.payload); break;
    case FrameType::Lease: stable<Lease>(frame.payload); break;
    case FrameType::End: stable<End>(frame.payload); break;
    case FrameType::EndAll: stable<EndAll>(frame.payload); break;
    case FrameType::Watch: stable<Watch>(frame.payload); break;
    case FrameType::Ended: stable<EndedFrame>(frame.payload); break;
    case FrameType::AskOutput: stable<AskOutput>(frame.payload); break;
    case FrameType::MayRun: stable<MayRun>(frame.payload); break;
    case FrameType::Freeze: stable<Freeze>(frame.payload); break;
    case FrameType::TakeBack:
    case FrameType::Returned: (void)get(frame.payload, id); break;
    case FrameType::Nudge: (void)get(frame.payload, slot); break;
    case FrameType::Started: (void)get(frame.payload, id, started); break;
    case FrameType::StreamAt: (void)get(frame.payload, id, at); break;
    case FrameType::LockBusy: (void)get(frame.payload, id, busy); break;
    case FrameType::OutputEnds: (void)get(frame.payload, id, ends); break;
    case FrameType::Frozen: (void)get(frame.payload, id, frozen); break;
    }
}

std::size_t frames(std::string_view bytes, std::size_t step) {
    FrameBuffer buffer;
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes.size() && !buffer.isBroken(); at += step) {
        buffer.append(bytes.substr(at, step));
        while (const auto frame = buffer.next()) {
            ++count;
            read(*frame);
        }
    }
    return count;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::textOf(data, size);
    const std::size_t whole = frames(bytes, size + 1);
    fuzz::promise(frames(bytes, 7) == whole, "frames are found however they are cut");
    return 0;
}
