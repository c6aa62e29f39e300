// Directories of actions that need files: scratch/S/<lsn>.<attempt>/ with worker/, inputs/, outputs/ (DESIGN 5),
// and collecting what is left in outputs/. Every call blocks: helper threads only. No owner; calls for different
// attempts may run at once.
#pragma once

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/model/result.h"
#include "core/runners/runner.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
using Materialise = std::function<Result<void>(const Hash256& chunk, const std::string& path)>;

/// Makes workers/<id>/ once: files 0444 or 0555, directories 0555, under a temporary name, then renamed. A
/// directory that is already there is left alone. `workers/<id>/tmp/` stays writable. Returns the absolute path.
Result<std::string> ensureWorkerFiles(const std::string& dataDir, std::string_view workerId,
                                      const std::vector<PlacedFile>& files, const Materialise& materialise);
/// Removes workers/<id>/, read-only as it is.
Result<void> removeWorkerFiles(const std::string& dataDir, std::string_view workerId);

struct Scratch {
    std::string root;      ///< scratch/S/<lsn>.<attempt>, the working directory
    std::string outputs;   ///< root/outputs
    bool hasInputs = true; ///< root/inputs is there
};
/// Makes the directory of one attempt; an earlier one of the same name is removed. `workerDir` may be empty (exec).
/// worker/ is made of hard links to the read-only files: an action cannot change them (0555, and it would have to
/// be our own user to chmod), and its own directory entries are its own. Where links are refused the files are
/// copied. `emptyToo`: inputs/ is there also when nothing is in it.
Result<Scratch> makeScratch(const std::string& dataDir, SlotId slot, AttemptId id, const std::string& workerDir,
                            const std::vector<PlacedFile>& inputs, const Materialise& materialise,
                            bool emptyToo = true);
/// For a sandbox that has another user outside: that one may read what is there and write to outputs/. 0: nothing
/// to do. `byPath`: it comes to both through the directory itself, else each is shown to it.
Result<void> giveScratchTo(const Scratch& scratch, std::uint32_t hostUser, bool byPath);
/// Removes one in which nothing was left, inputs and outputs apart that are empty, and an action.json. False: there
/// is more, or it cannot be removed; then some of it may be gone already. Nothing may be alive in it.
///
/// One that is as it was made is kept for a later attempt of its slot instead (scratch/S/.spare.N, at most four): a
/// file system may look long for the number of a new directory where many were removed just now (ext4: five
/// seconds), and give its blocks back to the disk one by one. An action may have changed more than what lies in it;
/// one with other rights, attributes or flags than a new one is not kept, nor any where others may write to the
/// slot's directory.
bool removeEmptyScratch(const Scratch& scratch);
std::string scratchPath(const std::string& dataDir, SlotId slot, AttemptId id);

struct OutputLimits {
    std::int64_t bytes = 0;     ///< of all together; 0: none
    std::int64_t files = 10000; ///< 0: none
};
struct GatheredOutputs {
    std::vector<NamedChunk> outputs; ///< sorted by name
    /// Links ("link") and special files ("special"); what has a name that is not acceptable or lies too deep is
    /// "special" with err EILSEQ or ENAMETOOLONG. At most 1,000, the rest is left out without a word.
    std::vector<Denial> denied;
    std::vector<std::string> missing; ///< of `expect`
    bool overLimit = false;           ///< output_bytes or output_files: nothing was kept (result_too_large)
};
/// One regular file that was left in outputs/.
struct OutputFile {
    int fd;                  ///< open for reading, at its start; closed by the caller of KeepOutput
    const std::string& path; ///< absolute
    std::uint64_t size;
    bool
        movable; ///< nobody else has a name for it: it may be renamed into the store; else its bytes must be copied
};
/// Takes the bytes over into the content store.
using KeepOutput = std::function<Result<ChunkRef>(const OutputFile& file)>;
/// Walks outputs/ by descriptors (O_NOFOLLOW); nothing may be alive in it. Fails as `keep` does (NoSpace, Io).
Result<GatheredOutputs> gatherOutputs(const std::string& outputsDir, const OutputLimits& limits,
                                      const std::vector<std::string>& expect, const KeepOutput& keep);

/// Whether there is more in it than the limits say, by a look while its action runs: what vanishes or cannot be
/// read meanwhile is passed over, and nothing is changed. Stops where it knows.
bool holdsMoreThan(const std::string& outputsDir, const OutputLimits& limits);

/// A new name beside the directory (scratch/S/.gone.N) to rename it to, which is quick, before it is removed.
std::string asideName(const std::string& directory);

} // namespace yard::runners
