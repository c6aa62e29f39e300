#include "app/yardmaster/example_loading.h"

#include "core/coro/suspend.h"
#include "core/example/example.h"

#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace yard::app {

namespace {

coro::Task<void> load(std::shared_ptr<const ConsoleDoor> door) {
    example::Course course = example::Course::loading();
    while (const example::Request* next = course.request()) {
        const example::Request request = *next;
        if (request.pause.count() > 0) co_await coro::sleepFor(request.pause);
        const console::ApiAnswer answer = co_await askAsOwner(
            *door, {.method = request.method, .path = request.path, .body = request.body}, request.isChunk);
        course.answer({.status = answer.status, .body = answer.body});
    }
    const auto report = course.result();
    std::fputs(fmt::format("yardmaster: {}\n", report ? example::sentence(*report)
                                                      : "the example cannot be loaded: " + report.error().message)
                   .c_str(),
               stderr);
}

} // namespace

void beginExample(ConsoleDoor door) {
    http::Server& server = door.server;
    server.spawn("example", [shared = std::make_shared<const ConsoleDoor>(std::move(door))]() mutable {
        return load(std::move(shared));
    });
}

} // namespace yard::app
