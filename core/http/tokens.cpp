#include "core/http/tokens.h"

#include "core/base/files.h"
#include "core/base/log.h"
#include "core/http/message.h"
#include "core/json/json_reader.h"
#include "core/json/json_writer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace yard::http {

namespace {

constexpr std::size_t kMostTokensFile = 1u << 20;
constexpr std::size_t kTokenRandomBytes = 24;

bool isTokenName(std::string_view name) {
    const auto fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '-';
    };
    // "." and ".." are no part of a path that arrives.
    return !name.empty() && name.size() <= kMostTokenName && std::ranges::all_of(name, fits) &&
           name.find_first_not_of('.') != name.npos;
}

std::string tokensJson(const std::vector<std::shared_ptr<Caller>>& callers) {
    std::string text;
    JsonWriter writer(text);
    writer.openObject();
    writer.key("tokens");
    writer.openArray();
    for (const auto& caller : callers) {
        writer.openObject();
        writer.member("name", caller->name);
        writer.member("rights", name(caller->right));
        writer.member("hash", caller->hash.hex());
        writer.key("queues");
        writer.openArray();
        for (const QueueId queue : caller->queues) writer.integer(queue.value);
        writer.closeArray();
        writer.member("created", caller->created);
        writer.member("expires", caller->expires);
        writer.closeObject();
    }
    writer.closeArray();
    writer.closeObject();
    text += '\n';
    return text;
}

bool readQueues(JsonView value, std::vector<QueueId>& queues) {
    if (value.kind() != JsonKind::Array || value.count() > kMostTokenQueues) return false;
    for (const JsonView queue : value) {
        if (queue.kind() != JsonKind::Integer || queue.node().integer < 0) return false;
        queues.emplace_back(queue.node().integer);
    }
    return true;
}

/// One member of a token; false: it is not what this program writes.
bool readTokenMember(JsonView value, Caller& caller) {
    const std::string_view key = value.key();
    if (key == "queues") return readQueues(value, caller.queues);
    if (key == "created" || key == "expires") {
        if (value.kind() != JsonKind::Integer || value.node().integer < 0) return false;
        (key == "created" ? caller.created : caller.expires) = value.node().integer;
        return true;
    }
    if (value.kind() != JsonKind::String) return false;
    if (key == "name") {
        caller.name = value.string();
        return isTokenName(caller.name);
    }
    if (key == "rights") {
        const auto right = rightFrom(value.string());
        if (right) caller.right = *right;
        return right.has_value();
    }
    const auto hash = key == "hash" ? Hash256::fromHex(value.string()) : std::nullopt;
    if (hash) caller.hash = *hash;
    return hash.has_value();
}

/// Each member once: the reader of JSON refuses one that is given twice.
std::shared_ptr<Caller> readToken(JsonView value) {
    constexpr std::uint32_t kMembers = 6;
    if (!value.isObject() || value.count() != kMembers) return nullptr;
    auto caller = std::make_shared<Caller>();
    for (const JsonView member : value)
        if (!readTokenMember(member, *caller)) return nullptr;
    return caller;
}

Result<std::vector<std::shared_ptr<Caller>>> readTokens(const std::string& file) {
    std::vector<std::shared_ptr<Caller>> callers;
    const auto text = readFile(file, kMostTokensFile);
    if (!text && text.error().kind == ErrorKind::NotFound) return callers;
    if (!text) return std::unexpected(text.error());
    const auto wrong = [&] {
        return fail(ErrorKind::Io,
                    fmt::format("{} is not a list of tokens: only the owner's token is valid. Remove "
                                "the file, start again, and make the tokens again.",
                                file));
    };
    const auto tape = readJson(*text);
    if (!tape) return wrong();
    const JsonView root = tape->root();
    if (!root.isObject() || root.count() != 1) return wrong();
    const JsonView list = *root.begin();
    if (list.key() != "tokens" || list.kind() != JsonKind::Array || list.count() > kMostTokens) return wrong();
    for (const JsonView value : list) {
        auto caller = readToken(value);
        if (!caller) return wrong();
        callers.push_back(std::move(caller));
    }
    return callers;
}

} // namespace

