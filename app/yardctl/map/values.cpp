#include "app/yardctl/map/values.h"

#include "app/yardctl/format.h"
#include "app/yardctl/map/expression.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kReadPiece = 64u << 10;

/// The one of this run: there is one --colsep.
const Expression& expressionOf(const std::string& text) {
    static const Expression only(text);
    static const std::string compiled = text;
    if (compiled == text) return only;
    thread_local std::optional<Expression> another; // in tests
    another.emplace(text);
    return *another;
}

} // namespace

Outcome<void> checkColumns(const std::string& expression) {
    if (Expression(expression).isFine()) return {};
    return usageError(
        fmt::format("--colsep wants an extended regular expression, not '{}'", printable(expression)));
}

Record splitColumns(const std::string& value, const std::string& expression) {
    Record out;
    std::size_t at = 0;
    for (auto found = expressionOf(expression).find(value, 0); found && found->end > found->begin;
         found = expressionOf(expression).find(value, at)) {
        out.push_back(value.substr(at, found->begin - at));
        at = found->end;
    }
    out.push_back(value.substr(at));
    return out;
}

ValueReader::ValueReader(UniqueFd file, int fd, std::string name, char separator, int stop)
    : file_(std::move(file))
    , fd_(fd)
    , name_(std::move(name))
    , separator_(separator)
    , stop_(stop) {}

Outcome<ValueReader> ValueReader::open(const std::string& path, char separator, int stop) {
    if (path == "-") return ValueReader({}, STDIN_FILENO, "stdin", separator, stop);
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failed(fmt::format("cannot open {}: {}", printable(path), ::strerrordesc_np(errno)));
    const int fd = file.get();
    return ValueReader(std::move(file), fd, printable(path), separator, stop);
}

/// False: there is no more.
Outcome<bool> ValueReader::fill() {
    buffer_.erase(0, at_);
    at_ = 0;
    std::array<pollfd, 2> waits{{{fd_, POLLIN, 0}, {stop_, POLLIN, 0}}};
    while (true) {
        if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) break;
        if (waits[1].revents != 0) {
            buffer_.clear(); // it was ended: a half is no value
            return false;
        }
        if (waits[0].revents == 0) continue;
        const std::size_t before = buffer_.size();
        buffer_.resize(before + kReadPiece);
        const ssize_t n = ::read(fd_, buffer_.data() + before, kReadPiece);
        buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        if (n >= 0) return n > 0;
        if (errno != EINTR && errno != EAGAIN) break;
    }
    return failed(fmt::format("cannot read {}: {}", name_, ::strerrordesc_np(errno)));
}

bool ValueReader::isReady() {
    while (!isAtEnd_ && buffer_.find(separator_, at_) == std::string::npos) {
        if (buffer_.size() - at_ > kMaxValue) return true; // next() refuses it
        pollfd wait{fd_, POLLIN, 0};
        if (::poll(&wait, 1, 0) <= 0) return false;
        const auto more = fill();
        if (!more) return true; // next() meets it, too
        isAtEnd_ = !*more;
    }
    return true;
}

Outcome<std::optional<std::string>> ValueReader::next() {
    ++count_;
    std::size_t searched = at_;
    while (true) {
        const std::size_t end = buffer_.find(separator_, searched);
        const std::size_t size = std::min(end, buffer_.size()) - at_;
        if (size > kMaxValue)
            return failed(fmt::format("value {} of {} has more than {} bytes: no program takes so long a word",
                                      count_, name_, kMaxValue));
        if (end != std::string::npos || (isAtEnd_ && size > 0)) {
            std::string value = buffer_.substr(at_, size);
            at_ = std::min(at_ + size + 1, buffer_.size());
            if (separator_ != '\0' && value.contains('\0'))
                return failed(
                    fmt::format("value {} of {} has a byte 0; -0 reads values that end with one", count_, name_));
            return value;
        }
        if (isAtEnd_) return std::nullopt;
        searched = size;
        auto more = fill();
        if (!more) return std::unexpected(more.error());
        isAtEnd_ = !*more;
    }
}

Outcome<RecordSource> RecordSource::open(std::vector<ValueSource> sources, How how) {
    RecordSource out(std::move(how));
    std::size_t at = 0;
    const bool isFirstAlone = sources.size() < 2 || !sources[1].isLinked;
    if (!sources.empty() && sources.front().isFile && isFirstAlone) {
        auto reader = ValueReader::open(sources.front().path, out.how_.separator, out.how_.stop);
        if (!reader) return std::unexpected(reader.error());
        out.first_ = std::move(*reader);
        at = 1;
        if (out.how_.hasHeader) {
            auto head = out.first_->next();
            if (!head) return std::unexpected(head.error());
            if (*head) out.addNames(**head);
        }
    }
    while (at < sources.size()) {
        std::size_t end = at + 1;
        while (end < sources.size() && sources[end].isLinked) ++end;
        if (auto added = out.addGroup(std::span(sources).subspan(at, end - at)); !added)
            return std::unexpected(added.error());
        at = end;
    }
    out.at_.assign(out.groups_.size(), 0);
    return out;
}

