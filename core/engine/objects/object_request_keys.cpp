#include "core/engine/objects/object_request_keys.h"

#include "core/store/object_operations.h"

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

} // namespace

/// "choice CURSOR", and the numbers in their order as numbersIn() reads them.
std::string choiceAnswer(const ObjectChoice& choice) {
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

ObjectChoice choiceFromAnswer(std::string_view text) {
    ObjectChoice choice;
    if (!text.starts_with(kChoice)) return choice;
    text.remove_prefix(kChoice.size());
    std::from_chars(text.data(), text.data() + text.size(), choice.cursor);
    text.remove_prefix(std::min(text.size(), text.find(';')));
    choice.ids = numbersIn(text);
    return choice;
}

std::string createdAnswerBegin(bool isList) {
    return std::string(isList ? kListAnswer : kOneAnswer);
}

CreatedObjects createdFromAnswer(std::string_view answer) {
    CreatedObjects created;
    created.isList = answer.starts_with(kListAnswer);
    answer.remove_prefix(std::min(answer.size(), answer.find(';')));
    created.ids = numbersIn(answer);
    return created;
}

ObjectRequestKeys::Held::~Held() {
    if (!keys_) return;
    keys_->held_.erase(key_);
    keys_->freed_.notifyAll();
}

coro::Task<ObjectRequestKeys::Held> ObjectRequestKeys::hold(std::string key) {
    YARD_ASSERT_OWNER(owner_);
    while (held_.contains(key)) co_await freed_.wait();
    held_.insert(key);
    co_return Held(*this, std::move(key));
}

coro::Task<Result<std::optional<std::string>>> ObjectRequestKeys::firstAnswer(store::Idempotency once) {
    auto kept = co_await kept_(std::move(once.key));
    if (!kept) co_return std::unexpected(std::move(kept.error()));
    if (!*kept || (*kept)->t <= io_.now() - store::kIdempotencyAge) co_return std::optional<std::string>();
    if ((*kept)->body != once.body)
        co_return invalid("Idempotency-Key",
                          "This Idempotency-Key was used with another body within 24 hours: send a new key with a "
                          "new request.");
    co_return std::optional(std::move((*kept)->answer));
}

} // namespace yard::engine
