#include "tests/support/power_cut.h"

#include "tests/support/file_recorder.h"

#include <QtGlobal>
#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::test {
namespace {

struct Call {
    FileCallHead head;
    std::string_view path, other, data;
    FileCall kind() const { return static_cast<FileCall>(head.call); }
};

Call callAt(std::string_view log, std::uint64_t at) {
    Call call{};
    std::memcpy(&call.head, log.data() + at, sizeof call.head);
    log.remove_prefix(at + sizeof call.head);
    call.path = log.substr(0, call.head.path);
    call.other = log.substr(call.head.path, call.head.other);
    call.data = log.substr(call.head.path + call.head.other, call.head.data);
    return call;
}

/// A change of a file's bytes or mode.
struct Change {
    FileCall call;
    std::uint64_t at;
    std::string_view data;
};

struct File {
    bool isDirectory = false;
    std::string bytes; ///< of files: on the disk
    std::uint64_t mode = 0600;
    std::vector<Change> pending;
    std::map<std::string, std::shared_ptr<File>> names; ///< of directories: as they are seen
    std::map<std::string, std::shared_ptr<File>> kept;  ///< of directories: on the disk
};
using FilePtr = std::shared_ptr<File>;

void apply(File& file, const Change& change) {
    switch (change.call) {
    case FileCall::Write:
        file.bytes.resize(std::max<std::size_t>(file.bytes.size(), change.at + change.data.size()));
        change.data.copy(file.bytes.data() + change.at, change.data.size());
        break;
    case FileCall::Resize: file.bytes.resize(change.at); break;
    case FileCall::Extend: file.bytes.resize(std::max<std::size_t>(file.bytes.size(), change.at)); break;
    default: file.mode = change.at; break;
    }
}

/// A name that came, or went, or both at once.
struct Renaming {
    FilePtr from; ///< directory that loses the name; null: none does
    std::string fromName;
    FilePtr to; ///< directory that gets it; null: none does
    std::string toName;
    FilePtr file;
};

class Disk {
public:
    void play(const Call& call) {
        switch (call.kind()) {
        case FileCall::Create: create(call, false); break;
        case FileCall::MakeDirectory: create(call, true); break;
        case FileCall::Write:
        case FileCall::Resize:
        case FileCall::Extend: changed(call); break;
        case FileCall::Mode: changed(call); break;
        case FileCall::Rename: rename(call); break;
        case FileCall::Remove: remove(call); break;
        case FileCall::Link: link(call); break;
        case FileCall::SyncFile: syncFile(call.head.inode); break;
        case FileCall::SyncDirectory: syncDirectory(call); break;
        }
    }

    /// Decides what there is of what was not synced.
    void cut(Unsynced unsynced, unsigned seed) {
        std::mt19937 random(seed);
        const auto chosen = [&](bool isName) {
            if (unsynced == Unsynced::Some) return (random() & 1u) != 0;
            return unsynced == (isName ? Unsynced::NamesOnly : Unsynced::BytesOnly);
        };
        std::vector<std::pair<const File*, std::string>> passedOver;
        for (const Renaming& renaming : renamings_) {
            // What builds on a name that is not there is not there either.
            const std::pair<const File*, std::string> from{renaming.from.get(), renaming.fromName};
            const std::pair<const File*, std::string> to{renaming.to.get(), renaming.toName};
            const bool isLoose = std::ranges::find(passedOver, from) != passedOver.end() ||
                                 std::ranges::find(passedOver, to) != passedOver.end();
            if (!isLoose && chosen(true)) {
                keep(renaming);
                continue;
            }
            passedOver.push_back(from);
            passedOver.push_back(to);
        }
        for (const FilePtr& file : files_)
            for (const Change& change : file->pending)
                if (chosen(false)) apply(*file, change);
    }
    void keepAll() {
        for (const Renaming& renaming : renamings_) keep(renaming);
        for (const FilePtr& file : files_)
            for (const Change& change : file->pending) apply(*file, change);
    }

    void write(const std::string& directory) const { write(*root_, directory); }

private:
    /// The directory of the last part of a path, and that part.
    std::pair<FilePtr, std::string> placeOf(std::string_view path) const {
        FilePtr at = root_;
        for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
            const auto next = at->names.find(std::string(path.substr(0, slash)));
            if (next == at->names.end()) return {};
            at = next->second;
            path.remove_prefix(slash + 1);
        }
        return {at, std::string(path)};
    }
    FilePtr find(std::string_view path) const {
        if (path.empty()) return root_;
        const auto [at, name] = placeOf(path);
        if (!at) return {};
        const auto found = at->names.find(name);
        return found == at->names.end() ? FilePtr() : found->second;
    }

