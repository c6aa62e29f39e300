// yardctl profile: measure what a loop of the engine does, and show a file of such a measurement.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/profile/perf_script.h"
#include "core/profile/profile_file.h"
#include "core/profile/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kShownRows = 40;

struct ProfileForm {
    std::string_view name;
    std::string (*write)(const profile::Profile&);
};
constexpr std::array<ProfileForm, 5> kProfileForms{
    {{"text", [](const profile::Profile& p) { return profile::textTable(p, kShownRows); }},
     {"html", &profile::htmlPage},
     {"speedscope", &profile::speedscope},
     {"collapsed", &profile::collapsedStacks},
     {"pprof", &profile::pprof}}};

Outcome<int> showProfile(const Invocation& invocation, const std::string& path) {
    const std::string form = invocation.arguments.value("format").value_or("text");
    const auto* const known = std::ranges::find(kProfileForms, form, &ProfileForm::name);
    if (known == kProfileForms.end())
        return usageError(
            fmt::format("'{}' is none of text, html, speedscope, collapsed and pprof", printable(form)));
    const auto bytes = readFile(path, profile::kLargestFile);
    if (!bytes) return failedWith(bytes.error());
    auto read = profile::isProfileFile(*bytes) ? profile::decode(*bytes) : profile::readPerfScript(*bytes);
    if (!read && !profile::isProfileFile(*bytes)) read = profile::decode({}); // which says what makes one
    if (!read) {
        read.error().message = fmt::format("{}: {}", printable(path), read.error().message);
        return failedWith(read.error());
    }
    read->loop = printable(read->loop);
    for (profile::Function& function : read->functions) {
        function.name = printable(function.name);
        function.file = printable(function.file);
    }
    const std::string text =
        known->write(profile::within(*read, invocation.arguments.value("function").value_or("")));
    if (const auto out = invocation.arguments.value("out"); out && *out != "-") {
        if (auto written = writeNamedFile(*out, text, 0644); !written) return failedWith(written.error());
        return 0;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

Outcome<int> recordProfile(const Invocation& invocation) {
    const Arguments& arguments = invocation.arguments;
    json::object body;
    std::int64_t seconds = 10;
    if (const auto word = arguments.value("seconds")) {
        const auto number = parseInteger(*word, "--seconds");
        if (!number) return std::unexpected(number.error());
        if (*number < 1 || *number > 600) return usageError("--seconds takes 1 to 600");
        seconds = *number;
    }
    if (const auto word = arguments.value("action")) {
        for (const std::string_view option : {"loop", "thread", "function"})
            if (arguments.has(option)) return usageError(fmt::format("--{} does not go with --action", option));
        const auto lsn = parseInteger(*word, "--action");
        if (!lsn) return std::unexpected(lsn.error());
        if (*lsn < 1) return usageError("--action takes the number of an action");
        return recordActionProfile(invocation, *lsn, seconds);
    }
    body["seconds"] = seconds;
    for (const auto& [option, member] : {std::pair{"loop", "loop"}, {"thread", "filter"}, {"function", "function"}})
        if (const auto word = arguments.value(option)) body[member] = *word;
    const auto answer = invocation.engine.call({.method = "POST",
                                                .path = "inside/profile",
                                                .body = json::serialize(body),
                                                .silence = std::chrono::seconds(seconds + 30)});
    if (!answer) return failedWith(answer.error());
    fmt::print("{}\n", invocation.json ? answer->text : printable(textOf(answer->object, "file")));
    return 0;
}

Outcome<int> profileCommand(const Invocation& invocation) {
    const std::vector<std::string>& words = invocation.arguments.operands();
    if (words.size() == 1 && words[0] == "record") {
        if (invocation.arguments.has("format")) return usageError("--format goes with 'show'");
        if (invocation.arguments.has("out") && !invocation.arguments.has("action"))
            return usageError("--out goes with 'show', and with --action");
        return recordProfile(invocation);
    }
    if (words.size() == 2 && words[0] == "show") {
        for (const std::string_view option : {"seconds", "loop", "thread", "action"})
            if (invocation.arguments.has(option)) return usageError(fmt::format("--{} goes with 'record'", option));
        return showProfile(invocation, words[1]);
    }
    return usageError("say 'profile record' or 'profile show FILE'");
}

} // namespace

Command profileRow() {
    return {.name = "profile",
            .usage = "record [options] | show FILE [options]",
            .summary = "measure what the engine's own threads do, or an action",
            .details = "'record' measures for some seconds which functions of the engine run, how long, and called "
                       "by whom; it "
                       "prints the file on the engine's machine. 'show' reads one: a table, a page for a browser "
                       "(html), or what "
                       "speedscope, flame graphs (collapsed) and pprof read.",
            .examples = "yardctl profile record --seconds 30\n"
                        "yardctl profile show engine-1795794487.yprof\n"
                        "yardctl profile record --action 12\n"
                        "yardctl profile show engine-1795794487.yprof --format html -o profile.html",
            .options = {{"seconds", 's', "N", "record: so long, 1 to 600 (default 10)"},
                        {"action", 0, "N", "record: by perf, the processes of action N on this machine"},
                        {"loop", 0, "LOOP", "record: engine (default) or http"},
                        {"thread", 0, "TEXT", "record: only threads with this in their name"},
                        {"function", 0, "TEXT", "only functions with this in their name, and what they call"},
                        {"format", 0, "FORM", "show: text (default), html, speedscope, collapsed, pprof"},
                        {"out", 'o', "FILE",
                         "write it there: show instead of to stdout, record --action instead of action-N.yprof"}},
            .minOperands = 1,
            .maxOperands = 2,
            .function = profileCommand};
}

} // namespace yard::ctl
