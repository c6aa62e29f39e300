// Failures in groups that failed alike, with their counts. Pure; one thread at a time, and its memory is bounded.
#pragma once

#include "core/engine/state/failures_view.h"
#include "core/model/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yard::engine {

class FailureTally {
public:
    /// Groups that are told apart while counting, values of a list likewise. What comes later is counted without.
    static constexpr std::size_t kMostTold = 10'000;
    static constexpr std::size_t kMostValues = 1'000;

    struct Names {
        std::vector<std::string> workers; ///< name@version by the numbers of classes, the first one is 1
        std::string machine;
        WallMicros now = 0; ///< the last of the hours that are counted ends with it
    };
    /// `only`: the one group whose values are counted, too; empty: all groups, without.
    explicit FailureTally(Names names, std::string only = {})
        : names_(std::move(names))
        , only_(std::move(only)) {}

    /// The newest first. What is no failure is passed over.
    void add(const ActionResult& row);
    std::int64_t total() const { return total_; }
    FailureGroups groups() const;
    /// Of the one group; null: nothing failed so.
    std::unique_ptr<FailureDetail> detail() const;

private:
    class Values {
    public:
        void add(std::string_view value);
        FailureCounts counts(std::size_t most) const;

    private:
        std::map<std::string, std::int64_t, std::less<>> counts_;
        std::int64_t untold_ = 0;
    };
    struct Group {
        std::string id;
        std::string line;
        Reason reason = Reason::None;
        std::int64_t count = 0;
        WallMicros first = 0;
        WallMicros last = 0;
        Values queues, workers, machines;
        std::vector<Lsn> lsns;
        std::array<std::int64_t, kFailureHours> hours{};
    };
    Group* groupOf(Reason reason, const std::string& line);
    void addHour(Group& group, WallMicros end) const;
    void addParts(const Group& group, const ActionResult& row, const MaskedLine& masked);
    std::string workerOf(const ActionResult& row) const;
    static FailureGroup shown(const Group& group);

    Names names_;
    std::string only_;
    std::map<std::pair<std::string, Reason>, Group> groups_;
    std::int64_t total_ = 0;
    std::int64_t untold_ = 0; ///< in groups that came when there were too many
    std::map<WallMicros, std::int64_t> hours_;
    std::vector<std::pair<LineMask, Values>> parts_;
};

} // namespace yard::engine
