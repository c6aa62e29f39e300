// Slurm's own commands: what is run, and what their output says. Values, no owner; nothing is run here.
//
// Source: sbatch(1), squeue(1), scancel(1) of Slurm 22.05, tried on a cluster of one node.
#pragma once

#include "core/allocators/allocator.h"
#include "core/base/error.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace yard::allocators {

/// What `allocators add slurm` was given.
struct SlurmOptions {
    std::string partition{};            ///< empty: Slurm's default
    std::vector<std::string> options{}; ///< passed to sbatch as they are
    std::chrono::seconds walltime = std::chrono::hours(1);
    Shape shape{};
    std::string program = "yardmaster"; ///< there
    std::chrono::seconds idle = std::chrono::seconds(300);
};

/// Before the end of its time Slurm tells a pilot so with SIGUSR2: between this and a minute more.
inline constexpr std::chrono::seconds kSlurmNotice{90};
/// A pilot ends by itself so long before Slurm ends it.
inline constexpr std::chrono::seconds kSlurmReserve{60};
/// More output than this is not read.
inline constexpr std::size_t kMaxSlurmOutput = 16U << 20;

/// The batch script, for the standard input of submitCommand(). Where and with which token it joins comes with the
/// environment, as YARD_JOIN_URL and YARD_JOIN_TOKEN: what is an argument others on that node can read. YARD_PILOT is
/// how the machine calls itself.
std::string pilotScript(const SlurmOptions& options);
/// `sbatch`, which reads the script from its standard input.
std::vector<std::string> submitCommand(const SlurmOptions& options, std::string_view jobName);
std::vector<std::string> listCommand();
/// `jobs` is not empty.
std::vector<std::string> endCommand(const std::vector<std::string>& jobs);
/// The name that all jobs of an allocator have. Two yards of one user tell them apart by `yard`, its engine id.
std::string jobName(std::string_view allocator, std::string_view yard);

/// The id of a job from `sbatch --parsable`: "12" or "12;cluster". Malformed.
Result<std::string> readSubmitted(std::string_view output);
/// Slurm's own sentence from the standard error of a command that failed: its last line, without the program's name.
std::string slurmSentence(std::string_view errors, int exitCode);
/// `squeue --me --json`; some versions show the jobs of all people nevertheless: those of this name. Jobs that ended and are still shown are left out.
/// Malformed.
Result<std::vector<Listed>> readListed(std::string_view json, std::string_view jobName);
/// A sentence where a job that waits for this reason can never start as it is; empty where it only waits.
std::string neverStarts(std::string_view reason);

} // namespace yard::allocators
