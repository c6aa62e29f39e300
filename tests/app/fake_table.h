// What the tests of yardctl's commands share: a scripted engine as a table of answers.
#pragma once

#include "core/base/hash.h"
#include "tests/app/fake_server.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace yard::test {

inline constexpr const char* kNotFound = R"({"error":"not_found","message":"There is no action 9."})";

/// Answers by "METHOD target", else 404.
inline FakeServer::Handler table(std::map<std::string, FakeReply> replies) {
    return [replies = std::move(replies)](const FakeRequest& request) {
        const auto it = replies.find(request.line());
        return it == replies.end() ? FakeReply{404, kNotFound} : it->second;
    };
}

/// How the actions of a range are asked for, and the answer: of jobs/lsns, "5..6,9". `filter` as it goes on the wire.
inline std::pair<const std::string, FakeReply> rangeOf(std::int64_t first, std::int64_t last, std::string_view lsns,
                                                       const std::string& filter = {}) {
    return {"GET /compute/jobs/lsns?limit=100000&sort=lsn&q=lsn%3A" + std::to_string(first) + ".." +
                std::to_string(last) + (filter.empty() ? "" : "%20" + filter),
            {.body = R"({"lsns":")" + std::string(lsns) + R"("})"}};
}

inline std::string hexOf(std::string_view data) {
    return Sha256::of(data).hex();
}

} // namespace yard::test
