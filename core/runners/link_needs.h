// What a machine asked for of the yard's chunks: sends them piece by piece, as fast as the connection takes them.
//
// Owner: the engine thread. Lifetime: that of its runner. Bounds: each hash waits
// once, and the runner lets inputs of what it gave pass alone; one block is read ahead.
#pragma once

#include "core/runners/link_host.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace yard::runners {

class LinkNeeds {
public:
    /// Read at once from the store.
    static constexpr std::size_t kBlock = 512u << 10;

    explicit LinkNeeds(LinkHost& host)
        : host_(host) {}

    /// A new connection, or none: what the one before wanted is forgotten.
    void connect(LinkOut* out);
    /// What waits already is sent once, as the answer to who wanted it first.
    void want(std::uint64_t id, const std::vector<Hash256>& hashes);
    /// There may be room again.
    void pump();

private:
    struct Wanted {
        std::uint64_t id;
        Hash256 hash;
    };
    void sendOn();
    void read();
    void came(Result<LinkHost::Piece> piece);
    void next();

    LinkHost& host_;
    LinkOut* out_ = nullptr;
    std::deque<Wanted> wanted_; ///< the first one is on its way
    std::unordered_set<Hash256> waiting_;
    std::string block_; ///< read and not sent yet, from blockAt_ on
    std::uint64_t blockAt_ = 0;
    std::uint64_t size_ = 0;
    bool isReading_ = false;
    bool isPumping_ = false;
    std::shared_ptr<int> connection_; ///< another one for each connection: late answers see that
};

} // namespace yard::runners
