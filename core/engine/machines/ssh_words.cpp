// What is said of and to ssh: addresses, words, scripts, sentences. Nothing here runs anything.
#include "core/engine/machines/ssh_link.h"

#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::string_view kSshScheme = "ssh://";
constexpr std::size_t kMostSshName = 255;
constexpr int kSshOwnStatus = 255;
/// Where programs are that were copied, in the home directory there.
constexpr std::string_view kPrograms = "$HOME/.local/share/yardmaster/programs";

/// No word of a shell, and no option: a letter or digit first.
bool isSshName(std::string_view text, std::string_view others) {
    const auto isAlnum = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !text.empty() && text.size() <= kMostSshName && (isAlnum(text.front()) || text.front() == '_') &&
           std::ranges::all_of(text, [&](char c) { return isAlnum(c) || others.contains(c); });
}

bool isSshV6(std::string_view text) {
    return !text.empty() && text.size() <= kMostSshName && std::ranges::all_of(text, [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
    });
}

bool isSshPort(std::string_view text) {
    unsigned port = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), port);
    return read.ec == std::errc{} && read.ptr == text.data() + text.size() && port >= 1 && port <= 65'535;
}

std::string oneLine(std::string_view line) {
    constexpr std::size_t kShown = 300;
    std::string text = wellFormed(line);
    std::ranges::replace_if(text, [](unsigned char c) { return c < ' ' || c == 0x7f; }, ' ');
    const std::size_t from = text.find_first_not_of(' ');
    if (from == text.npos) return {};
    text = text.substr(from, text.find_last_not_of(' ') + 1 - from);
    return std::string(utf8Prefix(text, kShown));
}

/// As somebody types it.
std::string typed(const SshAddress& address) {
    std::string text = "ssh";
    if (!address.port.empty()) text += fmt::format(" -p {}", address.port);
    return fmt::format("{} {}{}{}", text, address.user, address.user.empty() ? "" : "@", address.host);
}

std::string withLine(std::string sentence, std::string_view errors) {
    if (const std::string line = sshLastLine(errors); !line.empty()) sentence += fmt::format(" ({})", line);
    return sentence;
}

} // namespace

bool isSshUrl(std::string_view url) {
    return url.starts_with(kSshScheme);
}

std::string SshAddress::url() const {
    std::string text(kSshScheme);
    if (!user.empty()) text += user + '@';
    text += host.contains(':') ? '[' + host + ']' : host;
    if (!port.empty()) text += ':' + port;
    return text;
}

Result<SshAddress> parseSshAddress(std::string_view url) {
    const auto wrong = [&] {
        return invalid("address", fmt::format("'{}' is no address for ssh: write ssh://USER@HOST or "
                                              "ssh://USER@HOST:PORT.",
                                              oneLine(url)));
    };
    if (!isSshUrl(url)) return wrong();
    std::string_view rest = url.substr(kSshScheme.size());
    if (rest.ends_with('/')) rest.remove_suffix(1);
    SshAddress address;
    if (const std::size_t at = rest.find('@'); at != rest.npos) {
        address.user = rest.substr(0, at);
        rest.remove_prefix(at + 1);
        if (!isSshName(address.user, "._-")) return wrong();
    }
    if (rest.starts_with('[')) {
        const std::size_t end = rest.find(']');
        if (end == rest.npos || !isSshV6(rest.substr(1, end - 1))) return wrong();
        address.host = rest.substr(1, end - 1);
        rest.remove_prefix(end + 1);
    } else {
        address.host = rest.substr(0, rest.find(':'));
        rest.remove_prefix(address.host.size());
        if (!isSshName(address.host, "._-")) return wrong();
    }
    if (rest.empty()) return address;
    if (!rest.starts_with(':') || !isSshPort(rest.substr(1))) return wrong();
    address.port = rest.substr(1);
    return address;
}

SshTrouble sshTroubleOf(int status, std::string_view errors) {
    using enum SshTrouble;
    static constexpr std::array<std::pair<std::string_view, SshTrouble>, 9> kOfSsh{
        {{"HOST IDENTIFICATION HAS CHANGED", ChangedKey},
         {"Host key verification failed", UnknownKey},
         {"Permission denied (", Refused},
         {"Too many authentication failures", Refused},
         {"Could not resolve hostname", Unreachable},
         {"Connection refused", Unreachable},
         {"timed out", Unreachable},
         {"No route to host", Unreachable},
         {"Network is unreachable", Unreachable}}};
    static constexpr std::array<std::pair<std::string_view, SshTrouble>, 3> kOfPrograms{
        {{"No space left on device", NoSpace},
         {"Disk quota exceeded", NoSpace},
         {"Exec format error", OtherArchitecture}}};
    constexpr int kCannotRun = 126;
    constexpr int kNotFound = 127;
    if (status == kSshOwnStatus)
        for (const auto& [words, trouble] : kOfSsh)
            if (errors.contains(words)) return trouble;
    for (const auto& [words, trouble] : kOfPrograms)
        if (errors.contains(words)) return trouble;
    if (status == kNotFound) return NoYardmaster;
    if (status == kCannotRun) return OtherArchitecture;
    return Ended;
}

