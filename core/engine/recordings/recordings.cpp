#include "core/engine/recordings/recordings.h"

#include "core/base/directory_entries.h"
#include "core/base/disk_space.h"
#include "core/base/files.h"
#include "core/base/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <fmt/format.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

using recording::RecordingReader;
using recording::RecordingState;
using recording::RecordingWriter;

namespace {

constexpr std::string_view kSuffix = ".yrec";
constexpr std::string_view kArriving = ".part";
/// A file is looked at for so long; one for which that is not enough is refused.
constexpr Duration kCheckLimit = std::chrono::minutes(30);

Result<RecordingView> viewOfFile(const std::string& name, const std::string& path) {
    auto reader = RecordingReader::open(path);
    if (!reader) return std::unexpected(reader.error());
    auto head = reader->head();
    if (!head) return std::unexpected(head.error());
    const auto counts = reader->counts();
    if (!counts) return std::unexpected(counts.error());
    struct stat state{};
    if (::stat(path.c_str(), &state) != 0) return failErrno("cannot look at " + path, errno);
    return RecordingView{.name = name,
                         .head = std::move(*head),
                         .counts = *counts,
                         .bytes = static_cast<std::uint64_t>(state.st_size)};
}

/// What the last engine left. On a helper.
std::vector<RecordingView> readDirectory(const std::string& directory, WallMicros now) {
    std::vector<RecordingView> views;
    auto entries = DirectoryEntries::open(directory);
    if (!entries) return views;
    while (const auto entry = entries->next()) {
        const std::string file(*entry);
        const std::string path = fmt::format("{}/{}", directory, file);
        if (file.ends_with(kArriving)) (void)::unlink(path.c_str());
        if (!file.ends_with(kSuffix) || views.size() >= kMostRecordings) continue;
        std::string name = file.substr(0, file.size() - kSuffix.size());
        if (!isRecordingName(name)) continue;
        (void)RecordingWriter::recover(path, now);
        auto view = viewOfFile(name, path);
        if (view)
            views.push_back(std::move(*view));
        else
            logWarning("engine", "the recording {} cannot be read: {}", name, view.error().message);
    }
    return views;
}

Result<RecordingView> checkedFile(const std::string& name, const std::string& path, const std::stop_token& stop,
                                  WallMicros now) {
    auto reader = RecordingReader::open(path);
    if (!reader) return std::unexpected(reader.error());
    const MonoTime until = MonoClock::now() + kCheckLimit;
    const auto done = reader->check([&] { return !stop.stop_requested() && MonoClock::now() < until; });
    if (!done) return std::unexpected(done.error());
    const auto head = reader->head();
    if (head && head->state == RecordingState::Running)
        if (auto recovered = RecordingWriter::recover(path, now); !recovered)
            return std::unexpected(recovered.error());
    return viewOfFile(name, path);
}

/// WrongState: there is a file of that name, whatever it is.
Result<void> renamed(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    if (errno != EEXIST) return failErrno("cannot rename " + from, errno);
    return fail(ErrorKind::WrongState, "There is a file of this name already that is not listed: take it away.");
}

std::uint64_t freeBytesOf(const std::string& directory) {
    const auto disk = diskSpace(directory);
    return disk ? static_cast<std::uint64_t>(disk->free) : std::numeric_limits<std::uint64_t>::max();
}

} // namespace

bool isRecordingName(std::string_view name) {
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !name.empty() && name.size() <= kMostRecordingName && isPlain(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return isPlain(c) || c == '.' || c == '_' || c == '-'; });
}

Recordings::Recordings(Parts parts)
    : parts_(std::move(parts)) {
    if (!parts_.freeBytes) parts_.freeBytes = [directory = parts_.directory] { return freeBytesOf(directory); };
}

coro::Task<void> Recordings::load() {
    YARD_ASSERT_OWNER(owner_);
    auto views = co_await checking_.run(
        [directory = parts_.directory, now = parts_.now()] { return readDirectory(directory, now); });
    for (RecordingView& view : views) {
        std::string name = view.name;
        entries_.insert_or_assign(std::move(name), Entry{.view = std::move(view)});
    }
    loaded_.set();
}

void Recordings::ended(Lsn lsn) {
    YARD_ASSERT_OWNER(owner_);
    for (const auto& live : running_) {
        if (live->isStopping) continue;
        if (live->waiting.size() >= kMostWaitingToRecord)
            cut(*live, "More ended than could be written.");
        else
            live->waiting.push_back(lsn);
        live->work.set();
    }
}

