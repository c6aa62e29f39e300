#include "core/engine/machines/ssh_link.h"

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/stdio_link.h"
#include "core/coro/timeout.h"
#include "core/linkio/child_stream.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <elf.h>
#include <expected>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

using linkio::ChildEnd;
using linkio::ChildStream;

/// Digits of the hash in the name of a program's directory.
constexpr std::size_t kHashDigits = 16;
constexpr std::size_t kCopyPiece = 64u << 10;
/// Once it has said its last, or nothing more is sent to it.
constexpr Duration kEndLimit = std::chrono::seconds(5);

/// Of a 64-bit program for this system, by its header.
struct ElfLook {
    std::string machine; ///< empty: none that is known
    bool isStatic = false;
};

std::optional<ElfLook> lookAtElf(std::string_view bytes) {
    Elf64_Ehdr head{};
    if (bytes.size() < sizeof head) return std::nullopt;
    std::memcpy(&head, bytes.data(), sizeof head);
    const bool isOurs = std::memcmp(&head.e_ident[0], ELFMAG, SELFMAG) == 0 &&
                        head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == ELFDATA2LSB &&
                        std::endian::native == std::endian::little;
    if (!isOurs || head.e_phentsize != sizeof(Elf64_Phdr)) return std::nullopt;
    ElfLook look{.machine = {}, .isStatic = true};
    constexpr std::array<std::pair<unsigned, std::string_view>, 3> kMachines{
        {{EM_X86_64, "x86_64"}, {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv64"}}};
    for (const auto& [number, name] : kMachines)
        if (head.e_machine == number) look.machine = name;
    for (unsigned index = 0; index < head.e_phnum; ++index) {
        Elf64_Phdr part{};
        const std::uint64_t at = head.e_phoff + std::uint64_t{index} * sizeof part;
        if (at > bytes.size() || bytes.size() - at < sizeof part) return std::nullopt;
        std::memcpy(&part, bytes.data() + at, sizeof part);
        if (part.p_type == PT_INTERP) look.isStatic = false;
    }
    return look;
}

Result<Bundle> bundleFrom(const std::string& path, bool onlyStatic) {
    auto bytes = readFile(path, kMostBundle);
    if (!bytes) return std::unexpected(bytes.error());
    const auto look = lookAtElf(*bytes);
    if (!look || look->machine.empty())
        return fail(ErrorKind::Invalid, fmt::format("{} is no program for Linux that can be copied.", path));
    if (onlyStatic && !look->isStatic)
        return fail(ErrorKind::NotFound, fmt::format("{} needs libraries that other machines may not have.", path));
    Bundle bundle{.bytes = std::move(*bytes), .hash = {}, .machine = look->machine};
    bundle.hash = Sha256::of(bundle.bytes).hex().substr(0, kHashDigits);
    return bundle;
}

std::unexpected<JoinFailure> failed(SshTrouble trouble, const SshAddress& address, std::string_view errors = {}) {
    using enum SshTrouble;
    const bool mayPass = trouble == Unreachable || trouble == NoSpace || trouble == Silent || trouble == Ended;
    return std::unexpected(JoinFailure{.isFinal = !mayPass, .sentence = sshSentence(trouble, address, errors)});
}

using Started = std::expected<std::unique_ptr<ChildStream>, JoinFailure>;

coro::Task<Started> start(coro::Loop& loop, coro::HelperPool& helpers, const SshRequest& request,
                          const std::string& script) {
    auto child = co_await helpers.run(
        [words = sshWords(request.program, request.address, script)] { return linkio::startChild(words); });
    if (!child && child.error().kind == ErrorKind::NotFound)
        co_return failed(SshTrouble::NoProgram, request.address);
    if (!child) co_return std::unexpected(JoinFailure{.isFinal = false, .sentence = child.error().message});
    auto stream = ChildStream::over(loop, std::move(*child));
    if (!stream) co_return std::unexpected(JoinFailure{.isFinal = false, .sentence = stream.error().message});
    co_return std::move(*stream);
}

// --- the link

/// True: the machine said its line. Reads nothing behind it: that is the link's.
coro::Task<bool> isReady(linkio::ByteStream& stream) {
    std::string seen;
    std::array<char, 1> one{};
    for (std::size_t count = 0; count < kMostBeforeReady; ++count) {
        const std::size_t got = co_await stream.read(one);
        if (got == 0) co_return false;
        seen += one.front();
        if (seen.size() > kStdioReady.size()) seen.erase(0, 1);
        if (seen == kStdioReady) co_return true;
    }
    co_return false;
}

coro::Task<Joined> linkTo(coro::Loop& loop, coro::HelperPool& helpers, const SshRequest& request,
                          const std::string& hash) {
    auto stream = co_await start(loop, helpers, request, sshLinkScript(hash));
    if (!stream) co_return std::unexpected(std::move(stream.error()));
    const std::string greeting = stdioGreeting(request.key);
    (void)co_await (*stream)->write(greeting); // where nobody reads that its end says why
    const std::optional<bool> ready = co_await coro::within(request.limit, isReady(**stream));
    if (ready && *ready) co_return std::move(*stream);
    if (!ready) co_return failed(SshTrouble::Silent, request.address);
    (*stream)->closeInput();
    const ChildEnd end = co_await (*stream)->finished(kEndLimit);
    co_return failed(sshTroubleOf(end.status, end.errors), request.address, end.errors);
}

// --- the copy

struct Probed {
    std::string system;
    std::string machine;
    bool has = false;
};

/// The last such line of what was printed.
std::optional<Probed> probedIn(std::string_view text) {
    constexpr std::string_view kLine = "\nyard-probe ";
    const std::size_t at = text.rfind(kLine);
    if (at == text.npos) return std::nullopt;
    std::string_view rest = text.substr(at + kLine.size());
    rest = rest.substr(0, rest.find('\n'));
    const auto takeWord = [&rest] {
        const std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        return std::string(word);
    };
    Probed probed;
    probed.system = takeWord();
    probed.machine = takeWord();
    const std::string has = takeWord();
    if (has != "has" && has != "lacks") return std::nullopt;
    probed.has = has == "has";
    return probed;
}

coro::Task<std::string> readAll(linkio::ByteStream& stream) {
    std::string text;
    std::array<char, 2048> room{};
    while (text.size() < kMostBeforeReady) {
        const std::size_t count = co_await stream.read(room);
        if (count == 0) break;
        text.append(room.data(), count);
    }
    co_return text;
}

coro::Task<std::expected<Probed, JoinFailure>> probe(coro::Loop& loop, coro::HelperPool& helpers,
                                                     const SshRequest& request, const Bundle& bundle) {
    auto stream = co_await start(loop, helpers, request, sshProbeScript(bundle.hash));
    if (!stream) co_return std::unexpected(std::move(stream.error()));
    (*stream)->closeInput();
    const auto text = co_await coro::within(request.limit, readAll(**stream));
    if (!text) co_return failed(SshTrouble::Silent, request.address);
    const ChildEnd end = co_await (*stream)->finished(kEndLimit);
    const auto probed = probedIn(*text);
    if (!probed) co_return failed(sshTroubleOf(end.status, end.errors), request.address, end.errors);
    if (probed->system != "Linux" || probed->machine != bundle.machine)
        co_return failed(SshTrouble::OtherArchitecture, request.address,
                         fmt::format("{} {} there, {} here", probed->system, probed->machine, bundle.machine));
    co_return *probed;
}

/// False: nobody takes the rest.
coro::Task<bool> sendAll(linkio::ByteStream& stream, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += kCopyPiece) {
        const bool sent = co_await stream.write(std::string_view(bytes).substr(at, kCopyPiece));
        if (!sent) co_return false;
    }
    co_return true;
}

coro::Task<std::expected<void, JoinFailure>> copy(coro::Loop& loop, coro::HelperPool& helpers,
                                                  const SshRequest& request, const Bundle& bundle) {
    auto stream = co_await start(loop, helpers, request, sshInstallScript(bundle.hash, bundle.bytes.size()));
    if (!stream) co_return std::unexpected(std::move(stream.error()));
    const MonoTime until = loop.now() + request.copyLimit;
    const std::optional<bool> sent = co_await coro::within(request.copyLimit, sendAll(**stream, bundle.bytes));
    if (!sent) co_return failed(SshTrouble::Silent, request.address);
    (*stream)->closeInput();
    // What ssh took may be on its way for long: it and the system hold some MB of it.
    const ChildEnd end = co_await (*stream)->finished(std::max<Duration>(request.limit, until - loop.now()));
    if (end.status == 0) co_return std::expected<void, JoinFailure>{};
    // Nothing of the copy was run: what its shell lacks is no yardmaster.
    const SshTrouble trouble = sshTroubleOf(end.status, end.errors);
    co_return failed(trouble == SshTrouble::NoYardmaster ? SshTrouble::Ended : trouble, request.address,
                     end.errors);
}

coro::Task<std::expected<std::string, JoinFailure>> installed(coro::Loop& loop, coro::HelperPool& helpers,
                                                              const SshRequest& request) {
    auto bundle = co_await helpers.run([path = request.bundle] { return readBundle(path); });
    if (!bundle && bundle.error().kind == ErrorKind::NotFound)
        co_return failed(SshTrouble::NoBundle, request.address);
    if (!bundle) co_return std::unexpected(JoinFailure{.isFinal = true, .sentence = bundle.error().message});
    const auto probed = co_await probe(loop, helpers, request, *bundle);
    if (!probed) co_return std::unexpected(probed.error());
    if (!probed->has) {
        auto copied = co_await copy(loop, helpers, request, *bundle);
        if (!copied) co_return std::unexpected(std::move(copied.error()));
    }
    co_return std::move(bundle->hash);
}

} // namespace

Result<Bundle> readBundle(const std::string& path) {
    if (!path.empty()) return bundleFrom(path, false);
    constexpr const char* kSelf = "/proc/self/exe";
    if (auto own = bundleFrom(kSelf, true)) return own;
    std::error_code error;
    const auto directory = std::filesystem::read_symlink(kSelf, error).parent_path();
    for (const char* name : {"yardmaster-bundle", "../lib/yardmaster/yardmaster-bundle"})
        if (const auto beside = directory / name; std::filesystem::exists(beside, error))
            return bundleFrom(beside.string(), true);
    return fail(ErrorKind::NotFound, "There is no program here that could be copied.");
}

coro::Task<Joined> joinBySsh(coro::Loop& loop, coro::HelperPool& helpers, SshRequest request) {
    std::string hash;
    if (request.installs) {
        auto there = co_await installed(loop, helpers, request);
        if (!there) co_return std::unexpected(std::move(there.error()));
        hash = std::move(*there);
    }
    co_return co_await linkTo(loop, helpers, request, hash);
}

} // namespace yard::engine
