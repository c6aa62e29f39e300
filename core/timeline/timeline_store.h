// The spans of all attempts, in files, and the levels that are drawn from. What blocks is done here: for helpers.
//
// Thread-safe: one thing at a time, behind a mutex. The first call reads what is there: a million spans take some
// tens of milliseconds.
//
// Files: `timeline/` of the data directory, numbered, records of 48 bytes one after another (core/timeline/span.h).
// Bound: kFiles files of kRecordsPerFile spans, two million in 100 MB; the oldest file goes for a new one. Each
// block of a file knows from when to when its spans are, so a picture of an hour reads little else. A record that
// is torn or not ours is left out. What cannot be written is in the levels until the engine ends, and missing from
// fine pictures.
//
// The lanes of a worker are numbered from 1, as they come, from files in their order: a lane keeps its number as long as
// this lives. One number for each slot that a worker ever had here.
#pragma once

#include "core/base/error.h"
#include "core/base/thread_mutex.h"
#include "core/base/unique_fd.h"
#include "core/timeline/levels.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace yard::timeline {

class TimelineStore {
public:
    struct Limits {
        std::size_t recordsPerFile = 131'072;
        std::size_t files = 16;
        std::size_t items = 100'000; ///< bars and columns of one picture
        std::size_t segments = 262'144;
    };
    /// `workers`: by class, the number of its worker, for what is read from files.
    TimelineStore(std::string directory, std::vector<std::uint32_t> workers, Limits limits);

    /// Ended spans, in the order of their ends. Io, NoSpace: they are not in the files.
    Result<void> append(const std::vector<timeline::Span>& spans);
    struct Picture {
        WallMicros from = 0;
        WallMicros to = 0; ///< after `from`
        std::int64_t resolution = 0;
        std::function<bool(std::uint32_t)> wanted; ///< of workers
    };
    /// With `open`, which go on; the lanes of a worker by their numbers. What has too many items is drawn with a coarser step: the view says which.
    timeline::View draw(Picture picture, const std::vector<timeline::Span>& open);

    /// Where reading goes on: a file and a block of it. 0: the first file.
    struct Place {
        std::uint64_t file = 0;
        std::size_t block = 0;
    };
    struct Part {
        timeline::View view; ///< bars only, each whole; lanes as of draw()
        Place next;
        bool more = false;
    };
    /// The spans that overlap [from, to) as they are, in the order of their ends: those of the next kBlocksPerPart blocks whose
    /// times overlap it, from `place` on; it may have none although there are more. What could not be written is not among them.
    Part read(const Picture& picture, Place place);
    static constexpr std::size_t kBlocksPerPart = 4;

private:
    struct Block {
        WallMicros begin = 0;
        WallMicros end = 0;
        bool overlaps(const Picture& picture) const { return end >= picture.from && begin < picture.to; }
    };
    struct File {
        std::size_t records = 0;
        std::vector<Block> blocks;
    };
    static constexpr std::size_t kBlockRecords = 1'024;

    void ensureRead() YARD_REQUIRES(mutex_);
    void readAll(std::uint64_t number) YARD_REQUIRES(mutex_);
    void note(File& file, const timeline::Span& span, std::size_t record) YARD_REQUIRES(mutex_);
    /// The spans of a block whose workers are wanted, each with its worker.
    std::vector<timeline::Span> wantedOf(std::uint64_t number, std::size_t block, const Picture& picture) const
        YARD_REQUIRES(mutex_);
    std::uint32_t workerOf(const timeline::Span& span) const YARD_REQUIRES(mutex_);
    Result<void> openNext() YARD_REQUIRES(mutex_);
    std::uint32_t numberOf(std::uint32_t worker, std::uint32_t slot) YARD_REQUIRES(mutex_);
    void drawFine(timeline::Raster& raster, const Picture& picture) YARD_REQUIRES(mutex_);
    std::string pathOf(std::uint64_t number) const;

    const std::string directory_;
    const Limits limits_;
    ThreadMutex mutex_;
    bool isRead_ YARD_GUARDED_BY(mutex_) = false;
    std::vector<std::uint32_t> workers_ YARD_GUARDED_BY(mutex_); ///< by class
    timeline::Levels levels_ YARD_GUARDED_BY(mutex_);
    std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>>
        numbers_ YARD_GUARDED_BY(mutex_);                         ///< by worker and slot
    std::map<std::uint64_t, File> files_ YARD_GUARDED_BY(mutex_); ///< by number; the last one is written to
    UniqueFd fd_ YARD_GUARDED_BY(mutex_);                         ///< of the last one
};

} // namespace yard::timeline
