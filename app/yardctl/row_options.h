// Options that the rows of several commands have. Values; one thread.
#pragma once

#include "app/yardctl/command.h"

#include <vector>

namespace yard::ctl {

const Option& filterOption();
const Option& dryRunOption();
const Option& atMostOption();
const Option& fromOption(); ///< --from, of what shows figures of a span
const Option& toOption();
std::vector<Option> joined(std::vector<Option> own, const std::vector<Option>& others);

} // namespace yard::ctl
