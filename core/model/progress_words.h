// How far an action is, read from what its processes wrote: into the file that $YARD_STATUS names, and into their output
// (docs/builds.md). Values and functions; any thread. Input is hostile: whatever cannot be read is passed over.
#pragma once

#include "core/json/json_reader.h"
#include "core/model/result.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace yard {

/// What lines such as "progress 0.4", "message linking" or {"progress":0.4,"message":"linking"} say last, each by
/// itself. `tail`: the end of the file. A message has at most 200 bytes, without control characters.
ReportedProgress progressInStatus(std::string_view tail);
/// The same of one object: what it does not say stays as it is in `into`.
void addProgress(JsonView object, ReportedProgress& into);

/// One place in an output that says how far it is.
struct ProgressMark {
    enum class Source : unsigned char {
        Escape,       ///< ESC ] 9 ; 4 ; state ; percent, as terminals understand it
        Steps,        ///< "[12/841] text" at the beginning of a line
        Percent,      ///< "[ 25%] text", likewise
        PercentAtEnd, ///< "text [ 25%]"
        Tests,        ///< "12/841 Test"
        Words         ///< "25%" before a space, '|', '(' or the end
    };
    Source source = Source::Escape;
    std::optional<double> fraction; ///< 0 to 1; nothing: it says that it does not know, or is over
    friend bool operator==(const ProgressMark&, const ProgressMark&) = default;
};
inline constexpr std::size_t kMostProgressMarks = 32;
/// The last ones in the end of an output, in their order. Without `lines` escapes alone.
std::vector<ProgressMark> progressInOutput(std::string_view tail, bool lines);

/// What the marks of one stream come to. An escape is believed at once. Any other source is believed after a second value
/// that is higher, within one read or from the last of one to the last of the next; one source for each stream. From then on
/// its last line counts: what begins again goes back.
class OutputProgress {
public:
    void take(const std::vector<ProgressMark>& marks);
    std::optional<double> fraction() const { return escape_ ? escape_ : line_; }

private:
    void takeLine(const ProgressMark& mark);

    std::optional<double> escape_;
    std::optional<double> line_;                 ///< once it is believed
    std::optional<ProgressMark::Source> source_; ///< of line_
    std::optional<ProgressMark> seen_;           ///< the last one, until one is believed
};

} // namespace yard
