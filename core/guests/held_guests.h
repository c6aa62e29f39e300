// The guests that a desk holds of one yard: how far each is, in which order they became ready, and what they take
// here: a share of the budget, inputs, bytes.
//
// Owner: the desk, on the engine thread; budget and inputs outlive it. Invariant: what a guest took is given back once.
#pragma once

#include "core/guests/desk_out.h"
#include "core/guests/guest_budget.h"
#include "core/guests/guest_inputs.h"
#include "core/guests/guest_vetting.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace yard::guests {

enum class GuestStage : std::uint8_t { LookingUp, Fetching, Ready, Preparing, Prepared, Running, Done };

struct Guest {
    GuestAttempt attempt;
    GuestStage stage = GuestStage::LookingUp;
    link::BootTime came{};
    link::BootTime begun{};
    std::set<Hash256> missing{};
    bool knowsWorker = false; ///< its descriptor was read; files of it are among the inputs
    std::uint64_t turn = 0;   ///< among those that are ready
    bool hasBudget = false;
    std::optional<link::GuestEnd> asked{}; ///< why it is being ended
    std::string finished{};                ///< body, once Done
    std::vector<Hash256> results{};
    std::size_t held = 0; ///< bytes, counted in HeldGuests::bytes()
    /// From where the yard follows its streams over this connection.
    std::optional<std::uint64_t> outFrom{};
    std::optional<std::uint64_t> errFrom{};
};

class HeldGuests {
public:
    HeldGuests(GuestBudget& budget, GuestInputs& inputs)
        : budget_(budget)
        , inputs_(inputs) {}
    ~HeldGuests();
    HeldGuests(const HeldGuests&) = delete;
    HeldGuests& operator=(const HeldGuests&) = delete;

    /// Requires: there is no such guest.
    Guest& add(GuestAttempt attempt, std::size_t size, link::BootTime now);
    Guest* find(link::AttemptRef id);
    Guest* at(link::AttemptRef id, GuestStage stage);
    /// Inputs more: the files of its worker.
    void needsToo(Guest& guest, const std::vector<Hash256>& files);
    /// How much more is held with so many of them.
    static std::size_t sizeOf(const std::vector<Hash256>& hashes) { return 2 * sizeof(Hash256) * hashes.size(); }
    /// It needs no inputs and no turn any more.
    void letGo(Guest& guest);
    void giveBudget(Guest& guest);
    void holds(Guest& guest, std::size_t size);
    /// After letGo() and giveBudget().
    void erase(link::AttemptRef id);

    void becomeReady(Guest& guest);
    /// Of those that are ready the one that came first; null: none is.
    Guest* firstReady();
    void takeTurn(Guest& guest) { ready_.erase(guest.turn); }

    /// One that has not begun is told when it does.
    void follow(const link::Follow& follow, DeskOut& out);
    void tellFollowed(const Guest& guest, DeskOut& out) const;
    /// The yard says over the next connection what it follows, and from where.
    void unfollowAll();

    std::size_t count() const { return guests_.size(); }
    std::size_t bytes() const { return bytes_; }
    void addInputs(std::vector<Hash256>& to) const;

private:
    GuestBudget& budget_;
    GuestInputs& inputs_;
    std::map<link::AttemptRef, Guest> guests_;
    std::map<std::uint64_t, link::AttemptRef> ready_; ///< by turn
    std::size_t bytes_ = 0;
    std::uint64_t lastTurn_ = 0;
};

} // namespace yard::guests
