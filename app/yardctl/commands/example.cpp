// yardctl example: work to look at, loaded and taken away again.
#include "core/example/example.h"

#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/files.h"
#include "core/base/unique_fd.h"

#include <cerrno>
#include <fmt/format.h>
#include <sys/mman.h>
#include <thread>

namespace yard::ctl {

namespace {

/// The bytes of a chunk go by a descriptor.
Result<Answer> sendChunk(Engine& engine, const example::Request& request) {
    const UniqueFd file(::memfd_create("chunk", MFD_CLOEXEC));
    if (!file) return failErrno("cannot make a file in memory", errno);
    if (auto written = writeAll(file.get(), request.body); !written) return std::unexpected(written.error());
    if (auto put = engine.putFile(request.path, file.get(), request.body.size()); !put)
        return std::unexpected(put.error());
    return Answer{.text = "{}", .object = {}};
}

/// As the engine's status would be: the course knows these apart.
int statusOf(const Error& error) {
    switch (error.kind) {
    case ErrorKind::Io: return 0;
    case ErrorKind::NotFound: return 404;
    case ErrorKind::Forbidden: return 403;
    case ErrorKind::WrongState:
    case ErrorKind::AtLimit: return 409;
    default: return 500;
    }
}

example::Answer exampleAnswer(Engine& engine, const example::Request& request) {
    std::this_thread::sleep_for(request.pause);
    const auto answer = request.isChunk
                            ? sendChunk(engine, request)
                            : engine.call({.method = request.method, .path = request.path, .body = request.body});
    if (answer) return {.status = 200, .body = answer->text};
    const int status = engine.wasReached() ? statusOf(answer.error()) : 0;
    if (status == 0) return {.status = 0, .body = answer.error().message};
    return {.status = status, .body = json::serialize(json::object{{"message", answer.error().message}})};
}

Outcome<int> exampleCommand(const Invocation& invocation) {
    const std::string& verb = invocation.arguments.operands().front();
    if (verb != "load" && verb != "remove")
        return usageError(fmt::format("'{}' is neither load nor remove", printable(verb)));
    example::Course course = verb == "load" ? example::Course::loading() : example::Course::removing();
    while (const example::Request* request = course.request())
        course.answer(exampleAnswer(invocation.engine, *request));
    const auto report = course.result();
    if (!report) return failedWith(report.error());
    if (invocation.json)
        fmt::print("{}\n", json::serialize(json::object{{"actions", report->actions},
                                                        {"kept_queues", report->keptQueues},
                                                        {"kept_worker", report->hasKeptWorker}}));
    else
        fmt::print("{}\n", example::sentence(*report));
    return 0;
}

} // namespace

Command exampleRow() {
    return {.name = "example",
            .usage = "load|remove",
            .summary = "work to look at, and away with it again",
            .details =
                "'load' makes five queues whose names begin with example/, a warm worker, a schedule and some "
                "300 actions, so that each list and each page of the window has something to show. Loaded "
                "twice it is there once. 'remove' takes exactly that away, also while it runs: a queue that "
                "has other work in it stays. Both need the right operate.",
            .examples = "yardctl example load\n"
                        "yardctl example remove",
            .options = {},
            .minOperands = 1,
            .maxOperands = 1,
            .function = exampleCommand};
}

} // namespace yard::ctl
