// What the first process of a sandbox (core/sandbox/init) tells the launcher, over a pipe that nobody else in the
// sandbox has: fixed records, each written at once. Plain data for both ends; freestanding.
#pragma once

namespace yard::sandbox {

enum class RecordKind : int {
    Started = 1, ///< the program runs
    Failed,      ///< it does not: `number` is a StartStep, `err` says why
    Denied,      ///< `number` is the system call; answered with `err`
    Ended ///< the program and all else inside, by signal `number` if that is not 0: init's own exit code cannot say
          ///< so; `err` is the most memory that it or another process inside had, in KiB, `pid` is 1 if somebody
          ///< used the network
};

enum class StartStep : int { Watch = 1, Clone, Filter, Exec };

/// What init, run as a program inside, found not to hold; its exit code.
enum class Check : int { Processes = 1, User, Rights, Root, Tmp, Names, Filter, Network };

struct Record {
    RecordKind kind = RecordKind::Started;
    int number = 0;
    int err = 0;
    int pid = 0;          ///< in the sandbox
    long long micros = 0; ///< since the epoch
    char path[232] = {};  ///< ends with a NUL; may be empty
};
static_assert(sizeof(Record) == 256, "far below what a pipe takes at once");

/// More denials of one sandbox are answered but not told, so that the pipe never fills.
inline constexpr int kMaxDenials = 100;
/// That the program runs, and that it ended.
inline constexpr int kOtherRecords = 2;

// Descriptors of init beside 0, 1, 2 and the worker's socket 3, or the pipe of a jobserver 3 and 4.
inline constexpr int kRecordFd = 10;
inline constexpr int kImageFd = 11;

// Letters of init's argv[1].
inline constexpr char kHasSocket = 's';
inline constexpr char kHasNetwork = 'n';
inline constexpr char kHasTokens = 't';

} // namespace yard::sandbox
