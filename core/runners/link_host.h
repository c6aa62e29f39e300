// What the runner of a linked machine needs of the engine, of its store and of the connection. Private to the engine:
// one implements each; tests have doubles.
//
// Owner: the engine thread. Lifetime: they outlive the runner; a connection lives until it was told end() or finish(),
// or LinkRunner::closed() was called. An answer comes later or at once, on the engine thread, once; one that comes after
// the runner is gone has no effect.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/lease/runner.h"
#include "core/link/bodies.h"
#include "core/link/boot_time.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

/// To be in the journal before a machine hears of the attempts: a yard that is killed asks it for them.
struct LinkIntent {
    std::vector<AttemptId> ids;
    std::string runId; ///< of the machine
    Duration lease{};  ///< the length that it was told
};

/// A chunk that a machine has.
struct RemoteChunk {
    Hash256 hash;
    std::uint64_t size = 0;
};

class LinkHost {
public:
    template<class T>
    using Answer = std::move_only_function<void(T)>;
    virtual ~LinkHost() = default;

    virtual link::BootTime bootNow() const = 0;
    virtual MonoTime monoNow() const = 0;

    /// Whether this machine may be linked, and the name of this yard; else what it is told.
    virtual std::optional<link::Refused> refuse(const link::Hello& hello) = 0;
    virtual std::string yardName() const = 0;
    virtual std::string yardRunId() const = 0;

    /// The action of a lease in the words of the link: spec, worker, inputs. The runner adds id, deadline, grace and
    /// `once`. An error: it cannot run elsewhere.
    virtual Result<link::Lease> wordsOf(const Lease& lease) = 0;
    /// What a machine that has an attempt of this worker may ask for beside its inputs: the descriptor, which goes by the
    /// worker's id, and its files. Nothing: there is no such worker.
    virtual std::vector<Hash256> chunksOf(std::string_view) { return {}; }
    virtual void writeDown(LinkIntent intent, Answer<Result<void>> answer) = 0;

    /// Bytes of a chunk of the store, at most `most` of them, and its size.
    struct Piece {
        std::string bytes;
        std::uint64_t size = 0;
    };
    virtual void readChunk(const Hash256& hash, std::uint64_t offset, std::size_t most,
                           Answer<Result<Piece>> answer) = 0;
    /// Those that are not in the store.
    virtual void missing(std::vector<RemoteChunk> chunks, Answer<std::vector<RemoteChunk>> answer) = 0;
    /// One piece of a chunk that comes; offset 0 begins it again. With the last one the store has it, held against its
    /// hash. Invalid: it is not what it is called. Other errors are this side's.
    virtual void storePiece(link::Chunk piece, Answer<Result<void>> answer) = 0;

    /// An update of a running attempt. Its start is none of them, and output is only of streams that are watched.
    virtual void told(const link::Update& update) = 0;
    /// Bytes of a watched stream that were told.
    virtual std::uint64_t printed(AttemptId id, Stream stream) = 0;
    /// All that it left is in the store; its Ended follows.
    virtual void keep(const link::Finished& finished) = 0;
    /// The machine does not take it; its Returned follows. Before this returns, whoever places it has to be told to
    /// keep away from here (fleet::KeepAway, or Ask::avoid): a Returned counts for nothing and is placed again at
    /// once, so it would come here again, over and over.
    virtual void notTaken(AttemptId id, std::string_view sentence) = 0;
};

/// A connection, as linkio::LinkConnection is one.
class LinkOut {
public:
    virtual ~LinkOut() = default;
    /// False: a chunk has to wait, or the connection is over.
    virtual bool send(link::Kind kind, std::uint64_t id, std::string_view body) = 0;
    virtual bool hasRoomForBulk() const = 0;
    /// Sends what waits, then ends.
    virtual void finish() = 0;
    virtual void end() = 0;
};

} // namespace yard::runners
