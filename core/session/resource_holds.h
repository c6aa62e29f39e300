// Session::holds(): what somebody has that is no attempt: resources of a warm process, locks of another engine. Who waits
// for resources gets them oldest first. Owner: engine thread. Lives as long as the session, above the order.
//
// Invariants: what is in held() is taken of the capacity; one that waits keeps those behind it from what it needs
// itself, and from nothing else; one that waits for more than there is keeps them from nothing.
#pragma once

#include "core/base/owner.h"
#include "core/model/given_resources.h"
#include "core/session/capacity.h"
#include "core/session/messages.h"
#include "core/session/order.h"
#include "core/session/views.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace yard::session {

class ResourceHolds {
public:
    struct Hold {
        HoldKey key;
        Resources resources;
        /// It is no attempt: it has them on this machine.
        Demand demand() const { return {resources, fleet::Slots::None}; }
    };
    ResourceHolds(Capacity& capacity, Order& order)
        : capacity_(capacity)
        , order_(order) {}

    /// Takes the resources if they are free and nobody who asked before waits for the same. Else it waits: false, and
    /// Outbox::granted says when they were taken, before anything else that needs what becomes free. Nothing is leased
    /// ahead meanwhile if it asks for cores.
    bool take(HoldKey key, const Resources& resources);
    /// There is that much on this machine. Who asks for more waits for good, and keeps nobody from anything.
    bool everFits(const Resources& resources) const { return capacity_.everFits({resources, fleet::Slots::None}); }
    /// Gives them back, or takes the wish back. True: somebody may start now.
    bool letGo(HoldKey key);
    /// Session::schedule() asks for it. Takes what fits by now for those who wait: Outbox::granted.
    void grant(Outbox& out);

    /// Another engine has this lock: nothing that claims it starts until it is said to be free. Of a lock that an
    /// action of our own has: no effect before that action has ended.
    void setLockElsewhere(LockId lock, bool isHeld);

    /// Pieces of what is told apart, while it has what it asked for.
    GivenResources given(HoldKey key) const;
    const std::vector<Hold>& held() const { return held_; }
    /// Why it waits; nothing: it does not.
    std::optional<HoldWait> waitOf(HoldKey key) const;
    /// Somebody has cores.
    bool hasCores() const { return withCores_ > 0; }
    /// Somebody waits for cores that there are.
    bool wantsCores() const;
    void check() const; // check.cpp

private:
    std::size_t wantedBefore(const Hold& hold, std::size_t earlier) const;
    bool takeNow(const Hold& hold, std::size_t earlier);

    Capacity& capacity_;
    Order& order_;
    std::vector<Hold> held_;   ///< a few
    std::vector<Hold> wanted_; ///< waits for that, oldest first
    int withCores_ = 0;        ///< of held_
    OwnerCheck owner_;
};

} // namespace yard::session
