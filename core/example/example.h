// The example: an evening's work to look at, put into an engine and taken out of it again, as a course of requests to its
// API. Nothing here sends: whoever has a way to the engine asks request(), sends it, and tells answer() what came, until
// there is none. So window, yardctl and yardmaster do the same. Values without threads of their own; one thread at a
// time.
//
// What is there already is not loaded again, and what is there in part is to be removed first. Removing takes away what
// the example has put there, also while it runs, and nothing else: a queue with other work in it stays, and so does the
// worker while other work waits for it. A load that fails takes away again what it has made.
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yard::example {

struct Request {
    std::string method = "GET";
    std::string path;      ///< below the prefix, with its query, encoded
    std::string body = {}; ///< JSON, or the bytes of a chunk; empty: none
    bool isChunk = false;
    std::chrono::milliseconds pause{0}; ///< to let pass before it is sent
};

struct Answer {
    int status = 0;   ///< of HTTP; 0: there was none
    std::string body; ///< of status 0: why, for people
};

struct Report {
    enum class Outcome : unsigned char { Loaded, ThereAlready, Removed, NotThere };
    Outcome outcome = Outcome::NotThere;
    std::int64_t actions = 0;   ///< that were submitted, or removed
    int keptQueues = 0;         ///< that stay, as there is other work in them
    bool hasKeptWorker = false; ///< it stays, as other work waits for it
};

/// For shells; the window has its own words.
std::string sentence(const Report& report);

class Course {
public:
    static Course loading();
    static Course removing();
    Course(Course&&) noexcept;
    Course& operator=(Course&&) noexcept;
    ~Course();

    /// Null: it is over.
    const Request* request() const;
    /// Of request(); that is another one from then on.
    void answer(const Answer& answer);
    /// Once it is over. The error is the engine's own sentence where it has refused something.
    Result<Report> result() const;

    struct Plan;

private:
    explicit Course(std::unique_ptr<Plan> plan);
    std::unique_ptr<Plan> plan_;
};

} // namespace yard::example
