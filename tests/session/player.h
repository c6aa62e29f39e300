// What plays a script (script.h): statements to a real Session, and what it said held against them. Private to
// script.cpp and script_expect.cpp.
#pragma once

#include "core/session/session.h"

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace yard::session::test {

using Words = std::vector<std::string>;

struct ScriptError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// "250ms", "2s", "10us".
Duration parseDuration(const std::string& text);

class Player {
public:
    void play(std::string_view script);

private:
    void statement(const Words& words);
    void command(const Words& words);
    bool machine(const Words& words);
    bool queueCommand(const Words& words);
    bool actionCommand(const Words& words);
    bool eventCommand(const Words& words);
    void submit(const Words& words);
    void end(const Words& words);
    void reschedule(const Words& words);
    void expect(const Words& words);
    void expectState(const Words& words);
    void expectWaits(const Words& words);
    void expectCounts(const Words& words);
    void expectWake(const Words& words);
    void settle();
    void note();
    void configure(QueueConfig& config, const Words& words, std::size_t from, QueueState* state, bool* held);

    Session& session();
    LabelId labelOf(const std::string& name);
    LockId lockOf(const std::string& name);
    Predecessor predecessor(const std::string& text);
    Lsn lsn(const std::string& name) const;
    QueueId queue(const std::string& name);
    bool isQueue(const std::string& name) const { return queues_.contains(name); }
    std::uint32_t attemptOf(const std::string& name) const;
    std::string nameOf(Lsn l, std::uint32_t attempt = 0) const;
    template<class T>
    void check(const Result<T>& result) {
        error_ = result ? "" : std::string(errorName(result.error().kind));
    }

    int cores_ = 1, slots_ = 0, ahead_ = 0, limit_ = 1000, shared_ = 1000, memory_ = 0;
    std::map<std::string, std::int64_t> amounts_;
    std::unique_ptr<Session> session_;
    MonoTime now_{Duration{1'000'000}};
    std::int64_t nextLsn_ = 1;
    std::map<std::string, Lsn> actions_;
    std::map<std::int64_t, std::string> names_;
    std::map<std::int64_t, NewAction> given_;
    std::map<std::int64_t, std::uint32_t> attempts_;
    std::map<std::string, QueueId> queues_{{"q0", QueueId(0)}};
    std::map<std::string, ClassId> classes_;
    std::map<std::string, LabelId> labels_;
    std::map<std::string, LockId> locks_;
    bool storeLater_ = false;
    Outbox out_;
    std::map<std::string, std::vector<std::string>> noted_; ///< verb -> objects, in the order of Outbox
    std::vector<std::string> verbs_;
    std::map<std::int64_t, char> unstored_;
    std::string error_;
};

} // namespace yard::session::test
