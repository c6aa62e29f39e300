// yardctl submit: actions from JSON, whole or not at all, with the files their inputs name.
#include "app/yardctl/accepted.h"
#include "app/yardctl/action_reader.h"
#include "app/yardctl/action_view.h"
#include "app/yardctl/chunks.h"
#include "app/yardctl/commands/functions.h"
#include "app/yardctl/format.h"
#include "app/yardctl/help_texts.h"
#include "app/yardctl/json_text.h"
#include "app/yardctl/program_input.h"
#include "app/yardctl/row_options.h"
#include "app/yardctl/work_options.h"
#include "core/base/hash.h"
#include "core/base/unique_fd.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <unistd.h>
#include <utility>

namespace yard::ctl {

namespace {

/// Of a batch of --stream.
constexpr std::size_t kBatchActions = 1000;
constexpr std::size_t kBatchBytes = 8u << 20;

/// The path of "@path".
std::optional<std::string> fileNamedBy(const json::value* value) {
    if (!value || !value->is_string() || !value->get_string().starts_with('@')) return std::nullopt;
    return std::string(std::string_view(value->get_string()).substr(1));
}

/// Replaces inputs and a stdin that are given as "@path" by the hashes of the files. True when there was one.
Outcome<bool> resolveFiles(json::object& action, ChunkSource& source) {
    bool changed = false;
    if (const auto path = fileNamedBy(action.if_contains("stdin"))) {
        auto member = stdinFrom(*path, source);
        if (!member) return std::unexpected(member.error());
        action["stdin"] = std::move(*member);
        changed = true;
    }
    json::value* inputs = action.if_contains("inputs");
    if (!inputs || !inputs->is_object()) return changed;
    for (auto&& member : inputs->get_object()) {
        const auto path = fileNamedBy(&member.value());
        if (!path) continue;
        auto hash = source.add(*path);
        if (!hash) return std::unexpected(hash.error());
        member.value() = hash->hash.hex();
        changed = true;
    }
    return changed;
}

/// Collects actions and posts them in one request, with --stream in batches; prints the LSNs once it is accepted.
class Submission {
public:
    /// `name`: of the file, for sentences.
    Submission(const Invocation& invocation, std::string name)
        : invocation_(invocation)
        , name_(std::move(name))
        , path_(jobsPath(invocation.arguments)) {}

    Outcome<void> take(ActionReader::Value value) {
        auto piece = value.value.is_array() ? prepareList(value) : prepareOne(value);
        if (!piece) return std::unexpected(piece.error());
        bytes_ += piece->text.size() + 1;
        actions_ += piece->count;
        pieces_.push_back(std::move(*piece));
        if (bytes_ < kMaxValueBytes) return {};
        return refused(fmt::format("{}: the actions up to here are over {} MiB, and a request takes no more. Give "
                                   "them in several files, or with --stream, which accepts them in parts",
                                   placeOf(value.line), kMaxValueBytes >> 20));
    }
    bool isBatch() const { return actions_ >= kBatchActions || bytes_ >= kBatchBytes; }

    Outcome<void> flush() {
        if (pieces_.empty()) return {};
        const bool isOne = pieces_.size() == 1 && !pieces_.front().isList;
        Outcome<void> done = isOne ? postOne() : postList();
        pieces_.clear();
        bytes_ = actions_ = 0;
        return done;
    }

    const std::vector<std::int64_t>& lsns() const { return lsns_; }

private:
    /// One action, or a list without its brackets.
    struct Piece {
        std::string text;
        std::size_t line = 1;
        std::size_t count = 1;
        bool isList = false;
    };

    /// What the command line says of it, and its files. True when it is not as it was written any more.
    Outcome<bool> complete(json::object& action) {
        auto changed = resolveFiles(action, source_);
        if (!changed || !saysWork(invocation_.arguments)) return changed;
        if (auto applied = applyWork(invocation_.arguments, action, source_); !applied)
            return std::unexpected(applied.error());
        return true;
    }

