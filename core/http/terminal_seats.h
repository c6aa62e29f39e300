// Who is at the terminals of actions: clients that follow an action's stdout with `terminal=1`. Nobody is kept from
// coming; it is for others to see. Who says by a `seat` which one of them it is, and how large its own terminal is,
// gets the size back when somebody leaves whose size the terminal had. Owner: the http thread; a seat may outlive the
// Api that gave it.
#pragma once

#include "core/base/ids.h"
#include "core/coro/thread.h"
#include "core/engine/engine.h"
#include "core/engine/reading/action_details.h"
#include "core/http/message.h"
#include "core/model/terminal_size.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

class TerminalSeats {
    struct Place {
        Link* link = nullptr;
        std::string name; ///< empty: it said none
        std::optional<TerminalSize> size{};
        std::uint64_t sized = 0; ///< grows with each size that is told
    };
    using Places = std::multimap<Lsn, Place>;
    struct State {
        engine::Engine& engine;
        Places places{};
        std::uint64_t lastSized = 0;
    };

public:
    explicit TerminalSeats(engine::Engine& engine)
        : state_(std::make_shared<State>(engine)) {}

    /// Taken from its making to its end.
    class Seat {
    public:
        Seat(std::shared_ptr<State> state, Places::iterator place)
            : state_(std::move(state))
            , place_(place) {}
        Seat(Seat&& other) noexcept
            : state_(std::exchange(other.state_, nullptr))
            , place_(other.place_) {}
        Seat(const Seat&) = delete;
        Seat& operator=(const Seat&) = delete;
        Seat& operator=(Seat&&) = delete;
        ~Seat() {
            if (state_) leave(*state_, place_);
        }

    private:
        std::shared_ptr<State> state_;
        Places::iterator place_;
    };

    /// `link` outlives the seat. `size`: of the client's own terminal, which the action's is about to have.
    Seat take(Lsn lsn, Link& link, std::string name, std::optional<TerminalSize> size) {
        const std::uint64_t sized = size ? ++state_->lastSized : 0;
        return {state_, state_->places.emplace(lsn, Place{&link, std::move(name), size, sized})};
    }
    /// The client of this seat made the terminal that large.
    void resized(Lsn lsn, std::string_view name, TerminalSize size) {
        const auto [first, last] = state_->places.equal_range(lsn);
        const auto at = std::find_if(first, last, [&](const auto& one) { return one.second.name == name; });
        if (at == last || name.empty()) return;
        at->second.size = size;
        at->second.sized = ++state_->lastSized;
    }
    /// How many are there: a client that was killed is not counted any more.
    std::int64_t taken(Lsn lsn) const {
        const auto [first, last] = state_->places.equal_range(lsn);
        return std::count_if(first, last, [](const auto& one) { return !one.second.link->peerGone(); });
    }

private:
    static coro::Task<void> giveBack(engine::Engine& engine, Lsn lsn, TerminalSize size) {
        (void)co_await engine.ask(&engine::ActionDetails::resizeTerminal, lsn, size); // it may have ended
    }

    /// Where the terminal has the size of who leaves, it gets that of who told theirs last among those that stay.
    static void leave(State& state, Places::iterator place) {
        const Lsn lsn = place->first;
        const Place gone = std::move(place->second);
        state.places.erase(place);
        const auto [first, last] = state.places.equal_range(lsn);
        const auto stays = std::max_element(
            first, last, [](const auto& a, const auto& b) { return a.second.sized < b.second.sized; });
        if (!gone.size || stays == last || !stays->second.size || stays->second.sized > gone.sized) return;
        if (stays->second.size == gone.size || !coro::currentThreadOrNull()) return;
        coro::spawn("size of a terminal", giveBack(state.engine, lsn, *stays->second.size));
    }

    std::shared_ptr<State> state_;
};

/// What another producer gives, to somebody at a terminal.
class SeatedProducer final : public BodyProducer {
public:
    SeatedProducer(TerminalSeats::Seat seat, std::unique_ptr<BodyProducer> inner)
        : seat_(std::move(seat))
        , inner_(std::move(inner)) {}
    coro::Task<Result<std::string_view>> next() override { return inner_->next(); }

private:
    TerminalSeats::Seat seat_;
    std::unique_ptr<BodyProducer> inner_;
};

} // namespace yard::http
