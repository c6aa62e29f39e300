#include "app/yardctl/map/map_options.h"

#include "app/yardctl/format.h"
#include "app/yardctl/work_options.h"
#include "core/base/environment.h"
#include "core/model/action_spec.h"
#include "core/model/limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kUsualBlock = 1u << 20;

const std::vector<Option>& ownMapOptions() {
    static const std::vector<Option> options = {
        {"jobs", 'j', "N", "so many at once; N% of the cores, +N more, -N less, 0 as many as can be"},
        {"max-procs", 'P', "N", "the same as --jobs"},
        {"arg-file", 'a', "FILE", "values are its lines, - is stdin; may be repeated"},
        {"null", '0', "", "values end with a byte 0 instead of a line feed"},
        {"colsep", 0, "REGEX", "split values into columns: {1}, {2}; \\t, or an extended regular expression"},
        {"header", 0, "WHAT",
         "the first value of each source is its name: {name}; of --pipe so many lines, : is 1"},
        {"trim", 0, "HOW", "take white space from values: l, r, lr or n (columns: lr)"},
        {"arg-sep", 0, "STR", "STR in place of :::"},
        {"arg-file-sep", 0, "STR", "STR in place of ::::"},
        {"max-args", 'n', "N", "N values for each job; 0: one, which is left out"},
        {"max-replace-args", 'N', "N", "the same as --max-args"},
        {"replace", 'I', "STR", "the value in place of STR instead of {}"},
        {"plus", 0, "", "more of them: {..} {+/} {+.} {##} {0#} {:2:3} {%END} {/FROM/TO} and others"},
        {"quote", 'q', "", "each word is one for the shell, whatever stands in it"},
        {"context-replace", 'X', "", "as many values as fit, each in its word: p{}q is p1q p2q"},
        {"keep-order", 'k', "", "output in the order of the values"},
        {"tag", 0, "", "the values before each line of output"},
        {"line-buffer", 0, "", "lines as they are written instead of each job's at its end"},
        {"ungroup", 'u', "", "as --line-buffer, and the job log counts no output"},
        {"no-run-if-empty", 'r', "", "pass over values of white space alone; of no values there is no job anyway"},
        {"bar", 0, "", "show how far it is, on stderr"},
        {"eta", 0, "", "the same: --bar says when it ends"},
        {"progress", 0, "", "the same as --bar"},
        {"joblog", 0, "FILE", "a line for each job that ended, as parallel writes it"},
        {"resume", 0, "", "go on from the job log: none runs twice"},
        {"resume-failed", 0, "", "the same, and those that failed again"},
        {"halt", 0, "WHEN,WHY=N", "soon or now, after fail, success or done of N jobs or N%"},
        {"delay", 0, "TIME", "begin a job so much after the one before, at least; 200ms, 3s"},
        {"timeout", 0, "TIME", "end a job after 30s, or after 200% of what half of them take"},
        {"results", 0, "DIR", "stdout and stderr into files, DIR/1/VALUE/stdout, instead of here"},
        {"dry-run", 0, "", "print the commands, run nothing"},
        {"shuf", 0, "", "in random order"},
        {"pipe", 0, "", "each job reads a piece of stdin, whole lines"},
        {"block", 0, "SIZE", "of a piece (1M)"},
    };
    return options;
}

bool isSourceMark(std::string_view word, const SourceMarks& marks) {
    const auto isOf = [&](const std::string& mark) { return word == mark || word == mark + '+'; };
    return isOf(marks.values) || isOf(marks.files);
}

Outcome<SourceMarks> marksOf(const Arguments& arguments) {
    SourceMarks out;
    out.values = arguments.value("arg-sep").value_or(out.values);
    out.files = arguments.value("arg-file-sep").value_or(out.files);
    for (const auto* option : {"arg-sep", "arg-file-sep"})
        if (arguments.value(option) == "")
            return usageError(fmt::format("--{} wants a word, such as , or --values", option));
    if (out.values == out.files || out.values + '+' == out.files || out.files + '+' == out.values)
        return usageError("--arg-sep and --arg-file-sep want two words, and not one with + behind for the other");
    return out;
}

