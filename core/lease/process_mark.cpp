#include "core/lease/process_mark.h"

#include "core/base/hash.h"
#include "core/lease/runner.h"

#include <sys/resource.h>

namespace yard::runners {

ProcessMarks::ProcessMarks(std::string_view ownerToken) {
    const Hash256 hash = Sha256::of(ownerToken);
    for (int i = 0; i < 4; ++i) owner_ = owner_ << 8 | hash.bytes[static_cast<std::size_t>(i)];
    if (owner_ == 0) owner_ = 1;
}

std::uint64_t ProcessMarks::of(std::int64_t lsn) const {
    constexpr std::uint64_t kWarm = std::uint64_t{1} << (kLsnBits - 1);
    const std::uint64_t kind = lsn >= kFirstProcessLsn ? kWarm : 0; // their numbers begin at 1, too
    return owner_ << kLsnBits | kind | (static_cast<std::uint64_t>(lsn) & (kWarm - 1));
}

std::uint64_t ProcessMarks::read(int pid) {
    rlimit limit{};
    return ::prlimit(pid, RLIMIT_LOCKS, nullptr, &limit) == 0 ? limit.rlim_cur : 0;
}

} // namespace yard::runners
