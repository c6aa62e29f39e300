#include "core/model/estimate.h"

#include "core/json/json_writer.h"

#include <array>
#include <utility>

namespace yard {

std::string_view name(EstimateGap gap) {
    static constexpr std::array<std::string_view, 8> kNames{
        "", "no_history", "held", "session", "dependency", "lock", "overdue", "waits_for_unknown"};
    return kNames[std::to_underlying(gap)];
}

void writeEstimate(JsonWriter& writer, WallMicros start, WallMicros finish, EstimateGap gap) {
    if (start == 0 && finish == 0 && gap == EstimateGap::None) return;
    writer.key("estimate");
    writer.openObject();
    if (start != 0) writer.member("start", start);
    if (finish != 0) writer.member("finish", finish);
    if (gap != EstimateGap::None) writer.member("unknown", name(gap));
    writer.closeObject();
}

} // namespace yard