/// --header, --trim and --delay.
Outcome<void> readShape(const Arguments& arguments, MapOptions& out) {
    if (const auto text = arguments.value("trim")) {
        constexpr std::array<std::pair<std::string_view, Trim>, 5> kTrims{
            {{"n", Trim::None}, {"l", Trim::Left}, {"r", Trim::Right}, {"lr", Trim::Both}, {"rl", Trim::Both}}};
        const auto* found = std::ranges::find(kTrims, *text, &std::pair<std::string_view, Trim>::first);
        if (found == kTrims.end())
            return usageError(fmt::format("--trim wants l, r, lr or n, not '{}'", printable(*text)));
        out.trim = found->second;
    }
    if (const auto text = arguments.value("header"); text && *text != "0") {
        constexpr std::int64_t kMostLines = 1'000;
        const auto lines = *text == ":" ? Outcome<std::int64_t>(1) : parseInteger(*text, "--header");
        if (!lines || *lines < 1 || *lines > kMostLines)
            return usageError(fmt::format("--header wants : or a number of lines up to {}, not '{}'", kMostLines,
                                          printable(*text)));
        out.hasHeader = !out.block;
        out.headLines = out.block ? static_cast<std::size_t>(*lines) : 0;
    }
    if (const auto text = arguments.value("delay")) {
        auto seconds = parseDuration(*text);
        if (!seconds) return std::unexpected(seconds.error());
        constexpr double kMostDelay = 86'400;
        if (*seconds > kMostDelay)
            return usageError(fmt::format("--delay wants a time up to a day, not {}", printable(*text)));
        out.delaySeconds = *seconds;
    }
    return {};
}

Outcome<std::int64_t> wholeNumber(const std::string& text, std::string_view option, std::int64_t least) {
    auto number = parseInteger(text, option);
    if (!number) return number;
    if (*number < least)
        return usageError(fmt::format("{} wants a number of {} or more, not {}", option, least, text));
    return number;
}

Outcome<void> readTimeout(const Arguments& arguments, MapOptions& out) {
    const auto text = arguments.value("timeout");
    if (!text) return {};
    if (!text->ends_with('%')) {
        auto seconds = parseDuration(*text);
        if (!seconds) return std::unexpected(seconds.error());
        if (*seconds <= 0 || *seconds > kMaxSeconds)
            return usageError(fmt::format("--timeout wants a time over 0 and up to ten years, not {}", *text));
        out.timeoutSeconds = *seconds;
        return {};
    }
    auto percent = parseAmount(text->substr(0, text->size() - 1), "--timeout");
    if (!percent) return std::unexpected(percent.error());
    if (*percent <= 0) return usageError("--timeout wants a percentage over 0");
    out.timeoutPercent = *percent;
    return {};
}

Outcome<void> readNumbers(const Arguments& arguments, MapOptions& out) {
    for (const auto* option : {"max-args", "max-replace-args"}) {
        const auto text = arguments.value(option);
        if (!text) continue;
        auto number = wholeNumber(*text, fmt::format("--{}", option), 0);
        if (!number) return std::unexpected(number.error());
        out.leavesOut = *number == 0;
        out.records = static_cast<std::size_t>(std::clamp<std::int64_t>(*number, 1, kMaxArguments));
    }
    if (const auto text = arguments.value("halt")) {
        auto halt = HaltPolicy::parse(*text);
        if (!halt) return std::unexpected(halt.error());
        out.halt = *halt;
    }
    if (arguments.has("pipe")) out.block = kUsualBlock;
    if (const auto text = arguments.value("block")) {
        if (!out.block) return usageError("--block goes with --pipe");
        auto size = blockSize(*text);
        if (!size) return std::unexpected(size.error());
        out.block = *size;
    }
    if (out.jobs)
        if (auto number = jobsAtOnce(*out.jobs, 1); !number) return std::unexpected(number.error());
    return readTimeout(arguments, out);
}

