// All kinds of work that are remembered, at most kMaxKinds and some kMaxBytes.
//
// Over that the kind that was not seen for longest goes, those with fewer than kFirmRuns runs first: kinds whose name
// changes with every run push out one another, not those that came back. How many went is counted (dropped()).
//
// add() does no more than hash, look up and count. What takes longer is done in slices by who owns the table:
// look() for changes, takeChanged() for what is to be written.
//
// Owner: one thread (the engine's). Pointers to kinds hold until the next add(), load() or takeChanged().
#pragma once

#include "core/base/error.h"
#include "core/kinds/kind.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yard::kinds {

/// As it is kept. Without a body: it is to be removed.
struct KindDocument {
    std::string name;
    std::string body;
};

class KindTable {
public:
    static constexpr std::size_t kMaxKinds = 10'000;
    static constexpr std::size_t kMaxBytes = std::size_t{128} << 20;
    static constexpr std::uint64_t kFirmRuns = 20;
    static constexpr WallMicros kWriteAfter = 60'000'000;

    explicit KindTable(std::size_t maxKinds = kMaxKinds, std::size_t maxBytes = kMaxBytes)
        : maxKinds_(maxKinds)
        , maxBytes_(maxBytes) {}
    KindTable(const KindTable&) = delete;
    KindTable& operator=(const KindTable&) = delete;

    void add(const Run& run);
    /// One that was kept, at a start. Malformed: it is damaged. False: there is no room for it.
    Result<bool> load(std::string_view name, std::string_view body);
    /// After the last load(): the kinds go in the order they were seen, not in that of the documents.
    void sortBySeen();

    const Kind* find(std::string_view name) const;
    /// In no order.
    void each(const std::function<void(const Kind&)>& visit) const;
    std::size_t size() const { return byName_.size(); }
    /// Kinds that went for others, since the start.
    std::uint64_t dropped() const { return dropped_; }
    /// The one that went last.
    const std::string& lastDropped() const { return lastDropped_; }

    /// Nothing is to be looked at or written, now or later.
    bool isSettled() const { return due_.empty() && changed_.empty() && gone_.empty(); }

    /// Looks for changes in at most `most` kinds that have enough new runs. True: there are more.
    bool look(std::size_t most, const std::function<void(const Kind&)>& found = {});
    /// At most `most` of those that changed kWriteAfter ago, `all`: at any time; before them those that went.
    std::vector<KindDocument> takeChanged(WallMicros now, std::size_t most, bool all = false);
    /// Documents that are not as they should be: they could not be written, or there is no room for them. Kinds that are
    /// there are taken again as if they had changed at `now`, the others as those that went.
    void putBack(const std::vector<std::string>& names, WallMicros now);

private:
    struct Entry;
    using Entries = std::list<Entry>;
    using Queue = std::list<Entry*>;
    struct Entry {
        explicit Entry(Kind k)
            : kind(std::move(k)) {}
        Kind kind;
        bool isFirm = false;
        bool isKept = false; ///< was written, or read
        bool isDue = false;  ///< in due_
        bool isChanged = false;
        WallMicros changed = 0; ///< first time since it was written
        std::size_t bytes = 0;  ///< as counted last
        Queue::iterator inDue{};
        Queue::iterator inChanged{};
    };

    Entry& insert(Kind kind);
    void touch(Entries::iterator entry);
    void noteChange(Entry& entry, WallMicros now);
    void makeRoom();
    void drop(Entries::iterator entry);
    void countBytes(Entry& entry);

    std::size_t maxKinds_;
    std::size_t maxBytes_;
    Entries young_; ///< the latest seen first
    Entries firm_;
    std::unordered_map<std::string_view, Entries::iterator> byName_; ///< names are those of the kinds
    Queue due_;
    Queue changed_; ///< the first that changed first
    std::vector<std::string> gone_;
    std::size_t bytes_ = 0;
    std::uint64_t dropped_ = 0;
    std::string lastDropped_;
};

} // namespace yard::kinds
