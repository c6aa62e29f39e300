// A handler with one path for each thing a server must carry: whole and streamed bodies, long answers, waits,
// failures.
#pragma once

#include "core/coro/suspend.h"
#include "core/http/error_map.h"
#include "core/http/message.h"

#include <atomic>
#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace yard::http {

/// Gives pieces of `size` bytes, `count` of them (-1: forever), then ends, or fails when told so.
class PieceProducer : public BodyProducer {
public:
    PieceProducer(std::int64_t count, std::size_t size, bool fails, std::atomic<std::uint64_t>* given)
        : left_(count)
        , piece_(size, 'x')
        , fails_(fails)
        , given_(given) {}
    coro::Task<Result<std::string_view>> next() override {
        co_await coro::yieldNow();
        if (left_ == 0 && fails_) co_return fail(ErrorKind::Io, "the disk is gone");
        if (left_ == 0) co_return std::string_view{};
        if (left_ > 0) --left_;
        if (given_) *given_ += piece_.size();
        co_return std::string_view(piece_);
    }

private:
    std::int64_t left_;
    std::string piece_;
    bool fails_;
    std::atomic<std::uint64_t>* given_;
};

class TestHandler : public Handler {
public:
    std::uint64_t wholeLimit = 1000;
    std::atomic<std::uint64_t> produced{0};
    std::atomic<std::uint64_t> uploaded{0};
    std::atomic<int> handled{0};
    std::atomic<int> waitsEnded{0};
    std::atomic<bool> maySlowAnswer{false}; ///< until then /slow has no answer

    Admission admit(Request& request) override {
        Admission admission;
        admission.limit = wholeLimit;
        const std::string_view path = request.head.path();
        if (path == "/refused") admission.refusal = errorResponse(ErrorKind::Unauthorized, "no");
        if (path == "/upload" || path == "/lazy") admission.mode = BodyMode::Stream;
        return admission;
    }

    coro::Task<Response> handle(Request& request) override {
        ++handled;
        const std::string_view path = request.head.path();
        Response response;
        if (path == "/echo") {
            response.body =
                fmt::format(R"({{"bytes":{},"text":"{}"}})", request.body.size(), request.body.substr(0, 64));
        } else if (path == "/upload") {
            co_return co_await upload(request);
        } else if (path == "/wait") {
            co_return co_await wait(request);
        } else if (path == "/slow") {
            while (!maySlowAnswer) co_await coro::sleepFor(std::chrono::milliseconds(10));
            response.body = R"({"slow":true})";
        } else if (path == "/throw") {
            throw std::runtime_error("as told");
        } else if (path == "/empty") {
            response.status = 204;
        } else if (path == "/pieces") {
            response.producer = std::make_unique<PieceProducer>(3, 5, false, &produced);
        } else if (path == "/sized") {
            response.producer = std::make_unique<PieceProducer>(3, 5, false, &produced);
            response.length = 15;
        } else if (path == "/broken") {
            response.producer = std::make_unique<PieceProducer>(2, 5, true, &produced);
        } else if (path == "/unreadable") {
            response.producer = std::make_unique<PieceProducer>(0, 5, true, &produced);
            response.length = 15;
        } else if (path == "/endless") {
            response.producer = std::make_unique<PieceProducer>(-1, 65536, false, &produced);
        } else {
            response.body = R"({"hello":true})";
        }
        co_return response;
    }

private:
    coro::Task<Response> upload(Request& request) {
        std::uint64_t total = 0;
        for (;;) {
            const Result<std::string_view> piece = co_await request.source->read();
            if (!piece) co_return errorResponse(piece.error());
            if (piece->empty()) break;
            total += piece->size();
            uploaded = total;
        }
        Response response;
        response.body = fmt::format(R"({{"bytes":{}}})", total);
        co_return response;
    }

    coro::Task<Response> wait(Request& request) {
        bool interrupted = false;
        try {
            WaitScope scope(*request.link);
            for (int i = 0; i < 1000 && !request.link->isStopping() && !request.link->peerGone(); ++i)
                co_await coro::sleepFor(std::chrono::milliseconds(20));
        } catch (const coro::Interrupted&) {
            if (!request.link->isStopping()) throw;
            interrupted = true;
        }
        ++waitsEnded;
        Response response;
        response.status = 202;
        response.body = fmt::format(R"({{"interrupted":{}}})", interrupted);
        co_return response;
    }
};

} // namespace yard::http
