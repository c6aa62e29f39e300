// The directories of attempts and of warm processes: made before the start, with the plan of their sandbox; collected
// and taken away after the end. What blocks is done by helpers.
//
// Owner: engine thread; what it returns as a Task is carried out there. Lifetime: after the attempts and the helpers,
// before Execution. Invariant: a directory is claimed before it is there, and until it is gone, so that the janitor
// leaves it alone. What cannot be taken away is no longer claimed: the janitor's.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/running/attempt_table.h"
#include "core/engine/running/sandboxing.h"
#include "core/engine/state/intern_table.h"
#include "core/engine/state/worker_registry.h"
#include "core/lease/runner.h"
#include "core/lease/scratch.h"
#include "core/locks/claims.h"
#include "core/model/settings.h"
#include "core/runners/warm_runner.h"
#include "core/store/chunk_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

namespace yard::engine {

class WineHost;

/// What was made for an attempt.
struct Workspace {
    std::optional<runners::Scratch> scratch;
    std::optional<LentRequest> request;
    runners::SharedFd input;             ///< null: /dev/null
    std::optional<runners::Lease> lease; ///< how it runs there; absent: not in a directory of its own
    std::int64_t memoryLimit = 0;        ///< bytes, of its sandbox; 0: none
    runners::OutputLimits outputLimits{0, 0};
};

/// What runs here for another engine. `id` is this machine's own number for it.
struct GuestCommand {
    runners::AttemptId id;
    SlotId slot;
    SpecPtr spec;
    Lsn number{};                                     ///< that its engine has for it
    std::shared_ptr<const WorkerDescriptor> worker{}; ///< null: a command
    std::string workerDir{};                          ///< with its files
};

/// What Execution needs of directories; a test has one without any.
class AttemptFiles {
public:
    virtual ~AttemptFiles() = default;
    /// Makes what the attempt needs before it starts. An error: it could not be made.
    virtual coro::Task<Result<Workspace>> prepare(runners::AttemptId id) = 0;
    /// Keeps what it left, and takes its directory away. Calls `takesLong` once if that is not done in a moment;
    /// Attempt::collector can cut it short.
    virtual coro::Task<Collection> collect(runners::AttemptId id, runners::Ended ended,
                                           std::function<void()> takesLong) = 0;
    /// Takes away what the attempt has, with nothing kept.
    virtual void discard(Attempt& attempt) = 0;
};

class Workspaces final : public AttemptFiles {
public:
    struct Parts {
        AttemptTable& attempts;
        const InternTable& dictionary;
        const WorkerRegistry& workers;
        coro::HelperPool& helpers;
        std::string dataDir;
        runners::ScratchHomePtr scratch;
        const Settings& settings; ///< in force now; changes on the engine thread
        const Sandboxing& sandboxing;
        locks::Claims& claims;    ///< directories in use
        WineHost* wine = nullptr; ///< for workers of Windows; null: there are none
    };
    explicit Workspaces(Parts parts)
        : parts_(std::move(parts)) {}
    /// Before the first attempt.
    void attach(store::ChunkStore& chunks) { chunks_ = &chunks; }

    // --- of attempts
    coro::Task<Result<Workspace>> prepare(runners::AttemptId id) override;
    coro::Task<Collection> collect(runners::AttemptId id, runners::Ended ended,
                                   std::function<void()> takesLong) override;
    void discard(Attempt& attempt) override;
    /// At a start, of attempts that the last engine had out: what they had written, from files in `directory` (with a
    /// slash at its end) into the content store (left_streams.cpp).
    coro::Task<void> keepLeftStreams(std::string directory);
    /// The directory of a request to a warm process as it was before a process had it.
    coro::Task<Result<void>> remake(runners::AttemptId id);

    // --- of guests, which are no attempts of this engine
    /// Makes the directory, and says how it runs there. WrongState: it is to run in a sandbox, and none can be made here. A
    /// worker is to, unless workers need none here and guests need none either (guest_unsandboxed).
    coro::Task<Result<Workspace>> prepareGuest(GuestCommand guest);
    /// Keeps what it left, small chunks too, and takes its directory away.
    coro::Task<Result<Collection>> collectGuest(GuestCommand guest, runners::Scratch scratch, runners::Ended ended);
    void discardGuest(const runners::Scratch& scratch) { discardDirectory(scratch.root); }

    // --- of warm processes and workers
    /// Makes the directory of a process. How it is started.
    coro::Task<Result<runners::Lease>> makeProcess(runners::ProcessOrder order);
    void discardProcess(const runners::ProcessOrder& order);
    /// Makes workers/<id>/ if it is not there. Its path.
    coro::Task<Result<std::string>> workerFiles(std::string workerId);
    /// Its files are gone, or will be.
    void forgetWorker(const std::string& id);

private:
    struct Preparation;
    /// Where requests to one worker's processes lie: a number below scratch/.
    struct Mailbox {
        SlotId slot{};
        std::shared_ptr<runners::RequestDirectories> requests;
    };
    struct ProcessPreparation;

    /// All of it but where the files of the attempt's worker are.
    Preparation preparationOf(const Attempt& attempt);
    Preparation preparationOf(const GuestCommand& guest) const;
    bool isSandboxed(const GuestCommand& guest) const;
    const Mailbox& mailboxOf(const std::string& worker);
    Collector::Parts collectionOf(const Attempt& attempt, runners::Ended ended) const;
    static coro::Task<void> collectAll(coro::HelperPool& helpers, std::shared_ptr<Collector> collector,
                                       std::function<void()> takesLong);
    void discardDirectory(const std::string& root);

    Parts parts_;
    store::ChunkStore* chunks_ = nullptr;
    std::unordered_map<std::string, Mailbox> mailboxes_; ///< by worker
    std::uint32_t nextMailbox_ = kFirstMailbox;          ///< no number is given twice
    std::set<std::string> readyWorkers_;
    coro::Mutex workerFilesMutex_; ///< one worker's files are made at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
