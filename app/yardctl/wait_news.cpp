#include "app/yardctl/wait_news.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/format.h"
#include "app/yardctl/output_follower.h"
#include "core/base/clock.h"

#include <chrono>
#include <fmt/format.h>
#include <unistd.h>

namespace yard::ctl {

namespace {

constexpr std::string_view kHeld = "it is held";
constexpr std::chrono::milliseconds kOverdue{400};
constexpr std::chrono::milliseconds kCancelled{250};

/// The place in line and seconds that are left change all the time, and are the same reason.
std::string withoutNumbers(std::string_view text) {
    std::string out;
    for (const char c : text)
        if ((c < '0' || c > '9') && c != '.') out += c;
    return out;
}

const json::object* firstWait(const json::object& why) {
    const json::array* waits = arrayOf(why, "waits");
    return waits && !waits->empty() ? waits->front().if_object() : nullptr;
}

} // namespace

WaitNews::WaitNews(bool isToldHeld)
    : told_(isToldHeld ? kHeld : std::string_view()) {}

std::string WaitNews::sentence(std::int64_t lsn, const json::object& why, std::int64_t now) {
    const json::object* first = firstWait(why);
    if (!first) return {};
    const auto until = integerOf(*first, "until").value_or(0);
    const std::string_view message = textOf(*first, "message");
    // "backs off for 1 min 4 s more": in other units later on.
    std::string reason = withoutNumbers(until > 0 ? message.substr(0, message.rfind(" for ")) : message);
    if (reason == told_) return {};
    told_ = std::move(reason);
    return fmt::format("action {} waits: {}{}", lsn, printable(message),
                       until > 0 ? fmt::format(", until {}", timeWords(until, now)) : "");
}

WaitTeller::WaitTeller(std::unique_ptr<Engine> engine, std::int64_t lsn, WaitNews& news, How how)
    : engine_(std::move(engine))
    , lsn_(lsn)
    , news_(news)
    , how_(std::move(how))
    , thread_([this] { tell(); }) {}

WaitTeller::~WaitTeller() {
    {
        const ThreadLock lock(mutex_);
        stopping_ = true;
    }
    engine_->interrupt();
    changed_.notifyAll();
    thread_.join();
}

void WaitTeller::lookSoon() {
    const ThreadLock lock(mutex_);
    isOverdue_ = true;
    changed_.notifyAll();
}

void WaitTeller::expectEnd() {
    const ThreadLock lock(mutex_);
    isCancelled_ = true;
    changed_.notifyAll();
}

std::chrono::milliseconds WaitTeller::pause() const {
    if (isCancelled_) return kCancelled;
    return isOverdue_ ? kOverdue : WaitNews::kNext;
}

void WaitTeller::tell() {
    using Clock = std::chrono::steady_clock;
    ThreadLock lock(mutex_);
    for (auto pause = WaitNews::kFirst;; pause = this->pause()) {
        const bool wasQuiet = !isDisturbed();
        const auto until = Clock::now() + pause;
        while (!stopping_ && !(wasQuiet && isDisturbed()) && changed_.waitUntil(mutex_, until)) {
        }
        if (wasQuiet && isDisturbed()) {
            const auto soon = Clock::now() + this->pause();
            while (!stopping_ && changed_.waitUntil(mutex_, soon)) {
            }
        }
        if (stopping_) return;
        isOverdue_ = false;
        lock.unlock();
        look();
        lock.lock();
    }
}

void WaitTeller::look() {
    const auto why = engine_->get(fmt::format("jobs/{}/why", lsn_));
    const json::object* wait = why ? firstWait(why->object) : nullptr;
    if (!wait) return;
    const std::string_view kind = textOf(*wait, "kind");
    const bool isJournal = kind == "journal";
    // How a cancel goes on is no news to who asked for it.
    const std::string sentence = (how_.tellsAll && kind != "ending") || isJournal
                                     ? news_.sentence(lsn_, why->object, wallNow())
                                     : std::string();
    if (!sentence.empty()) {
        std::string line = errorLine(how_.json, "waiting", sentence);
        if (how_.isRaw) line = "\r\n" + line + "\r";
        (void)writeOutput(STDERR_FILENO, line);
    }
    const bool isStuck = [&] {
        const ThreadLock lock(mutex_);
        return isJournal && isCancelled_ && !stopping_;
    }();
    if (isStuck) how_.stuck();
}

} // namespace yard::ctl
