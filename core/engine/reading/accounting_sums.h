// What is summed of the attempts of many actions, by one of their properties or by time: the rows of accounting
// (docs/figures.md). Pure; one thread at a time, and its memory is bounded.
#pragma once

#include "core/base/clock.h"
#include "core/engine/state/accounting_view.h"
#include "core/store/reader.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace yard::engine {

/// What a label is summed under: the part before the first of "/:-_" and blank; without one of these, the label
/// without the digits at its end. A label of which nothing is left so is summed under itself.
std::string_view labelPrefix(std::string_view label);

class AccountingSums {
public:
    /// What is reserved by actions of a class.
    struct Class {
        std::string worker; ///< its name
        std::int64_t milliCores = 0;
        std::int64_t memoryBytes = 0; ///< 0: none, then what an attempt used at most counts
    };
    struct Question {
        AccountingBy by = AccountingBy::Queue;
        WallMicros from = 0; ///< not negative
        WallMicros to = 0;   ///< up to before this
    };
    /// Different keys that are told apart while summing; those that come later are part of kOtherKey.
    static constexpr std::size_t kMostKeys = 100'000;

    /// `classes` by their numbers, the first one is 1. Actions of others are passed over.
    AccountingSums(Question question, std::vector<Class> classes, std::string machine)
        : question_(question)
        , classes_(std::move(classes))
        , machine_(std::move(machine)) {}

    void add(const store::ActionUse& use);
    /// By time in its order, else the largest first; kOtherKey is the last one.
    std::vector<AccountingRow> rows() const;

private:
    struct Sums {
        std::int64_t actions = 0;
        double cores = 0; ///< thousandths times microseconds, and so on
        double wasted = 0;
        double memory = 0; ///< bytes times microseconds
        double waited = 0;
    };
    /// What one moment of an attempt, or of several, counts.
    struct Rate {
        std::int64_t cores = 0;
        std::int64_t wasted = 0;
        std::int64_t memory = 0;
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
    };

    bool isIn(WallMicros t) const { return t >= question_.from && t < question_.to; }
    /// The part of an attempt's time that is asked for; empty: first >= second.
    std::pair<WallMicros, WallMicros> part(const store::ActionUse::Attempt& attempt) const;
    static Rate rateOf(const Class& cls, const store::ActionUse::Attempt& attempt);
    static void count(Sums& sums, const Rate& rate, WallMicros time);
    std::string_view keyOf(const store::ActionUse& use, const Class& cls, std::string& buffer) const;
    Sums& at(std::string_view key);
    void addByKey(const store::ActionUse& use, const Class& cls);
    void addByWaste(const store::ActionUse& use, const Class& cls);
    void addByTime(const store::ActionUse& use, const Class& cls);
    WallMicros step() const;
    std::map<std::int64_t, Sums> steps() const;
    static AccountingRow rowOf(std::string key, const Sums& sums);
    std::string stepKey(std::int64_t step) const;

    Question question_;
    std::vector<Class> classes_;
    std::string machine_;
    std::unordered_map<std::string, Sums, Hash, std::equal_to<>> byKey_;
    std::optional<Sums> other_;          ///< of keys beyond kMostKeys
    std::map<std::int64_t, Sums> steps_; ///< by day or hour since the epoch, without whole steps of long attempts:
    std::map<std::int64_t, Rate> turns_; ///< those as changes of what runs, from one step on
};

} // namespace yard::engine
