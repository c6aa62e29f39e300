// Actions from a file or pipe, one by one, with the line each began on. Keeps the text as it was written, so that
// what is posted is what was meant. One thread; the descriptors are borrowed.
#pragma once

#include "app/yardctl/failure.h"

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

/// The word of the failure of a reading that was stopped.
inline constexpr std::string_view kInterrupted = "interrupted";

class ActionReader {
public:
    /// `name` is for messages. `stop`: once it is readable, reading fails ("interrupted"); -1: nothing stops it.
    ActionReader(int fd, std::string name, int stop = -1);

    /// The next value: an object, or a list (then `list` is set and it must be the only value). Nothing at the end.
    struct Value {
        std::string text;
        boost::json::value value;
        std::size_t line = 1;
    };
    Outcome<std::optional<Value>> next();
    /// Whether next() may block because the other end of a pipe is slow: nothing is buffered, nothing to read.
    bool wouldBlock() const;

private:
    Outcome<Value> withBytes(Value value);
    Outcome<bool> fill();
    bool isStopped() const;
    bool skipSpace();
    void take(Value& value, std::size_t bytes);
    std::unexpected<Failure> malformed(std::size_t line, const std::string& why) const;

    int fd_;
    int stop_;
    std::string name_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    bool atEnd_ = false;
};

/// One value may be as large as the body of a request.
inline constexpr std::size_t kMaxValueBytes = 64u << 20;

} // namespace yard::ctl
