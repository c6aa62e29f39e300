// Help that is made from the tables of core/model, so that it cannot differ from what is parsed. Values.
#pragma once

#include <string>

namespace yard::ctl {

/// Details of `ls`: the filter language, with its keys and states, and what --sort takes.
std::string listDetails();
/// Details of `submit`: how an action is written.
std::string submitDetails();

} // namespace yard::ctl
