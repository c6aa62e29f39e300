// Who asks for an answer that is made one at a time: a few wait for their turn, the others are told to come again.
//
// Owner: engine thread, that of the service that counts.
#pragma once

#include "core/base/error.h"

#include <fmt/format.h>
#include <string_view>

namespace yard::engine {

/// A place among those who ask, until the end of the scope.
class AskingPlace {
public:
    explicit AskingPlace(int& count)
        : count_(++count) {}
    ~AskingPlace() { --count_; }
    AskingPlace(const AskingPlace&) = delete;
    AskingPlace& operator=(const AskingPlace&) = delete;

private:
    int& count_;
};

/// For who finds all places taken. `what`: "graphs".
inline std::unexpected<Error> tooManyAskFor(std::string_view what) {
    return fail(ErrorKind::Busy, fmt::format("too many ask for {} at once: try again in a few seconds", what));
}

} // namespace yard::engine
