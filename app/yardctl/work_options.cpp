#include "app/yardctl/work_options.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/named_actions.h"
#include "core/base/environment.h"
#include "core/base/files.h"
#include "core/json/utf8.h"
#include "core/model/action_spec.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

namespace yard::ctl {

namespace {

using Values = std::vector<std::string>;

struct Target {
    json::object& action;
    ChunkSource& files;
};

json::object& objectIn(json::object& action, std::string_view member) {
    json::value& value = action[member];
    if (!value.is_object()) value.emplace_object();
    return value.get_object();
}

json::array& arrayIn(json::object& action, std::string_view member) {
    json::value& value = action[member];
    if (!value.is_array()) value.emplace_array();
    return value.get_array();
}

Outcome<void> addTexts(const Values& values, json::object& action, std::string_view member, std::string_view what) {
    auto texts = jsonTexts(values, what);
    if (!texts) return std::unexpected(texts.error());
    std::ranges::copy(*texts, std::back_inserter(arrayIn(action, member)));
    return {};
}

Outcome<void> setInteger(const Values& values, json::object& object, std::string_view member,
                         std::string_view option) {
    auto value = parseInteger(values.back(), option);
    if (!value) return std::unexpected(value.error());
    object[member] = *value;
    return {};
}

Outcome<void> setJobserver(const std::string& word, json::object& action) {
    if (word == "fifo")
        action["jobserver"] = "fifo";
    else if (word == "pipe" || word == "off")
        action["jobserver"] = word == "pipe";
    else
        return usageError(fmt::format("--jobserver wants pipe, fifo or off, not '{}'", printable(word)));
    return {};
}

Outcome<void> setAmount(const std::string& word, json::object& action, std::string_view name,
                        std::string_view option) {
    auto value = parseAmount(word, option);
    if (!value) return std::unexpected(value.error());
    objectIn(action, "resources")[name] = *value;
    return {};
}

/// NAME=VALUE in two, each with something in it.
Outcome<std::pair<std::string, std::string>> inTwo(const std::string& word, std::string_view wanted) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
        return usageError(fmt::format("{}, not '{}'", wanted, printable(word)));
    return std::pair(word.substr(0, equals), word.substr(equals + 1));
}

Outcome<void> setVariable(const std::string& setting, json::object& env) {
    const std::size_t equals = setting.find('=');
    const std::string name = setting.substr(0, equals);
    const auto here = equals == std::string::npos ? environment(name.c_str()) : std::nullopt;
    if (name.empty() || (equals == std::string::npos && !here))
        return usageError(fmt::format("--env wants K=V, or the name of a variable that is set here, not '{}'",
                                      printable(setting)));
    env[name] = here ? *here : setting.substr(equals + 1);
    return {};
}

Outcome<void> setVariables(const Values& settings, Target& target) {
    for (const std::string& setting : settings)
        if (auto done = setVariable(setting, objectIn(target.action, "env")); !done) return done;
    return {};
}

/// Lines of K=V; blank ones and those that begin with # are passed over.
Outcome<void> setVariablesFrom(const Values& paths, Target& target) {
    for (const std::string& path : paths) {
        const auto content = readFile(path);
        if (!content) return failedWith(content.error());
        std::size_t number = 0;
        for (std::size_t at = 0; at < content->size();) {
            const std::size_t end = std::min(content->find('\n', at), content->size());
            std::string line = content->substr(at, end - at);
            at = end + 1;
            ++number;
            if (line.ends_with('\r')) line.pop_back();
            if (line.empty() || line.front() == '#') continue;
            if (line.find('=') == std::string::npos || line.front() == '=')
                return usageError(fmt::format("{}, line {}: this is not K=V", path, number));
            if (auto done = setVariable(line, objectIn(target.action, "env")); !done) return done;
        }
    }
    return {};
}

/// "12", "12:any"
Outcome<void> addPredecessors(const Values& words, Target& target) {
    constexpr std::array<std::string_view, 3> kEnds = {"completed", "any", "failed"};
    for (const std::string& word : words) {
        const std::size_t colon = word.find(':');
        const auto lsn = theNamedAction("--after", word.substr(0, colon)); // ranges are resolved by then
        if (!lsn) return std::unexpected(lsn.error());
        const std::string on = colon == std::string::npos ? std::string() : word.substr(colon + 1);
        if (colon != std::string::npos && std::ranges::find(kEnds, on) == kEnds.end())
            return usageError(
                fmt::format("--after waits for completed, any or failed, not for '{}'", printable(on)));
        arrayIn(target.action, "after")
            .push_back(on.empty() ? json::value(*lsn) : json::value{{"lsn", *lsn}, {"on", on}});
    }
    return {};
}

Outcome<void> setArray(const Values& values, Target& target) {
    const std::string& word = values.back();
    const std::size_t dash = word.find('-');
    const auto from = parseInteger(word.substr(0, dash), "--array");
    const auto to = dash == std::string::npos ? from : parseInteger(word.substr(dash + 1), "--array");
    if (dash == std::string::npos || !from || !to)
        return usageError(
            fmt::format("--array wants the first and the last index, as 0-99, not '{}'", printable(word)));
    target.action["array"] = json::object{{"from", *from}, {"to", *to}};
    return {};
}

Outcome<void> addInputs(const Values& words, Target& target) {
    for (const std::string& word : words) {
        auto parts = inTwo(word, "--input wants NAME=FILE");
        if (!parts) return std::unexpected(parts.error());
        auto name = jsonText(parts->first, "the name of an input");
        if (!name) return std::unexpected(name.error());
        auto content = target.files.add(parts->second);
        if (!content) return std::unexpected(content.error());
        objectIn(target.action, "inputs")[*name] = content->hash.hex();
    }
    return {};
}

/// One word stands by itself. What the action said before goes.
Outcome<void> setMachines(const Values& values, json::object& action) {
    auto words = jsonTexts(values, "the name of a machine");
    if (!words) return std::unexpected(words.error());
    if (words->size() == 1)
        action["machine"] = words->front();
    else
        action["machine"] = std::move(*words);
    return {};
}

/// An option, what it does to an action, and the member of a queue's configuration that it is.
struct WorkOption {
    Option option;
    unsigned commands;
    Outcome<void> (*apply)(const Values&, Target&) = nullptr; ///< null: the command's own matter
    std::string_view queueKey = {};
};

constexpr unsigned kRun = std::to_underlying(Work::Run);
constexpr unsigned kTakers = kRun | std::to_underlying(Work::Submit);
constexpr unsigned kMap = std::to_underlying(Work::Map);
constexpr unsigned kMany = kTakers | kMap;
constexpr unsigned kAll = kMany | std::to_underlying(Work::QueueSet);

// NOLINTNEXTLINE(readability-function-size): a table
std::span<const WorkOption> table() {
    static const std::vector<WorkOption> all = {
        {{"queue", 'q', "REF", "the queue, by its number, token or tag"}, kTakers},
        {{"label", 'l', "TEXT", "what people see it as"},
         kMany,
         [](const Values& values, Target& target) -> Outcome<void> {
             auto value = jsonText(values.back(), "the label");
             if (!value) return std::unexpected(value.error());
             target.action["label"] = std::move(*value);
             return {};
         }},
        {{"priority", 'p', "N", "-100 to 100, higher first"},
         kMany,
         [](const Values& values, Target& target) {
             return setInteger(values, target.action, "priority", "--priority");
         }},
        {{"cores", 0, "N", "cores to reserve (1)"},
         kMany,
         [](const Values& values, Target& target) {
             return setAmount(values.back(), target.action, "cores", "--cores");
         }},
        {{"memory", 0, "SIZE", "memory: 500M or 2G (of 1024), 2GB (of 1000), learned"},
         kMany,
         [](const Values& values, Target& target) -> Outcome<void> {
             if (values.back() == "learned") {
                 objectIn(target.action, "resources")["memory_mb"] = "learned";
                 return {};
             }
             auto bytes = parseSize(values.back(), "--memory");
             if (!bytes) return std::unexpected(bytes.error());
             objectIn(target.action, "resources")["memory_mb"] = (*bytes + (1 << 20) - 1) >> 20;
             return {};
         }},
        {{"gpus", 0, "N", "GPUs to reserve"},
         kMany,
         [](const Values& values, Target& target) {
             return setAmount(values.back(), target.action, "gpus", "--gpus");
         }},
        {{"gpu-memory", 0, "SIZE", "memory to reserve of each of its GPUs"},
         kMany,
         [](const Values& values, Target& target) -> Outcome<void> {
             auto bytes = parseSize(values.back(), "--gpu-memory");
             if (!bytes) return std::unexpected(bytes.error());
             objectIn(target.action, "resources")[kGpuMemory] = (*bytes + (1 << 20) - 1) >> 20;
             return {};
         }},
        {{"resource", 0, "NAME=N", "another resource to reserve; may be repeated"},
         kMany,
         [](const Values& values, Target& target) -> Outcome<void> {
             for (const std::string& word : values) {
                 auto parts = inTwo(word, "--resource wants NAME=N");
                 if (!parts) return std::unexpected(parts.error());
                 if (auto set = setAmount(parts->second, target.action, parts->first, "--resource"); !set)
                     return set;
             }
             return {};
         }},
        {{"machine", 0, "NAME", "run it there: a machine's name, tag:NAME, local or any; may be repeated"},
         kAll,
         [](const Values& values, Target& target) { return setMachines(values, target.action); },
         "machine"},
        {{"platform", 0, "NAME", "on a machine of this kind, as linux-x86_64"},
         kTakers,
         [](const Values& values, Target& target) -> Outcome<void> {
             auto value = jsonText(values.back(), "the platform");
             if (!value) return std::unexpected(value.error());
             target.action["platform"] = std::move(*value);
             return {};
         }},
        {{"lock", 0, "NAME", "run while holding this lock; may be repeated"},
         kMany,
         [](const Values& values, Target& target) {
             return addTexts(values, target.action, "locks", "the name of a lock");
         }},
        {{"deadline", 0, "TIME",
          "end it after 90, 90s, 10min, 2h; else as the queue or the setting deadline_s says"},
         kAll,
         [](const Values& values, Target& target) -> Outcome<void> {
             auto seconds = parseDuration(values.back());
             if (!seconds) return std::unexpected(seconds.error());
             target.action["deadline_s"] = *seconds;
             return {};
         },
         "deadline_s"},
        {{"after", 0, "LSN[:on]", "run once this action is completed, or :failed, or :any; may be repeated"},
         kMany,
         addPredecessors},
        {{"at", 0, "TIME", "not before 22:30, +10m, 'tomorrow 09:45', 'YYYY-MM-DD 09:45'"},
         kMany,
         [](const Values& values, Target& target) -> Outcome<void> {
             auto moment = parseComing(values.back(), wallNow());
             if (!moment) return std::unexpected(moment.error());
             target.action["not_before"] = *moment;
             return {};
         }},
        {{"array", 0, "A-B", "once for each index, which is {index} in the command and $YARD_INDEX"},
         kTakers,
         setArray},
        {{"input", 0, "NAME=FILE", "a file it finds as inputs/NAME in $YARD_SCRATCH; may be repeated"},
         kTakers,
         addInputs},
        {{"expect", 0, "NAME", "an output it must leave as outputs/NAME in $YARD_SCRATCH; may be repeated"},
         kTakers,
         [](const Values& values, Target& target) {
             return addTexts(values, target.action, "expect", "the name of an output");
         }},
        {{"out", 'o', "DIR", "save the outputs into DIR/LSN/, checked against their hashes"}, kTakers},
        {{"sandbox", 0, "", "run it in a sandbox"},
         kMany,
         [](const Values&, Target& target) -> Outcome<void> {
             target.action["sandbox"] = true;
             return {};
         }},
        {{"retries", 0, "N", "try a failure again so often"},
         kAll,
         [](const Values& values, Target& target) {
             return setInteger(values, target.action, "max_retries", "--retries");
         },
         "max_retries"},
        {{"interruptions", 0, "N", "begin it again so often when an engine that ends, or the like, ended it"},
         kAll,
         [](const Values& values, Target& target) {
             return setInteger(values, target.action, "max_interruptions", "--interruptions");
         },
         "max_interruptions"},
        {{"jobserver", 0, "KIND", "make, cargo and ninja in it share free cores: pipe, fifo (ninja), or off"},
         kAll,
         [](const Values& values, Target& target) { return setJobserver(values.back(), target.action); },
         "jobserver"},
        {{"hold", 0, "", "submit it held: it starts when released"},
         kMany,
         [](const Values&, Target& target) -> Outcome<void> {
             target.action["hold"] = true;
             return {};
         }},
        {{"env-from", 0, "FILE", "set variables from lines of K=V; may be repeated"}, kMany, setVariablesFrom},
        {{"env", 'e', "K=V", "set a variable; K alone takes it from here; may be repeated"}, kMany, setVariables},
        {{"clean-env", 0, "", "with the engine's environment instead of the one here"}, kRun | kMap},
        {{"command", 'c', "LINE", "a line for the shell instead of a program and its arguments"}, kRun},
        {{"cwd", 'C', "DIR", "run it there instead of the current directory"}, kRun | kMap},
        {{"stdin", 0, "FILE", "what it reads, up to 64 MiB; - is the one here, read anyway when it is no terminal"},
         kRun},
        {{"tty", 't', "", "give it a terminal, and this one to type and to see"}, kRun},
        {{"progress", 0, "", "at a terminal: how far it says that it is, and when it is expected to end"}, kRun},
        {{"pool", 0, "N", "one of at most N at once: in a queue for that, which is made when there is none"}, kRun},
        {{"detach", 'd', "", "print its LSN, of map the number of its queue, and leave"}, kRun | kMap},
        {notifyOption(), kRun | kMap},
    };
    return all;
}

const Option& named(std::string_view name) {
    return std::ranges::find_if(table(), [&](const WorkOption& o) { return o.option.name == name; })->option;
}

} // namespace

