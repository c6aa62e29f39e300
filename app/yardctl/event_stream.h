// What an engine tells as it happens (GET events), frame by frame. Blocking; one thread. Pings are answered while a
// frame is waited for.
#pragma once

#include "app/yardctl/engine.h"
#include "core/base/error.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

class EventStream {
public:
    /// Connects and asks for `watch`: the JSON of one message. Errors of the connection, or the engine's own.
    static Result<std::unique_ptr<EventStream>> open(const Location& location, std::string_view watch);
    ~EventStream();
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;

    /// The next frame, without limit of time. Nothing: the engine ended the stream.
    Result<std::optional<std::string>> next();

private:
    struct Impl;
    explicit EventStream(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace yard::ctl
