#include "app/yardctl/map/job_planner.h"

#include "core/model/action_spec.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <poll.h>
#include <random>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

/// Until there are so many bytes, or the end.
Outcome<void> BlockReader::fill(std::size_t wanted) {
    constexpr std::size_t kPiece = 256u << 10;
    while (!isAtEnd_ && rest_.size() < wanted) {
        std::array<pollfd, 2> waits{{{STDIN_FILENO, POLLIN, 0}, {stop_, POLLIN, 0}}};
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) continue;
        if (waits[1].revents != 0) {
            isAtEnd_ = true;
            rest_.clear(); // it was ended: a half is no block
            return {};
        }
        const std::size_t before = rest_.size();
        const std::size_t most = std::min(kPiece, wanted - before);
        rest_.resize(before + most);
        const ssize_t n = ::read(STDIN_FILENO, rest_.data() + before, most);
        rest_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return failed(fmt::format("cannot read stdin: {}", ::strerrordesc_np(errno)));
        isAtEnd_ = n == 0;
    }
    return {};
}

/// With a head alone there is no piece, as with parallel.
Outcome<void> BlockReader::readHead() {
    for (; headLines_ > 0; --headLines_) {
        std::size_t end = rest_.find('\n');
        for (std::size_t wanted = size_; end == std::string::npos && !isAtEnd_; wanted *= 2) {
            if (rest_.size() >= kMaxStdinBytes) break;
            if (auto filled = fill(std::min<std::size_t>(wanted, kMaxStdinBytes)); !filled) return filled;
            end = rest_.find('\n');
        }
        if (end == std::string::npos && !isAtEnd_)
            return failed(
                fmt::format("a line of the head has more than {} MiB, the most that an action is given to "
                            "read",
                            kMaxStdinBytes >> 20));
        if (end == std::string::npos) { // no line: no head either
            headLines_ = 0;
            return {};
        }
        head_ += rest_.substr(0, end + 1);
        rest_.erase(0, end + 1);
        if (head_.size() > kMaxStdinBytes / 2)
            return failed(
                fmt::format("the head has more than {} MiB: no piece would fit beside it", kMaxStdinBytes >> 21));
    }
    return {};
}

Outcome<std::optional<std::string>> BlockReader::next() {
    if (headLines_ > 0)
        if (auto read = readHead(); !read) return std::unexpected(read.error());
    auto piece = nextPiece();
    if (!piece || !*piece || head_.empty()) return piece;
    if (head_.size() + (*piece)->size() > kMaxStdinBytes)
        return failed(fmt::format("a piece of stdin and its head have more than {} MiB, the most that an action is "
                                  "given to read",
                                  kMaxStdinBytes >> 20));
    return head_ + **piece;
}

Outcome<std::optional<std::string>> BlockReader::nextPiece() {
    std::size_t wanted = size_;
    while (true) {
        if (auto filled = fill(wanted); !filled) return std::unexpected(filled.error());
        if (rest_.empty()) return std::nullopt;
        const std::size_t line = rest_.size() < wanted ? std::string::npos : rest_.rfind('\n');
        if (rest_.size() < wanted || line != std::string::npos) {
            const std::size_t end = line == std::string::npos ? rest_.size() : line + 1;
            std::string block = rest_.substr(0, end);
            rest_.erase(0, end);
            return block;
        }
        if (wanted == kMaxStdinBytes)
            return failed(
                fmt::format("a line of stdin has more than {} MiB, the most that an action is given to read",
                            kMaxStdinBytes >> 20));
        wanted = std::min<std::size_t>(wanted * 2, kMaxStdinBytes);
    }
}

Outcome<std::optional<PlannedJob>> JobPlanner::next() {
    if (blocks_) {
        auto block = blocks_->next();
        if (!block) return std::unexpected(block.error());
        isAtEnd_ = !*block;
        if (isAtEnd_) return std::nullopt;
        PlannedJob job{.seq = ++planned_, .block = std::move(*block)};
        job.atOnce = static_cast<std::int64_t>(how_.jobsAtOnce);
        return job;
    }
    auto job = how_.isContext ? nextOfContext() : nextOfRecords();
    if (job && !*job) isAtEnd_ = true;
    if (job && *job) {
        (*job)->seq = ++planned_;
        (*job)->total = total_;
        (*job)->atOnce = static_cast<std::int64_t>(how_.jobsAtOnce);
    }
    return job;
}

