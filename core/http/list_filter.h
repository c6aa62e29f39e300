// The filter text of lists and events, as far as it goes: the one place where it is read. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/engine/engine.h"

#include <string_view>

namespace yard::http {

/// The filter language (core/model/filter.h), added to `query`. Invalid names `field`, from where the text came.
Result<void> readFilter(std::string_view text, std::string_view field, engine::ListQuery& query);

} // namespace yard::http