/// The engine would refuse these only with the first job.
Outcome<void> checkAmounts(const Arguments& arguments) {
    struct Bounds {
        std::string_view option;
        std::int64_t least;
        std::int64_t most;
    };
    constexpr std::array<Bounds, 3> kBounds{{{"retries", 0, kMaxRetryLimit},
                                             {"interruptions", 0, kMaxRetryLimit},
                                             {"priority", -kMaxPriority, kMaxPriority}}};
    for (const Bounds& bounds : kBounds) {
        const auto text = arguments.value(bounds.option);
        if (!text) continue;
        const auto number = parseInteger(*text, fmt::format("--{}", bounds.option));
        if (!number) return std::unexpected(number.error());
        if (*number < bounds.least || *number > bounds.most)
            return usageError(fmt::format("--{} wants a number from {} to {}, not {}", bounds.option, bounds.least,
                                          bounds.most, *number));
    }
    if (const auto text = arguments.value("cores")) {
        const auto cores = parseAmount(*text, "--cores");
        if (!cores) return std::unexpected(cores.error());
        if (*cores <= 0) return usageError("--cores wants a number over 0");
    }
    if (const auto text = arguments.value("deadline")) {
        const auto seconds = parseDuration(*text);
        if (!seconds) return std::unexpected(seconds.error());
        if (*seconds <= 0) return usageError(fmt::format("--deadline wants a time over 0, not {}", *text));
    }
    return {};
}

Outcome<void> checkTogether(const Arguments& arguments, const MapOptions& out) {
    const bool resumes = out.resumes || out.resumesFailed;
    if (resumes && !out.jobLog) return usageError("--resume goes on from a job log: name it with --joblog");
    if (resumes && out.shuffles)
        return usageError("--resume and --shuf do not go together: jobs have other numbers");
    if (out.block && (!out.sources.empty() || out.isContext || out.shuffles))
        return usageError("--pipe reads stdin: values, -X and --shuf do not go with it");
    if (out.whole.empty() || out.whole.contains(' '))
        return usageError("--replace wants a text without spaces, such as % or ,,");
    if (out.block && out.words.empty()) return usageError("--pipe wants a command that reads its stdin");
    if (out.timeoutSeconds && arguments.has("deadline"))
        return usageError("--timeout and --deadline are the same here: give one");
    for (const auto* option : {"results", "tag", "keep-order", "line-buffer", "ungroup", "bar", "progress",
                               "notify", "delay", "timeout"}) {
        const bool isPercent = std::string_view(option) != "timeout" || out.timeoutPercent.has_value();
        if (out.detaches && arguments.has(option) && isPercent)
            return usageError(
                fmt::format("--{} and --detach do not go together: nobody waits for the ends", option));
    }
    if (out.detaches && !out.halt.isNever() && !out.halt.stopsAfterFailures())
        return usageError("--halt and --detach go together with fail=N alone: nobody waits for the ends");
    if (out.results && out.results->contains('{'))
        return usageError("--results wants a directory; replacement strings in it are not known here");
    if (out.leavesOut && (out.isContext || out.results || out.words.empty()))
        return usageError(fmt::format("--max-args 0 leaves the values out: {}",
                                      out.isContext ? "nothing is left for --context-replace"
                                      : out.results ? "--results has no names for what it keeps"
                                                    : "name the command"));
    if (out.byLine && out.keepsOrder)
        return usageError("--line-buffer and --keep-order do not go together here: lines come as they are written");
    return {};
}

} // namespace

std::vector<Option> mapOptions() {
    std::vector<Option> out = ownMapOptions();
    for (const Option& option : workOptions(Work::Map)) out.push_back(option);
    return out;
}

Outcome<void> readSources(const std::vector<std::string>& operands, MapOptions& out, const SourceMarks& marks) {
    std::size_t at = 0;
    while (at < operands.size() && !isSourceMark(operands[at], marks)) out.words.push_back(operands[at++]);
    while (at < operands.size()) {
        const std::string& mark = operands[at];
        const bool isFile = mark == marks.files || mark == marks.files + '+';
        const bool isLinked = mark.size() > (isFile ? marks.files : marks.values).size();
        std::vector<std::string> words;
        ++at;
        while (at < operands.size() && !isSourceMark(operands[at], marks)) words.push_back(operands[at++]);
        if (isLinked && out.sources.empty())
            return usageError(fmt::format("{} links to the source before it, and there is none", mark));
        if (!isFile) {
            out.sources.push_back({.isLinked = isLinked, .values = std::move(words)});
            continue;
        }
        if (words.empty()) return usageError(fmt::format("{} wants a file", mark));
        for (std::string& path : words)
            out.sources.push_back({.isFile = true, .isLinked = isLinked, .path = std::move(path)});
    }
    return {};
}

