// What the metadata services of three clouds are asked, and what they answer: which machine this is, and whether it is
// about to be taken away. Values, no owner; nothing is sent here.
//
// Sources: AWS "Instance Metadata Service v2" and "Spot Instance interruption notices"; Microsoft "Azure Instance
// Metadata Service" and "Scheduled Events for Linux VMs"; Google "Query metadata" and "Preemptible VM instances".
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::cloud {

enum class Provider : std::uint8_t { Aws, Azure, Gcp };
std::string_view name(Provider provider);

struct Request {
    std::string_view method = "GET";
    std::string target{};
    std::vector<std::pair<std::string, std::string>> headers{};
};

struct Answer {
    unsigned status = 0;
    std::string etag{};
    std::string flavor{}; ///< Metadata-Flavor: Google says so of itself
    std::string body{};
};

/// Which machine this is. What a service does not say is empty.
struct Identity {
    Provider provider = Provider::Aws;
    std::string instance{};
    std::string type{};
    std::string region{};
    std::string host{}; ///< the name by which Azure's events mean this machine
    bool isSpot = false;
    friend bool operator==(const Identity&, const Identity&) = default;
};

/// That the machine is taken away, or may soon be.
struct Notice {
    bool isCertain = false; ///< false: only a warning
    std::string what{};     ///< the service's own word: "terminate", "Preempt", "TERMINATE_ON_HOST_MAINTENANCE"
    std::optional<WallMicros> at{}; ///< when, if it says so
    friend bool operator==(const Notice&, const Notice&) = default;
};

/// A token of AWS is good for so long.
inline constexpr std::uint32_t kAwsTokenSeconds = 21'600;

// What AWS is asked. `token` is the body of the first answer.
Request awsToken();
Request awsItem(std::string_view token, std::string_view path); ///< below /latest/meta-data/
inline constexpr std::string_view kAwsInstance = "instance-id";
inline constexpr std::string_view kAwsType = "instance-type";
inline constexpr std::string_view kAwsRegion = "placement/region";
inline constexpr std::string_view kAwsLifeCycle = "instance-life-cycle";
inline constexpr std::string_view kAwsAction = "spot/instance-action";
inline constexpr std::string_view kAwsRebalance = "events/recommendations/rebalance";
Request azureInstance();
Request azureEvents();
/// `etag`: of the last answer; the service answers when something else is true, or after `wait`. Empty: at once.
Request gcpItem(std::string_view path, std::string_view etag, Duration wait);
inline constexpr std::string_view kGcpPreempted = "preempted";
inline constexpr std::string_view kGcpMaintenance = "maintenance-event";
Request gcpInstance();

// What they answer. Malformed where it is not what the service's papers say. Nothing: no notice.
bool isGcp(const Answer& answer);
Result<Identity> readAzureInstance(const Answer& answer);
Result<Identity> readGcpInstance(const Answer& answer);
Result<std::optional<Notice>> readAwsAction(const Answer& answer);
Result<std::optional<Notice>> readAwsRebalance(const Answer& answer);
/// Those of other machines of a set come too: `host` tells which are this one's. The first that takes it away.
Result<std::optional<Notice>> readAzureEvents(const Answer& answer, std::string_view host);
Result<std::optional<Notice>> readGcpPreempted(const Answer& answer);
Result<std::optional<Notice>> readGcpMaintenance(const Answer& answer);
/// One line of text, as AWS answers; Malformed if it is none.
Result<std::string> readAwsWord(const Answer& answer);

} // namespace yard::cloud
