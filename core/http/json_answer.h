// Answers that are one JSON object. Pure; any thread.
#pragma once

#include "core/http/route.h"
#include "core/json/json_writer.h"

#include <string>
#include <utility>

namespace yard::http {

/// `write` writes its members.
template<class Write>
Response objectOf(const Write& write, int status = 200) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    write(writer);
    writer.closeObject();
    return jsonResponse(std::move(text), status);
}

} // namespace yard::http
