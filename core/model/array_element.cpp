#include "core/model/array_element.h"

#include "core/json/json_reader.h"
#include "core/model/action_spec.h"

#include <fmt/format.h>

namespace yard {

Result<std::string> elementOfArray(std::string_view action, std::int64_t index) {
    constexpr std::string_view kMember = "array";
    std::string narrowed(action);
    const auto narrow = [&](JsonView value, std::string_view text) -> Result<void> {
        if (!value.isObject()) return {};
        for (const JsonView member : value)
            if (member.key() == kMember && member.kind() == JsonKind::Raw)
                narrowed = fmt::format(R"({}{{"from":{},"to":{}}}{})", text.substr(0, member.node().offset), index,
                                       index, text.substr(member.node().offset + member.node().size));
        return {};
    };
    if (auto read = readJsonElements(action, kMember, narrow, kByteMembers); !read)
        return std::unexpected(read.error());
    return narrowed;
}

} // namespace yard
