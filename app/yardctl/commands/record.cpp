// yardctl record: recordings of what ends, or has ended: started, stopped, listed, fetched, brought, exported.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/commands/verbs.h"
#include "app/yardctl/format.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/whole_file.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::string_view kRecordingSuffix = ".yrec";
constexpr std::chrono::seconds kRecordingSilence{60};

using RecordWords = std::vector<std::string>;

struct RecordVerb {
    std::string_view name;
    std::size_t least; ///< words behind it
    std::size_t most;
    Outcome<int> (*run)(const Invocation&, const RecordWords&);
};

std::string recordingPath(const std::string& name, std::string_view more = {}) {
    return fmt::format("recordings/{}{}", percentEncode(name), more);
}

std::string recordingBytes(const json::object& recording) {
    return sizeWords(
        static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(recording, "bytes").value_or(0), 0)));
}

/// "3 actions missed, 2 chunks gone", or why it was cut.
std::string noteOfRecording(const json::object& recording) {
    std::string note = printable(textOf(recording, "why"));
    const auto add = [&](std::string_view key, std::string_view words) {
        const std::int64_t count = integerOf(recording, key).value_or(0);
        if (count > 0) note += fmt::format("{}{} {}", note.empty() ? "" : " ", count, words);
    };
    add("missed", "missed");
    add("chunks_gone", integerOf(recording, "chunks_gone") == 1 ? "chunk gone" : "chunks gone");
    if (note.empty()) note = printable(textOf(recording, "note"));
    return note;
}

void printRecordings(const json::array& recordings) {
    Table table({{"NAME", false, 12},
                 {"STATE", false},
                 {"ACTIONS", true},
                 {"SIZE", true},
                 {"STARTED", false, kWhole, 1},
                 {"FILTER", false, 8, 2},
                 {"NOTE", false, 8}});
    for (const json::value& value : recordings) {
        const json::object* recording = value.if_object();
        if (!recording) continue;
        const std::string_view filter = textOf(*recording, "filter");
        table.add({printable(textOf(*recording, "name")), printable(textOf(*recording, "state")),
                   countText(*recording, "actions"), recordingBytes(*recording),
                   timeWords(integerOf(*recording, "started").value_or(0), wallNow()),
                   filter.empty() ? "-" : printable(filter), noteOfRecording(*recording)});
    }
    fmt::print("{}", table.text(terminalWidth()));
}

