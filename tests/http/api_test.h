// The routes over a real engine, without sockets: a request in, an answer out. Every exchange is held against
// /openapi.json; one that does not fit fails the test that made it.
#pragma once

#include "core/coro/suspend.h"
#include "core/http/api.h"
#include "core/http/openapi.h"
#include "tests/engine/engine_test.h"
#include "tests/http/openapi_check.h"

#include <boost/json.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace yard::http {

inline const std::string kSleep = R"({"worker":"exec","argv":["sleep","100"],"cwd":"/"})";
inline const std::string kTrue = R"({"worker":"exec","argv":["true"],"cwd":"/"})";

/// A connection whose client stays and whose server does not stop, unless told so.
class FakeLink final : public Link {
public:
    bool peerGone() override { return gone; }
    bool isStopping() const override { return stopping; }
    void setInterruptible(bool) override {}
    void cut() override { isCut = true; }
    bool gone = false;
    bool stopping = false;
    bool isCut = false;
};

/// A body that arrives in given pieces.
class FakeSource final : public BodySource {
public:
    explicit FakeSource(std::string body, std::size_t step)
        : body_(std::move(body))
        , step_(step) {}
    coro::Task<Result<std::string_view>> read() override {
        co_await coro::yieldNow();
        const std::string_view piece = std::string_view(body_).substr(at_, step_);
        at_ += piece.size();
        co_return piece;
    }

private:
    std::string body_;
    std::size_t step_;
    std::size_t at_ = 0;
};

struct Reply {
    int status = 0;
    std::string body;
    std::string contentType;
    std::vector<std::pair<std::string, std::string>> fields;
    std::optional<std::uint64_t> length;
    std::string field(std::string_view name) const {
        for (const auto& [known, value] : fields)
            if (known == name) return value;
        return {};
    }
    boost::json::object json() const {
        boost::system::error_code error;
        const auto value = boost::json::parse(body, error);
        return !error && value.is_object() ? value.as_object() : boost::json::object{{"not json", body}};
    }
    std::int64_t number(std::string_view member) const {
        const auto object = json();
        const auto* value = object.if_contains(member);
        return value && value->is_int64() ? value->as_int64() : -1;
    }
    std::string text(std::string_view member) const {
        const auto object = json();
        const auto* value = object.if_contains(member);
        return value && value->is_string() ? std::string(value->as_string()) : std::string();
    }
};

class ApiTest {
public:
    test::EngineTest engine;
    FakeLink link;

    /// `adjust` is called with the options of each start.
    explicit ApiTest(std::function<void(engine::Options&)> adjust = {})
        : engine(2, std::move(adjust))
        , api_(*engine, {}) {}

    using Fields = std::vector<std::pair<std::string, std::string>>;
    /// With our token and a good Host, unless `fields` say otherwise; JSON type when there is a body.
    Reply call(std::string_view method, std::string_view target, std::string body = {}, Fields fields = {}) {
        Reply reply;
        std::string type = "application/json";
        for (const auto& [name, value] : fields)
            if (name == "Content-Type" && value.starts_with("multipart/")) type = value;
        coro::Loop loop;
        loop.spawn("request", exchange(method, target, body, std::move(fields), reply));
        loop.run();
        const std::string problem = described_.problem({.method = method,
                                                        .target = target,
                                                        .request = body,
                                                        .status = reply.status,
                                                        .contentType = reply.contentType,
                                                        .answer = reply.body,
                                                        .requestType = type});
        if (!problem.empty()) QTest::qFail(problem.c_str(), __FILE__, __LINE__);
        return reply;
    }
    Reply get(std::string_view target) { return call("GET", target); }
    Reply post(std::string_view target, std::string body = {}) { return call("POST", target, std::move(body)); }
    /// All rows of GET jobs: a page for which the engine has looked long enough ends early.
    boost::json::array listed(const std::string& query) {
        boost::json::array all;
        std::string cursor;
        do {
            const Reply page = get("/compute/jobs?" + query + (cursor.empty() ? "" : "&cursor=" + cursor));
            const boost::json::object answer = page.json();
            const auto* rows = answer.if_contains("jobs");
            if (!rows || !rows->is_array()) break;
            all.insert(all.end(), rows->as_array().begin(), rows->as_array().end());
            cursor = page.text("cursor");
        } while (!cursor.empty());
        return all;
    }
    /// LSN of one action `sh -c script`.
    std::int64_t sh(const std::string& script, const std::string& more = {},
                    std::string_view target = "/compute/jobs") {
        return post(target, engine.shJson(script, more)).number("lsn");
    }

private:
    coro::Task<void> exchange(std::string_view method, std::string_view target, std::string body, Fields fields,
                              Reply& reply) {
        Request request;
        request.link = &link;
        request.localPort = 8640;
        request.head.setTarget(target);
        request.head.method = methodFrom(method);
        request.head.hasBody = !body.empty();
        request.head.contentLength = body.size();
        for (const auto& [name, value] : fields)
            if (!value.empty()) request.head.addField(name, value);
        const auto given = [&](std::string_view name) {
            for (const auto& field : fields)
                if (field.first == name) return true;
            return false;
        };
        if (!given("Host")) request.head.addField("Host", "localhost:8640");
        if (!given("Authorization")) request.head.addField("Authorization", "Bearer " + engine->token());
        if (!given("Content-Type") && !body.empty()) request.head.addField("Content-Type", "application/json");
        Admission admission = api_.admit(request);
        FakeSource source(body, 1000);
        if (admission.refusal) {
            co_await take(std::move(*admission.refusal), reply, request);
            co_return;
        }
        if (admission.mode == BodyMode::Stream)
            request.source = &source;
        else
            request.body = std::move(body);
        Response response = co_await api_.handle(request);
        co_await take(std::move(response), reply, request);
    }

    static coro::Task<void> take(Response response, Reply& reply, const Request& request) {
        reply.status = response.status;
        reply.body = std::move(response.body);
        reply.contentType = response.contentType;
        reply.length = response.length;
        for (auto& [name, value] : response.fields) reply.fields.emplace_back(name, value);
        while (response.producer && request.head.method != Method::Head) {
            const auto piece = co_await response.producer->next();
            if (!piece) reply.body += "[cut: " + piece.error().message + "]";
            if (!piece || piece->empty()) break;
            reply.body += *piece;
        }
    }

    Api api_;
    const OpenApiCheck described_{openApiJson("/compute", "test")};
};

} // namespace yard::http
