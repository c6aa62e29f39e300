// Recordings: what ends is written into files that can be run again (docs/recordings.md). Rows are read as any reader
// reads them, and written on a thread of its own: what runs waits for neither.
//
// Owner: engine thread. Lifetime: after the rows, the lists and the content store; close() before these go. Bounds: those
// of recording_view.h. Where more ends than is written, the recording ends and says so; the work goes on.
#pragma once

#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/recordings/recording_view.h"
#include "core/engine/recordings/tape.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace yard::engine {

class Recordings {
public:
    struct Parts {
        std::string directory; ///< of the files; made when it is needed
        std::string engineId;
        /// Those of these that are kept, whole, with the names that a filter asks for.
        std::function<coro::Task<Result<std::vector<ActionResult>>>(std::vector<Lsn>)> read;
        std::function<coro::Task<Result<std::string>>(Lsn)> action; ///< as posted. NotFound
        std::function<std::string(const std::string& id)> worker;   ///< canonical; empty: there is none
        std::function<bool(const ListQuery&, const ActionResult&)> means;
        std::function<coro::Task<Result<ListPage>>(ListQuery)> list;
        std::function<store::ChunkStore&()> chunks;
        std::function<void(const char* name, coro::Task<void>)> spawn;
        std::function<WallMicros()> now;
        std::function<std::uint64_t()> freeBytes{}; ///< of the disk; empty: it is asked
    };
    explicit Recordings(Parts parts);

    /// Looks at what is there, once. What the last engine was writing is interrupted from then on.
    coro::Task<void> load();
    /// The journal has the end of this one.
    void ended(Lsn lsn);
    /// Commits what was written, on the caller's thread; after the engine thread. Blocks.
    void close();

    /// A file that is read as it lies there: while `use` is held no note is written into it.
    struct FileInUse {
        std::string path;
        std::shared_ptr<const int> use; ///< any thread may let it go
    };

    // --- commands. NotFound where there is no such recording.
    /// Invalid; WrongState: there is one of this name; AtLimit; NoSpace.
    coro::Task<Result<RecordingView>> start(RecordingWish wish);
    /// Returns once all that had ended is written. WrongState: it is over.
    coro::Task<Result<RecordingView>> stop(std::string name);
    coro::Task<std::vector<RecordingView>> list();
    coro::Task<Result<RecordingView>> get(std::string name);
    /// WrongState: it runs, there is one of that name, or a note is wanted while the file is copied.
    coro::Task<Result<RecordingView>> change(std::string name, RecordingChange change);
    coro::Task<Result<void>> remove(std::string name);
    /// Path of the file of one that is over, for those who read it by SQLite. WrongState.
    coro::Task<Result<std::string>> file(std::string name);
    /// The same for those who copy its bytes.
    coro::Task<Result<FileInUse>> fileToCopy(std::string name);
    /// Where a file that comes is to be written; the name is taken until receive() or giveUp().
    coro::Task<Result<std::string>> expect(std::string name);
    /// Looks at all of what came. Malformed; then it is gone again.
    coro::Task<Result<RecordingView>> receive(std::string name);
    coro::Task<Result<void>> giveUp(std::string name);

private:
    /// One that runs.
    struct Live {
        RecordingWish wish;
        std::shared_ptr<Tape> tape{};
        std::deque<Lsn> waiting{};
        coro::Event work{};
        coro::Event room{};
        coro::Event over{};
        bool isStopping = false; ///< nothing more comes to `waiting`
        bool isUncommitted = false;
        std::string why{}; ///< it ends before it was to
        WallMicros committed = 0;
        recording::RecordedSpan span{}; ///< of what was written
    };
    struct Entry {
        RecordingView view;
        std::shared_ptr<Live> live{}; ///< null: it is over
        /// Each copy is somebody who reads the bytes of the file.
        std::shared_ptr<const int> use = std::make_shared<const int>(0);
    };

    std::string pathOf(const std::string& name) const { return parts_.directory + "/" + name + ".yrec"; }
    std::string arrivingPathOf(const std::string& name) const { return parts_.directory + "/" + name + ".part"; }
    Result<void> mayMake(const std::string& name) const;
    Result<Entry*> find(const std::string& name);
    /// The same of one that is over.
    Result<Entry*> findOver(const std::string& name);
    RecordingView viewOf(const Entry& entry) const;
    void cut(Live& live, std::string why);
    // recordings_writing.cpp
    coro::Task<void> follow(std::shared_ptr<Live> live);
    coro::Task<void> writeSome(const std::shared_ptr<Live>& live);
    coro::Task<bool> writePortion(const std::shared_ptr<Live>& live, std::vector<TapeItem> items,
                                  std::int64_t missed);
    coro::Task<std::vector<TapeItem>> itemsOf(const Live& live, std::deque<ActionResult>& rows);
    coro::Task<void> waitForWork(const std::shared_ptr<Live>& live);
    coro::Task<void> finish(std::shared_ptr<Live> live);
    coro::Task<void> takePast(std::shared_ptr<Live> live);
    void take(Live& live, const Tape::Stand& stand);

    Parts parts_;
    std::map<std::string, Entry> entries_;
    std::set<std::string> arriving_;
    std::vector<std::shared_ptr<Live>> running_; ///< that take what ends from now on
    coro::Event loaded_;
    coro::Mutex changing_; ///< files are named and removed one after another
    coro::HelperPool writing_{1};
    coro::HelperPool naming_{1};
    coro::HelperPool checking_{1}; ///< looking at a file takes long: nobody who writes or names one waits for it
    OwnerCheck owner_;
};

} // namespace yard::engine
