// A journal in a directory of its own for a test, with its acknowledgements gathered where the test can wait for
// them.
#pragma once

#include "core/store/chunk_store.h"
#include "core/store/journal.h"
#include "core/store/reader.h"
#include "tests/support/waiting.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace yard::test {

/// Something without meaning for the journal to write: documents of at most a megabyte each.
inline store::PutDocuments note(std::string_view name, std::string_view body) {
    store::PutDocuments put;
    do {
        const std::string_view piece = body.substr(0, store::kMaxDocument);
        put.changes.push_back({.kind = "note",
                               .name = std::string(name) + std::to_string(put.changes.size()),
                               .body = std::string(piece)});
        body.remove_prefix(piece.size());
    } while (!body.empty());
    return put;
}

/// Everything the store said, by tag. Any thread.
class Answers {
public:
    void take(store::Acks acks) {
        const std::lock_guard lock(mutex_);
        ++deliveries_;
        writable_ = acks.writable;
        for (auto& ack : acks.acks) {
            order_.push_back(ack.tag);
            details_[ack.tag] = ack.detail ? std::move(*ack.detail) : store::AckDetail{};
        }
        changed_.notify_all();
    }
    void take(std::vector<store::FetchedSpec> specs) {
        const std::lock_guard lock(mutex_);
        for (auto& spec : specs) specs_.push_back(std::move(spec));
        changed_.notify_all();
    }
    /// Waits for the answer to `tag` (30 s: then the test is broken anyway).
    store::AckDetail of(std::uint64_t tag) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [&] { return details_.contains(tag); }))
            std::abort();
        return details_.at(tag);
    }
    bool has(std::uint64_t tag) {
        const std::lock_guard lock(mutex_);
        return details_.contains(tag);
    }
    void waitWritable(bool writable) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [&] { return writable_ == writable; }))
            std::abort();
    }
    std::vector<store::FetchedSpec> specs(std::size_t count) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::milliseconds(kWaitMs), [&] { return specs_.size() >= count; }))
            std::abort();
        return std::move(specs_);
    }
    std::vector<std::uint64_t> order() {
        const std::lock_guard lock(mutex_);
        return order_;
    }
    int deliveries() {
        const std::lock_guard lock(mutex_);
        return deliveries_;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::uint64_t, store::AckDetail> details_;
    std::vector<std::uint64_t> order_;
    std::vector<store::FetchedSpec> specs_;
    int deliveries_ = 0;
    bool writable_ = true;
};

/// A store in `directory`, opened, restored and started.
class Journal {
public:
    explicit Journal(std::string directory, store::StoreOptions options = {}, bool start = true,
                     bool succeed = true)
        : directory_(std::move(directory)) {
        options.path = directory_ + "/journal.sqlite";
        auto files = store::ChunkFiles::open(directory_ + "/chunks", options.durability == store::Durability::Power,
                                             std::chrono::hours(1));
        if (!files) qFatal("%s", files.error().message.c_str());
        files_ = std::move(*files);
        auto store = store::Store::open(
            options, *files_,
            {.acks = [this](store::Acks acks) { answers.take(std::move(acks)); },
             .specs = [this](std::vector<store::FetchedSpec> specs) { answers.take(std::move(specs)); }});
        if (!store) qFatal("%s", store.error().message.c_str());
        store_ = std::move(*store);
        auto read = store_->restore(
            [this](std::span<store::PendingRow> rows) { pending.insert(pending.end(), rows.begin(), rows.end()); });
        if (!read) qFatal("%s", read.error().message.c_str());
        restored = std::move(*read);
        if (start) store_->start();
        if (start && succeed) store_->startSucceeded();
    }

    store::Store& store() { return *store_; }
    store::ChunkFiles& files() { return *files_; }
    const std::string& directory() const { return directory_; }

    std::uint64_t post(store::Action action, bool unhurried = false) {
        const std::uint64_t tag = ++tag_;
        const auto posted = store_->post({.tag = tag, .unhurried = unhurried, .action = std::move(action)});
        if (!posted) qFatal("%s", posted.error().message.c_str());
        return tag;
    }
    /// Posts and waits.
    store::AckDetail carryOut(store::Action action) { return answers.of(post(std::move(action))); }

    Answers answers;
    store::Restored restored;
    std::vector<store::PendingRow> pending;

private:
    std::string directory_;
    std::unique_ptr<store::ChunkFiles> files_;
    std::unique_ptr<store::Store> store_;
    std::uint64_t tag_ = 0;
};

inline constexpr WallMicros kThen = 1'700'000'000'000'000;

inline std::string specText(const std::string& argument = "x") {
    return R"({"worker":"exec","argv":["/bin/echo",")" + argument + R"("]})";
}

inline store::AcceptItem item(std::int64_t lsn, std::int64_t queue = 0) {
    store::AcceptItem item;
    item.row.lsn = Lsn(lsn);
    item.row.queue = QueueId(queue);
    item.row.classNumber = 1;
    item.row.tNew = kThen + lsn;
    item.row.tPending = kThen + lsn + 5;
    item.spec = specText(std::to_string(lsn));
    return item;
}

inline store::Accept accept(std::initializer_list<std::int64_t> lsns, std::int64_t queue = 0) {
    store::Accept accept;
    for (const auto lsn : lsns) accept.items.push_back(item(lsn, queue));
    accept.now = kThen;
    return accept;
}

inline AttemptRecord attempt(std::uint32_t n, ActionState state, Reason reason = Reason::None) {
    AttemptRecord record;
    record.n = n;
    record.outcome.state = state;
    record.outcome.reason = reason;
    record.times[ActionState::Submitting] = kThen + 100 * n;
    record.times[ActionState::Running] = kThen + 100 * n + 10;
    record.times.exited = kThen + 100 * n + 20;
    record.times[state] = kThen + 100 * n + 30;
    return record;
}

inline store::Finish finish(std::int64_t lsn, ActionState state = ActionState::Completed,
                            Reason reason = Reason::None) {
    store::Finish finish;
    finish.lsn = Lsn(lsn);
    finish.state = state;
    finish.reason = reason;
    finish.attempt = attempt(1, state, reason);
    finish.attempt->outcome.exitCode = state == ActionState::Completed ? 0 : 1;
    finish.tEnd = finish.attempt->times[state];
    return finish;
}

inline store::SmallChunk chunk(std::string bytes) {
    const Hash256 hash = Sha256::of(bytes);
    return {hash, std::move(bytes)};
}

/// "ok", or what kind of error.
inline std::string word(const store::AckDetail& detail) {
    return detail.error ? std::string(errorName(detail.error->kind)) : "ok";
}

inline std::unique_ptr<store::Reader> openReader(Journal& journal) {
    auto reader = store::Reader::open(journal.store());
    if (!reader) qFatal("%s", reader.error().message.c_str());
    return std::move(*reader);
}

inline std::optional<ActionResult> get(Journal& journal, std::int64_t lsn) {
    auto result = openReader(journal)->get(Lsn(lsn));
    if (!result) qFatal("%s", result.error().message.c_str());
    return *result;
}

inline std::string lsnsOf(const std::vector<store::PendingRow>& rows) {
    std::string out;
    for (const auto& row : rows) out += (out.empty() ? "" : " ") + std::to_string(row.lsn.value);
    return out;
}

/// Directories for one journal each, removed at the end.
class Directories {
public:
    std::string fresh(const char* name) {
        const std::string path = root_.path().toStdString() + "/" + name;
        if (!QDir().mkpath(QString::fromStdString(path))) qFatal("mkpath");
        return path;
    }

private:
    QTemporaryDir root_;
};

} // namespace yard::test