const Option& queueOption() {
    return named("queue");
}

const Option& notifyOption() {
    static const Option option{"notify", 0, "", "say on the desktop when it is over, else ring the bell"};
    return option;
}

const Option& nextProgressOption() {
    static const Option option{"progress", 0, "", "at a terminal: how far the one is whose end comes next"};
    return option;
}

const Option& outOption() {
    return named("out");
}

std::vector<Option> workOptions(Work command) {
    std::vector<Option> out;
    for (const WorkOption& option : table())
        if (option.commands & std::to_underlying(command)) out.push_back(option.option);
    return out;
}

bool saysWork(const Arguments& arguments) {
    return std::ranges::any_of(
        table(), [&](const WorkOption& option) { return option.apply && arguments.has(option.option.name); });
}

Outcome<void> applyWork(const Arguments& arguments, json::object& action, ChunkSource& files) {
    Target target{action, files};
    for (const WorkOption& option : table()) {
        if (!option.apply || !arguments.has(option.option.name)) continue;
        if (auto applied = option.apply(arguments.values(option.option.name), target); !applied) return applied;
    }
    return {};
}

Outcome<json::object> queueConfigOf(const Arguments& arguments) {
    json::object config;
    json::object action;
    ChunkSource none;
    Target target{action, none};
    for (const WorkOption& option : table()) {
        if (option.queueKey.empty() || !arguments.has(option.option.name)) continue;
        if (auto applied = option.apply(arguments.values(option.option.name), target); !applied)
            return std::unexpected(applied.error());
        config[option.queueKey] = std::move(action[option.queueKey]);
    }
    return config;
}

Outcome<json::string> jsonText(const std::string& bytes, std::string_view what) {
    if (isUtf8(bytes)) return json::string(bytes);
    return usageError(fmt::format("{} is not valid UTF-8: {}", what, printable(bytes)));
}

Outcome<json::array> jsonTexts(const std::vector<std::string>& list, std::string_view what) {
    json::array out;
    for (const std::string& item : list) {
        auto value = jsonText(item, what);
        if (!value) return std::unexpected(value.error());
        out.emplace_back(std::move(*value));
    }
    return out;
}

} // namespace yard::ctl
