// Objects: requests that come twice. What has an idempotency key is done once in a day, and a repeat gets the answer.
#include "core/engine/objects/objects.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace yard::engine {

namespace {

constexpr std::string_view kListAnswer = "list";
constexpr std::string_view kOneAnswer = "one";
constexpr std::string_view kChoice = "choice ";

/// The numbers of ";first+count;first+count", as store::CreateObjects writes them.
std::vector<std::int64_t> numbersIn(std::string_view text) {
    const auto number = [&text] {
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        return error == std::errc{} ? value : 0;
    };
    std::vector<std::int64_t> ids;
    while (text.starts_with(';')) {
        text.remove_prefix(1);
        const std::int64_t first = number();
        if (!text.starts_with('+')) break;
        text.remove_prefix(1);
        const std::int64_t count = number();
        for (std::int64_t at = 0; at < count && ids.size() < store::kMostObjects; ++at) ids.push_back(first + at);
    }
    return ids;
}

/// "choice CURSOR", and the numbers in their order as numbersIn() reads them.
std::string textOf(const Objects::Choice& choice) {
    std::string text = fmt::format("{}{}", kChoice, choice.cursor);
    for (std::size_t at = 0; at < choice.ids.size();) {
        const std::int64_t first = choice.ids[at];
        std::int64_t count = 0;
        while (at < choice.ids.size() && choice.ids[at] == first + count) {
            ++at;
            ++count;
        }
        fmt::format_to(std::back_inserter(text), ";{}+{}", first, count);
    }
    return text;
}

Objects::Choice choiceFrom(std::string_view text) {
    Objects::Choice choice;
    if (!text.starts_with(kChoice)) return choice;
    text.remove_prefix(kChoice.size());
    std::from_chars(text.data(), text.data() + text.size(), choice.cursor);
    text.remove_prefix(std::min(text.size(), text.find(';')));
    choice.ids = numbersIn(text);
    return choice;
}

} // namespace

Objects::HeldKey::HeldKey(Objects& objects, std::string key)
    : objects_(objects)
    , key_(std::move(key)) {
    objects_.heldKeys_.insert(key_);
}

Objects::HeldKey::~HeldKey() {
    objects_.heldKeys_.erase(key_);
    objects_.keyFreed_.notifyAll();
}

Objects::Created Objects::createdFrom(std::string_view answer) {
    Created created;
    created.isList = answer.starts_with(kListAnswer);
    answer.remove_prefix(std::min(answer.size(), answer.find(';')));
    created.ids = numbersIn(answer);
    return created;
}

/// The first answer; nothing: the key is not known.
coro::Task<Result<std::optional<std::string>>> Objects::firstAnswer(store::Idempotency once) {
    auto kept = co_await parts_.reads.keptAnswer(std::move(once.key));
    if (!kept) co_return std::unexpected(std::move(kept.error()));
    if (!*kept || (*kept)->t <= parts_.now() - store::kIdempotencyAge) co_return std::optional<std::string>();
    if ((*kept)->body != once.body)
        co_return invalid("Idempotency-Key",
                          "This Idempotency-Key was used with another body within 24 hours: send a new key with a "
                          "new request.");
    co_return std::optional(std::move((*kept)->answer));
}

coro::Task<Result<Objects::Created>> Objects::createOnce(std::string json, store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    while (heldKeys_.contains(once.key)) co_await keyFreed_.wait(); // its first request is on its way
    const HeldKey held(*this, once.key);
    auto before = co_await firstAnswer(once);
    if (!before) co_return std::unexpected(std::move(before.error()));
    if (*before) co_return createdFrom(**before);
    co_return co_await createAll(std::move(json), std::move(once));
}

coro::Task<Result<void>> Objects::moveOnce(std::int64_t id, std::string to, bool isForced,
                                           store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    while (heldKeys_.contains(once.key)) co_await keyFreed_.wait();
    const HeldKey held(*this, once.key);
    const auto before = co_await firstAnswer(once);
    if (!before) co_return std::unexpected(before.error());
    if (*before) co_return Result<void>{};
    co_return co_await moveByHand(id, std::move(to), isForced, std::move(once));
}

coro::Task<Result<Objects::Choice>> Objects::chooseOnce(Choice choice, store::Idempotency once) {
    YARD_ASSERT_OWNER(owner_);
    once.answer = textOf(choice);
    const auto posted = parts_.post(
        store::CreateObjects{.objects = {}, .effect = {}, .now = parts_.now(), .idempotency = std::move(once)});
    const store::AckDetail done = co_await posted->get();
    if (done.error) co_return std::unexpected(*done.error);
    if (done.repeated) co_return choiceFrom(done.answer);
    co_return choice;
}

std::string Objects::answerBegin(bool isList) {
    return std::string(isList ? kListAnswer : kOneAnswer);
}

} // namespace yard::engine
