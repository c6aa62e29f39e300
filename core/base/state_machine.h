// A lifecycle is an enum, a table of allowed moves, and one function that moves. Values, no owner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace yard {

/// Which state may follow which. State is an enum class counting from 0; Count is how many there are (at most 32).
template<class State, std::size_t Count>
class TransitionTable {
public:
    static_assert(Count <= 32);
    struct Row {
        State from;
        std::initializer_list<State> to;
    };
    constexpr TransitionTable(std::initializer_list<Row> rows) {
        for (const Row& row : rows)
            for (State to : row.to) allowed_[std::to_underlying(row.from)] |= 1u << std::to_underlying(to);
    }
    constexpr bool allows(State from, State to) const {
        return (allowed_[std::to_underlying(from)] >> std::to_underlying(to)) & 1u;
    }
    /// No move leads out of `state`.
    constexpr bool isFinal(State state) const { return allowed_[std::to_underlying(state)] == 0; }

private:
    std::array<std::uint32_t, Count> allowed_{};
};

} // namespace yard