    Outcome<Piece> prepareOne(ActionReader::Value& value) {
        auto changed = complete(value.value.get_object());
        if (!changed) return refused(fmt::format("{}: {}", placeOf(value.line), changed.error().message));
        return Piece{.text = *changed ? compactJson(value.value) : std::move(value.text), .line = value.line};
    }

    Outcome<Piece> prepareList(ActionReader::Value& value) {
        json::array& list = value.value.get_array();
        bool anyChanged = false;
        for (json::value& element : list) {
            if (!element.is_object())
                return refused(fmt::format("{}: the list holds something that is no action", placeOf(value.line)));
            auto changed = complete(element.get_object());
            if (!changed) return refused(fmt::format("{}: {}", placeOf(value.line), changed.error().message));
            anyChanged = anyChanged || *changed;
        }
        if (list.empty()) return refused(fmt::format("{}: the list is empty", placeOf(value.line)));
        std::string text = anyChanged ? compactJson(value.value) : std::move(value.text);
        text = text.substr(text.find('[') + 1);
        text.resize(text.rfind(']'));
        return Piece{.text = std::move(text), .line = value.line, .count = list.size(), .isList = true};
    }

    Outcome<void> postOne() {
        auto answer = post(pieces_.front().text);
        if (!answer) return refused(fmt::format("{}: {}", placeOf(pieces_.front().line), answer.error().message));
        const auto lsn = integerOf(answer->object, "lsn");
        if (!lsn) return failed("the engine accepted the action but did not say as which; 'yardctl ls' shows it");
        std::string text = accepted(*lsn, integerOf(answer->object, "count").value_or(1));
        return tell(invocation_.json ? answer->text + '\n' : std::move(text));
    }

    Outcome<void> postList() {
        std::string text = "[";
        for (const Piece& piece : pieces_) text.append(text.size() > 1 ? "," : "").append(piece.text);
        auto answer = post(text + "]");
        if (!answer) return refused(placeOf(answer.error()) + answer.error().message);
        const json::array* lsns = arrayOf(answer->object, "lsns");
        if (!lsns)
            return failed("the engine accepted the actions but did not say as which; 'yardctl ls' shows them");
        const json::array* counts = arrayOf(answer->object, "counts");
        std::string lines;
        for (std::size_t i = 0; i < lsns->size(); ++i) {
            const json::value* count = counts && i < counts->size() ? &(*counts)[i] : nullptr;
            if ((*lsns)[i].is_int64())
                lines += accepted((*lsns)[i].get_int64(), count && count->is_int64() ? count->get_int64() : 1);
        }
        return tell(invocation_.json ? answer->text + '\n' : std::move(lines));
    }

    std::string placeOf(std::size_t line) const { return fmt::format("{}, line {}", name_, line); }

    /// The line of the action that the engine refused, where it says which one.
    std::string placeOf(const Error& error) const {
        std::size_t left = error.index < 0 ? actions_ : static_cast<std::size_t>(error.index);
        for (const Piece& piece : pieces_) {
            if (left >= piece.count) {
                left -= piece.count;
                continue;
            }
            const std::string place = placeOf(piece.line) + ": ";
            return piece.isList ? fmt::format("{}action {} of the list: ", place, left + 1) : place;
        }
        return {};
    }

    /// The line of one action, or of an array.
    std::string accepted(std::int64_t lsn, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) lsns_.push_back(lsn + i);
        return count > 1 ? fmt::format("{}..{}\n", lsn, lsn + count - 1) : fmt::format("{}\n", lsn);
    }

