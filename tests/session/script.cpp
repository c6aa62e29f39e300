#include "tests/session/script.h"

#include "core/session/action_commands.h"
#include "core/session/events.h"
#include "core/session/intake.h"
#include "core/session/queue_commands.h"
#include "core/session/resource_holds.h"
#include "tests/session/player.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace yard::session::test {

Duration parseDuration(const std::string& text) {
    std::size_t used = 0;
    const double n = std::stod(text, &used);
    const std::string unit = text.substr(used);
    const double us = unit == "us"   ? 1
                      : unit == "ms" ? 1e3
                      : unit == "s"  ? 1e6
                                     : throw ScriptError("time: " + text);
    return Duration{std::llround(n * us)};
}

Session& Player::session() {
    if (!session_) {
        Resources total{.milliCores = 1000 * cores_, .memoryMb = memory_, .named = {}};
        total.named.assign(amounts_.begin(), amounts_.end());
        session_ = std::make_unique<Session>(std::make_unique<MachineCapacity>(total),
                                             SessionOptions{.slotCount = slots_ ? slots_ : cores_,
                                                            .sharedSlots = shared_,
                                                            .aheadPerSlot = ahead_,
                                                            .maxOutstanding = limit_});
        classes_["one"] = ClassId(0);
        session_->defineClass(ClassId(0), {});
        if (!session_->moveTo(SessionState::Ready, out_)) throw ScriptError("not ready");
    }
    return *session_;
}

Lsn Player::lsn(const std::string& name) const {
    const auto it = actions_.find(name);
    return it == actions_.end() ? throw ScriptError("no action " + name) : it->second;
}

QueueId Player::queue(const std::string& name) {
    const auto it = queues_.find(name);
    return it == queues_.end() ? throw ScriptError("no queue " + name) : it->second;
}

std::uint32_t Player::attemptOf(const std::string& name) const {
    const auto it = attempts_.find(lsn(name).value);
    return it == attempts_.end() ? 0 : it->second;
}

std::string Player::nameOf(Lsn l, std::uint32_t attempt) const {
    const std::string& name = names_.at(l.value);
    return attempt > 1 ? fmt::format("{}#{}", name, attempt) : name;
}

// -- the engine's part

void Player::note() {
    const auto say = [this](const std::string& verb, const std::string& object) {
        if (!noted_.contains(verb)) verbs_.push_back(verb);
        noted_[verb].push_back(object);
    };
    for (const Start& s : out_.start) {
        attempts_[s.lsn.value] = s.attempt;
        say(s.ahead ? "ahead" : "start", nameOf(s.lsn, s.attempt));
    }
    for (const TakeBack& t : out_.takeBack) say("take_back", nameOf(t.lsn, t.attempt));
    for (const Stop& s : out_.stop) {
        static constexpr const char* kCauses[] = {"cancel", "abandon", "engine_stopped"};
        say("stop", nameOf(s.lsn, s.attempt) + " " + kCauses[static_cast<int>(s.cause)]);
    }
    for (const Retry& r : out_.retry) {
        unstored_[r.lsn.value] = 'r';
        say("retry", nameOf(r.lsn, r.endedAttempt) + " " + std::string(name(r.reason)));
    }
    for (const Finish& f : out_.finish) {
        unstored_[f.lsn.value] = 'f';
        const std::string_view why = f.reason == Reason::None ? "" : name(f.reason);
        const bool tell =
            f.state == ActionState::Failed || (f.state == ActionState::Abandoned && why != "abandoned");
        say("finish",
            nameOf(f.lsn, f.attempt) + " " + std::string(name(f.state)) + (tell ? " " + std::string(why) : ""));
    }
    for (const QueueId q : out_.stopped)
        for (const auto& [name, id] : queues_)
            if (id == q) say("stopped", name);
    for (const QueueId q : out_.forgotten)
        for (const auto& [name, id] : queues_)
            if (id == q) say("forgotten", name);
    out_.clear();
}

void Player::settle() {
    note();
    for (;;) {
        session().check();
        if (!storeLater_ && !unstored_.empty()) {
            const auto [l, kind] = *unstored_.begin();
            unstored_.erase(unstored_.begin());
            kind == 'r' ? session().events().retryStored(Lsn(l), out_)
                        : session().events().finishStored(Lsn(l), out_);
        } else if (!session().schedule(now_, out_) && out_.empty()) {
            break;
        }
        note();
    }
    session().check();
}

// -- statements

