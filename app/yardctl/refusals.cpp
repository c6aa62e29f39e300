#include "app/yardctl/refusals.h"

#include "app/yardctl/accepted.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <span>
#include <utility>

namespace yard::ctl {

namespace {

constexpr std::size_t kMostReasons = 10;

bool isDigit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// The first "7" that is a number of its own becomes "#": what sentences say of an action begins with it.
std::string withoutNumber(std::string sentence, std::int64_t lsn) {
    const std::string number = fmt::format("{}", lsn);
    for (std::size_t at = sentence.find(number); at != std::string::npos; at = sentence.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        const bool isOwn =
            (at == 0 || !isDigit(sentence[at - 1])) && (end == sentence.size() || !isDigit(sentence[end]));
        if (isOwn) return sentence.replace(at, number.size(), "#");
    }
    return sentence;
}

} // namespace

void Refusals::add(std::int64_t lsn, std::string_view word, const std::string& why) {
    std::string pattern = withoutNumber(why, lsn);
    const auto known = std::ranges::find(reasons_, pattern, &Reason::pattern);
    if (known != reasons_.end()) {
        known->lsns.push_back(lsn);
    } else if (reasons_.size() == kMostReasons) {
        ++others_;
    } else {
        // Most sentences of the engine name the action themselves.
        const bool isNamed = why.find(fmt::format("ction {}", lsn)) != std::string::npos;
        reasons_.push_back(
            {std::string(word), std::move(pattern), isNamed ? why : fmt::format("action {}: {}", lsn, why), {lsn}});
    }
}

std::vector<Refusal> Refusals::refusals() const {
    std::vector<Refusal> out;
    for (const Reason& reason : reasons_) {
        const auto more = std::span(reason.lsns).subspan(1);
        if (more.empty())
            out.push_back({reason.word, reason.first});
        else
            out.push_back({reason.word,
                           fmt::format("{} The same of {} more: {}", reason.first, more.size(), lsnWords(more))});
    }
    if (others_ > 0)
        out.push_back({"refused", fmt::format("and {} more {} refused for other reasons", others_,
                                              others_ == 1 ? "action was" : "actions were")});
    return out;
}

} // namespace yard::ctl
