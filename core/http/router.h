// From method and path to a route of a table. Immutable after it is made; any thread.
#pragma once

#include "core/http/message.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

enum class BodyKind : unsigned char {
    None,         ///< a body is refused
    Json,         ///< application/json, needed
    OptionalJson, ///< the same, or nothing
    JsonOrParts,  ///< application/json, or multipart/form-data with chunks beside it
    Keys,         ///< bytes for a terminal, application/octet-stream
    Stream        ///< bytes of any length
};

/// Where a route exists.
enum class Scope : unsigned char {
    Root, ///< outside of the prefix
    Open, ///< the same, and without a token
    Global,
    Queue, ///< below queues/{ref}/ only
    Both
};

/// What a route needs of the token that asks.
enum class Needs : unsigned char {
    Read,
    Upload,  ///< bytes for actions to come
    Submit,  ///< it adds actions to a queue
    Steer,   ///< it changes actions or comments of a queue
    Operate, ///< it changes queues, workers, processes, or the session
    Admin
};
/// The least right that has it.
constexpr Right rightFor(Needs needs) {
    switch (needs) {
    case Needs::Read: return Right::Read;
    case Needs::Upload:
    case Needs::Submit:
    case Needs::Steer: return Right::Submit;
    case Needs::Operate: return Right::Operate;
    case Needs::Admin: break;
    }
    return Right::Admin;
}

/// What the router and the decision before the body need of a route. Patterns have no leading slash; a part in
/// braces captures: {lsn} digits, {worker} what may stand for a worker (no word of the routes), others anything.
struct RouteSpec {
    Method method;
    std::string_view pattern;
    Scope scope = Scope::Global;
    BodyKind body = BodyKind::None;
    Needs needs = Needs::Admin; ///< a row that says nothing is the owner's alone
};

class Router {
public:
    /// `prefix`: "/compute", or empty.
    Router(std::span<const RouteSpec> table, std::string_view prefix);

    struct Match {
        int route = -1;       ///< index in the table; -1: none
        bool inQueue = false; ///< captures[0] is the queue's reference
        unsigned methods = 0; ///< bits of Method that this path takes, when none matched
    };
    /// HEAD finds the route of GET. `path` as it came, still encoded; a part that is not well encoded matches
    /// nothing.
    Match match(Method method, std::string_view path, std::array<std::string, kMaxCaptures>& captures) const;
    /// "GET, HEAD, POST": value of an Allow field.
    static std::string allowed(unsigned methods);

private:
    static constexpr std::size_t kMaxParts = 8;
    struct Entry {
        int route;
        Method method;
        bool inQueue;
        std::vector<std::string> parts;
    };
    using Parts = std::span<const std::string>;
    static bool fits(const Entry& entry, Parts parts);
    void add(int route, const RouteSpec& spec, std::string_view base, bool inQueue);
    std::array<std::vector<Entry>, kMaxParts + 1> bySize_;
};

} // namespace yard::http