void Recordings::cut(Live& live, std::string why) {
    if (live.why.empty()) live.why = std::move(why);
    live.isStopping = true;
    live.waiting.clear();
    live.work.set();
    live.room.set();
}

void Recordings::close() {
    writing_.stop();
    checking_.stop();
    naming_.stop();
    for (auto& [name, entry] : entries_)
        if (entry.live && entry.live->tape)
            (void)entry.live->tape->end(RecordingState::Interrupted, {}, parts_.now());
    entries_.clear();
    running_.clear();
}

// --- who is meant

Result<void> Recordings::mayMake(const std::string& name) const {
    if (!isRecordingName(name))
        return invalid("name",
                       fmt::format("Name a recording with letters, digits, \".\", \"_\" and \"-\", a letter or "
                                   "digit first, at most {} of them.",
                                   kMostRecordingName));
    if (entries_.contains(name) || arriving_.contains(name))
        return fail(ErrorKind::WrongState, fmt::format("There is a recording {} already.", name));
    if (entries_.size() + arriving_.size() >= kMostRecordings)
        return fail(ErrorKind::AtLimit, fmt::format("There are {} recordings: remove some.", kMostRecordings));
    return {};
}

Result<Recordings::Entry*> Recordings::find(const std::string& name) {
    const auto found = entries_.find(name);
    if (found != entries_.end()) return &found->second;
    return fail(ErrorKind::NotFound, "There is no such recording; GET recordings lists those there are.");
}

Result<Recordings::Entry*> Recordings::findOver(const std::string& name) {
    auto found = find(name);
    if (found && (*found)->live) return fail(ErrorKind::WrongState, "The recording goes on: stop it first.");
    return found;
}

RecordingView Recordings::viewOf(const Entry& entry) const {
    RecordingView view = entry.view;
    if (entry.live) view.waiting = std::ssize(entry.live->waiting);
    return view;
}

// --- commands

coro::Task<Result<RecordingView>> Recordings::start(RecordingWish wish) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    const auto guard = co_await changing_.lock();
    if (auto may = mayMake(wish.name); !may) co_return std::unexpected(may.error());
    const auto runs = std::ranges::count_if(entries_, [](const auto& one) { return one.second.live != nullptr; });
    if (std::cmp_greater_equal(runs, kMostRunningRecordings))
        co_return fail(ErrorKind::AtLimit, fmt::format("{} recordings run already: stop one.", runs));
    recording::RecordingHead head{.note = wish.note,
                                  .engine = parts_.engineId,
                                  .filter = wish.text,
                                  .attachments = wish.attachments,
                                  .started = parts_.now(),
                                  .ofThePast = wish.ofThePast};
    const std::string name = wish.name;
    auto begin = [this, path = pathOf(name), head, maxBytes = wish.maxBytes]() -> Result<std::shared_ptr<Tape>> {
        if (auto made = makeDirectories(parts_.directory); !made) return std::unexpected(made.error());
        if (parts_.freeBytes() < kLeftByRecordings)
            return fail(ErrorKind::NoSpace, "The disk is nearly full: what runs needs what is left of it.");
        auto tape =
            Tape::begin(path, head, maxBytes,
                        {.chunks = parts_.chunks(), .freeBytes = parts_.freeBytes, .leave = kLeftByRecordings});
        if (!tape) return std::unexpected(tape.error());
        return std::shared_ptr<Tape>(std::move(*tape));
    };
    auto tape = co_await writing_.run(std::move(begin));
    if (!tape) co_return std::unexpected(tape.error());
    const auto live = std::make_shared<Live>();
    live->wish = std::move(wish);
    live->tape = std::move(*tape);
    live->committed = parts_.now();
    Entry& entry = entries_[name];
    entry = {.view = {.name = name, .head = std::move(head), .counts = {}}, .live = live};
    if (!live->wish.ofThePast) running_.push_back(live);
    parts_.spawn("recording", follow(live));
    if (live->wish.ofThePast) parts_.spawn("recording of the past", takePast(live));
    co_return viewOf(entry);
}

coro::Task<Result<RecordingView>> Recordings::stop(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    auto found = find(name);
    if (!found) co_return std::unexpected(found.error());
    const std::shared_ptr<Live> live = (*found)->live;
    if (!live) co_return fail(ErrorKind::WrongState, "The recording is over already.");
    live->isStopping = true;
    live->work.set();
    live->room.set();
    co_await live->over.wait();
    found = find(name);
    if (!found) co_return std::unexpected(found.error());
    co_return viewOf(**found);
}