    void create(const Call& call, bool isDirectory) {
        const auto [at, name] = placeOf(call.path);
        if (!at) return;
        auto file = std::make_shared<File>();
        file->isDirectory = isDirectory;
        if (isDirectory) file->mode = 0700;
        at->names[name] = file;
        files_.push_back(file);
        if (!isDirectory) inodes_[call.head.inode] = file;
        renamings_.push_back({.from = {}, .fromName = {}, .to = at, .toName = name, .file = file});
    }
    void changed(const Call& call) {
        FilePtr file = call.path.empty() ? fileOf(call.head.inode) : find(call.path);
        if (!file) return;
        if (file->isDirectory)
            file->mode = call.head.at;
        else
            file->pending.push_back({call.kind(), call.head.at, call.data});
    }
    FilePtr fileOf(std::uint64_t inode) const {
        const auto found = inodes_.find(inode);
        return found == inodes_.end() ? FilePtr() : found->second;
    }
    void rename(const Call& call) {
        const auto [from, fromName] = placeOf(call.path);
        const auto [to, toName] = placeOf(call.other);
        const FilePtr file = find(call.path);
        if (!from || !to || !file) return;
        from->names.erase(fromName);
        to->names[toName] = file;
        renamings_.push_back({.from = from, .fromName = fromName, .to = to, .toName = toName, .file = file});
    }
    void remove(const Call& call) {
        const auto [from, fromName] = placeOf(call.path);
        const FilePtr file = find(call.path);
        if (!from || !file) return;
        from->names.erase(fromName);
        renamings_.push_back({.from = from, .fromName = fromName, .to = {}, .toName = {}, .file = file});
    }
    void link(const Call& call) {
        const auto [to, toName] = placeOf(call.other);
        const FilePtr file = find(call.path);
        if (!to || !file) return;
        to->names[toName] = file;
        renamings_.push_back({.from = {}, .fromName = {}, .to = to, .toName = toName, .file = file});
    }

    void syncFile(std::uint64_t inode) {
        const FilePtr file = fileOf(inode);
        if (!file) return;
        for (const Change& change : file->pending) apply(*file, change);
        file->pending.clear();
    }
    /// What it lost or got, in order. A name that went on from it does not come back.
    void syncDirectory(const Call& call) {
        const FilePtr directory = find(call.path);
        if (!directory) return;
        std::vector<Renaming> left;
        for (const Renaming& renaming : renamings_) {
            if (renaming.from != directory && renaming.to != directory) {
                left.push_back(renaming);
                continue;
            }
            keep(renaming);
            std::erase_if(left, [&](const Renaming& before) {
                return before.to == renaming.from && before.toName == renaming.fromName &&
                       before.file == renaming.file;
            });
        }
        renamings_ = std::move(left);
    }
    static void keep(const Renaming& renaming) {
        if (renaming.from) {
            const auto there = renaming.from->kept.find(renaming.fromName);
            if (there != renaming.from->kept.end() && there->second == renaming.file)
                renaming.from->kept.erase(there);
        }
        if (renaming.to) renaming.to->kept[renaming.toName] = renaming.file;
    }

    static void write(const File& directory, const std::string& path) {
        if (::mkdir(path.c_str(), 0700) != 0) qFatal("cannot make %s", path.c_str());
        for (const auto& [name, file] : directory.kept) {
            const std::string below = path + '/' + name;
            if (file->isDirectory) {
                write(*file, below);
                continue;
            }
            std::ofstream out(below, std::ios::binary);
            out.write(file->bytes.data(), static_cast<std::streamsize>(file->bytes.size()));
            out.close();
            ::chmod(below.c_str(), static_cast<mode_t>(file->mode));
        }
        ::chmod(path.c_str(), static_cast<mode_t>(directory.mode));
    }

    FilePtr root_ = [] {
        auto root = std::make_shared<File>();
        root->isDirectory = true;
        root->mode = 0700;
        return root;
    }();
    std::vector<FilePtr> files_;
    std::map<std::uint64_t, FilePtr> inodes_;
    std::vector<Renaming> renamings_; ///< not synced, in order
};

} // namespace

DiskHistory DiskHistory::read(const std::string& log) {
    DiskHistory history;
    std::ifstream in(log, std::ios::binary);
    history.bytes_.assign(std::istreambuf_iterator<char>(in), {});
    for (std::uint64_t at = 0; at + sizeof(FileCallHead) <= history.bytes_.size();) {
        FileCallHead head;
        std::memcpy(&head, history.bytes_.data() + at, sizeof head);
        const std::uint64_t end = at + sizeof head + head.path + head.other + head.data;
        if (end > history.bytes_.size()) break;
        history.begins_.push_back(at);
        history.ends_.push_back(end);
        at = end;
    }
    return history;
}

std::size_t DiskHistory::callsUpTo(std::uint64_t bytes) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(ends_, bytes) - ends_.begin());
}

std::string DiskHistory::describe(std::size_t call) const {
    if (call >= size()) return "the end";
    static constexpr const char* kNames[] = {"",       "create", "mkdir", "write",
                                             "resize", "extend", "chmod", "rename",
                                             "remove", "link",   "fsync", "fsync of a directory"};
    const Call made = callAt(bytes_, begins_[call]);
    return fmt::format("{} {} {} {} inode {} at {}, {} bytes", call, kNames[made.head.call], made.path, made.other,
                       made.head.inode, made.head.at, made.head.data);
}

void DiskHistory::cut(std::size_t calls, Unsynced unsynced, unsigned seed, const std::string& directory) const {
    Disk disk;
    for (std::size_t i = 0; i < std::min(calls, size()); ++i) disk.play(callAt(bytes_, begins_[i]));
    disk.cut(unsynced, seed);
    disk.write(directory);
}

void DiskHistory::replay(std::size_t calls, const std::string& directory) const {
    Disk disk;
    for (std::size_t i = 0; i < std::min(calls, size()); ++i) disk.play(callAt(bytes_, begins_[i]));
    disk.keepAll();
    disk.write(directory);
}

} // namespace yard::test
