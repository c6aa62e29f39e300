// An array or a list that is one row (docs/lists.md, fold=1), in words. Pure functions over borrowed objects; of a row
// that is of one action alone each answers nothing.
#pragma once

#include "app/yardctl/engine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::ctl {

bool isFolded(const json::object& row);
/// "12..411", which other commands take.
std::optional<std::string> foldLsns(const json::object& row);
/// What it is as a whole: what runs before what waits, and once all has ended what failed before all else.
std::optional<std::string> foldState(const json::object& row);
/// "363 of 400": those that have ended.
std::optional<std::string> foldDone(const json::object& row);
/// How many failed or were abandoned.
std::optional<std::string> foldFailed(const json::object& row);
/// "cliff_{index}_8k", "make all and 95 others".
std::optional<std::string> foldName(const json::object& row);
/// "9 x its commonest error line"; nothing where none failed.
std::optional<std::string> foldNote(const json::object& row);
/// The first start; 0: none began.
std::optional<std::int64_t> foldStarted(const json::object& row);

} // namespace yard::ctl
