// yardctl events: what changes, a line or a frame of JSON each, until it is ended.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/event_stream.h"
#include "app/yardctl/format.h"
#include "core/base/clock.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

std::string lineOf(const json::object& action) {
    std::string line = fmt::format("{}  {}  {}", timeWords(wallNow(), wallNow()),
                                   integerOf(action, "lsn").value_or(0), stateWords(action));
    const std::string what = textOf(action, "name").empty() ? std::string() : whatWords(action);
    for (const std::string& more : {what, noteWords(action)})
        if (!more.empty()) line += "  " + more;
    return line;
}

/// What was there before the first change is no event.
void printActions(const json::object& frame) {
    if (frame.contains("all_actions")) return;
    if (const json::array* actions = arrayOf(frame, "actions"))
        for (const json::value& action : *actions)
            if (action.is_object()) fmt::print("{}\n", lineOf(action.get_object()));
    if (const json::array* gone = arrayOf(frame, "gone"))
        for (const json::value& lsn : *gone)
            if (lsn.is_int64()) fmt::print("{}  {}  gone\n", timeWords(wallNow(), wallNow()), lsn.get_int64());
}

} // namespace

Outcome<int> eventsCommand(const Invocation& invocation) {
    std::string filter;
    for (const std::string& word : invocation.arguments.operands()) filter += (filter.empty() ? "" : " ") + word;
    const json::object which = filter.empty() ? json::object{{"finished", true}} : json::object{{"filter", filter}};
    const auto location = locate(invocation.engine.options());
    if (!location) return failedWith(location.error());
    const auto stream = EventStream::open(*location, compactJson(json::object{{"watch", which}}));
    if (!stream) return failedWith(stream.error());
    for (;;) {
        const auto text = (*stream)->next();
        if (!text) return failedWith(text.error());
        if (!*text) return failed("the engine ended");
        boost::system::error_code ec;
        const json::value frame = json::parse(**text, ec);
        if (ec || !frame.is_object()) return failed("the engine sent something that is no event");
        const json::object& object = frame.get_object();
        if (object.contains("error")) return failed(printable(textOf(object, "message")));
        if (invocation.json)
            fmt::print("{}\n", **text);
        else
            printActions(object);
        // Nobody takes what is printed: main says so.
        if (std::fflush(stdout) != 0) return kExitFailed;
    }
}

} // namespace yard::ctl
