// Requests about objects that come twice. What has an idempotency key is done once in a day, and a repeat gets the first
// answer; a repeat that comes while the first one is on its way waits for it.
//
// Owner: engine thread. Lifetime: that of Objects; a Held does not outlive it. Bounds: one key for each request that is
// on its way, of which the server has a limited number.
#pragma once

#include "core/base/owner.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/objects/object_io.h"
#include "core/store/reader.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

struct CreatedObjects {
    std::vector<std::int64_t> ids{};
    bool isList = false;
};
/// Which objects a request of many is about, and where others begin.
struct ObjectChoice {
    std::vector<std::int64_t> ids{};
    std::int64_t cursor = 0; ///< 0: there are no others
};

/// What a kept answer begins with; the journal adds the numbers.
std::string createdAnswerBegin(bool isList);
CreatedObjects createdFromAnswer(std::string_view answer);
std::string choiceAnswer(const ObjectChoice& choice);
/// Empty where it is none.
ObjectChoice choiceFromAnswer(std::string_view answer);

class ObjectRequestKeys {
public:
    /// As Reader::keptAnswer().
    using Kept = std::function<coro::Task<Result<std::optional<store::Reader::KeptAnswer>>>(std::string key)>;

    ObjectRequestKeys(const ObjectIo& io, Kept kept)
        : io_(io)
        , kept_(std::move(kept)) {}

    /// While it lives a repeat waits.
    class Held {
    public:
        Held(Held&& other) noexcept
            : keys_(std::exchange(other.keys_, nullptr))
            , key_(std::move(other.key_)) {}
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        Held& operator=(Held&&) = delete;
        ~Held();

    private:
        friend class ObjectRequestKeys;
        Held(ObjectRequestKeys& keys, std::string key)
            : keys_(&keys)
            , key_(std::move(key)) {}

        ObjectRequestKeys* keys_;
        std::string key_;
    };
    /// Waits for the request that has the key now.
    coro::Task<Held> hold(std::string key);
    /// The first answer; nothing: the key is not known. Invalid: it was used with another body.
    coro::Task<Result<std::optional<std::string>>> firstAnswer(store::Idempotency once);

private:
    const ObjectIo& io_;
    Kept kept_;
    std::set<std::string> held_{}; ///< of requests on their way
    coro::ConditionVariable freed_;
    OwnerCheck owner_;
};

} // namespace yard::engine
