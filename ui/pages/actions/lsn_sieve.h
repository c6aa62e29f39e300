// A test of membership that most numbers fail at once. Immutable value; any thread.
#pragma once

#include <QtGlobal>
#include <array>
#include <cstddef>
#include <vector>

namespace yard::ui {

/// Says of most numbers that are not among some that they are not: a bit for each of 4,096 remainders.
class LsnSieve {
public:
    explicit LsnSieve(const std::vector<qint64>& sorted) {
        for (const qint64 lsn : sorted) bits_[word(lsn)] |= bit(lsn);
    }
    bool mayHave(qint64 lsn) const { return (bits_[word(lsn)] & bit(lsn)) != 0; }

private:
    static std::size_t word(qint64 lsn) { return static_cast<std::size_t>(lsn >> 6) % kWords; }
    static quint64 bit(qint64 lsn) { return quint64{1} << (static_cast<quint64>(lsn) & 63); }
    static constexpr std::size_t kWords = 64;
    std::array<quint64, kWords> bits_{};
};

} // namespace yard::ui
