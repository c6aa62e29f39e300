// The words behind `ls` and others that take a filter: what of them are LSNs, and whether the queues they name are there.
// One thread; checkQueues() asks the engine and blocks.
#pragma once

#include "app/yardctl/engine.h"
#include "app/yardctl/failure.h"
#include "core/model/lsn_words.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// LSNs among the words become one term: any of them. A range that ends before it begins is refused.
Outcome<std::vector<std::string>> listTerms(const std::vector<std::string>& words);
/// Of a request with a filter that was typed: a queue in it that is not there is wrong usage, as whatever else is wrong
/// with it.
Failure wrongInFilter(const Engine& engine, Failure failure);
/// For a queue that is mistyped: a filter finds nothing in it, and says no more. Fails as wrongInFilter().
Outcome<void> checkQueues(Engine& engine, const std::vector<std::string>& words);

} // namespace yard::ctl
