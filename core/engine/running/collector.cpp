#include "core/engine/running/collector.h"

#include "core/base/files.h"
#include "core/engine/running/windows_end.h"
#include "core/runners/warm_frames.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace yard::engine {

namespace {

/// A file of this size, or what would make more than kAtOnce at once, is copied in parts.
constexpr std::uint64_t kLarge = 8u << 20;
constexpr std::uint64_t kAtOnce = 64u << 20;
/// Copied between two looks at the clock, and at whether it was cut.
constexpr std::uint64_t kStep = 4u << 20;
constexpr Duration kPart{100'000};

constexpr std::uint64_t kTail = 16u << 10;

/// The end of a stream that went to a file, for the note: the last 16 KiB say most.
std::string tailOf(const runners::StreamResult& stream, std::uint64_t most = kTail) {
    if (stream.path.empty()) return stream.bytes;
    const UniqueFd fd(::open(stream.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!fd) return {};
    return readFileAt(fd.get(), stream.size - std::min(stream.size, most), most).value_or(std::string());
}

/// As it is: in memory, or a file that was hashed while it was written.
Result<ChunkRef> keepWhole(store::ChunkStore& chunks, const runners::StreamResult& stream,
                           std::vector<store::SmallChunk>& small) {
    if (stream.path.empty()) return keepSmall(stream, small);
    if (stream.size == 0) {
        ::unlink(stream.path.c_str());
        return ChunkRef{Hash256::ofNothing(), 0};
    }
    if (auto adopted = chunks.adopt(stream.path, stream.hash, stream.size); !adopted) {
        ::unlink(stream.path.c_str());
        return std::unexpected(adopted.error());
    }
    return ChunkRef{stream.hash, stream.size};
}

} // namespace

Collector::Collector(Parts parts, AttemptOutcome outcome)
    : parts_(std::move(parts)) {
    made_.outcome = std::move(outcome);
}

void Collector::begin() {
    const runners::Ended& ended = parts_.ended;
    if (parts_.isWindows && parts_.scratch) {
        const wine::Ending ending = takeWindowsEnd(parts_.scratch->root);
        if (ended.cause == runners::EndCause::Exited) applyWindowsEnd(made_.outcome, ending);
        made_.cannotHeal = made_.outcome.reason == Reason::SpawnError && wine::isLastingStartError(ending.code);
    }
    if (made_.outcome.state != ActionState::Completed && made_.outcome.note.empty())
        note_ = noteFrom(made_.outcome, tailOf(ended.err), tailOf(ended.out));
    if (parts_.scratch && !parts_.spec->isExec())
        applyPrinted(made_.outcome, tailOf(ended.out, runners::warm::kMaxResult + 2));
    if (ended.times.running != MonoTime{}) keepStreams();
    if (parts_.scratch) outputs_ = runners::openOutputs(*parts_.scratch);
    if (parts_.request) outputs_ = parts_.request->directories->takeBack(parts_.request->lent);
    if (parts_.scratch || parts_.request) gather();
    std::ranges::reverse(later_);
    if (isAllKept()) finish();
}

void Collector::goOn() {
    const MonoTime until = MonoClock::now() + kPart;
    if (later_.empty()) later_.swap(leased_); // each is tried once more
    while (!later_.empty() && !isCut() && MonoClock::now() < until) {
        const auto done = copySome(later_.back());
        if (done && !*done) continue;
        copy_.reset();
        const bool isTriedAgain = !done && done.error().kind == ErrorKind::Busy && mayWait(later_.back());
        if (!done && !isTriedAgain) {
            failed(later_.back(), done.error());
            continue;
        }
        if (isTriedAgain) leased_.push_back(later_.back());
        later_.pop_back();
    }
    waits_ = later_.empty() && !leased_.empty();
    if (isAllKept() || isCut()) finish();
}

/// The kernel has told its holder to let go, and takes the lease away after lease-break-time, which is long.
bool Collector::mayWait(Later& next) {
    const MonoTime now = MonoClock::now();
    if (next.leasedSince == MonoTime{}) next.leasedSince = now;
    return now - next.leasedSince < kLeaseLimit;
}

// --- streams

void Collector::keepStreams() {
    for (runners::StreamResult* stream : {&parts_.ended.out, &parts_.ended.err}) {
        if (stream->gap.empty())
            streamKept(*stream, keepWhole(*parts_.chunks, *stream, made_.chunks));
        else
            later_.push_back({.index = 0, .size = 0, .isLeased = false, .leasedSince = {}, .stream = stream});
    }
}

void Collector::streamKept(runners::StreamResult& stream, const Result<ChunkRef>& kept) {
    const bool isOut = &stream == &parts_.ended.out;
    if (kept) {
        (isOut ? made_.outcome.out : made_.outcome.err) = *kept;
    } else {
        stream.err = kept.error().sysErrno ? kept.error().sysErrno : EIO;
        stream.size = 0;
    }
    applyStreamLoss(made_.outcome, stream, isOut ? "stdout" : "stderr");
}

// --- outputs

/// What is in outputs/; where another thing is in its place, that alone is told.
void Collector::gather() {
    const int err = errno;
    OutputKeeper keeper(*parts_.chunks, made_.chunks);
    gathered_ = runners::gatherOutputs(
        outputs_.get(), parts_.limits, parts_.spec->expect,
        [&](const runners::OutputFile& file) { return keepOutput(keeper, file); }, cut_.get_token());
    runners::GatheredOutputs* gathered = *gathered_ ? &**gathered_ : nullptr;
    if (!gathered) return;
    if (!outputs_ && err != ENOENT)
        gathered->denied.push_back(Denial{.t = wallNow(), .what = "link", .path = "outputs", .err = err, .pid = 0});
    for (const auto& later : gathered->later)
        (later.isLeased ? leased_ : later_)
            .push_back({later.index, later.size, later.isLeased, MonoTime{}, nullptr});
}

Result<std::optional<ChunkRef>> Collector::keepOutput(OutputKeeper& keeper, const runners::OutputFile& file) {
    if (isCut()) return fail(ErrorKind::NotAccepting, "collecting was cut short");
    if (file.size >= kLarge || atOnce_ + file.size > kAtOnce) return std::nullopt;
    atOnce_ += file.size;
    return keeper.keep(file);
}

Result<std::unique_ptr<ChunkCopy>> Collector::open(Later& next) {
    if (runners::StreamResult* stream = next.stream) {
        UniqueFd fd(::open(stream->path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) return failErrno("open " + stream->path, errno);
        return ChunkCopy::ofStream(*parts_.chunks, std::move(fd), KeptStream(stream->size, stream->gap));
    }
    return openOutput(next);
}

/// Null: it has gone.
Result<std::unique_ptr<ChunkCopy>> Collector::openOutput(Later& next) {
    runners::GatheredOutputs& gathered = **gathered_;
    auto file = runners::openGathered(outputs_.get(), gathered.outputs[next.index].name);
    if (!file) return std::unexpected(file.error());
    if (!*file) return nullptr;
    if (next.isLeased) {
        struct stat st{};
        if (::fstat((*file)->get(), &st) != 0) return failErrno("look at an output", errno);
        next.size = static_cast<std::uint64_t>(st.st_size);
        next.isLeased = false;
        if (next.size > gathered.bytesLeft) return fail(ErrorKind::TooLarge, "outputs are over the limit");
        gathered.bytesLeft -= next.size;
    }
    return ChunkCopy::ofOutput(*parts_.chunks, std::move(**file), next.size, parts_.isOver);
}

/// True: this one is done with.
Result<bool> Collector::copySome(Later& next) {
    if (!copy_) {
        auto opened = open(next);
        if (!opened) return std::unexpected(opened.error());
        if (!*opened) {
            gone_.push_back(next.index);
            return true;
        }
        copy_ = std::move(*opened);
    }
    const auto whole = copy_->step(kStep);
    if (!whole || !*whole) return whole;
    const auto kept = copy_->finish();
    if (!kept) return std::unexpected(kept.error());
    if (!next.stream) {
        (*gathered_)->outputs[next.index].chunk = *kept;
    } else {
        ::unlink(next.stream->path.c_str());
        streamKept(*next.stream, *kept);
    }
    return true;
}

/// A stream that cannot be kept is told as such, and the outputs may still be; not so the other way round.
void Collector::failed(const Later& next, const Error& error) {
    if (next.stream) {
        ::unlink(next.stream->path.c_str());
        streamKept(*next.stream, std::unexpected(error));
        later_.pop_back();
        return;
    }
    if (error.kind == ErrorKind::TooLarge) {
        (*gathered_)->overLimit = true;
        (*gathered_)->outputs.clear();
        gone_.clear();
    } else {
        gathered_ = std::unexpected(error);
    }
    later_.clear();
    leased_.clear();
}

// --- the end

void Collector::finish() {
    copy_.reset();
    for (const Later& left : later_)
        if (left.stream) ::unlink(left.stream->path.c_str());
    later_.clear();
    leased_.clear();
    made_.isCut = isCut();
    if (made_.isCut && gathered_) gathered_ = fail(ErrorKind::NotAccepting, "collecting was cut short");
    if (gathered_) {
        if (*gathered_) leaveOutGone(**gathered_);
        applyOutputs(made_.outcome, *gathered_);
    }
    if (parts_.scratch) finishScratch();
    if (parts_.request) finishRequest();
    if (made_.outcome.note.empty()) made_.outcome.note = std::move(note_);
    isDone_ = true;
}

void Collector::leaveOutGone(runners::GatheredOutputs& gathered) {
    std::ranges::sort(gone_, std::greater());
    for (const std::size_t index : gone_) {
        const auto at = gathered.outputs.begin() + static_cast<std::ptrdiff_t>(index);
        if (std::ranges::find(parts_.spec->expect, at->name) != parts_.spec->expect.end())
            gathered.missing.push_back(at->name);
        gathered.outputs.erase(at);
        gathered.onlyFiles = false;
    }
}

void Collector::finishScratch() {
    made_.isRemoved = *gathered_ && runners::removeGathered(outputs_.get(), **gathered_) &&
                      runners::removeEmptyScratch(*parts_.scratch, outputs_.get());
    if (made_.isRemoved) parts_.claims->remove(parts_.scratch->root);
}

void Collector::finishRequest() {
    if (!*gathered_ || !runners::removeGathered(outputs_.get(), **gathered_)) outputs_.reset();
    const LentRequest& request = *parts_.request;
    made_.left = request.directories->keep(request.lent, std::move(outputs_), inputsOf(*parts_.spec));
}

} // namespace yard::engine