bool Player::machine(const Words& w) {
    int* setting = w[0] == "cores" ? &cores_ : w[0] == "slots" ? &slots_ : w[0] == "ahead" ? &ahead_ : nullptr;
    if (w[0] == "limit") setting = &limit_;
    if (w[0] == "shared") setting = &shared_;
    if (w[0] == "memory") setting = &memory_;
    if (!setting && w[0] != "amount") return false;
    if (session_) throw ScriptError("the machine is fixed already");
    if (setting)
        *setting = std::stoi(w.at(1));
    else
        amounts_[w.at(1)] = 1000 * std::stoi(w.at(2));
    return true;
}

void Player::configure(QueueConfig& config, const Words& w, std::size_t from, QueueState* state, bool* held) {
    for (std::size_t i = from; i < w.size(); ++i) {
        if (w[i] == "held" && held) {
            *held = true;
        } else if (w[i] == "draining" && state) {
            *state = QueueState::Draining;
        } else if (w[i] == "cancelled" && state) {
            *state = QueueState::Cancelled;
        } else {
            const std::string& value = w.at(i + 1);
            if (w[i] == "weight")
                config.weight = std::stod(value);
            else if (w[i] == "max_running")
                config.maxRunning = std::stoi(value);
            else if (w[i] == "stop_after")
                config.stopAfterFailures = std::stoi(value);
            else if (w[i] == "retries")
                config.maxRetries = std::stoi(value);
            else if (w[i] == "interruptions")
                config.maxInterruptions = std::stoi(value);
            else if (w[i] == "backoff")
                config.backoff = value == "0" ? Duration{} : parseDuration(value);
            else if (w[i] == "backoff_max")
                config.backoffMax = parseDuration(value);
            else
                throw ScriptError("queue setting " + w[i]);
            ++i;
        }
    }
}

LockId Player::lockOf(const std::string& name) {
    return locks_.try_emplace(name, LockId(static_cast<std::uint32_t>(locks_.size()))).first->second;
}

LabelId Player::labelOf(const std::string& name) {
    return labels_.try_emplace(name, LabelId(static_cast<std::uint32_t>(labels_.size()) + 1)).first->second;
}

/// "a", "a:any", "a:failed"; "a=failed" or "a:any=new" when the journal knows it as that.
Predecessor Player::predecessor(const std::string& text) {
    Predecessor p;
    const std::size_t is = text.find('=');
    if (is != text.npos) p.state = actionStateFrom(text.substr(is + 1)).value();
    const std::string what = text.substr(0, is);
    const std::size_t colon = what.find(':');
    p.lsn = lsn(what.substr(0, colon));
    if (colon != what.npos) p.on = what.substr(colon + 1) == "any" ? DependencyOn::Any : DependencyOn::Failed;
    return p;
}

void Player::submit(const Words& w) {
    NewAction action;
    std::vector<Predecessor> after;
    action.submitTime = now_.time_since_epoch().count();
    for (std::size_t i = 1; i < w.size(); ++i) {
        if (isQueue(w[i]))
            action.queue = queue(w[i]);
        else if (classes_.contains(w[i]))
            action.cls = classes_[w[i]];
        else if (w[i] == "hold")
            action.held = true;
        else if (w[i] == "cancel_requested")
            action.cancelRequested = true;
        else if (w[i] == "interrupted")
            action.interrupted = true;
        else if (w[i] == "at")
            action.notBefore = now_ + parseDuration(w.at(++i));
        else if (w[i] == "label")
            action.label = labelOf(w.at(++i));
        else if (w[i] == "after")
            after.push_back(predecessor(w.at(++i)));
        else if (w[i].size() > 1 && w[i][0] == 'p' && (std::isdigit(w[i][1]) || w[i][1] == '-'))
            action.priority = std::stoi(w[i].substr(1));
        else {
            action.lsn = Lsn(nextLsn_++);
            actions_[w[i]] = action.lsn;
            names_[action.lsn.value] = w[i];
            given_[action.lsn.value] = action;
            action.after = after;
            session().intake().add({&action, 1}, now_, out_);
        }
    }
}