std::string sshLastLine(std::string_view errors) {
    constexpr std::string_view kOwn = "yardmaster: ";
    std::string last;
    while (!errors.empty()) {
        const std::size_t end = errors.rfind('\n', errors.size() - 1);
        const std::string_view line = end == errors.npos ? errors : errors.substr(end + 1);
        // What the program there says of its end counts more than what its log says behind it.
        if (line.starts_with(kOwn)) return oneLine(line.substr(kOwn.size()));
        if (last.empty()) last = oneLine(line);
        errors = end == errors.npos ? std::string_view() : errors.substr(0, end);
    }
    return last;
}

std::string sshSentence(SshTrouble trouble, const SshAddress& address, std::string_view errors) {
    const std::string& host = address.host;
    switch (trouble) {
    case SshTrouble::NoProgram:
        return "There is no program ssh on this engine's machine: install OpenSSH's client there.";
    case SshTrouble::UnknownKey:
        return fmt::format(
            "The key of {} is not known here: type '{}' once as the user of this engine, compare the "
            "key, and add the machine again.",
            host, typed(address));
    case SshTrouble::ChangedKey:
        return fmt::format(
            "{} shows another key than known_hosts has: somebody may be in between. If it was really "
            "set up again, type 'ssh-keygen -R {}' and then '{}' as the user of this engine.",
            host, address.port.empty() ? host : fmt::format("\"[{}]:{}\"", host, address.port), typed(address));
    case SshTrouble::Refused:
        return withLine(
            fmt::format("{} lets nobody in with the keys of this engine's user: '{}' has to work without "
                        "a question.",
                        host, typed(address)),
            errors);
    case SshTrouble::Unreachable: return withLine(fmt::format("{} cannot be reached by ssh.", host), errors);
    case SshTrouble::NoYardmaster:
        return fmt::format("There is no yardmaster on {}: add it with --install, or install it there.", host);
    case SshTrouble::OtherArchitecture:
        return withLine(
            fmt::format("The program is none for the processor or system of {}: install yardmaster there.", host),
            errors);
    case SshTrouble::NoSpace:
        return withLine(fmt::format("The disk on {} is full: free some space there.", host), errors);
    case SshTrouble::NoBundle:
        return "This engine has no program that runs on its own elsewhere: install yardmaster on the machine, or "
               "give "
               "the engine one with --bundle (./dev bundle makes it).";
    case SshTrouble::Silent: return fmt::format("{} took the connection, and no yardmaster answered there.", host);
    case SshTrouble::Ended: break;
    }
    return withLine(fmt::format("The connection to {} ended.", host), errors);
}

std::vector<std::string> sshWords(const std::string& program, const SshAddress& address,
                                  const std::string& script) {
    std::vector<std::string> words{program.empty() ? std::string("ssh") : program, "-T", "-e", "none"};
    for (const std::string_view option :
         {"BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=10", "ServerAliveInterval=5",
          "ServerAliveCountMax=3", "ControlMaster=no", "ControlPath=none", "ClearAllForwardings=yes",
          "ForwardAgent=no", "ForwardX11=no", "PermitLocalCommand=no", "RemoteCommand=none", "LogLevel=ERROR"}) {
        words.emplace_back("-o");
        words.emplace_back(option);
    }
    if (!address.port.empty()) {
        words.emplace_back("-p");
        words.push_back(address.port);
    }
    if (!address.user.empty()) {
        words.emplace_back("-l");
        words.push_back(address.user);
    }
    words.emplace_back("--");
    words.push_back(address.host);
    // The login shell there may be any: it has one word to understand. No script has such a quote of its own.
    words.push_back(fmt::format("exec sh -c '{}'", script));
    return words;
}

std::string sshLinkScript(std::string_view hash) {
    if (!hash.empty()) return fmt::format(R"sh(exec "{}/{}/yardmaster" --link-stdio)sh", kPrograms, hash);
    return R"sh(p=$(command -v yardmaster) || p=$HOME/.local/bin/yardmaster; )sh"
           R"sh([ -e "$p" ] || exit 127; exec "$p" --link-stdio)sh";
}

std::string sshProbeScript(std::string_view hash) {
    return fmt::format(R"sh(printf "\nyard-probe %s %s " "$(uname -s)" "$(uname -m)"; )sh"
                       R"sh(if [ -x "{}/{}/yardmaster" ]; then echo has; else echo lacks; fi)sh",
                       kPrograms, hash);
}

/// What came whole gets its name at once; of what was cut nothing stays. It is on the disk before it has its name, so that a
/// power cut leaves no empty file under it: a `sync` that takes no names syncs all.
std::string sshInstallScript(std::string_view hash, std::size_t bytes) {
    return fmt::format(
        R"sh(set -e; LC_ALL=C; export LC_ALL; umask 077; r="{0}"; mkdir -p "$r"; t=$(mktemp -d "$r/.new.XXXXXX"); )sh"
        R"sh(trap "rm -rf \"$t\"" EXIT; cat >"$t/yardmaster"; )sh"
        R"sh(n=$(wc -c <"$t/yardmaster"); )sh"
        R"sh(if [ "$n" -ne {2} ]; then echo "It came in part only." >&2; exit 1; fi; )sh"
        R"sh(chmod 700 "$t/yardmaster"; sync "$t/yardmaster" "$t" 2>/dev/null || sync; )sh"
        R"sh(mv -T "$t" "$r/{1}" 2>/dev/null || [ -x "$r/{1}/yardmaster" ]; )sh"
        R"sh(sync "$r" 2>/dev/null || sync)sh",
        kPrograms, hash, bytes);
}

} // namespace yard::engine
