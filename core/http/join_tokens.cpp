#include "core/http/join_tokens.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/engine/guests/join.h"
#include "core/engine/state/pilot_tickets.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

constexpr std::size_t kMostFile = 4u << 20;
constexpr std::int64_t kMicros = 1'000'000;

std::int64_t integerOf(const JsonView& value) {
    return value.kind() == JsonKind::Integer ? value.node().integer : -1;
}

/// What a token and a key have in the file; false: it is not what this program writes.
struct Entry {
    std::optional<Hash256> hash;
    std::int64_t id = 0;
    std::int64_t uses = 0;
    std::int64_t used = 0;
    std::int64_t created = 0;
    std::int64_t expires = 0;
    std::int64_t maxCores = 0;
    std::int64_t token = 0;

    bool read(const JsonView& object) {
        if (!object.isObject()) return false;
        for (const JsonView member : object) {
            const std::string_view key = member.key();
            if (key == "hash" && member.kind() == JsonKind::String) hash = Hash256::fromHex(member.string());
            if (key == "id") id = integerOf(member);
            if (key == "uses") uses = integerOf(member);
            if (key == "used") used = integerOf(member);
            if (key == "created") created = integerOf(member);
            if (key == "expires") expires = integerOf(member);
            if (key == "max_cores") maxCores = integerOf(member);
            if (key == "token") token = integerOf(member);
        }
        return hash && std::ranges::min({id, uses, used, created, expires, maxCores, token}) >= 0;
    }
};

/// The entry of a hash; null: there is none. All are looked at, however early it is found.
template<class Entries>
auto* entryOf(Entries& entries, std::string_view hash) {
    decltype(entries.data()) found = nullptr;
    for (auto& entry : entries)
        if (equalConstantTime(hash, entry.hash.hex())) found = &entry;
    return found;
}

} // namespace

JoinTokens::Key JoinTokens::newKey(std::int64_t maxCores, std::int64_t token) {
    Key key{.created = wallNow(), .maxCores = maxCores, .token = token, .caller = std::make_shared<Caller>()};
    key.caller->name = "the key of a machine"; // the owner's, which has none, is not noted
    return key;
}

Result<JoinTokens::Kept> JoinTokens::read(const std::string& file) {
    Kept kept;
    const auto text = readFile(file, kMostFile);
    if (!text && text.error().kind == ErrorKind::NotFound) return kept;
    if (!text) return std::unexpected(text.error());
    const auto wrong = [&] {
        return fail(ErrorKind::Io,
                    fmt::format("{} is not what this program wrote: no machine can join or come back. Remove the "
                                "file, start again, and let the machines join again.",
                                file));
    };
    const auto tape = readJson(*text);
    if (!tape || !tape->root().isObject()) return wrong();
    for (const JsonView member : tape->root()) {
        if (member.key() == "last") kept.last = integerOf(member);
        if (member.kind() != JsonKind::Array) continue;
        for (const JsonView one : member) {
            Entry entry;
            if (!entry.read(one)) return wrong();
            if (member.key() == "tokens") {
                kept.tokens.push_back({.id = entry.id,
                                       .hash = *entry.hash,
                                       .uses = entry.uses,
                                       .used = entry.used,
                                       .created = entry.created,
                                       .expires = entry.expires,
                                       .maxCores = entry.maxCores});
            } else {
                Key key = newKey(entry.maxCores, entry.token);
                key.created = entry.created;
                kept.keys.insert_or_assign(*entry.hash, std::move(key));
            }
        }
    }
    if (kept.last < 0 || kept.tokens.size() > kMost || kept.keys.size() > kMostKeys) return wrong();
    return kept;
}

std::string JoinTokens::jsonOf(const Kept& kept) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.member("last", kept.last);
    writer.key("tokens");
    writer.openArray();
    for (const Token& token : kept.tokens) {
        writer.openObject();
        writer.member("id", token.id);
        writer.member("hash", token.hash.hex());
        writer.member("uses", token.uses);
        writer.member("used", token.used);
        writer.member("created", token.created);
        writer.member("expires", token.expires);
        writer.member("max_cores", token.maxCores);
        writer.closeObject();
    }
    writer.closeArray();
    writer.key("keys");
    writer.openArray();
    for (const auto& [hash, key] : kept.keys) {
        writer.openObject();
        writer.member("hash", hash.hex());
        writer.member("created", key.created);
        writer.member("max_cores", key.maxCores);
        if (key.token > 0) writer.member("token", key.token);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    text += '\n';
    return text;
}

