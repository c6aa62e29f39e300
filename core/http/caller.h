// Who asks: the owner of the engine, or somebody with a token of his own; and which connections are his, so that they
// end with the token.
//
// Owner: the http thread. Lifetime: a Caller is shared by the register of tokens and by those who are here; a Presence
// belongs to a request.
#pragma once

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/coro/wait.h"
#include "core/model/right.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace yard::http {

class Link;
class Presence;

/// One token and what it allows. All but the last two never changes.
struct Caller {
    std::string name; ///< empty: the owner
    Right right = Right::Admin;
    std::vector<QueueId> queues; ///< Right::Submit: those that it reaches; empty: see reaches()
    Hash256 hash;                ///< of the token, which is kept nowhere
    WallMicros created = 0;
    WallMicros expires = 0; ///< 0: never
    bool removed = false;
    coro::HookList<Presence> here{};

    bool isOver() const { return removed || (expires != 0 && wallNow() >= expires); }
    bool names(QueueId queue) const { return std::ranges::find(queues, queue) != queues.end(); }
};

/// That a caller asks something by a connection. The owner's are not noted: nothing ends them.
class Presence final : public coro::ListHook {
public:
    Presence() = default;
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;
    ~Presence() { unlink(); }

    void enter(std::shared_ptr<Caller> caller, Link* link) {
        unlink();
        caller_ = std::move(caller);
        link_ = link;
        if (!caller_->name.empty()) caller_->here.push_back(*this);
    }
    void leave() {
        unlink();
        caller_.reset();
    }
    /// Null: nobody showed a token.
    const Caller* caller() const { return caller_.get(); }
    std::shared_ptr<const Caller> share() const { return caller_; }
    Link* link() const { return link_; }

private:
    std::shared_ptr<Caller> caller_;
    Link* link_ = nullptr;
};

} // namespace yard::http
