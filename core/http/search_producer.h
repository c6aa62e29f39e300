// The lines with a text in the outputs of all actions of a query, as they are found: a JSON object a line. Actions come
// in the order of the query, of each first its stdout, then its stderr, of the last attempt as it is now. What is read
// at once is one piece of one stream, by a helper, so that others have their turns in between.
//
// Bounds: kMostSearches at a time; kMostPerStream lines of a stream, behind which an object with "more" says that there
// are others; so many lines in all as are asked for, and kMostActions. The last object says "whole":false where one more
// line was found, and where that is not known: after kMostActions, after kMostFurther steps behind the last line, and
// where the order of the list was not kept that long. It ends when the client has left or the
// server stops.
//
// Owner: the http thread. Lifetime: pool, engine, link and the count of searches outlive it.
#pragma once

#include "core/engine/engine.h"
#include "core/http/file_producers.h"
#include "core/http/line_search.h"
#include "core/http/message.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yard::http {

class SearchProducer final : public BodyProducer {
public:
    static constexpr int kMostSearches = 4;
    static constexpr std::size_t kMostPerStream = 100;
    static constexpr std::int64_t kMostLines = 10'000;
    static constexpr std::int64_t kUsualLines = 1'000;
    static constexpr std::int64_t kMostActions = 100'000;
    /// Pages, streams and pieces that are looked at for one more line.
    static constexpr int kMostFurther = 500;

    struct What {
        std::string text;
        bool exactCase = false;
        std::int64_t limit = kUsualLines; ///< lines in all
    };
    /// `first`: the first page of `query`. `searches` counts this one while it lives.
    SearchProducer(engine::Engine& engine, coro::HelperPool& pool, Link& link, What what, engine::ListQuery query,
                   engine::ListPage first, int& searches);
    ~SearchProducer() override;
    coro::Task<Result<std::string_view>> next() override;

private:
    coro::Task<Result<void>> step();
    coro::Task<Result<void>> nextPage();
    coro::Task<Result<void>> openStream();
    coro::Task<Result<void>> readPiece();
    void nextStream();
    void write(const std::vector<FoundLine>& found, bool isMore);
    void writeState(bool isEnd);

    engine::Engine& engine_;
    coro::HelperPool& pool_;
    Link& link_;
    const What what_;
    engine::ListQuery query_;
    int& searches_;
    std::vector<ActionResult> page_;
    std::size_t at_ = 0;                ///< in page_
    unsigned stream_ = 0;               ///< of that action: stdout, stderr
    std::size_t left_ = kMostPerStream; ///< lines that may still be found in it
    bool isLastPage_ = false;
    // Of the stream that is being read.
    std::optional<ChunkSource> chunk_;
    std::optional<LiveProducer> live_;
    std::shared_ptr<LineSearch> search_; ///< a helper uses it while this waits
    // Of all.
    std::int64_t actions_ = 0;
    std::int64_t bytes_ = 0;
    std::int64_t lines_ = 0;
    std::int64_t skipped_ = 0; ///< streams that could not be read
    int further_ = 0;          ///< steps since as many lines were found as are told
    bool isCut_ = false;       ///< there may be more
    bool isEnded_ = false;
    std::string out_;
};

} // namespace yard::http
