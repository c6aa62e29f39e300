// What the other side of a link sends: however the bytes are cut, the same frames come out; a body that is taken is within
// its limits and reads back the same.
#include "core/link/bodies.h"
#include "core/link/frame.h"
#include "tests/fuzz/fuzz.h"

#include <string>
#include <tuple>
#include <vector>

using namespace yard;
using namespace yard::link;

namespace {

using Frames = std::vector<std::tuple<std::uint64_t, std::uint8_t, std::string>>;

Frames cut(std::string_view bytes, std::size_t piece, bool& broken) {
    FrameReader reader;
    Frames frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.append(bytes.substr(at, piece));
        while (const auto frame = reader.next())
            frames.emplace_back(frame->id, frame->kind, std::string(frame->body));
    }
    broken = reader.isBroken();
    fuzz::promise(reader.kept() <= bytes.size(), "no more is kept than came");
    return frames;
}

template<class Body>
void stable(std::string_view bytes) {
    Body body;
    if (!get(bytes, body)) return;
    const std::string once = put(body);
    fuzz::promise(once.size() <= bytes.size(), "what was read is no longer than what came");
    Body again;
    fuzz::promise(get(once, again), "what was taken is taken again");
    fuzz::promise(again == body && put(again) == once, "a body reads back");
}

void read(std::uint8_t kind, std::string_view body) {
    switch (static_cast<Kind>(kind)) {
    case Kind::Hello: return stable<Hello>(body);
    case Kind::Welcome: return stable<Welcome>(body);
    case Kind::Refused: return stable<Refused>(body);
    case Kind::Lease: return stable<Lease>(body);
    case Kind::Need: return stable<Need>(body);
    case Kind::Chunk: return stable<Chunk>(body);
    case Kind::Updates: return stable<Updates>(body);
    case Kind::Finished: return stable<Finished>(body);
    case Kind::Cancel: return stable<Cancel>(body);
    case Kind::Leaving: return stable<Leaving>(body);
    case Kind::Follow: return stable<Follow>(body);
    case Kind::Settled:
    case Kind::HandedBack: return stable<AttemptRefs>(body);
    case Kind::Renew:
    case Kind::Renewed: return;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::textOf(data, size);
    bool broken = false;
    bool brokenInPieces = false;
    const Frames whole = cut(bytes, size + 1, broken);
    fuzz::promise(cut(bytes, 1 + (size > 0 ? data[0] % 17 : 0), brokenInPieces) == whole,
                  "cutting changes nothing");
    fuzz::promise(broken == brokenInPieces, "nor what breaks the stream");
    for (const auto& [id, kind, body] : whole) read(kind, body);
    // Also without a frame around it, so that bodies are found sooner.
    if (size > 0) read(static_cast<std::uint8_t>(data[0] % (kLastKind + 1)), bytes.substr(1));
    return 0;
}
