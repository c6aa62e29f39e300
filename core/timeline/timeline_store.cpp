#include "core/timeline/timeline_store.h"

#include "core/base/files.h"
#include "core/base/log.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>
#include <utility>

namespace yard::timeline {

using timeline::kRecordBytes;
using timeline::Span;

namespace {

constexpr std::uint32_t kNoWorker = 0xffffffffu;

/// As much as there is of it.
std::string readAt(int fd, std::size_t at, std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got = ::pread(fd, bytes.data() + have, size - have, static_cast<off_t>(at + have));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

Result<void> writeAt(int fd, std::size_t at, std::string_view bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t wrote = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return failErrno("writing " + path, wrote < 0 ? errno : EIO);
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
        at += static_cast<std::size_t>(wrote);
    }
    return {};
}

} // namespace

TimelineStore::TimelineStore(std::string directory, std::vector<std::uint32_t> workers, Limits limits)
    : directory_(std::move(directory))
    , limits_(limits)
    , workers_(std::move(workers))
    , levels_(limits.segments) {}

std::string TimelineStore::pathOf(std::uint64_t number) const {
    return fmt::format("{}/{:010}", directory_, number);
}

void TimelineStore::ensureRead() {
    if (isRead_) return;
    isRead_ = true;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(directory_, error)) {
        const std::string name = entry.path().filename().string();
        std::uint64_t number = 0;
        const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (wrong == std::errc{} && end == name.data() + name.size() && number > 0 &&
            pathOf(number).ends_with(name))
            files_.try_emplace(number);
    }
    for (auto& [number, file] : files_) readAll(number);
}

