// The link of an engine that another one started here by ssh (--link-stdio): frames over stdin and stdout, after a line from
// each side (core/base/stdio_link.h). Everything else that the program prints goes to stderr.
//
// Owner: main. Lifetime: a StdioLink outlives Engine::close(), so that the other side hears that this one leaves.
#pragma once

#include "core/base/error.h"
#include "core/base/unique_fd.h"

#include <chrono>
#include <string>
#include <thread>

namespace yard::engine {
class Engine;
}

namespace yard::app {

/// The standard streams, taken from the rest of the program, and who is at the other end.
struct StdioEnds {
    UniqueFd in;
    UniqueFd out;
    std::string key; ///< of that engine
    /// What the directory of its guests is called here: two engines do not share one.
    std::string directory() const;
};

/// Before anything else is printed or started. Reads the other side's line from `in`. Io; Invalid: what is there does not
/// speak so, or says nothing in time.
Result<StdioEnds> takeStdio(std::chrono::milliseconds limit);
/// The same of any descriptors, which become non-blocking. For takeStdio() and its test.
Result<StdioEnds> greetedEnds(UniqueFd in, UniqueFd out, std::chrono::milliseconds limit);

class StdioLink {
public:
    /// Has the engine work for who is there, and says so. Not ok(): it does not.
    StdioLink(engine::Engine& engine, StdioEnds ends);
    StdioLink(const StdioLink&) = delete;
    StdioLink& operator=(const StdioLink&) = delete;
    ~StdioLink();
    bool ok() const { return isUp_; }
    /// Readable once either side has ended it.
    int fd() const { return over_.get(); }

private:
    StdioEnds ends_;
    UniqueFd inner_; ///< the engine has the other end
    UniqueFd over_;
    UniqueFd stop_;
    bool isUp_ = false;
    std::jthread up_;
    std::jthread down_;
};

} // namespace yard::app
