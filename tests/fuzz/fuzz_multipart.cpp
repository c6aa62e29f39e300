// Multipart bodies: the first line is the Content-Type, the rest the body. However it is cut, it has the same
// parts.
#include "core/http/multipart.h"
#include "tests/fuzz/fuzz.h"

#include <algorithm>
#include <string>

using namespace yard;
using namespace yard::http;

namespace {

constexpr std::size_t kMaxInput = 64u << 10;
constexpr std::string_view kRefused = "refused";

/// Names and bytes of all parts; kRefused. A sentence may differ by where the bytes were cut, whether there is one
/// may not.
std::string outcome(std::string_view boundary, std::string_view bytes, std::size_t step) {
    using Event = MultipartParser::Event;
    MultipartParser parser(boundary);
    std::string out;
    std::string pending;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        pending += bytes.substr(at, step);
        std::string_view in = pending;
        for (Event event = Event::Data; event != Event::NeedMore;) {
            std::string_view data;
            const auto next = parser.next(in, data);
            if (!next) return std::string(kRefused);
            event = *next;
            fuzz::promise((event == Event::Data) == !data.empty(), "data comes as data");
            if (event == Event::End) return out + "]";
            if (event == Event::PartBegan) out += "[" + parser.name() + "=";
            if (event == Event::PartEnded) out += "]";
            out += data;
        }
        fuzz::promise(in.size() <= MultipartParser::kMaxPartHead, "little is held back");
        pending = std::string(in);
    }
    return out;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > kMaxInput) return -1;
    const std::string_view text = fuzz::textOf(data, size);
    const std::size_t line = std::min(text.find('\n'), text.size());
    const auto boundary = multipartBoundary(text.substr(0, line));
    if (!boundary || !*boundary) return 0;
    const std::string_view body = text.substr(std::min(line + 1, text.size()));
    const std::string atOnce = outcome(**boundary, body, std::max<std::size_t>(body.size(), 1));
    fuzz::promise(atOnce == outcome(**boundary, body, 1), "bytes one by one mean the same");
    fuzz::promise(atOnce == outcome(**boundary, body, body.size() / 3 + 1), "bytes in thirds mean the same");
    return 0;
}
