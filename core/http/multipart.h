// Bodies of multipart/form-data (RFC 7578), piece by piece: which part begins, its bytes, its end. Strict: what
// real clients send passes, preambles and encodings of parts do not. The bytes are hostile: heads of parts are
// bounded, and of a part's content nothing is kept but what might be the beginning of a boundary.
//
// Owner: whoever reads the body. Values and views into what the caller holds; no sockets, no waiting.
#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace yard::http {

/// Of a Content-Type. Absent when it is not multipart/form-data. Malformed without a boundary of 1..70 characters.
Result<std::optional<std::string>> multipartBoundary(std::string_view contentType);

class MultipartParser {
public:
    static constexpr std::size_t kMaxPartHead = 4'096;

    enum class Event : unsigned char {
        NeedMore,  ///< come again with what is left of `in` and more behind it
        PartBegan, ///< name() says which
        Data,      ///< `data` is not empty
        PartEnded,
        End ///< of the whole body; what follows is not read
    };

    explicit MultipartParser(std::string_view boundary);
    /// Takes bytes from the front of `in`. `data` is valid as long as what `in` looked at. Malformed: the sentence
    /// says what is wrong; the parser is dead then.
    Result<Event> next(std::string_view& in, std::string_view& data);
    /// Of the part that began last: the `name` of its Content-Disposition.
    const std::string& name() const { return name_; }

private:
    enum class State : unsigned char { Begin, Boundary, Head, Content, End };
    Result<Event> begin(std::string_view& in);
    Result<Event> boundary(std::string_view& in);
    Result<Event> head(std::string_view& in);
    Event content(std::string_view& in, std::string_view& data);
    Result<void> readHead(std::string_view lines);

    const std::string delimiter_; ///< CR LF "--" boundary
    State state_ = State::Begin;
    std::string name_;
};

} // namespace yard::http
