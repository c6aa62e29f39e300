// What was delivered of one attempt's output, so that a second look at it delivers only what is new. Where the stream
// is longer than what is kept, two looks leave out different parts: places are counted in bytes that the program
// wrote, which the lines between say (core/base/kept_stream.h). Value; no owner.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yard::ctl {

class SeenStream {
public:
    /// The next bytes are the first ones of a view of the whole stream.
    void beginView();
    /// What of the view's next bytes is new. A line of what is left out says of it only what was not delivered.
    std::string take(std::string_view bytes);
    /// The view has ended, or was cut: what is new of the bytes that could have become such a line.
    std::string endView();

    /// What was delivered, or told as left out.
    std::uint64_t written() const { return seen_; }
    /// Bytes of the last view, with its lines.
    std::uint64_t viewSize() const { return viewSize_; }

private:
    void takeReal(std::string_view bytes, std::string& fresh);
    void takeLine(std::string_view byte, std::string& fresh);
    void settleLine(std::string& fresh);
    void abandonLine(std::string& fresh);

    std::uint64_t seen_ = 0;
    std::uint64_t at_ = 0; ///< of the view, before line_
    std::uint64_t viewSize_ = 0;
    std::string line_;      ///< the beginning of what may be a line of what is left out
    bool isPassed_ = false; ///< line_ was delivered as it came: nobody waits for the rest of it
};

} // namespace yard::ctl
