#include "core/json/document.h"

#include <utility>

namespace yard {

std::optional<JsonTape> readDocument(std::string_view text) {
    if (text.size() > kMaxJsonDocument) return std::nullopt;
    Result<JsonTape> tape = readJson(text);
    if (!tape || !tape->root().isObject()) return std::nullopt;
    return std::move(*tape);
}

} // namespace yard
