#include "core/base/percent.h"
#include "core/example/evening.h"
#include "core/example/plan.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::example {

namespace json = boost::json;
using Plan = Course::Plan;

namespace {

constexpr std::chrono::milliseconds kLook{100};
/// What was cancelled has a minute to end, more than any grace by default.
constexpr int kMostLooks = 600;
/// A page without rows that goes on: the engine is still looking.
constexpr int kMostPages = 2'000;

using Take = std::function<void(Plan&, const json::object&)>;
constexpr int kNotThere = 404;
constexpr int kNotAsItIs = 409;

/// Of an answer: `take` gets the object of a success, without it any success will do. `also` is a status that is as good
/// and has nothing to take.
std::function<Result<void>(Plan&, const Answer&)> taking(Take take = {}, std::optional<int> also = {}) {
    return [take = std::move(take), also](Plan& plan, const Answer& answer) -> Result<void> {
        if (answer.status == also) return {};
        const auto object = objectOf(answer);
        if (!object) return std::unexpected(object.error());
        if (take) take(plan, *object);
        return {};
    };
}

Step asking(Request request, Take take = {}, std::optional<int> also = {}) {
    return {[request = std::move(request)](Plan&) { return std::optional(request); },
            taking(std::move(take), also)};
}

std::string_view textOf(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

std::int64_t numberOf(const json::object& object, std::string_view member) {
    const json::value* value = object.if_contains(member);
    return value && value->is_int64() ? value->get_int64() : 0;
}

const json::array& listOf(const json::object& object, std::string_view member) {
    static const json::array kNone;
    const json::value* value = object.if_contains(member);
    return value && value->is_array() ? value->get_array() : kNone;
}

Request post(std::string path, const json::value& body) {
    return {.method = "POST", .path = std::move(path), .body = json::serialize(body)};
}

Request commenting(std::string_view path, std::string_view text) {
    return post(std::string(path), json::object{{"text", text}, {"by", kAuthor}});
}

Error busy(std::string message) {
    return {.kind = ErrorKind::Busy, .message = std::move(message), .field = {}, .need = {}};
}

bool isTagged(std::string_view tag) {
    return std::ranges::any_of(queues(), [tag](const QueuePlan& plan) { return plan.tag == tag; });
}

/// Whether a queue with such a tag is the example's: its comments say so.
Step lookingAt(std::int64_t queue) {
    return asking(
        {.path = fmt::format("queues/{}/comments", queue)},
        [queue](Plan& plan, const json::object& said) {
            bool isOwn = false;
            bool isWhole = false;
            bool workerWasThere = false;
            for (const json::value& comment : listOf(said, "comments")) {
                if (!comment.is_object()) continue;
                const std::string_view text = textOf(comment.get_object(), "text");
                isOwn = (isOwn || text == kNote) && text != kLeft;
                isWhole = isWhole || text == kWhole;
                workerWasThere = workerWasThere || text == kWorkerStays;
            }
            if (!isOwn) return;
            plan.workerWasThere = plan.workerWasThere || workerWasThere;
            plan.own.push_back(queue);
            plan.isWhole = plan.isWhole || isWhole;
        },
        kNotThere); // it went meanwhile
}

Step makingQueue(const QueuePlan& queue) {
    return asking(post("queues", json::object{{"tag", queue.tag}, {"config", queue.config}}),
                  [queue](Plan& plan, const json::object& said) {
                      const std::int64_t id = numberOf(said, "queue_id");
                      plan.own.push_back(id);
                      plan.queues[std::string(queue.tag)] = id;
                      std::vector<Step> more{asking(commenting(fmt::format("queues/{}/comments", id), kNote))};
                      if (queue.held)
                          more.push_back(asking(post(fmt::format("queues/{}/hold", id), json::object())));
                      if (!queue.mark.empty())
                          more.push_back(asking({.method = "PATCH",
                                                 .path = fmt::format("queues/{}", id),
                                                 .body = json::serialize(json::object{{"mark", queue.mark}})}));
                      plan.first(std::move(more));
                  });
}

/// Marks and comments on what was submitted.
std::vector<Step> noting(const Submission& submission, const json::object& accepted) {
    const json::array& lsns = listOf(accepted, "lsns");
    const std::int64_t lsn = submission.noted < lsns.size() && lsns[submission.noted].is_int64()
                                 ? lsns[submission.noted].get_int64()
                                 : numberOf(accepted, "lsn");
    std::vector<Step> steps;
    if (!submission.mark.empty())
        steps.push_back(asking({.method = "PATCH",
                                .path = fmt::format("jobs/{}", lsn),
                                .body = json::serialize(json::object{{"mark", submission.mark}})}));
    if (!submission.comment.empty())
        steps.push_back(asking(commenting(fmt::format("jobs/{}/comments", lsn), submission.comment)));
    return steps;
}

Step submitting(Submission given) {
    const auto submission = std::make_shared<const Submission>(std::move(given));
    return {[submission](Plan& plan) -> std::optional<Request> {
                return post(fmt::format("queues/{}/jobs", plan.queues[std::string(submission->tag)]),
                            submission->body);
            },
            taking([submission](Plan& plan, const json::object& said) {
                const auto listed = static_cast<std::int64_t>(listOf(said, "lsns").size());
                plan.report.actions += listed > 0 ? listed : std::max<std::int64_t>(1, numberOf(said, "count"));
                plan.first(noting(*submission, said));
            })};
}

Step makingSchedule() {
    return {[](Plan& plan) -> std::optional<Request> {
                const std::string tag(queues().back().tag);
                return post("schedules", schedule(plan.queues[tag]));
            },
            taking([](Plan& plan, const json::object&) { plan.hasSchedule = true; },
                   kNotAsItIs)}; // somebody has one of this name
}

/// A comment on the first queue, which a removal takes away first.
Step telling(std::string_view text) {
    return {[text](Plan& plan) -> std::optional<Request> {
                const std::string tag(queues().front().tag);
                return commenting(fmt::format("queues/{}/comments", plan.queues[tag]), text);
            },
            taking()};
}

/// Steps that need to know whether a list has a row: `none` follows where it has not, else `some`. The list may take
/// several pages to say so.
Step looking(std::string path, std::function<std::vector<Step>()> none,
             std::function<std::vector<Step>(Plan&)> some, int pages = 0, const std::string& cursor = {}) {
    return asking(
        {.path = cursor.empty() ? path : path + "&cursor=" + percentEncode(cursor)},
        [=](Plan& plan, const json::object& said) {
            const std::string next(textOf(said, "cursor"));
            if (!listOf(said, "jobs").empty())
                plan.first(some(plan));
            else if (next.empty())
                plan.first(none());
            else if (pages >= kMostPages)
                plan.fail(busy("The engine is still looking for actions; remove the example later."));
            else
                plan.first({looking(path, none, some, pages + 1, next)});
        },
        kNotThere); // the queue went meanwhile
}

Step steering(std::int64_t queue, std::string_view verb, bool counts, std::chrono::milliseconds pause = {}) {
    Request request = post(fmt::format("queues/{}/jobs/{}", queue, verb), json::object{{"filter", kFilter}});
    request.pause = pause;
    return asking(
        std::move(request),
        [counts](Plan& plan, const json::object& said) {
            if (counts) plan.report.actions += numberOf(said, "changed");
        },
        kNotThere);
}

/// Without the example's actions the queue goes, unless there are others in it.
std::vector<Step> leaving(std::int64_t queue) {
    const auto remove = [queue] {
        return std::vector{asking({.method = "DELETE", .path = fmt::format("queues/{}", queue)}, {}, kNotThere)};
    };
    const auto keep = [queue](Plan& plan) {
        ++plan.report.keptQueues;
        return std::vector{asking(commenting(fmt::format("queues/{}/comments", queue), kLeft))};
    };
    return {looking(fmt::format("queues/{}/jobs?limit=1", queue), remove, keep)};
}

/// Cancels and forgets the example's actions of a queue until none is left: what runs takes a moment to end.
std::vector<Step> clearing(std::int64_t queue, int looks) {
    const auto pause = looks == 0 ? std::chrono::milliseconds(0) : kLook;
    const auto again = [queue, looks](Plan& plan) -> std::vector<Step> {
        if (looks < kMostLooks) return clearing(queue, looks + 1);
        plan.fail(busy("Some actions of the example have not ended for a minute; remove it again later."));
        return {};
    };
    return {steering(queue, "cancel", false, pause), steering(queue, "retire", true),
            looking(
                fmt::format("queues/{}/jobs?limit=1&q={}", queue, percentEncode(kFilter)),
                [queue] { return leaving(queue); }, again)};
}

/// Whether the schedule of that name is the example's, by the label of its action.
bool isOwnSchedule(const json::object& schedule) {
    const json::value* action = schedule.if_contains("action");
    return action && action->is_object() && textOf(action->get_object(), "label").starts_with(kLabels);
}

/// A worker that somebody registered before the example stays: a comment says so to a later removal.
Step askingForWorker(const ParsedWorker& made) {
    return asking(
        {.path = "workers/" + made.id.hex()},
        [](Plan& plan, const json::object&) {
            plan.workerWasThere = true;
            plan.first({telling(kWorkerStays)});
        },
        kNotThere);
}

Step registeringWorker(const ParsedWorker& made) {
    return asking({.method = "POST", .path = "workers/" + made.id.hex(), .body = made.canonical},
                  [](Plan& plan, const json::object&) { plan.hasWorker = true; });
}

} // namespace

std::vector<Step> lookingSteps() {
    return {asking({.path = "queues"}, [](Plan& plan, const json::object& said) {
        std::vector<Step> more;
        for (const json::value& each : listOf(said, "queues"))
            if (const json::object* queue = each.if_object(); queue && isTagged(textOf(*queue, "tag")))
                more.push_back(lookingAt(numberOf(*queue, "queue_id")));
        plan.first(std::move(more));
    })};
}

std::vector<Step> loadingSteps() {
    std::vector<Step> steps;
    for (const QueuePlan& queue : queues()) steps.push_back(makingQueue(queue));
    for (const FilePlan& file : workerFiles())
        steps.push_back(asking({.method = "PUT",
                                .path = "chunks/" + file.hash.hex(),
                                .body = std::string(file.bytes),
                                .isChunk = true}));
    const auto made = worker();
    if (!made) {
        steps = {{[error = made.error()](Plan& plan) -> std::optional<Request> {
                      plan.fail(error);
                      return std::nullopt;
                  },
                  {}}};
        return steps;
    }
    steps.push_back(askingForWorker(*made));
    steps.push_back(registeringWorker(*made));
    for (Submission& submission : submissions(made->id.hex())) steps.push_back(submitting(std::move(submission)));
    steps.push_back(makingSchedule());
    steps.push_back(telling(kWhole));
    return steps;
}

std::vector<Step> clearingSteps(const Plan& plan) {
    std::vector<Step> steps;
    for (const std::int64_t queue : plan.own)
        for (Step& step : clearing(queue, 0)) steps.push_back(std::move(step));
    return steps;
}

Step removingSchedule() {
    const std::string path = fmt::format("schedules/{}", kSchedule);
    return asking(
        {.path = path},
        [path](Plan& plan, const json::object& said) {
            if (isOwnSchedule(said)) plan.first({asking({.method = "DELETE", .path = path})});
        },
        kNotThere);
}

Step removingWorker() {
    return {[](Plan& found) -> std::optional<Request> {
                const auto made = worker();
                if (!made || found.workerWasThere) return std::nullopt;
                return Request{.method = "DELETE", .path = "workers/" + made->id.hex()};
            },
            [](Plan& plan, const Answer& answer) -> Result<void> {
                plan.report.hasKeptWorker = answer.status == kNotAsItIs;
                return plan.report.hasKeptWorker ? Result<void>() : taking({}, kNotThere)(plan, answer);
            }};
}

} // namespace yard::example
