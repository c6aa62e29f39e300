// How work is to be run, in the same words for every command that takes work: one table of options, from which
// parser, help, completions and the manual get them, and what each means in an action or in a queue's
// configuration.
#pragma once

#include "app/yardctl/chunks.h"
#include "app/yardctl/command.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::ctl {

/// Which commands take an option.
enum class Work : unsigned char { Run = 1, Submit = 2, QueueSet = 4, Map = 8 };

const Option& queueOption();        ///< --queue, of other commands too
const Option& outOption();          ///< --out, of other commands too
const Option& notifyOption();       ///< --notify, of `wait` too
const Option& nextProgressOption(); ///< --progress of those who wait for several
std::vector<Option> workOptions(Work command);

/// True when the arguments say something of the actions themselves.
bool saysWork(const Arguments& arguments);
/// Puts what the arguments say into an action: single values replace what it has, lists grow, objects change member
/// by member. Files that become inputs are hashed and known to `files`.
Outcome<void> applyWork(const Arguments& arguments, json::object& action, ChunkSource& files);
/// What they say of a queue.
Outcome<json::object> queueConfigOf(const Arguments& arguments);

/// Of a member that takes text only: bytes that are not UTF-8 are refused (core/model/action_spec.h, kByteMembers).
Outcome<json::string> jsonText(const std::string& bytes, std::string_view what);
Outcome<json::array> jsonTexts(const std::vector<std::string>& list, std::string_view what);

} // namespace yard::ctl