JoinTokens::JoinTokens(std::string file, engine::PilotTickets* pilots)
    : file_(std::move(file))
    , pilots_(pilots)
    , joining_(std::make_shared<Caller>()) {
    joining_->name = "a join token";
    auto kept = read(file_);
    if (kept) {
        kept_ = std::move(*kept);
        return;
    }
    logWarning("http", "{}", kept.error().message);
    unreadable_ = std::move(kept.error());
}

Result<std::vector<JoinTokens::Token>> JoinTokens::all() const {
    if (unreadable_) return std::unexpected(*unreadable_);
    return kept_.tokens;
}

Result<void> JoinTokens::check(std::string_view bearer) const {
    const Hash256 key = Sha256::of(bearer);
    if (pilots_ && pilots_->knows(key)) return {};
    if (unreadable_) return std::unexpected(*unreadable_);
    const std::string hash = key.hex();
    if (kept_.keys.contains(key)) {
        if (!suspended_.contains(hash)) return {};
        return fail(ErrorKind::Busy, "Somebody is removing this machine from the engine; try again later.");
    }
    const Token* token = entryOf(kept_.tokens, hash);
    if (!token)
        return fail(ErrorKind::Unauthorized,
                    "This is no token of this engine, and no key of a machine that joined it: it may have been "
                    "removed here. 'yardctl machines token' prints a token to join with.");
    if (wallNow() >= token->expires)
        return fail(ErrorKind::Unauthorized,
                    "The join token has expired; 'yardctl machines token' prints another.");
    // One that is used up still lets those in again that joined with it: enter() knows by their keys.
    return {};
}

coro::Task<Result<JoinTokens::Made>> JoinTokens::make(Wanted wanted, coro::HelperPool& helpers) {
    const auto guard = co_await changing_.lock();
    if (unreadable_) co_return std::unexpected(*unreadable_);
    Kept kept = kept_;
    if (kept.tokens.size() >= kMost) std::erase_if(kept.tokens, [](const Token& token) { return token.isOver(); });
    if (kept.tokens.size() >= kMost)
        co_return fail(ErrorKind::AtLimit,
                       fmt::format("There are {} join tokens, as many as may be; remove one first.", kMost));
    Made made{.token = {}, .secret = randomHex(engine::kKeyBytes)};
    made.token.id = ++kept.last;
    made.token.hash = Sha256::of(made.secret);
    made.token.uses = wanted.uses;
    made.token.created = wallNow();
    made.token.expires = made.token.created + wanted.seconds * kMicros;
    made.token.maxCores = wanted.maxCores;
    kept.tokens.push_back(made.token);
    if (auto replaced = co_await replace(std::move(kept), helpers); !replaced)
        co_return std::unexpected(replaced.error());
    logInfo("http", "join token {} was made, machines: {}", made.token.id, made.token.uses);
    co_return made;
}

coro::Task<Result<void>> JoinTokens::remove(std::int64_t id, Known known, coro::HelperPool& helpers) {
    const auto guard = co_await changing_.lock();
    if (unreadable_) co_return std::unexpected(*unreadable_);
    Kept kept = kept_;
    if (std::erase_if(kept.tokens, [id](const Token& token) { return token.id == id; }) == 0)
        co_return fail(ErrorKind::NotFound,
                       "There is no join token with this number; GET machines/tokens lists those there are.");
    // Nothing shows a key whose machine never said Hello: nobody could take it back otherwise.
    const std::optional<std::set<std::string>> machines = co_await known();
    std::erase_if(kept.keys, [&](const auto& entry) {
        const auto& [hash, key] = entry;
        return machines && key.token > 0 &&
               std::ranges::find(kept.tokens, key.token, &Token::id) == kept.tokens.end() &&
               !machines->contains(hash.hex());
    });
    if (auto replaced = co_await replace(std::move(kept), helpers); !replaced) co_return replaced;
    logInfo("http", "join token {} was removed", id);
    co_return Result<void>{};
}

JoinTokens::Entered JoinTokens::enteredBy(const Hash256& hash, const Key& key) {
    return {.key = hash.hex(), .maxCores = key.maxCores, .caller = key.caller};
}

/// Of those whose machines never came, as many as may be with one more; the oldest go.
void JoinTokens::makeRoom(std::map<Hash256, Key>& keys, const std::set<std::string>& known) {
    std::vector<std::pair<WallMicros, Hash256>> strangers;
    for (const auto& [hash, key] : keys)
        if (!known.contains(hash.hex())) strangers.emplace_back(key.created, hash);
    std::ranges::sort(strangers);
    for (std::size_t at = 0; at + kMostNew <= strangers.size(); ++at) keys.erase(strangers[at].second);
}