void TimelineStore::readAll(std::uint64_t number) {
    File& file = files_.at(number);
    const UniqueFd fd(::open(pathOf(number).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    for (;;) {
        if (!fd || file.records >= limits_.recordsPerFile) return;
        const std::string bytes = readAt(fd.get(), file.records * kRecordBytes, kBlockRecords * kRecordBytes);
        const std::size_t whole = bytes.size() / kRecordBytes;
        for (std::size_t i = 0; i < whole; ++i, ++file.records) {
            auto span = timeline::decode(std::string_view(bytes).substr(i * kRecordBytes, kRecordBytes));
            if (!span) continue;
            note(file, *span, file.records);
            span->worker = workerOf(*span);
            if (span->worker == kNoWorker) continue;
            numberOf(span->worker, span->slot);
            levels_.add(*span);
        }
        if (whole < kBlockRecords) return;
    }
}

std::uint32_t TimelineStore::numberOf(std::uint32_t worker, std::uint32_t slot) {
    auto& numbers = numbers_[worker];
    return numbers.try_emplace(slot, static_cast<std::uint32_t>(numbers.size()) + 1).first->second;
}

void TimelineStore::note(File& file, const Span& span, std::size_t record) {
    const std::size_t block = record / kBlockRecords;
    while (file.blocks.size() <= block) file.blocks.push_back({span.begin, span.end});
    Block& known = file.blocks[block];
    known.begin = std::min(known.begin, span.begin);
    known.end = std::max(known.end, span.end);
}

/// A file to write to that has room.
Result<void> TimelineStore::openNext() {
    const bool isFull = !files_.empty() && files_.rbegin()->second.records >= limits_.recordsPerFile;
    if (fd_ && !isFull) return {};
    const std::uint64_t number = files_.empty() ? 1 : files_.rbegin()->first + (isFull ? 1 : 0);
    if (auto made = makeDirectories(directory_); !made) return made;
    fd_.reset(::open(pathOf(number).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd_) return failErrno("opening " + pathOf(number), errno);
    files_.try_emplace(number);
    while (files_.size() > limits_.files) {
        ::unlink(pathOf(files_.begin()->first).c_str());
        files_.erase(files_.begin());
    }
    return {};
}

Result<void> TimelineStore::append(const std::vector<Span>& spans) {
    const ThreadLock lock(mutex_);
    ensureRead();
    for (const Span& span : spans) {
        if (span.cls >= workers_.size()) workers_.resize(span.cls + 1, kNoWorker);
        workers_[span.cls] = span.worker;
        numberOf(span.worker, span.slot);
        levels_.add(span);
    }
    for (std::size_t at = 0; at < spans.size();) {
        if (auto opened = openNext(); !opened) return opened;
        const std::uint64_t number = files_.rbegin()->first;
        File& file = files_.rbegin()->second;
        const std::size_t end = std::min(spans.size(), at + limits_.recordsPerFile - file.records);
        std::string bytes;
        for (std::size_t i = at; i < end; ++i) bytes += timeline::encode(spans[i]);
        // What is written of it when it fails is written over by the next one.
        if (auto wrote = writeAt(fd_.get(), file.records * kRecordBytes, bytes, pathOf(number)); !wrote)
            return wrote;
        for (; at < end; ++at) note(file, spans[at], file.records++);
    }
    return {};
}

std::uint32_t TimelineStore::workerOf(const Span& span) const {
    return span.cls < workers_.size() ? workers_[span.cls] : kNoWorker;
}

std::vector<Span> TimelineStore::wantedOf(std::uint64_t number, std::size_t block, const Picture& picture) const {
    std::vector<Span> spans;
    const UniqueFd fd(::open(pathOf(number).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return spans; // somebody removed it
    const std::string bytes = readAt(fd.get(), block * kBlockRecords * kRecordBytes, kBlockRecords * kRecordBytes);
    for (std::size_t at = 0; at + kRecordBytes <= bytes.size(); at += kRecordBytes) {
        auto span = timeline::decode(std::string_view(bytes).substr(at, kRecordBytes));
        if (!span) continue;
        span->worker = workerOf(*span);
        if (span->worker != kNoWorker && picture.wanted(span->worker)) spans.push_back(*span);
    }
    return spans;
}

void TimelineStore::drawFine(timeline::Raster& raster, const Picture& picture) {
    for (const auto& [number, file] : files_)
        for (std::size_t block = 0; block < file.blocks.size(); ++block) {
            if (!file.blocks[block].overlaps(picture)) continue;
            for (const Span& span : wantedOf(number, block, picture)) raster.add(span);
            if (raster.isFull()) return;
        }
}

TimelineStore::Part TimelineStore::read(const Picture& picture, Place place) {
    const ThreadLock lock(mutex_);
    ensureRead();
    Part part;
    part.view.from = picture.from;
    part.view.to = picture.to;
    std::map<std::pair<std::uint32_t, std::uint32_t>, timeline::LaneView> lanes; // by worker and number
    std::size_t taken = 0;
    for (auto at = files_.lower_bound(place.file); at != files_.end() && !part.more; ++at) {
        const std::vector<Block>& blocks = at->second.blocks;
        for (std::size_t block = at->first == place.file ? place.block : 0; block < blocks.size(); ++block) {
            if (!blocks[block].overlaps(picture)) continue;
            if (taken++ == kBlocksPerPart) {
                part.next = {.file = at->first, .block = block};
                part.more = true;
                break;
            }
            for (const Span& span : wantedOf(at->first, block, picture)) {
                if (span.end < picture.from || span.begin >= picture.to) continue;
                const std::uint32_t number = numberOf(span.worker, span.slot);
                timeline::LaneView& lane = lanes[{span.worker, number}];
                lane.worker = span.worker;
                lane.slot = span.slot;
                lane.number = number;
                lane.bars.push_back(span);
            }
        }
    }
    for (auto& [key, lane] : lanes) part.view.lanes.push_back(std::move(lane));
    return part;
}

timeline::View TimelineStore::draw(Picture picture, const std::vector<Span>& open) {
    const ThreadLock lock(mutex_);
    ensureRead();
    for (;;) {
        timeline::Raster raster(picture.from, picture.to, picture.resolution, limits_.items);
        for (const Span& span : open)
            if (picture.wanted(span.worker)) raster.add(span);
        if (levels_.covers(picture.from, picture.resolution))
            levels_.draw(raster, picture.from, picture.to, picture.resolution, picture.wanted);
        else
            drawFine(raster, picture);
        // With one step for all there are a few items a lane, and there is no coarser picture.
        if (!raster.isFull() || picture.resolution > picture.to - picture.from) {
            timeline::View view = raster.finish();
            for (timeline::LaneView& lane : view.lanes) lane.number = numberOf(lane.worker, lane.slot);
            // Who reads them knows the number, not the slot of the machine.
            std::ranges::sort(view.lanes, {},
                              [](const timeline::LaneView& lane) { return std::pair(lane.worker, lane.number); });
            return view;
        }
        picture.resolution = timeline::Raster::coarser(picture.resolution);
    }
}

} // namespace yard::timeline
