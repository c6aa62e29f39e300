#include "core/kinds/kind_codec.h"

#include "core/base/varint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace yard::kinds {

namespace {

constexpr std::uint64_t kFormat = 2; ///< says how many reasons it knows
constexpr std::size_t kReasonsOfFormat1 = 16;

class KindWriter {
public:
    void number(std::uint64_t value) { appendVarint(bytes_, value); }
    void whole(std::int64_t value) {
        number((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
    }
    void fixed(std::uint64_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) bytes_ += static_cast<char>(value >> (8 * i));
    }
    void real(double value) { fixed(std::bit_cast<std::uint64_t>(value), 8); }
    void real(float value) { fixed(std::bit_cast<std::uint32_t>(value), 4); }
    void text(std::string_view value) {
        number(value.size());
        bytes_ += value;
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

/// After something that does not fit everything reads as zero, and isGood() is false.
class KindReader {
public:
    explicit KindReader(std::string_view bytes)
        : rest_(bytes) {}
    std::size_t reasons = kReasons; ///< that whoever wrote it knew
    bool isGood() const { return good_; }
    bool isAtEnd() const { return good_ && rest_.empty(); }
    void spoil() {
        good_ = false;
        rest_ = {};
    }

    std::uint64_t number(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
        const auto value = takeVarint(rest_);
        if (value && *value <= most) return *value;
        spoil();
        return 0;
    }
    std::uint32_t small() { return static_cast<std::uint32_t>(number(std::numeric_limits<std::uint32_t>::max())); }
    std::int64_t whole() {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
    }
    std::uint64_t fixed(std::size_t bytes) {
        if (rest_.size() < bytes) {
            spoil();
            return 0;
        }
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
        rest_.remove_prefix(bytes);
        return value;
    }
    double real() { return finite(std::bit_cast<double>(fixed(8))); }
    float single() { return finite(std::bit_cast<float>(static_cast<std::uint32_t>(fixed(4)))); }
    std::string text(std::size_t most) {
        const auto size = static_cast<std::size_t>(number(most));
        if (rest_.size() < size) spoil();
        std::string value(rest_.substr(0, good_ ? size : 0));
        rest_.remove_prefix(value.size());
        return value;
    }

private:
    template<class T>
    T finite(T value) {
        if (std::isfinite(value)) return value;
        spoil();
        return 0;
    }
    std::string_view rest_;
    bool good_ = true;
};

constexpr std::size_t kMaxText = 1'000; // of names of versions and machines

void write(KindWriter& to, const Figures& figures) {
    to.number(figures.runs);
    to.number(figures.failed);
    for (const std::uint32_t count : figures.reasons) to.number(count);
    for (const Sketch& sketch : figures.sketches) {
        const Sketch::State state = sketch.state();
        to.number(state.zeros);
        to.whole(state.lowest);
        to.number(state.buckets.size());
        for (const std::uint32_t count : state.buckets) to.number(count);
    }
}

void read(KindReader& from, Figures& figures) {
    figures.runs = from.number();
    figures.failed = from.number(figures.runs);
    for (std::size_t i = 0; i < from.reasons; ++i) figures.reasons[i] = from.small();
    for (Sketch& sketch : figures.sketches) {
        Sketch::State state{.zeros = from.number(), .lowest = 0, .buckets = {}};
        const std::int64_t lowest = from.whole();
        state.lowest = static_cast<std::int32_t>(std::clamp<std::int64_t>(lowest, -100'000, 100'000));
        state.buckets.resize(static_cast<std::size_t>(from.number(Sketch::kMaxBuckets)));
        for (std::uint32_t& count : state.buckets) count = from.small();
        if (!sketch.restore(std::move(state))) from.spoil();
    }
}

} // namespace

/// Knows what a kind is made of; each part is written and read side by side.
class KindCodec {
public:
    static void write(KindWriter& to, const Kind& kind) {
        to.number(kFormat);
        to.number(kReasons);
        to.whole(kind.last_);
        kinds::write(to, kind.total_);
        writeNamed(to, kind.versions_);
        writeNamed(to, kind.machines_);
        writePeriods(to, kind.days_);
        writePeriods(to, kind.weeks_);
        writeSeries(to, kind);
        writeChanges(to, kind);
        writeWorks(to, kind);
    }
    static void read(KindReader& from, Kind& kind) {
        const std::uint64_t format = from.number();
        if (format != 1 && format != kFormat) from.spoil();
        from.reasons = format == 1 ? kReasonsOfFormat1 : static_cast<std::size_t>(from.number(kReasons));
        kind.last_ = from.whole();
        kinds::read(from, kind.total_);
        kind.nextVersion_ = readNamed(from, kind.versions_);
        kind.nextMachine_ = readNamed(from, kind.machines_);
        readPeriods(from, kind.days_, Kind::kMaxDays);
        readPeriods(from, kind.weeks_, Kind::kMaxWeeks);
        readSeries(from, kind);
        readChanges(from, kind);
        readWorks(from, kind);
    }

private:
    static void writeNamed(KindWriter& to, const std::vector<NamedFigures>& all) {
        to.number(all.size());
        for (const NamedFigures& one : all) {
            to.text(one.name);
            to.number(one.id);
            to.whole(one.last);
            kinds::write(to, one.figures);
        }
    }
    /// Returns the number to give next.
    static std::uint8_t readNamed(KindReader& from, std::vector<NamedFigures>& all) {
        std::uint8_t next = 1;
        for (auto left = from.number(Kind::kMaxNamed); left > 0 && from.isGood(); --left) {
            NamedFigures& one = all.emplace_back();
            one.name = from.text(kMaxText);
            one.id = static_cast<std::uint8_t>(from.number(255));
            one.last = from.whole();
            kinds::read(from, one.figures);
            next = static_cast<std::uint8_t>(std::max<int>(next, one.id + 1));
        }
        return next;
    }
    static void writePeriods(KindWriter& to, const std::vector<PeriodFigures>& all) {
        to.number(all.size());
        for (const PeriodFigures& one : all) {
            to.whole(one.start);
            kinds::write(to, one.figures);
        }
    }
    static void readPeriods(KindReader& from, std::vector<PeriodFigures>& all, std::size_t most) {
        for (auto left = from.number(most); left > 0 && from.isGood(); --left) {
            PeriodFigures one{.start = from.whole(), .figures = {}};
            kinds::read(from, one.figures);
            if (!all.empty() && all.back().start >= one.start) from.spoil();
            all.push_back(std::move(one));
        }
    }
    static void writeSeries(KindWriter& to, const Kind& kind) {
        to.number(kind.series_.size());
        for (const auto& sample : kind.series_) {
            to.real(sample.duration);
            to.real(sample.memory);
            to.fixed(sample.t, 4);
            to.fixed(sample.version, 1);
            to.fixed(sample.machine, 1);
        }
        for (const std::size_t from : kind.from_) to.number(from);
        to.number(kind.stride_);
    }
    static void readSeries(KindReader& from, Kind& kind) {
        kind.series_.resize(static_cast<std::size_t>(from.number(Kind::kMaxSeries)));
        for (auto& sample : kind.series_) {
            sample.duration = from.single();
            sample.memory = from.single();
            sample.t = static_cast<std::uint32_t>(from.fixed(4));
            sample.version = static_cast<std::uint8_t>(from.fixed(1));
            sample.machine = static_cast<std::uint8_t>(from.fixed(1));
        }
        for (std::size_t& place : kind.from_) place = static_cast<std::size_t>(from.number(kind.series_.size()));
        kind.stride_ = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(from.number(1u << 20)));
    }
    static void writeChanges(KindWriter& to, const Kind& kind) {
        to.number(kind.changes_.size());
        for (const Change& change : kind.changes_) {
            to.number(std::to_underlying(change.what));
            to.whole(change.t);
            to.real(change.before);
            to.real(change.after);
            to.real(change.p);
            to.text(change.version);
            to.text(change.machine);
        }
    }
    static void readChanges(KindReader& from, Kind& kind) {
        for (auto left = from.number(Kind::kMaxChanges); left > 0 && from.isGood(); --left) {
            Change change{.what = static_cast<ChangeOf>(from.number(kChangeKinds - 1)), .t = from.whole()};
            change.before = from.real();
            change.after = from.real();
            change.p = from.real();
            change.version = from.text(kMaxText);
            change.machine = from.text(kMaxText);
            if (change.before <= 0) from.spoil(); // it is divided by
            kind.changes_.push_back(std::move(change));
        }
    }
    static void writeWorks(KindWriter& to, const Kind& kind) {
        to.number(kind.works_.size());
        for (const Work& work : kind.works_) {
            to.fixed(work.key, 8);
            to.number(work.completed);
            to.number(work.failed);
            for (const Lsn lsn : work.lsns) to.whole(lsn.value);
        }
        to.number(kind.goodRuns_);
        to.number(kind.goodFailed_);
        to.number(kind.lines_.size());
        for (const FailureLine& line : kind.lines_) {
            to.text(line.line);
            to.number(line.count);
        }
    }
    static void readWorks(KindReader& from, Kind& kind) {
        for (auto left = from.number(Kind::kMaxWorks); left > 0 && from.isGood(); --left) {
            Work& work = kind.works_.emplace_back(Work{.key = from.fixed(8)});
            work.completed = from.small();
            work.failed = from.small();
            for (Lsn& lsn : work.lsns) lsn = Lsn{from.whole()};
        }
        kind.goodRuns_ = from.number(1u << 30);
        kind.goodFailed_ = from.number(kind.goodRuns_);
        for (auto left = from.number(Kind::kMaxLines); left > 0 && from.isGood(); --left) {
            FailureLine& line = kind.lines_.emplace_back();
            line.line = from.text(Kind::kMaxLineBytes);
            line.count = from.small();
        }
    }
};

std::string encodeKind(const Kind& kind) {
    KindWriter to;
    KindCodec::write(to, kind);
    return to.take();
}

Result<Kind> decodeKind(std::string_view name, std::string_view bytes) {
    KindReader from(bytes);
    Kind kind{std::string(name)};
    KindCodec::read(from, kind);
    if (!from.isAtEnd())
        return fail(ErrorKind::Malformed, "The figures of a kind are damaged. They are counted again from zero.");
    return kind;
}

} // namespace yard::kinds
