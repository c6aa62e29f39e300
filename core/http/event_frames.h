// What is sent to watchers and understood from them (docs/events.md): frames as JSON text. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/engine/state/watch.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

/// Where a watcher was in an earlier connection: "<run_id>.<seq>".
struct Since {
    std::string runId;
    std::uint64_t seq = 0;
};
/// Invalid for anything else.
Result<Since> parseSince(std::string_view text);

/// A message of a watcher: {"watch":{"lsns":[…]}}, {"watch":{"filter":"…"}}, {"watch":{"finished":true}},
/// {"watch":{"objects":"…"}}, or {"watch":{}} for nothing at all. Malformed, Invalid naming the member.
Result<engine::Watch> parseWatch(std::string_view text);

/// The first frame.
std::string helloFrame(const engine::SessionView& session, std::uint64_t seq, bool resumed);
/// {"resync":true,…}: something was missed.
std::string resyncFrame(std::uint64_t seq);
std::string errorFrame(const Error& error);

/// Writes frames from one answer of the engine; each value becomes text once, however many frames it is in.
class FrameWriter {
public:
    /// `collected` outlives it. `machines`, `allocators`, `types`: all of them as JSON, where an update tells of them.
    explicit FrameWriter(const engine::WatchedChanges& collected, std::string machines = {}, std::string types = {},
                         std::string allocators = {})
        : collected_(collected)
        , machines_(std::move(machines))
        , allocators_(std::move(allocators))
        , types_(std::move(types)) {}

    struct Options {
        bool everything = false;                  ///< it begins again
        bool allRows = false;                     ///< its actions are all there are
        const engine::Watch* confirmed = nullptr; ///< says what is watched from now on
        bool alerts = false;                      ///< the watcher wants to hear of alerts
        /// It watches objects: `rows` and `goneRows` of the update are numbers of these, and this has their JSON.
        const std::map<Lsn, std::string>* objects = nullptr;
    };
    /// Empty when there is nothing to tell.
    std::string frame(const engine::WatchUpdate& update, const Options& options);

private:
    const std::string& row(Lsn lsn);
    const std::string& queue(QueueId id);
    const engine::WatchedChanges& collected_;
    const std::string machines_;
    const std::string allocators_;
    const std::string types_;
    std::map<Lsn, std::string> rows_;
    std::map<QueueId, std::string> queues_;
};

} // namespace yard::http
