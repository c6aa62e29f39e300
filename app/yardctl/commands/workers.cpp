// yardctl workers: list, register, show and remove workers.
#include "app/yardctl/action_view.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/worker_package.h"

#include <fmt/format.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kShortId = 12;

Outcome<json::array> allWorkers(Engine& engine) {
    auto answer = engine.get("workers/all");
    if (!answer) return failedWith(answer.error());
    const json::array* workers = arrayOf(answer->object, "workers");
    return workers ? *workers : json::array();
}

std::string nameOf(const json::object& worker) {
    return printable(fmt::format("{}@{}", textOf(worker, "name"), textOf(worker, "version")));
}

/// The id of the one worker that a person means: an id, its beginning, NAME or NAME@VERSION.
Outcome<std::string> resolveWorker(Engine& engine, const std::string& word) {
    if (Hash256::fromHex(word)) return word;
    auto workers = allWorkers(engine);
    if (!workers) return std::unexpected(workers.error());
    std::vector<std::string> ids;
    std::string matches;
    for (const json::value& value : *workers) {
        const json::object* w = value.if_object();
        if (!w) continue;
        const std::string_view id = textOf(*w, "id");
        if (!id.starts_with(word) && textOf(*w, "name") != word && nameOf(*w) != word) continue;
        ids.emplace_back(id);
        matches += fmt::format("{}{} ({})", matches.empty() ? "" : ", ", id.substr(0, kShortId), nameOf(*w));
    }
    if (ids.size() == 1) return ids.front();
    if (ids.empty())
        return failed(fmt::format("there is no worker '{}'; 'yardctl workers' lists them", printable(word)));
    return failed(
        fmt::format("'{}' means more than one worker: {}; give more of the id", printable(word), matches));
}

std::string functionsOf(const json::object& worker) {
    std::string out;
    const json::array* functions = arrayOf(worker, "functions");
    if (!functions) return out;
    for (const json::value& value : *functions)
        if (const json::object* f = value.if_object())
            out += fmt::format("{}{}", out.empty() ? "" : ", ", printable(textOf(*f, "name")));
    return out;
}

Outcome<int> listWorkers(const Invocation& invocation) {
    auto workers = allWorkers(invocation.engine);
    if (!workers) return std::unexpected(workers.error());
    Table table({{"ID"},
                 {"WORKER", false, 12},
                 {"MODE", false, kWhole, 2},
                 {"PLATFORM", false, kWhole, 1},
                 {"FUNCTIONS", false, 12}});
    for (const json::value& value : *workers) {
        const json::object* w = value.if_object();
        if (!w) continue;
        const std::string_view mode = textOf(*w, "mode");
        if (invocation.json)
            fmt::print("{}\n", compactJson(*w));
        else
            table.add({printable(textOf(*w, "id").substr(0, kShortId)), nameOf(*w),
                       mode.empty() ? "process" : printable(mode), printable(textOf(*w, "platform")),
                       functionsOf(*w)});
    }
    if (invocation.json) return 0;
    if (table.empty())
        fmt::print(stderr, "No worker is registered; 'yardctl workers add PATH' registers one.\n");
    else
        fmt::print("{}", table.text(terminalWidth()));
    return 0;
}

Outcome<int> add(const Invocation& invocation, const std::string& path) {
    auto package = openWorkerPackage(path);
    if (!package) return std::unexpected(package.error());
    const std::string id = package->worker.id.hex();
    const Call call{.method = "POST",
                    .path = "workers/" + id,
                    .body = package->worker.canonical,
                    .silence = std::chrono::seconds(60)};
    auto answer = postWithChunks(invocation.engine, call, package->files);
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    const WorkerDescriptor& worker = *package->worker.descriptor;
    fmt::print("{}@{} is registered as {}\n", worker.name, worker.version, id);
    if (package->files.sentFiles() > 0)
        fmt::print(stderr, "{} {} sent, {}\n", package->files.sentFiles(),
                   package->files.sentFiles() == 1 ? "file" : "files", sizeWords(package->files.sentBytes()));
    return 0;
}

Outcome<int> showWorker(const Invocation& invocation, const std::string& word) {
    auto id = resolveWorker(invocation.engine, word);
    if (!id) return std::unexpected(id.error());
    auto answer = invocation.engine.get("workers/" + *id);
    if (!answer) return failedWith(answer.error());
    if (invocation.json) {
        fmt::print("{}\n", answer->text);
        return 0;
    }
    fmt::print("{:<12} {}\n", "id", *id);
    for (const auto& [key, value] : answer->object) {
        if (key == "files" || key == "id") continue;
        fmt::print("{:<12} {}\n", printable(key),
                   printable(value.is_string() ? std::string(value.get_string()) : compactJson(value)));
    }
    const json::array* files = arrayOf(answer->object, "files");
    if (!files) return 0;
    fmt::print("files\n");
    for (const json::value& value : *files)
        if (const json::object* f = value.if_object())
            fmt::print(
                "  {:>9}  {}  {}\n",
                sizeWords(static_cast<std::uint64_t>(std::max<std::int64_t>(integerOf(*f, "size").value_or(0), 0))),
                printable(textOf(*f, "mode")), printable(textOf(*f, "path")));
    return 0;
}

Outcome<int> removeWorker(const Invocation& invocation, const std::string& word) {
    auto id = resolveWorker(invocation.engine, word);
    if (!id) return std::unexpected(id.error());
    auto answer = invocation.engine.call({.method = "DELETE",
                                          .path = "workers/" + *id,
                                          .body = invocation.arguments.has("force") ? "{\"force\":true}" : ""});
    if (!answer) return failedWith(answer.error());
    fmt::print("{}\n", invocation.json ? answer->text : fmt::format("{} is removed", id->substr(0, kShortId)));
    return 0;
}

Outcome<int> workersCommand(const Invocation& invocation) {
    const auto& words = invocation.arguments.operands();
    if (words.empty()) return listWorkers(invocation);
    const std::string& verb = words.front();
    if (verb != "add" && verb != "show" && verb != "remove")
        return usageError(fmt::format("'workers' cannot '{}'; it knows add, show and remove", printable(verb)));
    if (words.size() < 2)
        return usageError(
            fmt::format("something is missing: yardctl workers {} {}", verb, verb == "add" ? "PATH" : "ID"));
    if (verb == "add") return add(invocation, words[1]);
    if (verb == "show") return showWorker(invocation, words[1]);
    return removeWorker(invocation, words[1]);
}

} // namespace

Command workersRow() {
    return {.name = "workers",
            .usage = "[add PATH | show ID | remove ID]",
            .summary = "list, register, show and remove workers",
            .details =
                "PATH is a descriptor, or a directory with one named worker.json. Files are found relative to "
                "it; hashes, sizes and modes that the descriptor leaves out are filled in, and without "
                "\"files\" it is every file of the directory whose name does not begin with a dot. Only what "
                "the engine lacks is sent. ID is an id, the beginning of one, NAME or NAME@VERSION.",
            .examples = "yardctl workers\n"
                        "yardctl workers add ./thumbnailer\n"
                        "yardctl workers show thumbnailer@1.2.0",
            .options = {{"force", 0, "", "remove: also cancel its pending and running actions"}},
            .maxOperands = 2,
            .function = workersCommand};
}

} // namespace yard::ctl
