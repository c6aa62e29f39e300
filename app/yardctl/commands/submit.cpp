// yardctl submit: actions from JSON, in batches, with the files their inputs name.
#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::size_t kBatchActions = 1000;
constexpr std::size_t kBatchBytes = 8u << 20;

/// Replaces inputs given as "@path" by the hashes of the files. True when there was one.
Outcome<bool> resolveInputs(json::object& action, ChunkSource& source) {
    json::value* inputs = action.if_contains("inputs");
    if (!inputs || !inputs->is_object()) return false;
    bool changed = false;
    for (auto&& member : inputs->get_object()) {
        json::value& value = member.value();
        if (!value.is_string() || !value.get_string().starts_with('@')) continue;
        auto hash = source.add(std::string(std::string_view(value.get_string()).substr(1)));
        if (!hash) return std::unexpected(hash.error());
        value = hash->hash.hex();
        changed = true;
    }
    return changed;
}

/// Collects actions and posts them; prints the LSNs of each batch once it is accepted.
class Submission {
public:
    explicit Submission(const Invocation& invocation)
        : invocation_(invocation)
        , path_(jobsPath(invocation.arguments)) {}

    Outcome<void> take(ActionReader::Value value) {
        if (value.value.is_array()) return takeList(std::move(value));
        json::object& action = value.value.get_object();
        auto text = prepare(action, std::move(value.text), value.line);
        if (!text) return std::unexpected(text.error());
        // An array answers with one number for many, so it does not go into a list.
        if (action.contains("array")) {
            if (auto flushed = flush(); !flushed) return flushed;
            return postOne(*text, value.line);
        }
        bytes_ += text->size();
        batch_.push_back(std::move(*text));
        lines_.push_back(value.line);
        return batch_.size() < kBatchActions && bytes_ < kBatchBytes ? Outcome<void>() : flush();
    }

    Outcome<void> flush() {
        if (batch_.empty()) return {};
        Outcome<void> done = batch_.size() == 1 ? postOne(batch_.front(), lines_.front())
                                                : postList(fmt::format("[{}]", fmt::join(batch_, ",")));
        batch_.clear();
        lines_.clear();
        bytes_ = 0;
        return done;
    }

    const std::vector<std::int64_t>& lsns() const { return lsns_; }

private:
    Outcome<std::string> prepare(json::object& action, std::string text, std::size_t line) {
        auto changed = resolveInputs(action, source_);
        if (!changed) return refused(fmt::format("line {}: {}", line, changed.error().message));
        return *changed ? compactJson(action) : std::move(text);
    }

    Outcome<void> takeList(ActionReader::Value value) {
        if (auto flushed = flush(); !flushed) return flushed;
        bool anyChanged = false;
        for (json::value& element : value.value.get_array()) {
            if (!element.is_object()) return refused("the list holds something that is no action");
            auto changed = resolveInputs(element.get_object(), source_);
            if (!changed) return std::unexpected(changed.error());
            anyChanged = anyChanged || *changed;
        }
        if (value.value.get_array().empty()) return refused("the list is empty");
        return postList(anyChanged ? compactJson(value.value) : std::move(value.text));
    }

    Outcome<void> postOne(const std::string& text, std::size_t line) {
        auto answer = post(text);
        if (!answer) return refused(fmt::format("line {}: {}", line, answer.error().message));
        const auto lsn = integerOf(answer->object, "lsn");
        if (!lsn) return failed("the engine accepted the action but did not say as which; 'yardctl ls' shows it");
        accepted(*answer, *lsn, integerOf(answer->object, "count").value_or(1));
        return {};
    }

    Outcome<void> postList(const std::string& text) {
        auto answer = post(text);
        if (!answer) {
            const Error& e = answer.error();
            if (e.index < 0) return refused(e.message);
            const auto index = static_cast<std::size_t>(e.index);
            return refused(index < lines_.size() ? fmt::format("line {}: {}", lines_[index], e.message)
                                                 : fmt::format("action {} of the list: {}", index + 1, e.message));
        }
        const json::array* lsns = arrayOf(answer->object, "lsns");
        if (!lsns)
            return failed("the engine accepted the actions but did not say as which; 'yardctl ls' shows them");
        if (invocation_.json) fmt::print("{}\n", answer->text);
        for (const json::value& lsn : *lsns) {
            if (!lsn.is_int64()) continue;
            lsns_.push_back(lsn.get_int64());
            if (!invocation_.json && !invocation_.arguments.has("wait")) fmt::print("{}\n", lsn.get_int64());
        }
        std::fflush(stdout);
        return {};
    }

    void accepted(const Answer& answer, std::int64_t lsn, std::int64_t count) {
        if (invocation_.json)
            fmt::print("{}\n", answer.text);
        else if (!invocation_.arguments.has("wait"))
            fmt::print("{}\n", count > 1 ? fmt::format("{}..{}", lsn, lsn + count - 1) : fmt::format("{}", lsn));
        for (std::int64_t i = 0; i < count; ++i) lsns_.push_back(lsn + i);
        std::fflush(stdout);
    }

    /// With a key of its own, so that a repeat over a new connection is not a second submission.
    Result<Answer> post(const std::string& text) {
        const Call call{.method = "POST",
                        .path = path_,
                        .body = text,
                        .idempotencyKey = randomHex(16),
                        .silence = std::chrono::seconds(60)};
        return postWithChunks(invocation_.engine, call, source_);
    }

    std::unexpected<Failure> refused(const std::string& why) const {
        if (lsns_.empty()) return failed(why);
        return failed(fmt::format("{} (the {} actions before it are accepted)", why, lsns_.size()));
    }

    const Invocation& invocation_;
    const std::string path_;
    ChunkSource source_;
    std::vector<std::string> batch_;
    std::vector<std::size_t> lines_; ///< of the file, for each in batch_
    std::size_t bytes_ = 0;
    std::vector<std::int64_t> lsns_;
};

} // namespace

std::string jobsPath(const Arguments& arguments) {
    const auto queue = arguments.value("queue");
    return queue ? fmt::format("queues/{}/jobs", percentEncode(*queue)) : "jobs";
}

Outcome<int> submitCommand(const Invocation& invocation) {
    const std::string& path = invocation.arguments.operands().front();
    if (invocation.arguments.has("outputs") && !invocation.arguments.has("wait"))
        return usageError("--outputs needs --wait: there are none before the actions have ended");
    UniqueFd file;
    if (path != "-") {
        file.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file) return failed(fmt::format("cannot open {}: {}", path, ::strerrordesc_np(errno)));
    }
    ActionReader reader(path == "-" ? STDIN_FILENO : file.get(), path == "-" ? "standard input" : path);
    Submission submission(invocation);
    while (true) {
        // What a slow program has written so far does not wait for the rest of a batch.
        if (reader.wouldBlock())
            if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
        auto value = reader.next();
        if (!value) {
            // What stands before a mistake is as good as accepted: it would be, a batch later.
            if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
            return std::unexpected(value.error());
        }
        if (!*value) break;
        if (auto taken = submission.take(std::move(**value)); !taken) return std::unexpected(taken.error());
    }
    if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
    if (submission.lsns().empty()) return failed(fmt::format("there is no action in {}", path));
    return invocation.arguments.has("wait") ? waitForAll(invocation, submission.lsns()) : 0;
}

} // namespace yard::ctl