Tokens::Tokens(std::string owner, std::string file)
    : ownerToken_(std::move(owner))
    , file_(std::move(file)) {
    auto read = readTokens(file_);
    if (read) {
        callers_ = std::move(*read);
        return;
    }
    logWarning("http", "{}", read.error().message);
    unreadable_ = std::move(read.error());
}

Result<std::shared_ptr<Caller>> Tokens::find(std::string_view token) const {
    if (equalConstantTime(token, ownerToken_)) return owner_;
    if (!callers_.empty()) {
        const std::string hash = Sha256::of(token).hex();
        for (const auto& caller : callers_) {
            if (!equalConstantTime(hash, caller->hash.hex())) continue;
            if (!caller->isOver()) return caller;
            return fail(ErrorKind::Unauthorized,
                        fmt::format("The token \"{}\" has expired; ask the owner of this engine for another.",
                                    caller->name));
        }
    }
    return fail(
        ErrorKind::Unauthorized,
        "The token is not this engine's; take the one in the file `token` of its data directory, or ask its owner "
        "for one.");
}

Result<std::vector<std::shared_ptr<Caller>>> Tokens::all() const {
    if (unreadable_) return std::unexpected(*unreadable_);
    return callers_;
}

coro::Task<Result<Tokens::Made>> Tokens::make(Wanted wanted, coro::HelperPool& helpers) {
    if (!isTokenName(wanted.name))
        co_return invalid(
            "name",
            fmt::format("Give \"name\" as 1 to {} letters, digits, \".\", \"_\" or \"-\", and not dots alone.",
                        kMostTokenName));
    const auto guard = co_await changing_.lock();
    if (unreadable_) co_return std::unexpected(*unreadable_);
    if (std::ranges::find(callers_, wanted.name, &Caller::name) != callers_.end())
        co_return fail(
            ErrorKind::WrongState,
            fmt::format("There is a token \"{}\" already; remove it first, or choose another name.", wanted.name));
    if (callers_.size() >= kMostTokens)
        co_return fail(ErrorKind::AtLimit,
                       fmt::format("There are {} tokens, as many as may be; remove one first.", callers_.size()));
    Made made{.caller = std::make_shared<Caller>(), .token = randomHex(kTokenRandomBytes)};
    made.caller->name = std::move(wanted.name);
    made.caller->right = wanted.right;
    made.caller->queues = std::move(wanted.queues);
    made.caller->hash = Sha256::of(made.token);
    made.caller->created = wallNow();
    if (wanted.seconds > 0) made.caller->expires = made.caller->created + wanted.seconds * 1'000'000;
    Callers callers = callers_;
    callers.push_back(made.caller);
    const auto written = co_await write(callers, helpers);
    if (!written) co_return std::unexpected(written.error());
    callers_ = std::move(callers);
    logInfo("http", "the token \"{}\" was made, with the right {}", made.caller->name, name(made.caller->right));
    co_return made;
}

coro::Task<Result<void>> Tokens::remove(std::string name, const Link* asks, coro::HelperPool& helpers) {
    const auto guard = co_await changing_.lock();
    if (unreadable_) co_return std::unexpected(*unreadable_);
    Callers callers = callers_;
    const auto found = std::ranges::find(callers, name, &Caller::name);
    if (found == callers.end())
        co_return fail(ErrorKind::NotFound, "There is no token with this name; GET tokens lists those there are.");
    const std::shared_ptr<Caller> caller = std::move(*found);
    callers.erase(found);
    const auto written = co_await write(callers, helpers);
    if (!written) co_return std::unexpected(written.error());
    callers_ = std::move(callers);
    caller->removed = true;
    for (const Presence& here : caller->here)
        if (here.link() != asks) here.link()->cut();
    logInfo("http", "the token \"{}\" was removed", name);
    co_return Result<void>{};
}

coro::Task<Result<void>> Tokens::write(const Callers& callers, coro::HelperPool& helpers) const {
    auto job = [path = file_, text = tokensJson(callers)] { return writeFileAtomically(path, text, 0600, true); };
    co_return co_await helpers.run(std::move(job));
}

} // namespace yard::http
