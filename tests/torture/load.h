// Clients under whose feet engines die, and the book of what they were promised: what was accepted, what they saw
// finished, what each action did. At the end the book is held against what the last engine says.
//
// Every script writes a line when it starts, and "double" when another run of the same action still lives (a lock
// that its whole tree inherits); so the book knows what really ran, whatever the engine remembers.
//
// Threads: several clients in run(); the rest is called by one thread while none runs.
#pragma once

#include "tests/torture/program.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace yard::torture {

/// What an action does, and so what its end has to be.
enum class Kind : unsigned char {
    Quick,   ///< says its LSN
    Scratch, ///< the same in a directory of its own, with an output
    Flaky,   ///< fails the first time
    Failing, ///< always exits with 3
    Hanging, ///< sleeps forever the first time, above a daemon in a session of its own
    Late,    ///< sleeps past its deadline, always
};
inline constexpr int kKinds = 6;

class Load {
public:
    /// `strangers`: daemons drop their environment, too. They can be found only while the engine or its launcher
    /// lives.
    Load(const Place& place, unsigned seed, bool strangers);

    /// Makes a queue with quick retries; once, on a first engine.
    void prepare(Caller caller);
    /// Submits, asks, waits and cancels from `threads` clients until the connection is lost or `stop` is set.
    void run(const std::function<Caller()>& connect, int threads, const std::atomic<bool>& stop);
    /// On the last engine: submits again what got no answer, ends what hangs, waits for the rest.
    void finish(Caller caller);
    /// Holds the book against the engine. One line for each broken promise.
    std::vector<std::string> broken(Caller caller);

    std::size_t accepted() const { return actions_.size(); }
    std::size_t unanswered() const { return unanswered_; }
    std::size_t seenFinished() const;
    /// "1234 accepted (12 after a repeat), 1200 seen finished, …".
    std::string summary() const;

private:
    struct Submission {
        Kind kind = Kind::Quick;
        int count = 1; ///< actions of a list, or of an array
        bool isList = false;
        int queue = 0;
        std::string label; ///< its alone
        std::string key;   ///< Idempotency-Key; empty: none
        std::string body;
    };
    struct Action {
        Kind kind = Kind::Quick;
        int queue = 0;
        bool cancelled = false;   ///< a cancel was answered with 200
        bool cancelTried = false; ///< a cancel may have been taken
        std::string result;       ///< as first seen with 200; empty: not yet
        int startsThen = 0;       ///< runs begun when it was seen
    };

    void work(Caller caller, unsigned seed, const std::atomic<bool>& stop);
    Submission invent(std::mt19937& random);
    std::string actionJson(const Submission& what) const;
    std::string script(Kind kind) const;
    bool submit(Caller& caller, const Submission& what);
    void book(const Submission& what, const Answer& answer);
    void complain(std::string sentence);
    bool ask(Caller& caller, std::int64_t lsn, const char* query);
    bool cancel(Caller& caller, std::int64_t lsn);
    void see(std::int64_t lsn, const Answer& answer);
    std::int64_t someActive(std::mt19937& random);
    std::map<std::int64_t, int> starts() const;
    std::map<std::int64_t, boost::json::object> everything(Caller& caller);

    void checkUnanswered(Caller& caller);
    void checkAction(Caller& caller, std::int64_t lsn, const Action& action, const boost::json::object& job,
                     int starts);
    void checkEnd(std::int64_t lsn, const Action& action, const boost::json::object& job);
    void checkAttempts(Caller& caller, std::int64_t lsn, const Action& action, const boost::json::object& job,
                       int starts);
    void checkChunk(Caller& caller, std::int64_t lsn, const boost::json::object& chunk);
    void checkCounters(Caller& caller, const std::map<std::int64_t, boost::json::object>& jobs);

    const Place& place_;
    std::string log_;
    unsigned seed_;
    bool strangers_;
    int queue_ = 0;
    mutable std::mutex mutex_; ///< of what follows
    int nextLabel_ = 0;
    std::map<std::int64_t, Action> actions_;
    std::vector<std::int64_t> active_; ///< not seen finished
    std::vector<Submission> toRepeat_; ///< with a key and without an answer
    std::vector<Submission> maybe_;    ///< without either: all of it is there, or nothing
    std::vector<std::string> broken_;
    std::set<std::string> checkedChunks_;
    std::size_t unanswered_ = 0;
    std::size_t cancels_ = 0;
    std::size_t interrupted_ = 0;
};

} // namespace yard::torture
