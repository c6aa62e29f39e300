// Directories of actions that need files: scratch/S/<lsn>.<attempt>/ with worker/, inputs/, outputs/,
// and collecting what is left in outputs/. Every call blocks: helper threads only. No owner; calls for different
// attempts may run at once.
//
// What an action could write is reached from descriptors alone (core/base/beneath.h): it may put a link in the
// place of anything of its own.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/unique_fd.h"
#include "core/lease/runner.h"
#include "core/model/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

namespace yard::runners {

/// A file of a worker or an input: where it goes, and from which chunk.
struct PlacedFile {
    std::string path; ///< safe relative path (isSafeRelativePath)
    Hash256 hash;
    unsigned mode = 0644; ///< of worker files; inputs are 0444
};
/// Writes the chunk's bytes to the absolute path, which does not exist yet and is ours alone.
using Materialise = std::function<Result<void>(const Hash256& chunk, const std::string& path, unsigned mode)>;

/// Makes workers/<id>/: files 0444 or 0555, directories 0555, under a temporary name, synced where `sync`, then
/// renamed. One that is there already is read: it stays when each file has its bytes and mode, else it is made
/// again, as a crash may leave half of one. `workers/<id>/tmp/` stays writable, and what is in it. Returns the
/// absolute path.
Result<std::string> ensureWorkerFiles(const std::string& dataDir, std::string_view workerId,
                                      const std::vector<PlacedFile>& files, const Materialise& materialise,
                                      bool sync = false);
/// Removes workers/<id>/, read-only as it is.
Result<void> removeWorkerFiles(const std::string& dataDir, std::string_view workerId,
                               const std::stop_token& stop = {});

/// scratch/ of a data directory, held open as long as anybody has it.
struct ScratchHome {
    std::string path; ///< absolute
    UniqueFd fd;
    /// Makes it where it is missing.
    static Result<std::shared_ptr<const ScratchHome>> open(const std::string& dataDir);
};
using ScratchHomePtr = std::shared_ptr<const ScratchHome>;

/// Which directory it is, and what a new one of this file system is like.
struct DirectoryMark {
    dev_t device = 0;
    ino_t number = 0;
    off_t size = 0;
    unsigned flags = 0; ///< of the file system (lsattr), but for those it sets by itself
    static DirectoryMark of(int fd);
    bool isOf(int fd) const;
};

struct Scratch {
    ScratchHomePtr home;
    std::string place;     ///< S/<lsn>.<attempt>, below the home
    std::string root;      ///< the same, absolute: the working directory
    std::string outputs;   ///< root/outputs
    DirectoryMark mark;    ///< of outputs/
    bool hasInputs = true; ///< root/inputs is there
    bool isShown =
        false; ///< a sandbox shows each part of it at its place: an action never comes to the root itself
};
/// Makes the directory of one attempt; an earlier one of the same name is set aside, which is quick: the janitor
/// removes it. `workerDir` may be empty (exec).
/// worker/ is made of hard links to the read-only files: an action cannot change them (0555, and it would have to
/// be our own user to chmod), and its own directory entries are its own. Where links are refused the files are
/// copied. `isShown`: see Scratch; then there is no inputs/ where nothing is in it.
Result<Scratch> makeScratch(const ScratchHomePtr& home, SlotId slot, AttemptId id, const std::string& workerDir,
                            const std::vector<PlacedFile>& inputs, const Materialise& materialise,
                            bool isShown = false);
/// Puts the files into the directory, which nobody else can write, and makes those they lie in.
Result<void> placeInputs(const std::string& directory, const std::vector<PlacedFile>& inputs,
                         const Materialise& materialise);
/// outputs/ of an attempt that has ended. Invalid: it is not there any more, or something else is.
UniqueFd openOutputs(const Scratch& scratch);
/// The same while it runs: one that it has closed stays closed.
UniqueFd lookAtOutputs(const Scratch& scratch);
/// For a sandbox that has another user outside: that one may read what is there and write to outputs/. 0: nothing
/// to do.
Result<void> giveScratchTo(const Scratch& scratch, std::uint32_t hostUser);
/// Lets everybody read a tree of directories that is ours.
Result<void> openToAll(const std::string& directory);
/// Gives an empty directory that a program could write the owner, mode and times of a new one. False: it differs
/// otherwise (attributes, flags, or the size of one that had many entries).
bool makeLikeNew(int fd, const DirectoryMark& mark, std::uint32_t owner);
/// Removes one in which nothing was left, inputs and outputs apart that are empty, and an action.json. False: there
/// is more, or it cannot be removed; then some of it may be gone already. Nothing may be alive in it.
/// `outputs`: open, and known to be empty.
///
/// One that is as it was made is kept for a later attempt of its slot instead (scratch/S/.spare.N, at most four): a
/// file system may look long for the number of a new directory where many were removed just now (ext4: five
/// seconds), and give its blocks back to the disk one by one. An action may have changed more than what lies in it;
/// one that cannot be made like new is not kept, nor any where others may write to the slot's directory.
bool removeEmptyScratch(const Scratch& scratch, int outputs);
std::string scratchPath(const std::string& dataDir, SlotId slot, AttemptId id);

struct OutputLimits {
    std::int64_t bytes = 0;     ///< of all together; 0: none
    std::int64_t files = 10000; ///< whatever has a name: directories, links and the like as well; 0: none
};
struct GatheredOutputs {
    std::vector<NamedChunk> outputs; ///< sorted by name
    /// Links ("link") and special files ("special"); what has a name that is not acceptable or lies too deep is
    /// "special" with err EILSEQ or ENAMETOOLONG. At most 1,000, the rest is left out without a word.
    std::vector<Denial> denied;
    std::vector<std::string> missing; ///< of `expect`
    bool overLimit = false;           ///< output_bytes or output_files: nothing was kept (result_too_large)
    std::uint64_t bytesLeft = 0;      ///< of output_bytes, beside all but those that are leased
    bool onlyFiles = false;           ///< `outputs` is all there was, and none of it lies deeper
    /// What is still to be kept: its place in `outputs`, and how much of it.
    struct Later {
        std::size_t index = 0;
        std::uint64_t size = 0;
        bool isLeased = false; ///< somebody has it who is asked to let go: its size is not known before
    };
    std::vector<Later> later;
    bool isEmpty() const { return onlyFiles && outputs.empty(); }
};
/// One regular file that was left in outputs/.
struct OutputFile {
    int fd;                  ///< open for reading, at its start; closed by the caller of KeepOutput
    const std::string& name; ///< below outputs/
    std::uint64_t size;      ///< more is not read, if it still grows
    bool isAlone;            ///< nobody else has a name for it
};
/// Takes the bytes over into the content store. Nothing: it will be done later, see GatheredOutputs::later.
using KeepOutput = std::function<Result<std::optional<ChunkRef>>(const OutputFile& file)>;
/// Walks outputs/ once. Whoever made it may be alive: what vanishes or becomes something else meanwhile is left
/// out. What it has a lease on (F_SETLEASE) is for later. Fails as `keep` does (NoSpace, Io), and NotAccepting once
/// `stop` was requested.
Result<GatheredOutputs> gatherOutputs(int outputs, const OutputLimits& limits,
                                      const std::vector<std::string>& expect, const KeepOutput& keep,
                                      const std::stop_token& stop = {});
/// One of those for later, opened again; nothing when it has gone, or something else is in its place by now. Busy:
/// somebody has a lease on it, and was asked to let go.
Result<std::optional<UniqueFd>> openGathered(int outputs, const std::string& name);
/// Removes what was gathered. False: that was not all, or could not be done, or would take long.
bool removeGathered(int outputs, const GatheredOutputs& gathered);

/// Whether there is more in it than the limits say, by a look while its action runs: what vanishes or cannot be
/// read meanwhile is passed over, and nothing is changed. Stops where it knows, or `stop` was requested.
bool holdsMoreThan(int outputs, const OutputLimits& limits, const std::stop_token& stop = {});

/// A new name beside the directory (scratch/S/.gone.N) to rename it to, which is quick, before it is removed.
std::string asideName(const std::string& directory);

} // namespace yard::runners
