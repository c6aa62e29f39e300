// restart.txt and always_restart.txt of a worker: whether its processes are to be replaced. Pure: what files there
// are comes in; the caller looks (on a thread that may block).
//
// The algorithm this follows restarts when restart.txt was "not seen before". Taken literally the first look of
// each start of the engine throws away what was just spawned; here the first look only remembers, because what runs
// was spawned after it, and so with the files as they are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yard::pool {

struct RestartSigns {
    std::optional<std::int64_t> restartAt; ///< when restart.txt was last changed; absent: there is none
    bool always = false;                   ///< always_restart.txt is there
};

class RestartFiles {
public:
    struct Advice {
        bool restart = false; ///< now, all processes
        bool always = false;  ///< each process serves one request
    };
    Advice look(const RestartSigns& signs);

private:
    bool looked_ = false;
    std::optional<std::int64_t> restartAt_;
    bool always_ = false;
};

/// Where the files are: `restartDir` absolute, or below `workerDir`; empty: "tmp".
std::string restartDirectory(std::string_view workerDir, std::string_view restartDir);

} // namespace yard::pool
