// Which objects a change of many is about: those that are named, or those that a filter finds. Functions; threads of http.
#pragma once

#include "core/coro/task.h"
#include "core/engine/objects/objects.h"
#include "core/http/route.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace yard::http {

/// At once; a filter that finds more goes on by the cursor of the answer.
inline constexpr std::size_t kMostSelectedObjects = store::kMostObjects;

/// "type:page status:queued parent:12 url:value". Invalid, with `field`.
Result<engine::ObjectQuery> readObjectFilter(std::string_view text, std::string_view field);

/// The members "ids", or "filter" and "cursor" of the body. Invalid; NotFound: the type is not there.
coro::Task<Result<engine::Objects::Choice>> selectedObjects(Call& call);

} // namespace yard::http
