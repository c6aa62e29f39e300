// A SQLite VFS over the default one whose writes can be made to fail, which notes who writes the database file
// itself (only a checkpoint does, or the making of the file), and which can be without shared memory, as on a
// network.
#pragma once

#include <sqlite3.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace yard::test {

class FailingVfs {
public:
    /// Registered under this name for the life of the program.
    static constexpr const char* kName = "failing";

    static FailingVfs& get() {
        static FailingVfs vfs;
        return vfs;
    }

    /// The n-th write to the WAL from now on, and all after it, fail with `rc`; 0: the very next one.
    void failWrites(int after, int rc) {
        rc_ = rc;
        left_ = after;
        failing_ = true;
    }
    void heal() { failing_ = false; }
    /// Of what is opened from now on.
    void denySharedMemory(bool on) { noSharedMemory_ = on; }
    /// Threads that wrote to the database file since the last call.
    std::set<std::thread::id> checkpointers() {
        const std::lock_guard lock(mutex_);
        return std::exchange(writers_, {});
    }
    /// Called before each write to the database file, on the thread that writes; empty: nobody is told.
    void onCheckpoint(std::function<void()> told) {
        const std::lock_guard lock(mutex_);
        told_ = std::move(told);
    }

private:
    struct File {
        sqlite3_file base;
        FailingVfs* vfs;
        bool wal;
        bool database;
        sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
    };
    static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
    static sqlite3_file* realOf(sqlite3_file* file) { return of(file)->real(); }

    FailingVfs() {
        real_ = sqlite3_vfs_find(nullptr);
        vfs_ = *real_;
        vfs_.zName = kName;
        vfs_.szOsFile = static_cast<int>(sizeof(File)) + real_->szOsFile;
        vfs_.pAppData = this;
        vfs_.xOpen = open;
        // the others take the path only; they ask the real one's pAppData
        vfs_.xDelete = [](sqlite3_vfs* v, const char* name, int sync) {
            return self(v).real_->xDelete(self(v).real_, name, sync);
        };
        vfs_.xAccess = [](sqlite3_vfs* v, const char* name, int flags, int* out) {
            return self(v).real_->xAccess(self(v).real_, name, flags, out);
        };
        vfs_.xFullPathname = [](sqlite3_vfs* v, const char* name, int size, char* out) {
            return self(v).real_->xFullPathname(self(v).real_, name, size, out);
        };
        vfs_.xRandomness = [](sqlite3_vfs* v, int n, char* out) {
            return self(v).real_->xRandomness(self(v).real_, n, out);
        };
        sqlite3_vfs_register(&vfs_, 0);
        fillMethods();
    }
    static FailingVfs& self(sqlite3_vfs* v) { return *static_cast<FailingVfs*>(v->pAppData); }

    static int open(sqlite3_vfs* v, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
        FailingVfs& vfs = self(v);
        File* wrapped = of(file);
        std::memset(static_cast<void*>(wrapped), 0, sizeof(File));
        wrapped->vfs = &vfs;
        wrapped->wal = (flags & SQLITE_OPEN_WAL) != 0;
        wrapped->database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
        const int rc = vfs.real_->xOpen(vfs.real_, name, wrapped->real(), flags, out);
        const sqlite3_io_methods* ours = vfs.noSharedMemory_ ? &vfs.plainMethods_ : &vfs.methods_;
        wrapped->base.pMethods = wrapped->real()->pMethods ? ours : nullptr;
        return rc;
    }
    static int write(sqlite3_file* file, const void* data, int size, sqlite3_int64 at) {
        File* f = of(file);
        FailingVfs& vfs = *f->vfs;
        if (f->database) {
            const std::lock_guard lock(vfs.mutex_);
            vfs.writers_.insert(std::this_thread::get_id());
            if (vfs.told_) vfs.told_();
        }
        if (f->wal && vfs.failing_ && vfs.left_-- <= 0) return vfs.rc_;
        return f->real()->pMethods->xWrite(f->real(), data, size, at);
    }
    void fillMethods() {
        methods_ = {
            .iVersion = 3,
            .xClose = [](sqlite3_file* f) { return realOf(f)->pMethods->xClose(realOf(f)); },
            .xRead = [](sqlite3_file* f, void* p, int n,
                        sqlite3_int64 at) { return realOf(f)->pMethods->xRead(realOf(f), p, n, at); },
            .xWrite = write,
            .xTruncate = [](sqlite3_file* f,
                            sqlite3_int64 n) { return realOf(f)->pMethods->xTruncate(realOf(f), n); },
            .xSync = [](sqlite3_file* f, int flags) { return realOf(f)->pMethods->xSync(realOf(f), flags); },
            .xFileSize = [](sqlite3_file* f,
                            sqlite3_int64* n) { return realOf(f)->pMethods->xFileSize(realOf(f), n); },
            .xLock = [](sqlite3_file* f, int n) { return realOf(f)->pMethods->xLock(realOf(f), n); },
            .xUnlock = [](sqlite3_file* f, int n) { return realOf(f)->pMethods->xUnlock(realOf(f), n); },
            .xCheckReservedLock = [](sqlite3_file* f,
                                     int* n) { return realOf(f)->pMethods->xCheckReservedLock(realOf(f), n); },
            .xFileControl = [](sqlite3_file* f, int op,
                               void* p) { return realOf(f)->pMethods->xFileControl(realOf(f), op, p); },
            .xSectorSize = [](sqlite3_file* f) { return realOf(f)->pMethods->xSectorSize(realOf(f)); },
            .xDeviceCharacteristics =
                [](sqlite3_file* f) { return realOf(f)->pMethods->xDeviceCharacteristics(realOf(f)); },
            .xShmMap =
                [](sqlite3_file* f, int page, int size, int extend, void volatile** p) {
                    return realOf(f)->pMethods->xShmMap(realOf(f), page, size, extend, p);
                },
            .xShmLock = [](sqlite3_file* f, int at, int n,
                           int flags) { return realOf(f)->pMethods->xShmLock(realOf(f), at, n, flags); },
            .xShmBarrier = [](sqlite3_file* f) { realOf(f)->pMethods->xShmBarrier(realOf(f)); },
            .xShmUnmap = [](sqlite3_file* f, int del) { return realOf(f)->pMethods->xShmUnmap(realOf(f), del); },
            .xFetch = [](sqlite3_file* f, sqlite3_int64 at, int n,
                         void** p) { return realOf(f)->pMethods->xFetch(realOf(f), at, n, p); },
            .xUnfetch = [](sqlite3_file* f, sqlite3_int64 at,
                           void* p) { return realOf(f)->pMethods->xUnfetch(realOf(f), at, p); },
        };
        plainMethods_ = methods_;
        plainMethods_.iVersion = 1;
    }

    sqlite3_vfs* real_ = nullptr;
    sqlite3_vfs vfs_{};
    sqlite3_io_methods methods_{};
    sqlite3_io_methods plainMethods_{}; ///< without xShmMap and those after it
    std::atomic<bool> noSharedMemory_{false};
    std::atomic<bool> failing_{false};
    std::atomic<int> left_{0};
    std::atomic<int> rc_{SQLITE_OK};
    std::mutex mutex_;
    std::set<std::thread::id> writers_; ///< mutex_
    std::function<void()> told_;        ///< mutex_
};

} // namespace yard::test
