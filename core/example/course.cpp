#include "core/example/evening.h"
#include "core/example/example.h"
#include "core/example/plan.h"

#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace yard::example {

namespace json = boost::json;

namespace {

ErrorKind kindOf(int status) {
    switch (status) {
    case 0: return ErrorKind::Io;
    case 401: return ErrorKind::Unauthorized;
    case 403: return ErrorKind::Forbidden;
    case 404: return ErrorKind::NotFound;
    case 409: return ErrorKind::WrongState;
    case 422: return ErrorKind::Invalid;
    case 429: return ErrorKind::Busy;
    case 503: return ErrorKind::NotAccepting;
    default: return ErrorKind::Internal;
    }
}

std::optional<json::object> objectIn(std::string_view text) {
    boost::system::error_code error;
    json::value value = json::parse(text, error);
    if (error || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

} // namespace

Result<json::object> objectOf(const Answer& answer) {
    if (answer.status == 0) return yard::fail(ErrorKind::Io, answer.body);
    auto object = objectIn(answer.body);
    if (answer.status / 100 == 2) {
        if (object) return std::move(*object);
        return yard::fail(ErrorKind::Internal, "The engine's answer is no JSON: is it one of Yardmaster?");
    }
    const json::value* message = object ? object->if_contains("message") : nullptr;
    return yard::fail(kindOf(answer.status), message && message->is_string()
                                                 ? std::string(message->get_string())
                                                 : fmt::format("The engine answers {}.", answer.status));
}

void Course::Plan::first(std::vector<Step> more) {
    steps.insert(steps.begin(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void Course::Plan::advance() {
    now.reset();
    while (!steps.empty()) {
        // It may put others in front.
        const Step step = std::move(steps.front());
        steps.pop_front();
        now = step.ask(*this);
        if (!now) continue;
        steps.push_front(step);
        return;
    }
}

/// The first failure is what is told. What was made until then goes again, as far as that is possible.
void Course::Plan::fail(Error error) {
    steps.clear();
    if (failure) return;
    failure = std::move(error);
    if (!isUndoing && !own.empty() && report.outcome == Report::Outcome::Loaded) {
        isUndoing = true;
        if (hasSchedule) steps.push_back(removingSchedule());
        std::vector<Step> clearing = clearingSteps(*this);
        std::ranges::move(clearing, std::back_inserter(steps));
        if (hasWorker) steps.push_back(removingWorker());
    }
}

Course::Course(std::unique_ptr<Plan> plan)
    : plan_(std::move(plan)) {}
Course::Course(Course&&) noexcept = default;
Course& Course::operator=(Course&&) noexcept = default;
Course::~Course() = default;

Course Course::loading() {
    auto plan = std::make_unique<Plan>();
    plan->first(lookingSteps());
    plan->steps.push_back(
        {[](Plan& found) -> std::optional<Request> {
             if (!found.own.empty() && !found.isWhole) {
                 found.fail({.kind = ErrorKind::WrongState,
                             .message = "Only a part of the example is there: remove it, then load "
                                        "it again.",
                             .field = {},
                             .need = {}});
                 return std::nullopt;
             }
             found.report.outcome = found.own.empty() ? Report::Outcome::Loaded : Report::Outcome::ThereAlready;
             if (found.own.empty()) found.first(loadingSteps());
             return std::nullopt;
         },
         {}});
    plan->advance();
    return Course(std::move(plan));
}

Course Course::removing() {
    auto plan = std::make_unique<Plan>();
    plan->first(lookingSteps());
    plan->steps.push_back({[](Plan& found) -> std::optional<Request> {
                               if (found.own.empty()) return std::nullopt;
                               found.report.outcome = Report::Outcome::Removed;
                               std::vector<Step> removing{removingSchedule()};
                               std::ranges::move(clearingSteps(found), std::back_inserter(removing));
                               removing.push_back(removingWorker());
                               found.first(std::move(removing));
                               return std::nullopt;
                           },
                           {}});
    plan->advance();
    return Course(std::move(plan));
}

const Request* Course::request() const {
    return plan_->now ? &*plan_->now : nullptr;
}

void Course::answer(const Answer& answer) {
    if (!plan_->now) return;
    const Step step = std::move(plan_->steps.front());
    plan_->steps.pop_front();
    if (auto taken = step.take(*plan_, answer); !taken) plan_->fail(std::move(taken.error()));
    plan_->advance();
}

Result<Report> Course::result() const {
    if (plan_->failure) return std::unexpected(*plan_->failure);
    return plan_->report;
}

std::string sentence(const Report& report) {
    using enum Report::Outcome;
    switch (report.outcome) {
    case Loaded: return fmt::format("The example is there: {} actions in queues named example/…", report.actions);
    case ThereAlready: return "The example is there already.";
    case NotThere: return "There is no example to remove.";
    case Removed: break;
    }
    std::string text = fmt::format("The example is gone, with {} actions.", report.actions);
    if (report.keptQueues > 0)
        text += fmt::format(" {} of its queues {}, as there is other work in {}.", report.keptQueues,
                            report.keptQueues == 1 ? "stays" : "stay", report.keptQueues == 1 ? "it" : "them");
    if (report.hasKeptWorker) text += " Its worker stays, as other work waits for it.";
    return text;
}

} // namespace yard::example
