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
    : lsn_(lsn)
    , news_(news)
    , how_(std::move(how))
    , query_(std::move(engine), [this] { tell(); }) {}

void WaitTeller::lookSoon() {
    isOverdue_ = true;
    query_.wake();
}

void WaitTeller::expectEnd() {
    isCancelled_ = true;
    query_.wake();
}

std::chrono::milliseconds WaitTeller::pause() const {
    if (isCancelled_) return kCancelled;
    return isOverdue_ ? kOverdue : WaitNews::kNext;
}

void WaitTeller::tell() {
    for (auto pause = WaitNews::kFirst;; pause = this->pause()) {
        const bool wasQuiet = !isDisturbed();
        bool goesOn = query_.wait(pause, [&] { return wasQuiet && isDisturbed(); });
        if (wasQuiet && isDisturbed()) goesOn = query_.wait(this->pause());
        if (!goesOn) return;
        isOverdue_ = false;
        look();
    }
}

void WaitTeller::look() {
    const auto why = query_.engine().get(fmt::format("jobs/{}/why", lsn_));
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
    if (isJournal && isCancelled_ && !query_.isStopping()) how_.stuck();
}

} // namespace yard::ctl
