// The protocol buffer of pprof, written by hand: seven messages of numbers and lists of numbers.
// Source: https://github.com/google/pprof/blob/main/proto/profile.proto (numbers of fields).
#include "core/base/varint.h"
#include "core/profile/report.h"

#include <map>
#include <string_view>

namespace yard::profile {

namespace {

class Message {
public:
    void number(std::uint32_t field, std::uint64_t value) {
        if (value == 0) return; // the default is not written
        appendVarint(text_, field << 3);
        appendVarint(text_, value);
    }
    void bytes(std::uint32_t field, std::string_view value) {
        appendVarint(text_, field << 3 | 2);
        appendVarint(text_, value.size());
        text_ += value;
    }
    void packed(std::uint32_t field, const std::vector<std::uint64_t>& values) {
        Message list;
        for (const std::uint64_t value : values) appendVarint(list.text_, value);
        bytes(field, list.text_);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

/// The table of texts; the first is empty.
class Texts {
public:
    std::uint64_t of(std::string_view text) {
        const auto [at, isNew] = places_.try_emplace(std::string(text), list_.size());
        if (isNew) list_.push_back(at->first);
        return at->second;
    }
    const std::vector<std::string>& list() const { return list_; }

private:
    std::vector<std::string> list_{""};
    std::map<std::string, std::uint64_t, std::less<>> places_{{"", 0}};
};

std::string valueType(Texts& texts, std::string_view type, std::string_view unit) {
    Message message;
    message.number(1, texts.of(type));
    message.number(2, texts.of(unit));
    return message.take();
}

} // namespace

std::string pprof(const Profile& profile) {
    Texts texts;
    Message whole;
    whole.bytes(1, valueType(texts, profile.counted == Counted::Samples ? "samples" : "calls", "count"));
    whole.bytes(1, valueType(texts, "processor", "nanoseconds"));
    for (std::uint32_t node = 0; node < profile.nodes.size(); ++node) {
        const Cost& self = profile.nodes[node].self;
        if (self.calls == 0 && self.wallNanos == 0) continue;
        std::vector<std::uint64_t> places; // the innermost first
        for (std::uint32_t at = node; at != kNoParent; at = profile.nodes[at].parent)
            places.push_back(std::uint64_t(profile.nodes[at].function) + 1);
        Message sample;
        sample.packed(1, places);
        sample.packed(2, {self.calls, self.wallNanos});
        whole.bytes(2, sample.take());
    }
    // A place for each function: its number is the function's.
    for (std::size_t n = 0; n < profile.functions.size(); ++n) {
        Message line;
        line.number(1, n + 1);
        line.number(2, profile.functions[n].line);
        Message place;
        place.number(1, n + 1);
        place.bytes(4, line.take());
        whole.bytes(4, place.take());
    }
    for (std::size_t n = 0; n < profile.functions.size(); ++n) {
        const Function& function = profile.functions[n];
        Message message;
        message.number(1, n + 1);
        message.number(2, texts.of(function.name));
        message.number(4, texts.of(function.file));
        message.number(5, function.line);
        whole.bytes(5, message.take());
    }
    const std::string period = valueType(texts, "processor", "nanoseconds");
    for (const std::string& text : texts.list()) whole.bytes(6, text);
    whole.number(9, static_cast<std::uint64_t>(profile.began) * 1000);
    whole.number(10, profile.lastedMicros * 1000);
    whole.bytes(11, period);
    whole.number(12, 1);
    return whole.take();
}

} // namespace yard::profile
