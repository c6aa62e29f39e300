#include "core/cloud/metadata.h"

#include "core/json/json_reader.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/format.h>

namespace yard::cloud {

namespace {

constexpr unsigned kOk = 200;
constexpr unsigned kNotFound = 404;
constexpr std::size_t kMaxWord = 256;

std::unexpected<Error> notOfA(std::string_view service, const Answer& answer) {
    return fail(ErrorKind::Malformed,
                fmt::format("The metadata service of {} answered {} with {} bytes that its papers do not know.",
                            service, answer.status, answer.body.size()));
}

/// Empty where it is absent or no text.
std::string textOf(JsonView object, std::string_view key) {
    const auto member = memberOf(object, key);
    if (!member || member->kind() != JsonKind::String) return {};
    return std::string(member->string().substr(0, kMaxWord));
}

/// "projects/12/zones/us-east1-b": "us-east1-b".
std::string lastPart(std::string text) {
    const auto at = text.rfind('/');
    return at == std::string::npos ? text : text.substr(at + 1);
}

/// A time in UTC, by a format of strptime(3), which reads names of days in English only where the locale is C's: the
/// process never sets another one for times.
std::optional<WallMicros> timeOf(const std::string& text, const char* format) {
    std::tm parts{};
    const char* const end = strptime(text.c_str(), format, &parts);
    if (!end || *end != '\0') return std::nullopt;
    const std::time_t seconds = timegm(&parts);
    if (seconds < 0) return std::nullopt;
    return static_cast<WallMicros>(seconds) * 1'000'000;
}

std::optional<WallMicros> isoTime(const std::string& text) {
    return timeOf(text, "%Y-%m-%dT%H:%M:%SZ");
}

std::optional<WallMicros> httpDate(const std::string& text) {
    return timeOf(text, "%a, %d %b %Y %H:%M:%S GMT");
}

bool names(JsonView resources, std::string_view host) {
    if (resources.kind() != JsonKind::Array) return false;
    for (const JsonView one : resources)
        if (one.kind() == JsonKind::String && one.string() == host) return true;
    return false;
}

/// Freeze and Reboot leave the machine as it is.
bool takesAway(std::string_view event) {
    constexpr std::array<std::string_view, 3> kEvents = {"Preempt", "Terminate", "Redeploy"};
    return std::ranges::find(kEvents, event) != kEvents.end();
}

} // namespace

std::string_view name(Provider provider) {
    constexpr std::array<std::string_view, 3> kNames = {"aws", "azure", "gcp"};
    return kNames[std::to_underlying(provider)];
}

Request awsToken() {
    return {.method = "PUT",
            .target = "/latest/api/token",
            .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", fmt::format("{}", kAwsTokenSeconds)}}};
}

Request awsItem(std::string_view token, std::string_view path) {
    return {.method = "GET",
            .target = fmt::format("/latest/meta-data/{}", path),
            .headers = {{"X-aws-ec2-metadata-token", std::string(token)}}};
}

Request azureInstance() {
    return {
        .method = "GET", .target = "/metadata/instance?api-version=2021-02-01", .headers = {{"Metadata", "true"}}};
}

Request azureEvents() {
    return {.method = "GET",
            .target = "/metadata/scheduledevents?api-version=2020-07-01",
            .headers = {{"Metadata", "true"}}};
}

Request gcpItem(std::string_view path, std::string_view etag, Duration wait) {
    std::string target = fmt::format("/computeMetadata/v1/instance/{}", path);
    if (!etag.empty())
        target += fmt::format("?wait_for_change=true&timeout_sec={}&last_etag={}",
                              std::chrono::duration_cast<std::chrono::seconds>(wait).count(), etag);
    return {.method = "GET", .target = std::move(target), .headers = {{"Metadata-Flavor", "Google"}}};
}

Request gcpInstance() {
    return {.method = "GET",
            .target = "/computeMetadata/v1/instance/?recursive=true",
            .headers = {{"Metadata-Flavor", "Google"}}};
}

bool isGcp(const Answer& answer) {
    return answer.flavor == "Google";
}

Result<std::string> readAwsWord(const Answer& answer) {
    const auto isPlain = [](char byte) { return byte > ' ' && byte < '\x7f'; };
    if (answer.status != kOk || answer.body.empty() || answer.body.size() > kMaxWord ||
        !std::ranges::all_of(answer.body, isPlain))
        return notOfA("AWS", answer);
    return answer.body;
}

Result<Identity> readAzureInstance(const Answer& answer) {
    const auto tape = answer.status == kOk ? readJson(answer.body) : notOfA("Azure", answer);
    if (!tape) return notOfA("Azure", answer);
    const auto compute = memberOf(tape->root(), "compute");
    if (!compute || textOf(*compute, "vmId").empty()) return notOfA("Azure", answer);
    return Identity{.provider = Provider::Azure,
                    .instance = textOf(*compute, "vmId"),
                    .type = textOf(*compute, "vmSize"),
                    .region = textOf(*compute, "location"),
                    .host = textOf(*compute, "name"),
                    .isSpot = textOf(*compute, "priority") == "Spot"};
}

Result<Identity> readGcpInstance(const Answer& answer) {
    if (answer.status != kOk || !isGcp(answer)) return notOfA("Google", answer);
    const auto tape = readJson(answer.body);
    if (!tape || !tape->root().isObject()) return notOfA("Google", answer);
    const JsonView root = tape->root();
    Identity identity{.provider = Provider::Gcp,
                      .instance = {},
                      .type = lastPart(textOf(root, "machineType")),
                      .region = lastPart(textOf(root, "zone")),
                      .host = textOf(root, "name"),
                      .isSpot = false};
    if (const auto id = memberOf(root, "id")) {
        if (id->kind() == JsonKind::Integer) identity.instance = fmt::format("{}", id->node().integer);
        if (id->kind() == JsonKind::Unsigned) identity.instance = fmt::format("{}", id->node().unsignedInteger);
        if (id->kind() == JsonKind::String) identity.instance = std::string(id->string().substr(0, kMaxWord));
    }
    if (const auto scheduling = memberOf(root, "scheduling")) {
        const std::string preemptible = textOf(*scheduling, "preemptible");
        identity.isSpot = preemptible == "TRUE" || preemptible == "true";
    }
    if (identity.instance.empty()) return notOfA("Google", answer);
    return identity;
}

Result<std::optional<Notice>> readAwsAction(const Answer& answer) {
    if (answer.status == kNotFound) return std::optional<Notice>{};
    const auto tape = answer.status == kOk ? readJson(answer.body) : notOfA("AWS", answer);
    if (!tape) return notOfA("AWS", answer);
    std::string action = textOf(tape->root(), "action");
    if (action.empty()) return notOfA("AWS", answer);
    return Notice{.isCertain = true, .what = std::move(action), .at = isoTime(textOf(tape->root(), "time"))};
}

Result<std::optional<Notice>> readAwsRebalance(const Answer& answer) {
    if (answer.status == kNotFound) return std::optional<Notice>{};
    const auto tape = answer.status == kOk ? readJson(answer.body) : notOfA("AWS", answer);
    if (!tape) return notOfA("AWS", answer);
    const std::string time = textOf(tape->root(), "noticeTime");
    if (time.empty()) return notOfA("AWS", answer);
    // The time is that of the notice; when the machine goes is not known.
    return Notice{.isCertain = false, .what = "rebalance", .at = {}};
}

Result<std::optional<Notice>> readAzureEvents(const Answer& answer, std::string_view host) {
    const auto tape = answer.status == kOk ? readJson(answer.body) : notOfA("Azure", answer);
    if (!tape) return notOfA("Azure", answer);
    const auto events = memberOf(tape->root(), "Events");
    if (!events || events->kind() != JsonKind::Array) return notOfA("Azure", answer);
    for (const JsonView event : *events) {
        const auto resources = memberOf(event, "Resources");
        std::string type = textOf(event, "EventType");
        if (!resources || !names(*resources, host) || !takesAway(type)) continue;
        return Notice{.isCertain = true, .what = std::move(type), .at = httpDate(textOf(event, "NotBefore"))};
    }
    return std::optional<Notice>{};
}

Result<std::optional<Notice>> readGcpPreempted(const Answer& answer) {
    if (answer.status != kOk || !isGcp(answer)) return notOfA("Google", answer);
    if (answer.body == "FALSE") return std::optional<Notice>{};
    if (answer.body != "TRUE") return notOfA("Google", answer);
    return Notice{.isCertain = true, .what = "preempted", .at = {}};
}

Result<std::optional<Notice>> readGcpMaintenance(const Answer& answer) {
    if (answer.status != kOk || !isGcp(answer)) return notOfA("Google", answer);
    if (answer.body == "NONE" || answer.body == "MIGRATE_ON_HOST_MAINTENANCE") return std::optional<Notice>{};
    if (answer.body != "TERMINATE_ON_HOST_MAINTENANCE") return notOfA("Google", answer);
    return Notice{.isCertain = true, .what = answer.body, .at = {}};
}

} // namespace yard::cloud
