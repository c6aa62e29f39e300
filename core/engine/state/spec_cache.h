// Specs of actions that were just submitted or read ahead, so that a short queue never reads the journal. The
// newest 8 MiB; the oldest go first. Owner: engine thread.
#pragma once

#include "core/base/ids.h"
#include "core/model/action_spec.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace yard::engine {

class SpecCache {
public:
    explicit SpecCache(std::size_t limitBytes = 8u << 20)
        : limit_(limitBytes) {}
    void put(Lsn lsn, SpecPtr spec);
    /// Takes it out; null when it is not here.
    SpecPtr take(Lsn lsn);
    /// It is needed no more: neither a hit nor a miss.
    void drop(Lsn lsn) { (void)remove(lsn); }
    std::size_t bytes() const { return bytes_; }
    std::size_t size() const { return entries_.size(); }
    std::size_t limit() const { return limit_; }
    /// How often take() had it, and had not.
    std::uint64_t hits() const { return hits_; }
    std::uint64_t misses() const { return misses_; }
    /// Those who want one read the journal.
    void clear();

private:
    struct Entry {
        SpecPtr spec;
        std::size_t bytes;
    };
    SpecPtr remove(Lsn lsn);

    std::size_t limit_;
    std::size_t bytes_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t misses_ = 0;
    std::unordered_map<Lsn, Entry> entries_;
    std::deque<Lsn> order_; ///< may name entries that are gone
};

} // namespace yard::engine
