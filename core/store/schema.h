// Private to core/store: the tables of the journal, their version and the way from older versions.
#pragma once

#include "core/store/database.h"
#include "core/store/journal.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace yard::store {

/// user_version of the files this program writes.
inline constexpr int kSchemaVersion = 19;
/// LSNs are taken in blocks of this many at least.
inline constexpr std::int64_t kLsnBlock = 100'000;
/// Passed over where ends of blocks may be lost.
inline constexpr std::int64_t kLsnsAfterDamage = 100 * kLsnBlock;
/// In `meta`: how many actions of queues that are gone were completed, failed, abandoned and cancelled.
inline constexpr std::array<std::string_view, 4> kPastKeys{"past_completed", "past_failed", "past_abandoned",
                                                           "past_cancelled"};
/// attempt.id = lsn << kAttemptBits | n; later attempts than fit share the last number.
inline constexpr int kAttemptBits = 16;
/// The ring of what finished last: kRecentRows rows of kRecentPerRow LSNs.
inline constexpr int kRecentRows = 17;
inline constexpr int kRecentPerRow = 64;

/// Bits of done.flags and attempt.flags. kByAttempt: the end was that of attempt number done.attempts, which has a
/// row of its own only when there is more to say of it than `done` does. kWasHeld: it ended while it was held, and is
/// held again when it is put back.
enum EndFlags : std::int64_t {
    kOutEmpty = 1,
    kErrEmpty = 2,
    kOutTruncated = 4,
    kErrTruncated = 8,
    kByAttempt = 16,
    kWasHeld = 32
};
/// Bits of pending.flags.
enum PendingFlags : std::int64_t { kHeld = 1, kCancelRequested = 2, kBackoff = 4 };

/// WrongState for the journal of a newer version; nothing is changed. What cannot be read is left to
/// prepareJournal(). `fd`: the file, open for reading; it stays open.
Result<void> refuseNewerJournal(const std::string& path, int fd);

/// Sets the connection up and brings the file to kSchemaVersion, a copy of an older one being kept (journal_copy.h).
/// WrongState for a file from a newer version and where the file system cannot carry a write-ahead log, Io for one that
/// is not a journal.
Result<void> prepareJournal(Database& database, Durability durability);

/// Runs steps[user_version…], each in a transaction with the new user_version. SQL ends with a semicolon.
Result<void> migrate(Database& database, std::span<const char* const> steps);

} // namespace yard::store
