// Actions from a file or pipe, one by one, with the line each began on. Keeps the text as it was written, so that
// what is posted is what was meant. One thread; the descriptor is borrowed.
#pragma once

#include "app/yardctl/failure.h"

#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>

namespace yard::ctl {

class ActionReader {
public:
    /// `name` is for messages.
    ActionReader(int fd, std::string name);

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
    bool skipSpace();
    void take(Value& value, std::size_t bytes);
    std::unexpected<Failure> malformed(std::size_t line, const std::string& why) const;

    int fd_;
    std::string name_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    bool atEnd_ = false;
};

/// One value may be as large as the body of a request.
inline constexpr std::size_t kMaxValueBytes = 64u << 20;

} // namespace yard::ctl
