// What must hold, of a script: what was noted, states, reasons, counters, timers.
#include "core/session/live_views.h"
#include "core/session/wait_reasons.h"
#include "tests/session/player.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::session::test {

void Player::expect(const Words& w) {
    std::string said;
    for (const std::string& verb : verbs_) {
        said += (said.empty() ? "" : ", ") + verb;
        for (const std::string& object : noted_[verb]) {
            said += " " + object;
            if (object.contains(' ') && &object != &noted_[verb].back()) said += ",";
        }
    }
    if (said.empty()) said = "nothing";
    std::string wanted;
    for (std::size_t i = 1; i < w.size(); ++i) wanted += (i > 1 ? " " : "") + w[i];
    noted_.clear();
    verbs_.clear();
    if (said != wanted) throw ScriptError("expected: " + wanted + "\n     was: " + said);
}

void Player::expectState(const Words& w) {
    const auto view = session().views().live(lsn(w.at(1)));
    std::string is = view ? std::string(name(view->state)) : "gone";
    if (view && view->held) is += " held";
    if (view && view->leased) is += " leased";
    if (view && view->backoff) is += " backoff";
    if (view && !view->backoff && view->wakesAt != MonoTime{}) is += " timer";
    std::string wanted;
    for (std::size_t i = 2; i < w.size(); ++i) wanted += (i > 2 ? " " : "") + w[i];
    if (is != wanted) throw ScriptError("expected " + w[1] + ": " + wanted + "\n     was: " + is);
}

void Player::expectWaits(const Words& w) {
    const auto waiting = session().reasons().of(lsn(w.at(1)), true);
    std::string is = waiting ? "" : " nothing";
    const auto say = [&is](bool holds, const std::string& what) {
        if (holds) is += " " + what;
    };
    if (waiting) {
        say(waiting->sessionHolds, "session");
        say(waiting->held, "held");
        say(waiting->queueHeld, "queue");
        say(waiting->failures > 0, fmt::format("failures {}", waiting->failures));
        say(waiting->starting, "starting");
        say(waiting->unmet > 0, fmt::format("unmet {}", waiting->unmet));
        say(waiting->wakesAt != MonoTime{}, waiting->backoff ? "backoff" : "timer");
        if (waiting->queueLimit)
            is += fmt::format(" running {}/{}", waiting->queueLimit->running, waiting->queueLimit->most);
        if (waiting->labelLimit)
            is += fmt::format(" label {}/{}", waiting->labelLimit->running, waiting->labelLimit->most);
        for (const Waiting::Lock& wait : waiting->locks) {
            const auto lock = std::ranges::find(locks_, wait.lock, [](const auto& l) { return l.second; });
            is += fmt::format(" lock {} {}", lock->first,
                              wait.elsewhere           ? "elsewhere"
                              : wait.holder.value == 0 ? "kept"
                                                       : nameOf(wait.holder));
        }
        for (const ResourceNeed& need : waiting->needs)
            if (need.free < need.need) is += fmt::format(" {} {}/{}", need.resource, need.need, need.free);
        say(waiting->noSlot, "slot");
        if (waiting->reservedForLarger) is += " reserved for " + nameOf(waiting->keptFor);
        if (waiting->position)
            is +=
                fmt::format(" {} {}", waiting->position->isExact ? "position" : "about", waiting->position->before);
    }
    std::string wanted;
    for (std::size_t i = 2; i < w.size(); ++i) wanted += " " + w[i];
    if (is != wanted) throw ScriptError("expected" + wanted + "\n     was" + is);
}

void Player::expectCounts(const Words& w) {
    const QueueCounters c =
        w.at(1) == "all" ? session().views().counts().all : session().views().queue(queue(w[1])).value().counters;
    std::string is, wanted;
    const auto say = [&is](const char* what, std::int64_t n) {
        if (n != 0) is += fmt::format(" {} {}", what, n);
    };
    say("pending", c.pending);
    say("running", c.running);
    say("completed", c.completed);
    say("failed", c.failed);
    say("abandoned", c.abandoned);
    say("cancelled", c.cancelled);
    for (std::size_t i = 2; i < w.size(); ++i) wanted += " " + w[i];
    if (is != wanted) throw ScriptError("expected counts" + wanted + "\n     was" + is);
}

void Player::expectWake(const Words& w) {
    const auto at = session().nextWake();
    if (w.at(1) == "never") {
        if (at) throw ScriptError("expected no timer");
        return;
    }
    if (!at) throw ScriptError("expected a timer, there is none");
    const double in = static_cast<double>((*at - now_).count());
    const double wanted = static_cast<double>(parseDuration(w[1]).count());
    if (in < 0.8 * wanted || in > 1.2 * wanted) throw ScriptError(fmt::format("wakes in {} us", in));
}

} // namespace yard::session::test
