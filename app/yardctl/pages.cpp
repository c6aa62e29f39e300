#include "app/yardctl/pages.h"

#include "app/yardctl/action_view.h"

namespace yard::ctl {

Outcome<Answer> Pages::next(std::string path) {
    if (!cursor_.empty()) path += "&cursor=" + percentEncode(cursor_);
    const Call call{.path = std::move(path)};
    auto page = asking_ == Asking::Patiently ? engine_.callPatiently(call) : engine_.call(call);
    if (!page) return failedByWords(page.error());
    const std::string next(textOf(page->object, "cursor"));
    atEnd_ = next.empty() || next == cursor_;
    cursor_ = next;
    return std::move(*page);
}

} // namespace yard::ctl
