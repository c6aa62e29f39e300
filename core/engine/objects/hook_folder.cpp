#include "core/engine/objects/hook_folder.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/json/json_reader.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::string_view kRulesFile = "hooks.json";
constexpr std::size_t kMostRuleBytes = std::size_t{64} << 10;

struct HookRules {
    std::optional<bool> sandbox{};
    std::optional<bool> network{};

    void applyTo(HookFile& file) const {
        file.isSandboxed = sandbox.value_or(file.isSandboxed);
        file.hasNetwork = network.value_or(file.hasNetwork);
    }
};

std::unexpected<Error> badRule(std::string_view what) {
    return invalid("hooks.json", fmt::format("hooks.json: {}.", what));
}

Result<std::optional<HookRules>> ruleIn(JsonView member, HookRules rules) {
    const bool isSandbox = member.key() == "sandbox";
    if (!isSandbox && member.key() != "network") return std::optional<HookRules>();
    if (member.kind() != JsonKind::Bool) return badRule(fmt::format("\"{}\" is true or false", member.key()));
    (isSandbox ? rules.sandbox : rules.network) = member.node().boolean;
    return std::optional(rules);
}

Result<void> applyTo(HookFolder& folder, JsonView program) {
    const auto file = std::ranges::find(folder.files, program.key(),
                                        [](const HookFile& one) { return std::string_view(one.pattern.text()); });
    if (file == folder.files.end())
        return badRule(
            fmt::format("there is no hook \"{}\" beside it; take it out, or add the program", program.key()));
    if (!program.isObject()) return badRule(fmt::format("\"{}\" is an object", program.key()));
    HookRules rules;
    for (const JsonView member : program) {
        const auto read = ruleIn(member, rules);
        if (!read) return std::unexpected(read.error());
        if (!*read) return badRule(fmt::format("\"{}\" is not known; it knows sandbox and network", member.key()));
        rules = **read;
    }
    rules.applyTo(*file);
    return {};
}

/// Others could have this engine run what they like.
Result<void> isOurs(const std::string& path, const struct stat& entry) {
    if ((entry.st_mode & S_IWOTH) == 0 && (entry.st_uid == ::geteuid() || entry.st_uid == 0)) return {};
    return invalid("hooks",
                   fmt::format("Others may write {}, which this engine would run: make it your own (chown) "
                               "and closed to them (chmod o-w).",
                               path));
}

} // namespace

Result<void> applyHookRules(HookFolder& folder, std::string_view json) {
    const auto tape = readJson(json);
    if (!tape) return badRule(tape.error().message);
    if (!tape->root().isObject()) return badRule("it is an object");
    HookRules rules;
    std::optional<JsonView> programs;
    for (const JsonView member : tape->root()) {
        const auto read = ruleIn(member, rules);
        if (!read) return std::unexpected(read.error());
        if (*read)
            rules = **read;
        else if (member.key() == "programs" && member.isObject())
            programs = member;
        else
            return badRule(
                fmt::format("\"{}\" is not known; it knows sandbox, network and programs", member.key()));
    }
    for (HookFile& file : folder.files) rules.applyTo(file);
    if (!programs) return {};
    for (const JsonView program : *programs)
        if (auto applied = applyTo(folder, program); !applied) return applied;
    return {};
}

/// Null: it is not there. What cannot be looked at may be there, and guard something.
static Result<std::optional<struct stat>> entryAt(const std::string& path) {
    struct stat entry{};
    if (::stat(path.c_str(), &entry) == 0) return std::optional(entry);
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<struct stat>();
    return failErrno("look at " + path, errno);
}

/// Null: it is none.
static Result<std::optional<HookFile>> hookFileAt(const std::string& path, const std::string& name, bool isAgain) {
    const auto entry = entryAt(path);
    if (!entry) return std::unexpected(entry.error());
    if (!*entry || !S_ISREG((*entry)->st_mode)) return std::optional<HookFile>();
    if (::access(path.c_str(), X_OK) != 0) return std::optional<HookFile>();
    auto pattern = lifecycle::HookPattern::parse(name);
    if (!pattern) {
        if (!isAgain) logWarning("hooks", "{} is left out: {}", path, pattern.error().message);
        return std::optional<HookFile>();
    }
    if (auto ours = isOurs(path, **entry); !ours) return std::unexpected(ours.error());
    return std::optional(HookFile{.pattern = *std::move(pattern)});
}

bool isSame(const HookFolder& a, const HookFolder& b) {
    return a.directory == b.directory &&
           std::ranges::equal(a.files, b.files, [](const HookFile& one, const HookFile& other) {
               return one.pattern.text() == other.pattern.text() && one.isSandboxed == other.isSandboxed &&
                      one.hasNetwork == other.hasNetwork;
           });
}

Result<HookFolder> readHookFolder(const std::string& directory, bool mustExist, bool isAgain) {
    HookFolder folder{.directory = directory, .files = {}};
    const auto self = entryAt(directory);
    if (!self) return std::unexpected(self.error());
    if (!*self || !S_ISDIR((*self)->st_mode)) {
        if (!mustExist) return folder;
        return fail(ErrorKind::NotFound,
                    fmt::format("--hooks: there is no directory {}; make it, or leave --hooks out.", directory));
    }
    if (auto ours = isOurs(directory, **self); !ours) return std::unexpected(ours.error());
    std::error_code error;
    std::filesystem::directory_iterator at(directory, error);
    std::size_t entries = 0;
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        if (++entries > HookFolder::kMostEntries)
            return fail(ErrorKind::AtLimit,
                        fmt::format("{} has more than {} files; keep what is no hook elsewhere.", directory,
                                    HookFolder::kMostEntries));
        auto file = hookFileAt(at->path().string(), at->path().filename().string(), isAgain);
        if (!file) return std::unexpected(file.error());
        if (*file) folder.files.push_back(**std::move(file));
        if (folder.files.size() > HookFolder::kMostFiles)
            return fail(ErrorKind::AtLimit, fmt::format("{} has more than {} hooks; take some out.", directory,
                                                        HookFolder::kMostFiles));
    }
    if (error) return failErrno("read " + directory, error.value());
    std::ranges::sort(folder.files, {}, [](const HookFile& file) { return file.pattern.text(); });
    const std::string rules = fmt::format("{}/{}", directory, kRulesFile);
    const auto file = entryAt(rules);
    if (!file) return std::unexpected(file.error());
    if (*file) {
        if (!S_ISREG((*file)->st_mode)) return badRule("it is no file"); // reading a pipe has no end
        if (auto ours = isOurs(rules, **file); !ours) return std::unexpected(ours.error());
        const auto json = readFile(rules, kMostRuleBytes);
        if (!json) return std::unexpected(json.error());
        if (auto applied = applyHookRules(folder, *json); !applied) return std::unexpected(applied.error());
    }
    return folder;
}

} // namespace yard::engine
