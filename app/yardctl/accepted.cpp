#include "app/yardctl/accepted.h"

#include "app/yardctl/output_follower.h"

#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

std::string lsnWords(std::span<const std::int64_t> lsns) {
    constexpr std::size_t kMostRuns = 10;
    std::string out;
    std::size_t runs = 0;
    for (std::size_t at = 0; at < lsns.size();) {
        if (runs++ == kMostRuns) return out + ", …";
        std::size_t end = at + 1;
        while (end < lsns.size() && lsns[end] == lsns[end - 1] + 1) ++end;
        if (!out.empty()) out += ", ";
        out += end - at == 1 ? fmt::format("{}", lsns[at]) : fmt::format("{}..{}", lsns[at], lsns[end - 1]);
        at = end;
    }
    return out;
}

Outcome<void> printAccepted(std::string_view text, std::span<const std::int64_t> lsns) {
    std::signal(SIGPIPE, SIG_IGN);
    std::fflush(stdout);
    const auto written = writeOutput(STDOUT_FILENO, text);
    if (written) return {};
    return std::unexpected(
        Failure(fmt::format("{}; the engine has accepted {} {} all the same", written.error().message,
                            lsns.size() == 1 ? "action" : "actions", lsnWords(lsns)),
                kExitFailed, errorName(ErrorKind::Io)));
}

} // namespace yard::ctl