coro::Task<std::vector<RecordingView>> Recordings::list() {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    std::vector<RecordingView> views;
    views.reserve(entries_.size());
    for (const auto& [name, entry] : entries_) views.push_back(viewOf(entry));
    co_return views;
}

coro::Task<Result<RecordingView>> Recordings::get(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    auto found = find(name);
    if (!found) co_return std::unexpected(found.error());
    co_return viewOf(**found);
}

coro::Task<Result<RecordingView>> Recordings::change(std::string name, RecordingChange change) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    const auto guard = co_await changing_.lock();
    const auto over = findOver(name);
    if (!over) co_return std::unexpected(over.error());
    if (change.note && (*over)->use.use_count() > 1)
        co_return fail(ErrorKind::WrongState, "The file is being fetched: write the note when that is over.");
    if (change.name == name) change.name.reset();
    if (change.name)
        if (auto may = mayMake(*change.name); !may && may.error().kind != ErrorKind::AtLimit)
            co_return std::unexpected(may.error());
    auto write = [from = pathOf(name), to = pathOf(change.name.value_or(name)),
                  note = change.note]() -> Result<void> {
        if (note)
            if (auto set = RecordingWriter::setNote(from, *note); !set) return set;
        return from == to ? Result<void>() : renamed(from, to);
    };
    if (auto written = co_await naming_.run(std::move(write)); !written) co_return std::unexpected(written.error());
    auto node = entries_.extract(name);
    if (node.empty()) co_return fail(ErrorKind::NotFound, "There is no such recording any more.");
    if (change.name) node.key() = node.mapped().view.name = *change.name;
    if (change.note) node.mapped().view.head.note = *change.note;
    co_return viewOf(entries_.insert(std::move(node)).position->second);
}

coro::Task<Result<void>> Recordings::remove(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    const auto guard = co_await changing_.lock();
    if (auto found = findOver(name); !found) co_return std::unexpected(found.error());
    auto unlink = [path = pathOf(name)]() -> Result<void> {
        if (::unlink(path.c_str()) != 0 && errno != ENOENT) return failErrno("cannot remove " + path, errno);
        return {};
    };
    auto removed = co_await naming_.run(std::move(unlink));
    if (removed) entries_.erase(name);
    co_return removed;
}

coro::Task<Result<std::string>> Recordings::file(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    auto found = findOver(name);
    if (!found) co_return std::unexpected(found.error());
    co_return pathOf(name);
}

/// After a change of its note, before the next one.
coro::Task<Result<Recordings::FileInUse>> Recordings::fileToCopy(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    const auto guard = co_await changing_.lock();
    auto found = findOver(name);
    if (!found) co_return std::unexpected(found.error());
    co_return FileInUse{.path = pathOf(name), .use = (*found)->use};
}

// --- files that come

coro::Task<Result<std::string>> Recordings::expect(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await loaded_.wait();
    const auto guard = co_await changing_.lock();
    if (auto may = mayMake(name); !may) co_return std::unexpected(may.error());
    arriving_.insert(name);
    auto make = [this, path = arrivingPathOf(name)]() -> Result<void> {
        if (auto made = makeDirectories(parts_.directory); !made) return made;
        (void)::unlink(path.c_str());
        return {};
    };
    if (auto made = co_await naming_.run(std::move(make)); !made) {
        arriving_.erase(name);
        co_return std::unexpected(made.error());
    }
    co_return arrivingPathOf(name);
}

coro::Task<Result<RecordingView>> Recordings::receive(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    auto look = [name, from = arrivingPathOf(name), to = pathOf(name), stop = checking_.stopping(),
                 directory = parts_.directory, now = parts_.now()]() -> Result<RecordingView> {
        auto view = checkedFile(name, from, stop, now);
        if (auto named = view ? renamed(from, to) : Result<void>(); !named) view = std::unexpected(named.error());
        if (!view) (void)::unlink(from.c_str());
        if (view) (void)syncDirectory(directory);
        return view;
    };
    auto view = co_await checking_.run(std::move(look));
    arriving_.erase(name);
    if (!view) co_return std::unexpected(view.error());
    Entry& entry = entries_[name];
    entry = {.view = std::move(*view)};
    co_return viewOf(entry);
}

coro::Task<Result<void>> Recordings::giveUp(std::string name) {
    YARD_ASSERT_OWNER(owner_);
    co_await naming_.run([path = arrivingPathOf(name)] { return ::unlink(path.c_str()); });
    arriving_.erase(name); // the next one of this name may come from now on
    co_return Result<void>{};
}

} // namespace yard::engine