coro::Task<Result<JoinTokens::Entered>> JoinTokens::enter(std::string bearer, bool isAdmin, std::string ownKey,
                                                          Known known, coro::HelperPool& helpers) {
    if (!ownKey.empty() && !engine::isMachineKey(ownKey))
        co_return fail(ErrorKind::Malformed, "Yard-Machine-Key is not a key: it has 48 hexadecimal digits.");
    const auto guard = co_await changing_.lock();
    if (!isAdmin)
        if (auto valid = check(bearer); !valid) co_return std::unexpected(valid.error()); // it may be over by now
    if (isAdmin && (ownKey.empty() || unreadable_)) co_return Entered{};
    const Hash256 bearerHash = Sha256::of(bearer);
    // What lets a pilot in is kept by its allocator, and goes with its job.
    if (!isAdmin && pilots_ && pilots_->knows(bearerHash)) {
        const auto own = ownKey.empty() ? std::nullopt : std::optional(Sha256::of(ownKey));
        if (const auto pilot = pilots_->enter(bearerHash, own))
            co_return Entered{.key = pilot->hex(), .maxCores = 0, .caller = newKey(0, 0).caller};
    }
    if (const auto key = kept_.keys.find(bearerHash); !isAdmin && key != kept_.keys.end())
        co_return enteredBy(key->first, key->second);
    if (ownKey.empty())
        co_return fail(
            ErrorKind::Malformed,
            "Send the field Yard-Machine-Key beside a join token: it is what the machine comes back with.");
    const Hash256 hash = Sha256::of(ownKey);
    if (const auto key = kept_.keys.find(hash); key != kept_.keys.end()) {
        if (auto valid = check(ownKey); !valid) co_return std::unexpected(valid.error());
        co_return enteredBy(hash, key->second);
    }
    Kept kept = kept_;
    if (kept.keys.size() >= kMostNew) {
        const auto machines = co_await known();
        if (machines) makeRoom(kept.keys, *machines);
    }
    if (kept.keys.size() >= kMostKeys)
        co_return fail(ErrorKind::Busy, "As many machines joined this engine as may; remove one there.");
    std::int64_t maxCores = 0;
    std::int64_t tokenId = 0;
    if (!isAdmin) {
        Token* const token = entryOf(kept.tokens, bearerHash.hex());
        if (!token) // of a pilot whose job has just gone
            co_return fail(ErrorKind::Unauthorized, "This is no token of this engine any more.");
        if (token->used >= token->uses)
            co_return fail(ErrorKind::Unauthorized,
                           "The join token is used up; 'yardctl machines token' prints another.");
        ++token->used;
        maxCores = token->maxCores;
        tokenId = token->id;
        logInfo("http", "a machine joins with token {}, {} of {}", token->id, token->used, token->uses);
    }
    const Key key = newKey(maxCores, tokenId);
    kept.keys.emplace(hash, key);
    if (auto replaced = co_await replace(std::move(kept), helpers); !replaced)
        co_return std::unexpected(replaced.error());
    co_return enteredBy(hash, key);
}

void JoinTokens::suspend(std::string_view key, bool isSuspended) {
    const auto hash = Hash256::fromHex(key);
    if (!isSuspended)
        suspended_.erase(std::string(key));
    else if (hash && kept_.keys.contains(*hash))
        suspended_.insert(std::string(key));
}

coro::Task<Result<void>> JoinTokens::forget(std::string key, coro::HelperPool& helpers) {
    const auto guard = co_await changing_.lock();
    if (unreadable_) co_return std::unexpected(*unreadable_);
    Kept kept = kept_;
    const auto hash = Hash256::fromHex(key);
    if (!hash || kept.keys.erase(*hash) == 0) co_return Result<void>{};
    auto replaced = co_await replace(std::move(kept), helpers);
    if (replaced) suspended_.erase(key);
    co_return replaced;
}

/// The lock is held.
coro::Task<Result<void>> JoinTokens::replace(Kept kept, coro::HelperPool& helpers) {
    auto job = [path = file_, text = jsonOf(kept)] { return writeFileAtomically(path, text, 0600, true); };
    auto written = co_await helpers.run(std::move(job));
    if (!written) co_return written;
    kept_ = std::move(kept);
    co_return Result<void>{};
}

} // namespace yard::http
