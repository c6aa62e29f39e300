// From values on a tape to fields of a struct: type and range checks whose errors name the member and say what to
// give. Private to core/model, but for what names may be.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/json/json_reader.h"
#include "core/model/limits.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace yard {

/// Where a value stands, put together only when an error needs it: "resources.cores", "files[3].path".
struct FieldPath {
    std::string_view member;
    std::int64_t index = -1;
    std::string_view inner{};
    std::string text() const;
};

/// Keeps the first error; every question answers false once there is one, so that checks can be chained with &&.
class JsonFields {
public:
    /// `noun` is what the members belong to, for the message about an unknown one: "an action".
    explicit JsonFields(std::string_view noun)
        : noun_(noun) {}

    bool integer(JsonView v, const FieldPath& at, std::int64_t least, std::int64_t most, std::int64_t& out);
    bool integer(JsonView v, const FieldPath& at, int least, int most, int& out);
    bool boolean(JsonView v, const FieldPath& at, bool& out);
    /// Seconds, fractions allowed, to microseconds. `zeroAllowed`: else the least is one microsecond.
    bool seconds(JsonView v, const FieldPath& at, bool zeroAllowed, Duration& out);
    /// An amount with at most three decimals, in thousandths.
    bool thousandths(JsonView v, const FieldPath& at, std::int64_t least, std::int64_t most, std::int64_t& out);
    bool number(JsonView v, const FieldPath& at, double least, double most, double& out);
    /// A word of 1 to `most` bytes by which something is named: without characters that steer how a line is shown.
    bool identifier(JsonView v, const FieldPath& at, std::size_t most, std::string& out);
    /// Text without control characters of `least` to `most` bytes.
    bool word(JsonView v, const FieldPath& at, std::size_t least, std::size_t most, std::string& out);
    /// Text without NUL of at most `most` bytes.
    bool text(JsonView v, const FieldPath& at, std::size_t most, std::string& out);
    bool path(JsonView v, const FieldPath& at, std::string& out);
    bool hash(JsonView v, const FieldPath& at, Hash256& out);
    /// One word of where something may run or a list of them; sorted, each once.
    bool machines(JsonView v, const FieldPath& at, std::vector<std::string>& out);
    /// `most` bounds maps; where the members are fixed, unknown ones are refused by name instead.
    bool object(JsonView v, const FieldPath& at, std::size_t most = kMaxJsonNodes);
    bool array(JsonView v, const FieldPath& at, std::size_t least, std::size_t most);
    /// {"NAME": "value"}
    bool environment(JsonView v, std::string_view member, std::vector<std::pair<std::string, std::string>>& out,
                     std::vector<std::string>* unkept = nullptr);

    /// `Give "priority" as {what}.` Always false.
    bool refuse(const FieldPath& at, std::string_view what);
    /// A whole sentence. Always false.
    bool refuseWith(const FieldPath& at, std::string message);
    bool refuseUnknown(const FieldPath& at);
    bool refuseMissing(std::string_view member, std::string_view what);

    std::unexpected<Error> error() const { return std::unexpected(*error_); }
    bool failed() const { return error_.has_value(); }

private:
    std::string_view noun_;
    std::optional<Error> error_;
};

/// `text` in quotes for a message: escaped, cut to 64 bytes.
std::string quoted(std::string_view text);
/// `[A-Za-z0-9._:@-]{1,128}`
bool isLockName(std::string_view name);
/// "any", "local", a name or "tag:" and a name: `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`
bool isMachineWord(std::string_view word);
/// Digits, and nothing else.
bool isNumberAlone(std::string_view word);
/// One of these that a machine may be called: neither "any" nor "local", no tag, and no number, which would be another's.
bool isMachineName(std::string_view word);
/// `[A-Za-z][A-Za-z0-9._-]{0,63}`
bool isPlainName(std::string_view name);
/// Two of the paths, sorted here, that cannot both exist: equal, or one is a directory of the other. The second.
std::optional<std::string_view> conflictingPath(std::span<std::string_view> paths);

} // namespace yard
