// What a course still has to ask, and what it has learnt. Steps put further ones in front of those that follow. Values of
// one Course.
#pragma once

#include "core/example/example.h"

#include <boost/json.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace yard::example {

struct Step {
    /// Nothing: there is nothing to ask, it goes on with the next step.
    std::function<std::optional<Request>(Course::Plan&)> ask;
    std::function<Result<void>(Course::Plan&, const Answer&)> take = {}; ///< gets the answer to what `ask` asks
};

struct Course::Plan {
    std::deque<Step> steps{};
    std::optional<Request> now{}; ///< of steps.front()
    std::optional<Error> failure{};
    Report report{};
    std::map<std::string, std::int64_t, std::less<>> queues{}; ///< by tag: those that were made
    std::vector<std::int64_t> own{};                           ///< its queues
    bool isUndoing = false;
    bool isWhole = false;     ///< a load of what is there came to its end
    bool hasSchedule = false; ///< this course made it
    bool hasWorker = false;
    bool workerWasThere = false; ///< before the example

    void advance();
    void fail(Error error);
    void first(std::vector<Step> more);
};

/// The object of a success; else the error that the engine tells.
Result<boost::json::object> objectOf(const Answer& answer);

/// Finds the queues of the example, and what their comments say of it.
std::vector<Step> lookingSteps();
/// Makes everything; the queues first, so that who may not is refused before anything is there.
std::vector<Step> loadingSteps();
/// Takes away what is in Plan::own, with the queues themselves.
std::vector<Step> clearingSteps(const Course::Plan& plan);
Step removingSchedule();
/// Not one that was there before the example.
Step removingWorker();

} // namespace yard::example
