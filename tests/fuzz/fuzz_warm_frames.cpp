// What a warm worker sends: however the bytes are cut, the same frames come out; what is taken as an answer or a
// first frame keeps the limits.
#include "core/json/json_reader.h"
#include "core/runners/warm_frames.h"
#include "tests/fuzz/fuzz.h"

#include <string>
#include <utility>
#include <vector>

using namespace yard;
using namespace yard::runners::warm;

namespace {

using Frames = std::vector<std::pair<std::uint64_t, std::string>>;

Frames cut(std::string_view bytes, std::size_t piece, bool& broken) {
    FrameBuffer buffer;
    Frames frames;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        buffer.append(bytes.substr(at, piece));
        while (const auto frame = buffer.next()) frames.emplace_back(frame->id, frame->json);
    }
    broken = buffer.isBroken();
    return frames;
}

void readJsonOf(std::string_view json) {
    if (const auto ready = parseReady(json)) {
        fuzz::promise(ready->concurrency >= 1 && ready->concurrency <= kMaxConcurrency, "concurrency has a limit");
        fuzz::promise(ready->ahead <= kMaxAhead, "so has what is sent ahead");
    }
    if (const auto said = parseProgress(json)) {
        fuzz::promise(!said->fraction || (*said->fraction >= 0 && *said->fraction <= 1), "a part is a part");
        fuzz::promise(said->message.size() <= 203, "a message has a limit");
    }
    const auto answer = parseAnswer(json);
    if (!answer) return;
    fuzz::promise(answer->result.size() <= kMaxResult, "a result has a limit");
    fuzz::promise(answer->result.empty() || readJson(answer->result).has_value(), "a result is JSON");
    if (answer->result.empty()) return;
    std::string out;
    if (!put(out, {.id = 1, .lsn = Lsn(1), .function = "f", .args = answer->result, .inputs = {}, .outputs = {}}))
        return;
    FrameBuffer buffer;
    buffer.append(out);
    const auto frame = buffer.next();
    fuzz::promise(frame && readJson(frame->json).has_value(), "a request is JSON");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    bool broken = false;
    bool brokenInPieces = false;
    const Frames whole = cut(bytes, size + 1, broken);
    fuzz::promise(cut(bytes, 1 + (size > 0 ? data[0] % 17 : 0), brokenInPieces) == whole,
                  "cutting changes nothing");
    fuzz::promise(broken == brokenInPieces, "nor what breaks the stream");
    for (const auto& [id, json] : whole) readJsonOf(json);
    readJsonOf(bytes);
    return 0;
}