    /// Of what was accepted since the last time. With --wait the lines of the ends say which they are.
    Outcome<void> tell(const std::string& text) {
        const auto untold = std::span(lsns_).subspan(std::exchange(told_, lsns_.size()));
        if (!invocation_.json && invocation_.arguments.has("wait")) return {};
        return printAccepted(text, untold);
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
    const std::string name_;
    const std::string path_;
    ChunkSource source_;
    std::vector<Piece> pieces_;
    std::size_t bytes_ = 0;
    std::size_t actions_ = 0;
    std::vector<std::int64_t> lsns_;
    std::size_t told_ = 0; ///< of lsns_
};

} // namespace

std::string jobsPath(const Arguments& arguments) {
    const auto queue = arguments.value("queue");
    return queue ? fmt::format("queues/{}/jobs", percentEncode(*queue)) : "jobs";
}

namespace {

/// A file of actions, open for reading; standard input for "-".
Outcome<UniqueFd> openActions(const std::string& path) {
    if (path == "-") return UniqueFd();
    UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failed(fmt::format("cannot open {}: {}", path, ::strerrordesc_np(errno)));
    return file;
}

Outcome<std::vector<std::int64_t>> submitAll(const Invocation& invocation, ActionReader& reader,
                                             const std::string& path, const std::string& name) {
    Submission submission(invocation, name);
    const bool streams = invocation.arguments.has("stream");
    while (true) {
        // What a slow program has written so far does not wait for the rest of a batch.
        if (streams && (submission.isBatch() || reader.wouldBlock()))
            if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
        auto value = reader.next();
        if (!value && streams) // what stands before a mistake would have been accepted a batch later
            if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
        if (!value) return std::unexpected(value.error());
        if (!*value) break;
        if (auto taken = submission.take(std::move(**value)); !taken) return std::unexpected(taken.error());
    }
    if (auto flushed = submission.flush(); !flushed) return std::unexpected(flushed.error());
    if (submission.lsns().empty()) return failed(fmt::format("there is no action in {}", path));
    return submission.lsns();
}

std::string nameOfActions(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

} // namespace

Outcome<std::vector<std::int64_t>> submitFile(const Invocation& invocation, const std::string& path, int stop) {
    const auto file = openActions(path);
    if (!file) return std::unexpected(file.error());
    ActionReader reader(*file ? file->get() : STDIN_FILENO, nameOfActions(path), stop);
    return submitAll(invocation, reader, path, nameOfActions(path));
}

namespace {

Outcome<int> submitCommand(const Invocation& invocation) {
    const std::string& path = invocation.arguments.operands().front();
    if (invocation.arguments.has("out") && !invocation.arguments.has("wait"))
        return usageError("--out needs --wait: there are none before the actions have ended");
    for (const auto* option : {"notify", "progress"})
        if (invocation.arguments.has(option) && !invocation.arguments.has("wait"))
            return usageError(fmt::format("--{} needs --wait: nobody waits for the ends", option));
    const auto file = openActions(path);
    if (!file) return std::unexpected(file.error());
    ActionReader reader(*file ? file->get() : STDIN_FILENO, nameOfActions(path));
    if (invocation.arguments.has("graph")) return drawGraph(reader);
    const auto lsns = submitAll(invocation, reader, path, nameOfActions(path));
    if (!lsns) return std::unexpected(lsns.error());
    return invocation.arguments.has("wait") ? waitForAll(invocation, *lsns) : 0;
}

} // namespace

Command submitRow() {
    static const std::string details = submitDetails();
    return {.name = "submit",
            .usage = "[options] FILE|-",
            .summary = "submit actions from JSON",
            .details = details,
            .examples = "yardctl submit actions.json\n"
                        "./make-actions | yardctl submit --wait -q nightly -\n"
                        "yardctl submit --graph actions.json | dot -Tsvg > graph.svg",
            .exits = "0 when all was accepted, and with --wait all of it completed; 1 when it was refused, or with "
                     "--wait when one ended otherwise; 2 when the command line is wrong.",
            .options =
                joined({{"wait", 'w', "", "then wait for them, as 'wait' does"},
                        nextProgressOption(),
                        notifyOption(),
                        {"stream", 0, "", "accept them in parts as they come; what stands before a mistake stays"},
                        {"graph", 0, "", "print who waits for whom, for Graphviz' dot, and submit nothing"}},
                       workOptions(Work::Submit)),
            .minOperands = 1,
            .maxOperands = 1,
            .function = submitCommand};
}

} // namespace yard::ctl
