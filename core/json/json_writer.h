// JSON text by appending to a string: what every answer, frame and stored spec is written with. Values; any thread.
#pragma once

#include "core/base/hash.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace yard {

/// `text` in quotes, escaped as RFC 8785 does: only what must be. Bytes that are not UTF-8 become U+FFFD, so that
/// what hostile programs name their files never makes an answer unreadable.
void appendJsonString(std::string& out, std::string_view text);
/// The same, but that bytes which are not UTF-8 stay what they are (json_bytes.h).
void appendJsonBytes(std::string& out, std::string_view text);
/// A finite number as ECMAScript prints it: the shortest digits that read back the same. Asserts that it is finite.
void appendJsonNumber(std::string& out, double value);
void appendJsonInteger(std::string& out, std::int64_t value);

/// Objects and arrays with the commas in the right places. The string must outlive the writer; nesting is the
/// caller's: every open call needs its close.
class JsonWriter {
public:
    explicit JsonWriter(std::string& out)
        : out_(out) {}

    void openObject() { open('{'); }
    void closeObject() { close('}'); }
    void openArray() { open('['); }
    void closeArray() { close(']'); }
    void key(std::string_view name) {
        separate();
        appendJsonString(out_, name);
        out_ += ':';
        comma_ = false;
    }
    void keyBytes(std::string_view name) {
        separate();
        appendJsonBytes(out_, name);
        out_ += ':';
        comma_ = false;
    }
    void string(std::string_view text) {
        separate();
        appendJsonString(out_, text);
    }
    void bytes(std::string_view text) {
        separate();
        appendJsonBytes(out_, text);
    }
    void integer(std::int64_t value) {
        separate();
        appendJsonInteger(out_, value);
    }
    void number(double value) {
        separate();
        appendJsonNumber(out_, value);
    }
    void boolean(bool value) { raw(value ? "true" : "false"); }
    /// JSON text that is known to be good.
    void raw(std::string_view json) {
        separate();
        out_ += json;
    }
    void hash(const Hash256& hash);

    void member(std::string_view name, std::string_view text) { key(name), string(text); }
    void member(std::string_view name, const char* text) { key(name), string(text); }
    void member(std::string_view name, std::same_as<bool> auto value) { key(name), boolean(value); }
    void member(std::string_view name, std::integral auto value)
        requires(!std::same_as<decltype(value), bool>)
    {
        key(name), integer(static_cast<std::int64_t>(value));
    }
    void member(std::string_view name, std::same_as<double> auto value) { key(name), number(value); }

private:
    void separate() {
        if (comma_) out_ += ',';
        comma_ = true;
    }
    void open(char bracket) {
        separate();
        out_ += bracket;
        comma_ = false;
    }
    void close(char bracket) {
        out_ += bracket;
        comma_ = true;
    }

    std::string& out_;
    bool comma_ = false; ///< the next value at this level needs a comma before it
};

} // namespace yard
