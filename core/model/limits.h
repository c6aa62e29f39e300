// Bounds of what clients give in JSON. The readers hold them and /openapi.json tells them, so that neither says
// something else than the other. Bytes are those of UTF-8. Constants; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace yard {

/// Longest duration that is taken: ten years.
inline constexpr double kMaxSeconds = 315'360'000;
/// Longest exact integer in a double, for everything that has no limit of its own.
inline constexpr std::int64_t kMaxExactInteger = std::int64_t{1} << 53;
inline constexpr std::size_t kMaxPathBytes = 4'096; ///< of a relative path

// Resources, in actions and in workers.
inline constexpr std::int64_t kMaxMilliCores = 1'000'000'000;      ///< a million cores
inline constexpr std::int64_t kMaxMemoryMb = 1'000'000'000'000;    ///< an exabyte
inline constexpr std::int64_t kMaxNamedAmount = 1'000'000'000'000; ///< a billion, in thousandths
inline constexpr std::size_t kMaxNamedResources = 32;

// Variables of an environment.
inline constexpr std::size_t kMaxVariables = 10'000;
/// Name and value. Linux takes no longer single string in argv or the environment (MAX_ARG_STRLEN).
inline constexpr std::size_t kMaxVariableBytes = 131'071;

// Actions.
inline constexpr int kMaxPriority = 100; ///< the least is the same below zero
inline constexpr std::size_t kMaxFunctionBytes = 256;
inline constexpr std::size_t kMaxLabelBytes = 1'024;
inline constexpr std::size_t kMaxIdBytes = 128;
inline constexpr std::size_t kMaxInputs = 100'000;
inline constexpr std::size_t kMaxArguments = 100'000;
inline constexpr std::size_t kMaxArgumentBytes = 131'071; ///< Linux: MAX_ARG_STRLEN without the NUL
inline constexpr std::size_t kMaxCwdBytes = 4'095;
inline constexpr std::size_t kMaxLocks = 64;
inline constexpr std::size_t kMaxDependencies = 10'000;
inline constexpr std::size_t kMaxMachineWords = 16; ///< of "machine"
inline constexpr std::size_t kMaxMachineName = 64;  ///< and of a tag
inline constexpr std::size_t kMaxPlatformBytes = 64;

// Workers.
inline constexpr std::size_t kMaxFiles = 200'000;
inline constexpr std::size_t kMaxFunctions = 10'000;
inline constexpr std::size_t kMaxWordBytes = 256;        ///< names and versions of functions
inline constexpr std::int64_t kMaxProcesses = 1'000'000; ///< and open files, and files of outputs
/// Of those whose actions run on other machines, too: the descriptor, and how many files it names.
inline constexpr std::size_t kMaxSentWorkerBytes = 4u << 20;
inline constexpr std::size_t kMaxSentWorkerFiles = 4'000;

// Queues.
inline constexpr int kMaxRunning = 1'000'000;
inline constexpr std::size_t kMaxLabelLimits = 1'000;
inline constexpr std::size_t kMaxRules = 100;
inline constexpr std::size_t kMaxExitCodes = 256;
inline constexpr double kLeastWeight = 0.001;
inline constexpr double kMostWeight = 1'000;

} // namespace yard
