// JSON as yardctl reads and writes it: strings in memory are bytes, and those that are not UTF-8 stand in the text as
// core/json/json_bytes.h says. Values; any thread.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace yard::ctl {

boost::json::value parseJson(std::string_view text, boost::system::error_code& ec);
/// JSON without white space; numbers as people write them (0.5, not 5E-1).
std::string compactJson(const boost::json::value& value);
/// Finds the end of an object or a list in pieces of its text.
class ValueEnd {
public:
    /// How many bytes of `more` belong to the value, when it ends there; 0: it goes on.
    std::size_t find(std::string_view more);

private:
    std::size_t depth_ = 0;
    bool isQuoted_ = false;
    bool isEscaped_ = false;
};

} // namespace yard::ctl