std::optional<std::int64_t> JobPlanner::total() const {
    if (isAtEnd_) return planned_;
    if (held_ && how_.counts) return total_;
    if (blocks_ || how_.isContext) return std::nullopt;
    const auto records = source_->total();
    const auto perJob = static_cast<std::int64_t>(how_.records);
    return records.transform([&](std::int64_t n) { return (n + perJob - 1) / perJob; });
}

bool BlockReader::isReady() const {
    pollfd wait{STDIN_FILENO, POLLIN, 0};
    return isAtEnd_ || ::poll(&wait, 1, 0) > 0;
}

bool JobPlanner::isReady() {
    if (blocks_) return blocks_->isReady();
    return how_.shuffles || how_.counts || how_.isContext || source_->isReady();
}

Outcome<void> JobPlanner::readAll() {
    std::vector<Record> all;
    std::size_t bytes = 0;
    for (auto record = source_->next();; record = source_->next()) {
        if (!record) return std::unexpected(record.error());
        if (!*record) break;
        for (const std::string& value : **record) bytes += value.size();
        all.push_back(std::move(**record));
        if (all.size() > kMaxHeldValues || bytes > kMaxHeldBytes)
            return failed(fmt::format("{} all values in memory, {} at most",
                                      how_.shuffles ? "--shuf holds" : "{##} and {0#} hold", kMaxHeldValues));
    }
    if (how_.shuffles) std::ranges::shuffle(all, std::mt19937_64(std::random_device()()));
    total_ = static_cast<std::int64_t>((all.size() + how_.records - 1) / how_.records);
    held_.emplace(std::make_move_iterator(all.begin()), std::make_move_iterator(all.end()));
    return {};
}

Outcome<std::optional<Record>> JobPlanner::nextRecord() {
    if (pushedBack_) return std::exchange(pushedBack_, std::nullopt);
    if (!how_.shuffles && !how_.counts) return source_->next();
    if (!held_)
        if (auto done = readAll(); !done) return std::unexpected(done.error());
    if (held_->empty()) return std::nullopt;
    Record record = std::move(held_->front());
    held_->pop_front();
    return record;
}

Outcome<std::optional<PlannedJob>> JobPlanner::nextOfRecords() {
    PlannedJob job;
    for (std::size_t i = 0; i < how_.records; ++i) {
        auto record = nextRecord();
        if (!record) return std::unexpected(record.error());
        if (!*record) {
            if (i == 0) return std::nullopt;
            break;
        }
        if (!how_.leavesOut) std::ranges::move(**record, std::back_inserter(job.values));
    }
    return job;
}

/// Fills ready_ with one job, or with the last ones.
Outcome<void> JobPlanner::gatherContext() {
    std::vector<std::string> values;
    std::size_t size = 0;
    while (true) {
        auto record = nextRecord();
        if (!record) return std::unexpected(record.error());
        if (!*record) break;
        std::size_t grown = size;
        for (const std::string& value : **record) grown += command_.growth(value);
        const bool isFull = values.size() + (*record)->size() > kMaxJobValues ||
                            (how_.records > 1 && values.size() >= how_.records);
        if (!values.empty() && (grown > how_.maxLine || isFull)) {
            pushedBack_ = std::move(**record);
            ready_.push_back(std::move(values));
            return {};
        }
        size = grown;
        std::ranges::move(**record, std::back_inserter(values));
    }
    const std::size_t share = (values.size() + how_.jobsAtOnce - 1) / std::max<std::size_t>(how_.jobsAtOnce, 1);
    for (std::size_t at = 0; at < values.size(); at += share) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(at);
        const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(at + share, values.size()));
        ready_.emplace_back(std::make_move_iterator(begin), std::make_move_iterator(end));
    }
    return {};
}

Outcome<std::optional<PlannedJob>> JobPlanner::nextOfContext() {
    if (ready_.empty())
        if (auto done = gatherContext(); !done) return std::unexpected(done.error());
    if (ready_.empty()) return std::nullopt;
    PlannedJob job{.values = std::move(ready_.front())};
    ready_.pop_front();
    return job;
}

} // namespace yard::ctl