Outcome<MapOptions> mapOptionsOf(const Arguments& arguments) {
    MapOptions out;
    for (const std::string& path : arguments.values("arg-file"))
        out.sources.push_back({.isFile = true, .path = path});
    const auto marks = marksOf(arguments);
    if (!marks) return std::unexpected(marks.error());
    if (auto read = readSources(arguments.operands(), out, *marks); !read) return std::unexpected(read.error());
    out.separator = arguments.has("null") ? '\0' : '\n';
    out.columns = arguments.value("colsep").value_or("");
    if (auto fine = checkColumns(out.columns); !fine) return std::unexpected(fine.error());
    out.isContext = arguments.has("context-replace");
    out.hasPlus = arguments.has("plus");
    out.isQuoted = arguments.has("quote");
    out.shuffles = arguments.has("shuf");
    out.keepsOrder = arguments.has("keep-order");
    out.tags = arguments.has("tag");
    out.isUngrouped = arguments.has("ungroup");
    out.byLine = arguments.has("line-buffer") || out.isUngrouped;
    out.skipsBlank = arguments.has("no-run-if-empty");
    out.showsBar = arguments.has("bar") || arguments.has("eta") || arguments.has("progress");
    out.isDry = arguments.has("dry-run");
    out.detaches = arguments.has("detach");
    out.jobs = arguments.has("jobs") ? arguments.value("jobs") : arguments.value("max-procs");
    out.whole = arguments.value("replace").value_or(out.whole);
    out.jobLog = arguments.value("joblog");
    out.resumesFailed = arguments.has("resume-failed");
    out.resumes = arguments.has("resume") || out.resumesFailed;
    out.results = arguments.value("results");
    if (auto read = readNumbers(arguments, out); !read) return std::unexpected(read.error());
    if (auto read = readShape(arguments, out); !read) return std::unexpected(read.error());
    if (auto fine = checkAmounts(arguments); !fine) return std::unexpected(fine.error());
    if (auto fine = checkTogether(arguments, out); !fine) return std::unexpected(fine.error());
    if (!out.block && out.sources.empty()) out.sources.push_back({.isFile = true, .path = "-"});
    return out;
}

Outcome<std::int64_t> jobsAtOnce(const std::string& text, std::int64_t cores) {
    const auto wrong =
        usageError(fmt::format("--jobs wants a number, or N%, +N or -N of the cores, not '{}'", printable(text)));
    std::string_view digits = text;
    const bool isRelative = digits.starts_with('+') || digits.starts_with('-');
    if (isRelative) digits.remove_prefix(1);
    const bool isPercent = digits.ends_with('%');
    if (isPercent) digits.remove_suffix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc{} || end != digits.data() + digits.size() || number < 0 || number > kMaxRunning)
        return wrong;
    if (!isRelative && !isPercent && number == 0) return kMaxRunning;
    if (isPercent) number = std::llround(static_cast<double>(number) * static_cast<double>(cores) / 100);
    if (text.starts_with('+')) number += cores;
    if (text.starts_with('-')) number = cores - number;
    return std::clamp<std::int64_t>(number, 1, kMaxRunning);
}

Outcome<std::size_t> blockSize(const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{{"", 1},
                                                                         {"k", 1e3},
                                                                         {"K", 1024},
                                                                         {"m", 1e6},
                                                                         {"M", 1024.0 * 1024},
                                                                         {"g", 1e9},
                                                                         {"G", 1024.0 * 1024 * 1024}}};
    const auto* found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
    const double bytes = found == kUnits.end() ? 0 : number * found->second;
    if (error != std::errc{} || !(bytes >= 1))
        return usageError(fmt::format("--block wants a size, as 10M or 4096, not '{}'", printable(text)));
    if (bytes > static_cast<double>(kMaxStdinBytes))
        return usageError(
            fmt::format("--block has {} MiB at most, as what an action is given to read", kMaxStdinBytes >> 20));
    return static_cast<std::size_t>(bytes);
}

bool isProgramHere(const std::string& name) {
    const auto isExecutable = [](const std::string& path) {
        struct stat info{};
        return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
    };
    if (name.contains('/')) return isExecutable(name);
    const std::string path = environmentOrEmpty("PATH");
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        if (end > at && isExecutable(path.substr(at, end - at) + "/" + name)) return true;
        at = end + 1;
    }
    return false;
}

} // namespace yard::ctl
