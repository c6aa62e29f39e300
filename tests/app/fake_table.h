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

inline std::string hexOf(std::string_view data) {
    return Sha256::of(data).hex();
}

} // namespace yard::test
