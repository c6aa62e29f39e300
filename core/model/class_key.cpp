#include "core/model/class_key.h"

#include <boost/json.hpp>

#include <algorithm>
#include <bit>
#include <chrono>

namespace yard {

namespace json = boost::json;

std::string ClassKey::text() const {
    json::object o;
    o["worker"] = workerId;
    o["name"] = workerName;
    if (!workerVersion.empty()) o["version"] = workerVersion;
    if (!function.empty()) o["function"] = function;
    o["cores"] = resources.milliCores;
    if (resources.memoryMb) o["memory_mb"] = resources.memoryMb;
    if (!resources.named.empty()) {
        json::object& named = o["named"].emplace_object();
        for (const auto& [name, amount] : resources.named) named[name] = amount;
    }
    if (resources.gpuMemoryMb) o[kGpuMemory] = resources.gpuMemoryMb;
    if (!locks.empty()) {
        json::array& names = o["locks"].emplace_array();
        for (const std::string& lock : locks) names.emplace_back(lock);
    }
    if (retryLimits.retries) o["max_retries"] = *retryLimits.retries;
    if (retryLimits.interruptions) o["max_interruptions"] = *retryLimits.interruptions;
    if (!machines.empty()) {
        json::array& words = o["machine"].emplace_array();
        for (const std::string& word : machines) words.emplace_back(word);
    }
    if (!platform.empty()) o["platform"] = platform;
    if (longestS > 0) o["longest_s"] = longestS;
    return json::serialize(o);
}

namespace {

std::string textMember(const json::object& o, std::string_view key) {
    const json::value* value = o.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t numberMember(const json::object& o, std::string_view key) {
    const json::value* value = o.if_contains(key);
    return value && value->is_int64() ? value->get_int64() : 0;
}

std::optional<int> limitMember(const json::object& o, std::string_view key) {
    if (!o.contains(key)) return std::nullopt;
    return static_cast<int>(numberMember(o, key));
}

} // namespace

std::int64_t longestFor(Duration time) {
    constexpr std::int64_t kLeast = 60;
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const std::int64_t seconds =
        std::clamp<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(time).count(), kLeast, kMost);
    const auto step = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(seconds))) / 8);
    return (seconds + step - 1) / step * step;
}

std::optional<ClassKey> ClassKey::parse(std::string_view text) {
    boost::system::error_code error;
    const json::value value = json::parse(text, error);
    if (error || !value.is_object()) return std::nullopt;
    const json::object& o = value.get_object();
    ClassKey key;
    key.workerId = textMember(o, "worker");
    key.workerName = textMember(o, "name");
    key.workerVersion = textMember(o, "version");
    key.function = textMember(o, "function");
    key.resources.milliCores = numberMember(o, "cores");
    key.resources.memoryMb = numberMember(o, "memory_mb");
    if (const json::value* named = o.if_contains("named"); named && named->is_object())
        for (const auto& [name, amount] : named->get_object())
            if (amount.is_int64()) key.resources.named.emplace_back(name, amount.get_int64());
    key.resources.gpuMemoryMb = numberMember(o, kGpuMemory);
    if (const json::value* locks = o.if_contains("locks"); locks && locks->is_array())
        for (const json::value& lock : locks->get_array())
            if (lock.is_string()) key.locks.emplace_back(lock.get_string());
    if (const json::value* words = o.if_contains("machine"); words && words->is_array())
        for (const json::value& word : words->get_array())
            if (word.is_string()) key.machines.emplace_back(word.get_string());
    key.platform = textMember(o, "platform");
    key.longestS = std::max<std::int64_t>(numberMember(o, "longest_s"), 0);
    key.retryLimits = {limitMember(o, "max_retries"), limitMember(o, "max_interruptions")};
    if (key.workerId.empty() || key.workerName.empty()) return std::nullopt;
    return key;
}

} // namespace yard
