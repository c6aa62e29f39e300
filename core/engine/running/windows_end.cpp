#include "core/engine/running/windows_end.h"

#include "core/base/files.h"
#include "core/base/unique_fd.h"
#include "core/wine/wine.h"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace yard::engine {

namespace {

void endAs(AttemptOutcome& outcome, Reason reason, std::string note) {
    outcome.state = ActionState::Failed;
    outcome.reason = reason;
    outcome.note = std::move(note);
}

} // namespace

Result<void> makeWindowsEnd(const std::string& root, std::uint32_t hostUser) {
    const std::string path = root + std::string(wine::kEndingFile);
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return failErrno("make " + path, errno);
    if (hostUser != 0 && ::fchown(file.get(), hostUser, hostUser) != 0)
        return failErrno("give away " + path, errno);
    return {};
}

wine::Ending takeWindowsEnd(const std::string& root) {
    const std::string path = root + std::string(wine::kEndingFile);
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    ::unlink(path.c_str());
    struct stat st{};
    if (!file || ::fstat(file.get(), &st) != 0 || !S_ISREG(st.st_mode)) return {};
    const auto text = readFileAt(file.get(), 0, wine::kEndingBytes + 1);
    return text ? wine::parseEnding(*text) : wine::Ending{};
}

void applyWindowsEnd(AttemptOutcome& outcome, wine::Ending ending) {
    using Kind = wine::Ending::Kind;
    const bool isOtherwise = outcome.signal || outcome.reason == Reason::Memory;
    if (ending.kind == Kind::None && (isOtherwise || outcome.state == ActionState::Failed)) return;
    if (ending.kind == Kind::None)
        return endAs(outcome, Reason::WorkerCrashed, "Wine ended before it could tell how the program did");
    if (isOtherwise) return;
    if (ending.kind == Kind::NotStarted) {
        outcome.exitCode.reset();
        return endAs(outcome, Reason::SpawnError,
                     "Wine could not start the program: " + wine::startErrorWords(ending.code));
    }
    // As Windows' own tools show it: exit(-1) is -1.
    outcome.exitCode = static_cast<std::int32_t>(ending.code);
    if (ending.code == 0) {
        outcome.state = ActionState::Completed;
        outcome.reason = Reason::None;
    } else if (wine::isCrash(ending.code)) {
        endAs(outcome, Reason::WorkerCrashed, "it crashed: " + wine::crashWords(ending.code));
    } else {
        endAs(outcome, Reason::ExitCode, {});
    }
}

} // namespace yard::engine
