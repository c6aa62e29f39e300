// A served engine, and calls with tokens that were made there.
#pragma once

#include "tests/http/api_test.h"

#include <QObject>

#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>

namespace yard::http {

inline ApiTest::Fields bearer(const std::string& token) {
    return {{"Authorization", "Bearer " + token}};
}

class WithTokens : public QObject {
protected:
    std::string made(const std::string& name, std::string_view rights, std::string_view more = "") {
        return api_->post("/compute/tokens", fmt::format(R"({{"name":"{}","rights":"{}"{}}})", name, rights, more))
            .text("token");
    }
    Reply as(const std::string& token, std::string_view method, std::string_view target, std::string body = {}) {
        return api_->call(method, target, std::move(body), bearer(token));
    }
    std::int64_t newQueue() { return api_->call("POST", "/compute/queues", "{}").number("queue_id"); }

    std::unique_ptr<ApiTest> api_;
};

} // namespace yard::http
