#include "core/profile/perf_script.h"

#include "core/base/text.h"
#include "core/json/utf8.h"
#include "core/profile/profile_file.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::profile {

namespace {

constexpr std::string_view kBlanks = " \t\r";

struct Sample {
    std::string_view program;
    double seconds = 0;
    std::uint64_t nanos = kNanosOfSample;
};

template<class T>
std::optional<T> numberIn(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// `python3 1234/1235 [001] 5678.123456:   10101010 cpu-clock:u:`. Names of programs may have blanks: the time is found by
/// its colon, the program is what stands before the number of its process.
std::optional<Sample> sampleOf(std::string_view line) {
    Sample sample;
    std::size_t at = 0;
    std::optional<std::size_t> programEnd;
    std::optional<std::uint64_t> period;
    bool hasTime = false;
    while (at < line.size()) {
        at = std::min(line.size(), line.find_first_not_of(" \t", at));
        const std::size_t end = std::min(line.size(), line.find_first_of(" \t", at));
        const std::string_view word = line.substr(at, end - at);
        if (!hasTime) {
            const std::string_view process = word.substr(0, word.find('/'));
            if (at > 0 && numberIn<std::uint64_t>(process)) programEnd = at;
            const auto seconds =
                word.ends_with(':') ? numberIn<double>(word.substr(0, word.size() - 1)) : std::nullopt;
            if (seconds && programEnd) {
                sample.seconds = std::clamp(*seconds, 0.0, 1e9);
                hasTime = true;
            }
        } else if (const auto number = numberIn<std::uint64_t>(word)) {
            period = number;
        } else {
            const bool tellsNanos = word.starts_with("cpu-clock") || word.starts_with("task-clock");
            if (tellsNanos && period) sample.nanos = std::min<std::uint64_t>(*period, 60'000'000'000);
            break;
        }
        at = end;
    }
    if (!hasTime) return std::nullopt;
    sample.program = trimmed(line.substr(0, *programEnd), kBlanks);
    return sample;
}

/// `7f12 function+0x1a (/usr/lib/x.so)`: the function and its file.
std::optional<std::pair<std::string_view, std::string_view>> frameOf(std::string_view line) {
    line = trimmed(line, kBlanks);
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    line = trimmed(line.substr(blank), kBlanks);
    std::string_view file = "[unknown]";
    if (const std::size_t open = line.rfind(" ("); open != std::string_view::npos && line.ends_with(')')) {
        file = line.substr(open + 2, line.size() - open - 3);
        line = trimmed(line.substr(0, open), kBlanks);
    }
    line = line.substr(0, line.rfind("+0x"));
    if (line.empty()) return std::nullopt;
    return std::pair(line, file.empty() ? std::string_view("[unknown]") : file);
}

class PerfReader {
public:
    void line(std::string_view text) {
        if (trimmed(text, kBlanks).empty()) return finish();
        const bool isIndented = text.front() == ' ' || text.front() == '\t';
        if (sample_ && isIndented) {
            if (const auto frame = frameOf(text)) frames_.push_back(*frame);
            return;
        }
        finish();
        sample_ = sampleOf(text);
    }
    void finish() {
        if (sample_) add(*sample_);
        sample_.reset();
        frames_.clear();
    }
    Profile take() {
        profile_.lastedMicros = static_cast<std::uint64_t>(std::max(0.0, last_ - first_) * 1e6);
        return std::move(profile_);
    }

private:
    void add(const Sample& sample) {
        if (profile_.nodes.empty()) first_ = last_ = sample.seconds;
        first_ = std::min(first_, sample.seconds);
        last_ = std::max(last_, sample.seconds);
        std::uint32_t at = child(kNoParent, functionOf(sample.program, {}), 1);
        if (at == kNoParent) {
            ++profile_.callsLeftOut;
            return;
        }
        std::uint32_t depth = 1;
        for (std::size_t left = frames_.size(); left > 0; --left) { // the outermost is the last
            const auto& [name, file] = frames_[left - 1];
            const std::uint32_t next = child(at, functionOf(name, file), ++depth);
            if (next == kNoParent) {
                ++profile_.callsLeftOut;
                break;
            }
            at = next;
        }
        ++profile_.nodes[at].self.calls;
        profile_.nodes[at].self.wallNanos += sample.nanos;
        const bool isOfKernel = !frames_.empty() && frames_.front().second.starts_with("[kernel");
        auto& micros = isOfKernel ? profile_.nodes[at].self.systemMicros : profile_.nodes[at].self.userMicros;
        micros += sample.nanos / 1'000;
    }
    std::uint32_t functionOf(std::string_view name, std::string_view file) {
        name = utf8Prefix(name, kLongestText);
        file = utf8Prefix(file, kLongestText);
        std::string key = std::string(name) + '\n' + std::string(file);
        if (const auto known = functions_.find(key); known != functions_.end()) return known->second;
        if (profile_.functions.size() == kMostFunctions) return kNoParent;
        const auto index = static_cast<std::uint32_t>(profile_.functions.size());
        profile_.functions.push_back({.name = std::string(name), .file = std::string(file), .line = 0});
        functions_.emplace(std::move(key), index);
        return index;
    }
    std::uint32_t child(std::uint32_t parent, std::uint32_t function, std::uint32_t depth) {
        if (function == kNoParent || depth > kDeepest) return kNoParent;
        const std::uint64_t key = std::uint64_t{parent} << 32 | function;
        if (const auto known = nodes_.find(key); known != nodes_.end()) return known->second;
        if (profile_.nodes.size() == kMostNodes) return kNoParent;
        const auto index = static_cast<std::uint32_t>(profile_.nodes.size());
        profile_.nodes.push_back({.function = function, .parent = parent, .self = {}});
        nodes_.emplace(key, index);
        return index;
    }

    Profile profile_{.loop = "perf", .counted = Counted::Samples};
    std::optional<Sample> sample_{}; ///< its frames follow
    std::vector<std::pair<std::string_view, std::string_view>> frames_{};
    std::unordered_map<std::string, std::uint32_t> functions_{};
    std::unordered_map<std::uint64_t, std::uint32_t> nodes_{};
    double first_ = 0;
    double last_ = 0;
};

} // namespace

Result<Profile> readPerfScript(std::string_view text) {
    PerfReader reader;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        reader.line(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    reader.finish();
    Profile profile = reader.take();
    if (profile.nodes.empty()) return fail(ErrorKind::Invalid, "there is no sample of perf in this file");
    return profile;
}

} // namespace yard::profile
