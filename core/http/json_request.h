// Small JSON bodies of requests: an object of a few known members. Values; any thread.
#pragma once

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/json/json_reader.h"
#include "core/model/queue.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

/// A body with its members checked by name. An empty body is an object without members.
class JsonRequest {
public:
    /// Malformed, or Invalid naming a member that is none of `known`, names with blanks between. `rawMember`: its value
    /// is kept as text.
    static Result<JsonRequest> parse(std::string_view body, std::string_view known,
                                     std::string_view rawMember = {});

    bool has(std::string_view member) const;
    bool isNull(std::string_view member) const;
    /// False when absent. Invalid for another type.
    Result<bool> flag(std::string_view member) const;
    /// Empty when absent. Invalid for another type, control characters, or more than `most` bytes.
    Result<std::string> word(std::string_view member, std::size_t most) const;
    /// The same with any characters in it.
    Result<std::string> text(std::string_view member, std::size_t most) const;
    /// Nothing when absent. Invalid for another type or out of range.
    Result<std::optional<std::int64_t>> integer(std::string_view member, std::int64_t least,
                                                std::int64_t most) const;
    /// A queue by number, or token as text; nothing when absent. Invalid for anything else.
    Result<std::optional<QueueRef>> queue(std::string_view member) const;
    /// 1 to `most` LSNs, each once, in the order in which they are first named; Invalid when absent.
    Result<std::vector<Lsn>> lsns(std::string_view member, std::size_t most) const;
    /// JSON text of the raw member; empty when absent.
    const std::string& raw() const { return raw_; }

private:
    struct Member {
        std::string name;
        JsonKind kind;
        bool boolean = false;
        std::int64_t integer = 0;
        std::string text;
        std::vector<std::int64_t> numbers;
        bool onlyNumbers = true;
    };
    const Member* find(std::string_view name) const;
    std::vector<Member> members_;
    std::string raw_;
};

} // namespace yard::http