void Player::end(const Words& w) {
    AttemptEnd e;
    if (w[0] == "done") e.state = ActionState::Completed;
    if (w[0] == "abandon") e.state = ActionState::Abandoned;
    e.runTime = Duration{50'000};
    e.neverRan = w[0] == "never_ran";
    for (std::size_t i = 2; i < w.size(); ++i) {
        if (w[i] == "exit") {
            e.exitCode = std::stoi(w.at(++i));
            e.reason = Reason::ExitCode;
        } else if (w[i] == "reason") {
            e.reason = reasonFrom(w.at(++i)).value();
        } else if (w[i] == "cannot_heal") {
            e.cannotHeal = true;
        } else if (w[i] == "enforced") {
            e.wasEnforced = true;
        } else {
            e.runTime = parseDuration(w[i]);
        }
    }
    if (e.state == ActionState::Failed && e.reason == Reason::None) e.reason = Reason::ExitCode;
    session().events().ended(lsn(w.at(1)), attemptOf(w[1]), e, now_, out_);
}

void Player::reschedule(const Words& w) {
    const Lsn l = lsn(w.at(1));
    FinishedAction finished;
    finished.lsn = l;
    finished.queue = given_[l.value].queue;
    finished.state = actionStateFrom(w.at(2)).value();
    finished.reason = finished.state == ActionState::Failed ? Reason::ExitCode : Reason::Abandoned;
    bool force = false;
    for (std::size_t i = 3; i < w.size(); ++i) {
        if (w[i] == "force")
            force = true;
        else if (w[i] == "own")
            finished.limits.retries = std::stoi(w.at(++i));
        else if (w[i] == "tries")
            finished.retries.retryCount = finished.retries.ownFailures = std::stoi(w.at(++i));
    }
    const auto retries = session().intake().checkReschedule(finished, force);
    check(retries);
    if (!retries) return;
    NewAction again = given_[l.value];
    again.attempts = attemptOf(w[1]);
    again.retries = *retries;
    session().intake().reschedule(again, finished.state, now_, out_);
}

bool Player::queueCommand(const Words& w) {
    if (w[0] == "queue") {
        QueueConfig config;
        QueueState state = QueueState::Active;
        bool held = false;
        configure(config, w, 2, &state, &held);
        queues_[w.at(1)] = QueueId(static_cast<std::int64_t>(queues_.size()));
        session().queues().add(queue(w[1]), config, state, held);
    } else if (w[0] == "configure") {
        QueueConfig config = *session().queues().configOf(queue(w.at(1)));
        configure(config, w, 2, nullptr, nullptr);
        check(session().queues().configure(queue(w[1]), config));
    } else if (w[0] == "limits") {
        std::vector<std::pair<LabelId, int>> limits;
        for (std::size_t i = 2; i + 1 < w.size(); i += 2) limits.emplace_back(labelOf(w[i]), std::stoi(w[i + 1]));
        session().queues().setLabelLimits(queue(w.at(1)), std::move(limits));
    } else if (w[0] == "rule") {
        QueueConfig config = *session().queues().configOf(queue(w.at(1)));
        RetryRule rule;
        rule.retry = w.at(4) == "yes";
        if (w.at(2) == "exit")
            rule.exitCodes.push_back(std::stoi(w.at(3)));
        else
            rule.reasons.push_back(reasonFrom(w.at(3)).value());
        config.retryRules.push_back(rule);
        check(session().queues().configure(queue(w[1]), config));
    } else if (w.size() == 2 && isQueue(w[1])) {
        const QueueId q = queue(w[1]);
        if (w[0] == "hold")
            check(session().queues().hold(q, out_));
        else if (w[0] == "release")
            check(session().queues().release(q));
        else if (w[0] == "drain")
            check(session().queues().drain(q));
        else if (w[0] == "cancel")
            check(session().queues().cancel(q, out_));
        else if (w[0] == "forget")
            check(session().queues().forget(q, out_));
        else if (w[0] == "accepts")
            check(session().queues().accepts(q));
        else
            return false;
    } else {
        return false;
    }
    return true;
}

bool Player::actionCommand(const Words& w) {
    if (w[0] == "submit")
        submit(w);
    else if (w[0] == "cancel")
        check(session().actions().cancel(lsn(w.at(1)), out_));
    else if (w[0] == "hold")
        check(session().actions().hold(lsn(w.at(1)), out_));
    else if (w[0] == "release")
        check(session().actions().release(lsn(w.at(1))));
    else if (w[0] == "priority")
        check(session().actions().setPriority(lsn(w.at(1)), std::stoi(w.at(2))));
    else if (w[0] == "move")
        check(session().actions().setQueue(lsn(w.at(1)), queue(w.at(2))));
    else if (w[0] == "reschedule")
        reschedule(w);
    else if (w[0] == "class") {
        Resources need;
        need.milliCores = std::llround(1000 * std::stod(w.at(2)));
        std::vector<LockId> locks;
        RetryLimits limits;
        for (std::size_t i = 3; i + 1 < w.size(); i += 2) {
            if (w[i] == "memory")
                need.memoryMb = std::stoi(w[i + 1]);
            else if (w[i] == "lock")
                locks.push_back(lockOf(w[i + 1]));
            else if (w[i] == "retries")
                limits.retries = std::stoi(w[i + 1]);
            else if (w[i] == "interruptions")
                limits.interruptions = std::stoi(w[i + 1]);
            else
                need.named.emplace_back(w[i], std::llround(1000 * std::stod(w[i + 1])));
        }
        session();
        classes_[w.at(1)] = ClassId(static_cast<std::uint32_t>(classes_.size()));
        session().defineClass(classes_[w[1]], need, std::move(locks), {}, limits);
    } else if (w[0] == "elsewhere" || w[0] == "let_go") {
        session().holds().setLockElsewhere(lockOf(w.at(1)), w[0] == "elsewhere");
    } else {
        return false;
    }
    return true;
}

bool Player::eventCommand(const Words& w) {
    if (w[0] == "submitting")
        session().events().submitting(lsn(w.at(1)), attemptOf(w[1]), out_);
    else if (w[0] == "running")
        session().events().running(lsn(w.at(1)), attemptOf(w[1]), out_);
    else if (w[0] == "return")
        session().events().returned(lsn(w.at(1)), attemptOf(w[1]), out_);
    else if (w[0] == "done" || w[0] == "fail" || w[0] == "abandon" || w[0] == "never_ran")
        end(w);
    else if (w[0] == "old") {
        AttemptEnd e;
        e.state = ActionState::Completed;
        session().events().ended(lsn(w.at(1)), static_cast<std::uint32_t>(std::stoul(w.at(2))), e, now_, out_);
    } else if (w[0] == "stored") {
        const Lsn l = lsn(w.at(1));
        const char kind = unstored_.at(l.value);
        unstored_.erase(l.value);
        kind == 'r' ? session().events().retryStored(l, out_) : session().events().finishStored(l, out_);
    } else if (w[0] == "store") {
        storeLater_ = w.at(1) == "later";
    } else if (w[0] == "wait") {
        now_ += parseDuration(w.at(1));
    } else if (w[0] == "step") {
        session().step(out_);
    } else if (w[0] == "steps") {
        while (session().hasMoreWork()) {
            session().step(out_);
            settle();
        }
    } else if (w[0] == "session") {
        for (const auto s : {SessionState::Ready, SessionState::Draining, SessionState::Paused,
                             SessionState::Abandoned, SessionState::Sunset})
            if (name(s) == w.at(1)) check(session().moveTo(s, out_));
    } else {
        return false;
    }
    return true;
}

void Player::command(const Words& w) {
    error_.clear();
    if (machine(w)) return;
    if (!queueCommand(w) && !actionCommand(w) && !eventCommand(w)) throw ScriptError("what is " + w[0] + "?");
    settle();
}

void Player::statement(const Words& w) {
    if (w[0] == "expect") return expect(w);
    if (w[0] == "state") return expectState(w);
    if (w[0] == "counts") return expectCounts(w);
    if (w[0] == "waits") return expectWaits(w);
    if (w[0] == "wakes") return expectWake(w);
    if (w[0] == "refused") {
        command(Words(w.begin() + 2, w.end()));
        if (error_ != w.at(1)) throw ScriptError("expected error " + w[1] + ", was '" + error_ + "'");
        return;
    }
    command(w);
    if (!error_.empty()) throw ScriptError("refused: " + error_);
}

void Player::play(std::string_view script) {
    int line = 1;
    std::string statementText;
    const auto run = [&] {
        std::istringstream in(statementText);
        Words words;
        for (std::string word; in >> word;) words.push_back(word);
        statementText.clear();
        if (words.empty()) return;
        try {
            statement(words);
        } catch (const std::exception& e) {
            std::string text;
            for (const std::string& word : words) text += word + " ";
            throw ScriptError(fmt::format("line {}: {}\n{}", line, text, e.what()));
        }
    };
    bool comment = false;
    for (const char c : script) {
        if (c == '\n' || (c == ';' && !comment)) {
            run();
            if (c == '\n') ++line, comment = false;
        } else if (c == '#' && (statementText.empty() || statementText.back() == ' ')) {
            comment = true;
        } else if (!comment) {
            statementText += c;
        }
    }
    run();
}

std::string runScript(std::string_view script) {
    Player player;
    try {
        player.play(script);
    } catch (const ScriptError& e) {
        return e.what();
    }
    return {};
}

} // namespace yard::session::test
