// A server with one action whose streams and end a test scripts.
#pragma once

#include "tests/app/fake_server.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace yard::test {

/// A server with one action, 7, whose streams and end the test scripts.
struct OneAction {
    std::function<FakeReply(const FakeRequest&)> onStdout = [](const FakeRequest&) {
        return FakeReply{.body = ""};
    };
    std::function<FakeReply(const FakeRequest&)> onStderr = [](const FakeRequest&) {
        return FakeReply{.body = ""};
    };
    std::function<FakeReply(const FakeRequest&)> onResult = [](const FakeRequest&) {
        return FakeReply{.body = R"({"lsn":7,"state":"completed","exit_code":0})"};
    };
    std::function<void()> onCancel = [] {};

    FakeReply operator()(const FakeRequest& request) const {
        if (request.line() == "POST /compute/jobs") return {.body = R"({"lsn":7,"queue_id":0})"};
        if (request.line() == "POST /compute/jobs/7/cancel") {
            onCancel();
            return {};
        }
        if (request.target.starts_with("/compute/jobs/7/stdout")) return onStdout(request);
        if (request.target.starts_with("/compute/jobs/7/stderr")) return onStderr(request);
        if (request.target.starts_with("/compute/jobs/7")) return onResult(request);
        return {404, R"({"error":"not_found","message":"There is nothing here."})"};
    }
};

inline std::function<FakeReply(const FakeRequest&)> always(std::string body, int status = 200) {
    return [=](const FakeRequest&) { return FakeReply{.status = status, .body = body}; };
}

inline FakeReply pieces(std::vector<std::string> list, bool endsProperly = true) {
    return {.stream = [=](FakeStream& stream) {
        for (const std::string& piece : list) stream.write(piece);
        return endsProperly;
    }};
}

} // namespace yard::test