Outcome<int> shownRecording(const Invocation& invocation, const Result<Answer>& answer) {
    if (!answer) return failedByWords(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const json::object& recording = answer->object;
    fmt::print("{}: {}, {} actions, {}\n", printable(textOf(recording, "name")),
               printable(textOf(recording, "state")), countText(recording, "actions"), recordingBytes(recording));
    if (const std::string note = noteOfRecording(recording); !note.empty()) fmt::print("{}\n", note);
    return 0;
}

Outcome<int> listRecordings(const Invocation& invocation, const RecordWords&) {
    const auto answer = invocation.engine.get("recordings");
    if (!answer) return failedWith(answer.error());
    const json::array* recordings = arrayOf(answer->object, "recordings");
    if (invocation.json)
        fmt::print("{}\n", answer->text);
    else if (!recordings || recordings->empty())
        fmt::print("There is no recording.\n");
    else
        printRecordings(*recordings);
    return 0;
}

Outcome<int> startRecording(const Invocation& invocation, const RecordWords& words) {
    const Arguments& arguments = invocation.arguments;
    json::object body{{"name", words.front()}};
    const auto filter = arguments.value("filter");
    if (arguments.has("past"))
        body["from"] = filter ? json::object{{"filter", *filter}} : json::object();
    else if (filter)
        body["filter"] = *filter;
    for (const std::string_view option : {"attachments", "note"})
        if (const auto value = arguments.value(option)) body[option] = *value;
    if (const auto most = arguments.value("max-bytes")) {
        const auto bytes = parseSize(*most, "--max-bytes");
        if (!bytes) return std::unexpected(bytes.error());
        body["max_bytes"] = *bytes;
    }
    return shownRecording(invocation, invocation.engine.post("recordings", json::serialize(body)));
}

Outcome<int> stopRecording(const Invocation& invocation, const RecordWords& words) {
    // All that had ended is written first.
    constexpr std::chrono::minutes kSlowDisk{10};
    return shownRecording(
        invocation, invocation.engine.call(
                        {.method = "POST", .path = recordingPath(words.front(), "/stop"), .silence = kSlowDisk}));
}

Outcome<int> showRecording(const Invocation& invocation, const RecordWords& words) {
    return shownRecording(invocation, invocation.engine.get(recordingPath(words.front())));
}

Outcome<int> renameRecording(const Invocation& invocation, const RecordWords& words) {
    return shownRecording(invocation,
                          invocation.engine.call({.method = "PATCH",
                                                  .path = recordingPath(words.front()),
                                                  .body = json::serialize(json::object{{"name", words.back()}})}));
}

Outcome<int> removeRecordings(const Invocation& invocation, const RecordWords& words) {
    for (const std::string& name : words)
        if (const auto removed = invocation.engine.remove(recordingPath(name)); !removed)
            return failedWith(removed.error());
    return 0;
}

Outcome<int> pullRecording(const Invocation& invocation, const RecordWords& words) {
    const std::string file = words.size() > 1 ? words.back() : fmt::format("{}{}", words.front(), kRecordingSuffix);
    auto out = WholeFile::named(file);
    if (!out) return std::unexpected(out.error());
    const auto done = invocation.engine.stream(recordingPath(words.front(), "/file"), kRecordingSilence,
                                               [&](std::string_view bytes) { return writeAll(out->fd(), bytes); });
    if (!done) return failedWith(done.error());
    if (auto finished = out->finish(); !finished) return std::unexpected(finished.error());
    if (invocation.json) fmt::print("{}\n", json::serialize(json::object{{"file", file}}));
    return 0;
}

Outcome<int> pushRecording(const Invocation& invocation, const RecordWords& words) {
    const std::string& file = words.front();
    std::string name = words.size() > 1 ? words.back() : file.substr(file.rfind('/') + 1);
    if (words.size() == 1 && name.ends_with(kRecordingSuffix)) name.resize(name.size() - kRecordingSuffix.size());
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat state{};
    if (!fd || ::fstat(fd.get(), &state) != 0)
        return failedWith(failErrno(fmt::format("cannot open {}", file), errno).error());
    if (!S_ISREG(state.st_mode)) return failed(fmt::format("{} is no file", file));
    const auto sent = invocation.engine.putFile(recordingPath(name, "/file"), fd.get(),
                                                static_cast<std::uint64_t>(state.st_size));
    if (!sent) return failedByWords(sent.error());
    return shownRecording(invocation, invocation.engine.get(recordingPath(name)));
}

Outcome<int> exportRecording(const Invocation& invocation, const RecordWords& words) {
    const auto done =
        invocation.engine.stream(recordingPath(words.front(), "/actions"), kRecordingSilence,
                                 [](std::string_view bytes) { return writeAll(STDOUT_FILENO, bytes); });
    if (!done) return failedWith(done.error());
    return 0;
}

constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
constexpr std::array<RecordVerb, 9> kRecordVerbs{{{"ls", 0, 0, listRecordings},
                                                  {"start", 1, 1, startRecording},
                                                  {"stop", 1, 1, stopRecording},
                                                  {"show", 1, 1, showRecording},
                                                  {"rename", 2, 2, renameRecording},
                                                  {"pull", 1, 2, pullRecording},
                                                  {"push", 1, 2, pushRecording},
                                                  {"rm", 1, kAnyNumber, removeRecordings},
                                                  {"export", 1, 1, exportRecording}}};

Outcome<int> recordCommand(const Invocation& invocation) {
    const RecordWords& operands = invocation.arguments.operands();
    const auto verb = verbIn(kRecordVerbs, operands);
    if (!verb) return std::unexpected(verb.error());
    const RecordVerb& row = **verb;
    const RecordWords words(operands.begin() + (operands.empty() ? 0 : 1), operands.end());
    if (words.size() < row.least)
        return usageError(fmt::format("'record {}' wants the name of a recording", row.name));
    if (words.size() > row.most) return usageError(fmt::format("'record {}' takes fewer words", row.name));
    if (row.name != "start")
        for (const std::string_view option : {"filter", "past", "attachments", "max-bytes", "note"})
            if (invocation.arguments.has(option)) return usageError(fmt::format("--{} goes with 'start'", option));
    return row.run(invocation, words);
}

} // namespace

Command recordRow() {
    return {
        .name = "record",
        .usage =
            "[ls | start NAME | stop NAME | show NAME | pull NAME [FILE] | push FILE [NAME] | rename NAME NEW | "
            "rm NAME… | export NAME]",
        .summary = "record what ends into files that can be kept and looked at",
        .details =
            "'start' records what ends from now on, with --past what has ended and is kept: each action as it was "
            "posted and as it ended, its worker, and the chunks it read and left. 'stop' returns once all that had "
            "ended is written. 'pull' fetches the file (NAME.yrec), an SQLite database; 'push' brings one to an "
            "engine, which looks at all of it first. 'export' prints the actions as lines of JSON.\n"
            "A recording ends by itself when it is as large as it may be, or the disk is nearly full; the work "
            "goes "
            "on.",
        .examples = "yardctl record start tonight --filter 'queue:nightly'\n"
                    "yardctl record stop tonight\n"
                    "yardctl record start week --past --filter 'finished>-7d label:release*'\n"
                    "yardctl record pull tonight /backup/tonight.yrec\n"
                    "yardctl record export tonight | jq .result.state",
        .options = {{"filter", 'f', "FILTER", "of 'start': only what this means"},
                    {"past", 0, "", "of 'start': what has ended"},
                    {"attachments", 0, "WHICH", "of 'start': which chunks: all (as it is without), inputs, none"},
                    {"max-bytes", 0, "SIZE", "of 'start': it ends when the file has so much (4G)"},
                    {"note", 0, "TEXT", "of 'start': a note"}},
        .function = recordCommand};
}

} // namespace yard::ctl
