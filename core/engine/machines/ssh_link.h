// The way to a machine by ssh (docs/machines.md, "A machine by ssh"): an address as people give it, the words for the
// system's ssh and for the shell there, what went wrong as a sentence, and the link. What comes from there is hostile: of it
// so much is read, and for so long.
//
// Owner: values; joinBySsh() runs on the loop it is given, and starts programs and reads files on a helper.
#pragma once

#include "core/base/error.h"
#include "core/coro/helper_pool.h"
#include "core/coro/loop.h"
#include "core/coro/task.h"
#include "core/engine/guests/join.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

/// Of a program that is copied: more than any build of this one has.
inline constexpr std::size_t kMostBundle = 256u << 20;

struct SshAddress {
    std::string user; ///< empty: as ssh says
    std::string host; ///< a name of its configuration, too; without brackets
    std::string port; ///< empty: as ssh says
    std::string url() const;
};
bool isSshUrl(std::string_view url);
/// "ssh://[user@]host[:port][/]". Invalid (address): nothing of it may be taken for an option or a word of a shell.
Result<SshAddress> parseSshAddress(std::string_view url);

/// What makes a link by ssh fail.
enum class SshTrouble : std::uint8_t {
    NoProgram,         ///< there is no ssh here
    UnknownKey,        ///< known_hosts has no key of that host
    ChangedKey,        ///< it has another one
    Refused,           ///< no key of this user is accepted there
    Unreachable,       ///< no such name, no answer, nobody listens
    NoYardmaster,      ///< there is no such program there
    OtherArchitecture, ///< the program is none for that machine
    NoSpace,           ///< the disk there is full
    NoBundle,          ///< there is nothing here that could be copied there
    Silent,            ///< it did not say its line in time
    Ended              ///< anything else: it ended, and its last line says why
};
/// By the status of ssh, which is its own for 255 alone, and by what it wrote to its standard error. -1: it was ended.
SshTrouble sshTroubleOf(int status, std::string_view errors);
/// The line of `errors` that says why, for people; empty: there is none.
std::string sshLastLine(std::string_view errors);
/// One sentence, with what to do next.
std::string sshSentence(SshTrouble trouble, const SshAddress& address, std::string_view errors);

/// ssh without questions, a terminal, or a connection of somebody else; `script` is for the shell there.
std::vector<std::string> sshWords(const std::string& program, const SshAddress& address, const std::string& script);
/// `hash`: of the program that was copied there; empty: the one that is installed there.
std::string sshLinkScript(std::string_view hash);
std::string sshProbeScript(std::string_view hash);
std::string sshInstallScript(std::string_view hash, std::size_t bytes);

/// The program that is copied to machines.
struct Bundle {
    std::string bytes;
    std::string hash;    ///< what its directory there is called
    std::string machine; ///< as `uname -m` says it
};
/// `path`; empty: this program where it needs no library, else yardmaster-bundle beside it or in ../lib/yardmaster. Blocks.
/// NotFound, Invalid, Io.
Result<Bundle> readBundle(const std::string& path);

struct SshRequest {
    SshAddress address;
    std::string program; ///< of ssh; empty: "ssh"
    std::string key;     ///< what this engine shows to that machine
    bool installs = false;
    std::string bundle{};                           ///< of readBundle()
    Duration limit = std::chrono::seconds(20);      ///< for each of its programs but the copying one
    Duration copyLimit = std::chrono::seconds(600); ///< for that
};
coro::Task<Joined> joinBySsh(coro::Loop& loop, coro::HelperPool& helpers, SshRequest request);

} // namespace yard::engine
