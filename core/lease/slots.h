// `slots` in the data directory: which attempts live, or may live, in which slot. Mapped shared by engine and
// launcher, so it survives kill -9 of both. A power cut ends the processes it describes; so it is synced only for
// what may not begin a second time (sync()).
//
// Per slot a ring of 64 entries. A spawner takes a free entry and writes it before it clones (AboutToClone) and
// after (Cloned); only the engine frees it, once the journal holds the attempt. A full ring holds the next start
// back. Threads: entries of a slot are taken by the one spawner the slot belongs to; fields are atomics, any thread
// may read.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/lease/runner.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::runners {

enum class SlotEntryState : std::uint32_t { Free = 0, AboutToClone = 1, Cloned = 2 };

/// One entry as read.
struct SlotEntry {
    SlotId slot;
    AttemptId id;
    SlotEntryState state = SlotEntryState::Free;
    int pid = 0;            ///< Cloned only
    WallMicros started = 0; ///< likewise: when it was; 0: an older engine wrote it
};

class SlotsFile {
public:
    static constexpr unsigned kRing = 64;
    static constexpr unsigned kMaxSlots = 4096;

    SlotsFile() = default;
    ~SlotsFile();
    SlotsFile(SlotsFile&& other) noexcept;
    SlotsFile& operator=(SlotsFile&& other) noexcept;

    /// A new, empty file under a temporary name, renamed over `path`: whoever still maps the old one cannot
    /// disturb.
    /// `durable`: a power cut does not bring the old one back.
    static Result<SlotsFile> create(const std::string& path, unsigned slots, bool durable = false);
    /// Maps an existing file. Malformed when magic, version, size or count do not fit.
    static Result<SlotsFile> open(const std::string& path);

    unsigned slots() const;
    /// Who writes entries now, for the engine's next start. 0: nobody.
    void setLauncherPid(int pid);
    int launcherPid() const;
    /// The launcher lost its engine, and what its children had written by then is in files. Cleared with a new
    /// launcher.
    void setOutputKept();
    bool isOutputKept() const;

    /// An index to give to the next three, or nothing when the ring is full; then isHeldBack() is set.
    std::optional<unsigned> take(SlotId slot, AttemptId id);
    void setCloned(SlotId slot, unsigned index, int pid);
    /// The child never ran (clone failed, exec failed): the entry is free again at once.
    void giveBack(SlotId slot, unsigned index);

    /// All entries as they are now are on the disk. Blocks.
    Result<void> sync() const;

    /// Frees the attempt's entry, if there is one. True when a start was held back for lack of one: tell the
    /// launcher.
    bool freeEntry(SlotId slot, AttemptId id);
    /// Entries that are not free; damaged ones are left out.
    std::vector<SlotEntry> entries() const;
    /// How many hold what nobody writes: a state that there is not, or no attempt.
    unsigned damaged() const;
    std::optional<SlotEntry> find(AttemptId id) const;

private:
    SlotsFile(void* base, std::size_t size);
    template<class F>
    void forEachTaken(F each) const;
    struct Layout;
    Layout* layout_ = nullptr;
    std::size_t size_ = 0;
};

} // namespace yard::runners
