#include "app/yardctl/row_options.h"

#include <algorithm>
#include <iterator>

namespace yard::ctl {

const Option& filterOption() {
    static const Option option{"filter", 0, "F",
                               "all actions that match, e.g. 'state:failed queue:7'; see 'yardctl ls --help'"};
    return option;
}

const Option& dryRunOption() {
    static const Option option{"dry-run", 0, "", "say how many it would change, and change nothing"};
    return option;
}

const Option& atMostOption() {
    static const Option option{"at-most", 0, "N", "change nothing when it would change more than N"};
    return option;
}

const Option& fromOption() {
    static const Option option{"from", 0, "TIME", "begin there: -1h, 09:45, yesterday, 2026-11-20"};
    return option;
}

const Option& toOption() {
    static const Option option{"to", 0, "TIME", "end there, instead of now"};
    return option;
}

std::vector<Option> joined(std::vector<Option> own, const std::vector<Option>& others) {
    std::ranges::copy(others, std::back_inserter(own));
    return own;
}

} // namespace yard::ctl