Outcome<Record> RecordSource::held(const ValueSource& source) {
    Record values = source.values;
    if (source.isFile) {
        auto reader = ValueReader::open(source.path, how_.separator, how_.stop);
        if (!reader) return std::unexpected(reader.error());
        for (auto value = reader->next();; value = reader->next()) {
            if (!value) return std::unexpected(value.error());
            if (!*value) break;
            heldBytes_ += (*value)->size();
            values.push_back(std::move(**value));
            if (heldBytes_ > kMaxHeldBytes || heldValues_ + values.size() > kMaxHeldValues)
                return failed(
                    fmt::format("{} has more values than are held in memory ({}): name it first, that one is "
                                "read as it is needed",
                                printable(source.path), kMaxHeldValues));
        }
    }
    if (how_.hasHeader && !values.empty()) {
        addNames(values.front());
        values.erase(values.begin());
    }
    heldValues_ += values.size();
    return values;
}

/// A line has the names of its columns; where values are not split they are those between tabs, as with parallel.
void RecordSource::addNames(std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    if (how_.columns.empty()) {
        for (std::size_t at = 0; at <= line.size();) {
            const std::size_t end = std::min(line.find('\t', at), line.size());
            names_.push_back(line.substr(at, end - at));
            at = end + 1;
        }
        return;
    }
    std::ranges::move(splitColumns(line, how_.columns), std::back_inserter(names_));
}

Outcome<void> RecordSource::addGroup(std::span<const ValueSource> linked) {
    std::vector<Record> columns;
    for (const ValueSource& source : linked) {
        auto values = held(source);
        if (!values) return std::unexpected(values.error());
        columns.push_back(std::move(*values));
    }
    const std::size_t rows = std::ranges::min(columns, {}, &Record::size).size(); // as with parallel
    Group group;
    for (std::size_t row = 0; row < rows; ++row) {
        Record record;
        for (Record& column : columns) record.push_back(std::move(column[row]));
        group.rows.push_back(std::move(record));
    }
    groups_.push_back(std::move(group));
    return {};
}

/// To the next value of the source that is read as it goes. False: there is none.
Outcome<bool> RecordSource::advanceFirst() {
    if (!first_) return !hasBegun_;
    auto value = first_->next();
    if (!value) return std::unexpected(value.error());
    if (*value) firstValue_ = std::move(**value);
    return value->has_value();
}

bool RecordSource::isReady() {
    if (!first_ || !hasBegun_) return !first_ || first_->isReady();
    for (std::size_t i = 0; i < groups_.size(); ++i)
        if (at_[i] + 1 < groups_[i].rows.size()) return true;
    return first_->isReady();
}

Outcome<std::optional<Record>> RecordSource::next() {
    const auto isBlank = [](const std::string& value) {
        return value.find_first_not_of(" \t\r\n\v\f") == std::string::npos;
    };
    while (true) {
        auto record = following();
        if (!record || !*record || !how_.skipsBlank || !std::ranges::all_of(**record, isBlank)) return record;
    }
}

Outcome<std::optional<Record>> RecordSource::following() {
    if (std::ranges::any_of(groups_, [](const Group& group) { return group.rows.empty(); })) return std::nullopt;
    if (!first_ && groups_.empty()) return std::nullopt;
    std::size_t wraps = groups_.size(); // the groups that begin again, from here on
    if (hasBegun_)
        while (wraps > 0 && at_[wraps - 1] + 1 == groups_[wraps - 1].rows.size()) --wraps;
    else
        wraps = 0;
    if (wraps == 0) {
        const auto more = advanceFirst();
        if (!more) return std::unexpected(more.error());
        if (!*more) return std::nullopt;
        std::ranges::fill(at_, std::size_t{0});
    } else {
        ++at_[wraps - 1];
        std::fill(at_.begin() + static_cast<std::ptrdiff_t>(wraps), at_.end(), std::size_t{0});
    }
    hasBegun_ = true;
    auto record = joined();
    if (!record) return std::unexpected(record.error());
    return std::move(*record);
}

Outcome<Record> RecordSource::joined() const {
    Record record;
    if (first_) record.push_back(firstValue_);
    for (std::size_t i = 0; i < groups_.size(); ++i)
        record.insert(record.end(), groups_[i].rows[at_[i]].begin(), groups_[i].rows[at_[i]].end());
    if (how_.columns.empty()) return record;
    Record split;
    for (const std::string& value : record)
        std::ranges::move(splitColumns(value, how_.columns), std::back_inserter(split));
    return split;
}

std::optional<std::int64_t> RecordSource::total() const {
    if (first_ || how_.skipsBlank) return std::nullopt;
    std::int64_t total = groups_.empty() ? 0 : 1;
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    for (const Group& group : groups_) {
        const auto rows = static_cast<std::int64_t>(group.rows.size());
        if (rows > 0 && total > kMost / rows) return std::nullopt;
        total *= rows;
    }
    return total;
}

} // namespace yard::ctl
