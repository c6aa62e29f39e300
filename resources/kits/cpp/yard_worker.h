// Yardmaster worker kit for C++17: this one header, the standard library and POSIX.
//
//     #include "yard_worker.h"
//
//     int main(int argc, char** argv) {
//         yard::Worker worker;
//         worker.add("add", "1", [](const yard::Job& job) {
//             return yard::Answer::result(std::to_string(job.number("a") + job.number("b")));
//         });
//         return worker.run(argc, argv);
//     }
//
// The same program serves in both modes of a worker descriptor. "warm": started once, answers requests over the
// socket in YARD_SOCKET_FD. "process": started once for each action, which YARD_ACTION describes; the result is
// printed. With --describe it prints its functions as JSON and ends.
//
// `job.args` is the action's JSON as it was posted; text(), number() and has() read members of it when it is an
// object. `job.inputs` and `job.outputs` are directories, empty where a warm action has none: see "io" of the
// descriptor. job.progress(0.4, "packing") says how far it is. A result is JSON text of at most 64 KiB.
// Answer::fail("what went wrong", 3) fails the action with a message and an exit code from 0 to 255; an exception
// fails it with exit code 1 and its text. With run(argc, argv, 8), eight threads work on as many requests at once.
// For workers that look at objects there is yard_objects.h.
#pragma once

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <map>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace yard {

namespace detail {

inline void skipSpace(const std::string& s, std::size_t& at) {
    while (at < s.size() && (s[at] == ' ' || s[at] == '\t' || s[at] == '\n' || s[at] == '\r')) ++at;
}

/// Past a value; the text is known to be JSON.
inline void skipValue(const std::string& s, std::size_t& at) {
    int depth = 0;
    do {
        if (at >= s.size()) return;
        const char c = s[at];
        if (c == '"') {
            for (++at; at < s.size() && s[at] != '"'; ++at)
                if (s[at] == '\\') ++at;
            ++at;
        } else if (c == '{' || c == '[') {
            ++depth;
            ++at;
        } else if (c == '}' || c == ']') {
            --depth;
            ++at;
        } else if (c == ',' || c == ':' || c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++at;
        } else {
            while (at < s.size() && std::strchr(",:]} \t\n\r", s[at]) == nullptr) ++at;
        }
    } while (depth > 0);
}

inline void appendUtf8(std::string& out, unsigned code) {
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0 | code >> 6);
        out += static_cast<char>(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0 | code >> 12);
        out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        out += static_cast<char>(0xf0 | code >> 18);
        out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        out += static_cast<char>(0x80 | (code & 0x3f));
    }
}

/// A JSON string in its quotes, as text.
inline std::string unquote(const std::string& json) {
    std::string out;
    for (std::size_t i = 1; i + 1 < json.size(); ++i) {
        if (json[i] != '\\') {
            out += json[i];
            continue;
        }
        const char c = json[++i];
        if (c == 'u') {
            unsigned code = static_cast<unsigned>(std::strtoul(json.substr(i + 1, 4).c_str(), nullptr, 16));
            i += 4;
            if (code >= 0xd800 && code < 0xdc00 && json.compare(i + 1, 2, "\\u") == 0) {
                const auto low = static_cast<unsigned>(std::strtoul(json.substr(i + 3, 4).c_str(), nullptr, 16));
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                i += 6;
            }
            appendUtf8(out, code);
        } else {
            static const char* const kFrom = "bfnrt";
            static const char* const kTo = "\b\f\n\r\t";
            const char* at = std::strchr(kFrom, c);
            out += at != nullptr ? kTo[at - kFrom] : c;
        }
    }
    return out;
}

inline std::string quote(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            (out += '\\') += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
            out += escape;
        } else {
            out += c;
        }
    }
    return out += '"';
}

/// Length of the character of UTF-8 that begins here; 0: there is none.
inline std::size_t characterAt(const std::string& s, std::size_t at) {
    const auto byte = [&s](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    const unsigned first = byte(at);
    if (first < 0x80) return 1;
    const std::size_t length = first < 0xc2 || first > 0xf4 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(at + i) & 0xc0) != 0x80) return 0;
    const unsigned second = byte(at + 1);
    const bool isOverlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool isHalf = first == 0xed && second > 0x9f; // of a pair of UTF-16
    return isOverlong || isHalf || (first == 0xf4 && second > 0x8f) ? 0 : length;
}

/// With U+FFFD for each byte that belongs to no character, as in the names of files.
inline std::string clean(std::string text) {
    std::size_t at = 0;
    while (at < text.size() && characterAt(text, at) > 0) at += characterAt(text, at);
    if (at == text.size()) return text;
    std::string out(text, 0, at);
    while (at < text.size()) {
        const std::size_t length = characterAt(text, at);
        length > 0 ? out.append(text, at, length) : out.append("\xef\xbf\xbd");
        at += length > 0 ? length : 1;
    }
    return out;
}

/// "0.4000", whatever the locale; "null" of what is no number.
inline std::string fraction(double value) {
    if (!(value == value)) return "null";
    const long parts = value <= 0 ? 0 : value >= 1 ? 10000 : static_cast<long>(value * 10000 + 0.5);
    const std::string digits = std::to_string(10000 + parts % 10000);
    return std::to_string(parts / 10000) + '.' + digits.substr(1);
}

/// The beginning of text that is clean; no character is cut.
inline std::string shortened(const std::string& text, std::size_t most) {
    if (text.size() <= most) return text;
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    return text.substr(0, most);
}

inline bool passDigits(const std::string& s, std::size_t& at) {
    const std::size_t from = at;
    while (at < s.size() && s[at] >= '0' && s[at] <= '9') ++at;
    return at > from;
}

inline bool passNumber(const std::string& s, std::size_t& at) {
    const auto is = [&s, &at](char c) { return at < s.size() && s[at] == c; };
    if (is('-')) ++at;
    if (is('0'))
        ++at;
    else if (!passDigits(s, at))
        return false;
    if (is('.') && !passDigits(s, ++at)) return false;
    if (!is('e') && !is('E')) return true;
    ++at;
    if (is('+') || is('-')) ++at;
    return passDigits(s, at);
}

inline bool passString(const std::string& s, std::size_t& at) {
    if (at >= s.size() || s[at] != '"') return false;
    for (++at; at < s.size() && s[at] != '"'; ++at) {
        if (static_cast<unsigned char>(s[at]) < 0x20) return false;
        if (s[at] != '\\') continue;
        if (++at >= s.size() || std::string("\"\\/bfnrtu").find(s[at]) == std::string::npos) return false;
        if (s[at] != 'u') continue;
        for (int i = 0; i < 4; ++i)
            if (++at >= s.size() || std::isxdigit(static_cast<unsigned char>(s[at])) == 0) return false;
    }
    return at++ < s.size();
}

/// Past a value, where there is one that is JSON, nested no deeper than the engine takes it.
inline bool passJson(const std::string& s, std::size_t& at, int depth = 60) {
    skipSpace(s, at);
    if (at >= s.size()) return false;
    for (const char* word : {"null", "true", "false"})
        if (s.compare(at, std::strlen(word), word) == 0) return at += std::strlen(word), true;
    if (s[at] == '"') return passString(s, at);
    if (s[at] != '{' && s[at] != '[') return passNumber(s, at);
    const char end = s[at] == '{' ? '}' : ']';
    if (depth == 0) return false;
    skipSpace(s, ++at);
    if (at < s.size() && s[at] == end) return ++at, true;
    for (;; ++at) {
        skipSpace(s, at);
        if (end == '}') {
            if (!passString(s, at)) return false;
            skipSpace(s, at);
            if (at >= s.size() || s[at++] != ':') return false;
        }
        if (!passJson(s, at, depth - 1)) return false;
        skipSpace(s, at);
        if (at < s.size() && s[at] == end) return ++at, true;
        if (at >= s.size() || s[at] != ',') return false;
    }
}

inline bool isJson(const std::string& s) {
    std::size_t at = 0;
    if (!passJson(s, at)) return false;
    skipSpace(s, at);
    return at == s.size();
}

/// The members of an object, each as its JSON text; none of anything else.
inline std::map<std::string, std::string> members(const std::string& json) {
    std::map<std::string, std::string> all;
    std::size_t at = 0;
    skipSpace(json, at);
    if (at >= json.size() || json[at] != '{') return all;
    for (++at;;) {
        skipSpace(json, at);
        if (at >= json.size() || json[at] != '"') return all;
        const std::size_t name = at;
        skipValue(json, at);
        const std::string key = unquote(json.substr(name, at - name));
        skipSpace(json, at);
        ++at; // the colon
        skipSpace(json, at);
        const std::size_t value = at;
        skipValue(json, at);
        all[key] = json.substr(value, at - value);
        skipSpace(json, at);
        if (at < json.size() && json[at] == ',') ++at;
    }
}

/// The elements of an array, each as its JSON text; none of anything else.
inline std::vector<std::string> elements(const std::string& json) {
    std::vector<std::string> all;
    std::size_t at = 0;
    skipSpace(json, at);
    if (at >= json.size() || json[at] != '[') return all;
    for (++at;;) {
        skipSpace(json, at);
        if (at >= json.size() || json[at] == ']') return all;
        const std::size_t value = at;
        skipValue(json, at);
        all.push_back(json.substr(value, at - value));
        skipSpace(json, at);
        if (at < json.size() && json[at] == ',') ++at;
    }
}

/// A member, as JSON text; empty when it is not there.
inline std::string valueOf(const std::string& json, const std::string& member) {
    const auto all = members(json);
    const auto at = all.find(member);
    return at == all.end() ? std::string() : at->second;
}

inline std::string textOf(const std::string& json, const std::string& member) {
    const std::string value = valueOf(json, member);
    if (value.empty() || value.front() != '"') throw std::runtime_error("\"" + member + "\" is not a string");
    return unquote(value);
}

inline double numberOf(const std::string& json, const std::string& member) {
    const std::string value = valueOf(json, member);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0') throw std::runtime_error("\"" + member + "\" is not a number");
    return number;
}

} // namespace detail

struct Job {
    long long lsn = 0;
    std::string function;
    std::string args;            ///< JSON
    std::string inputs;          ///< directory
    std::string outputs;         ///< directory
    std::string resources_given; ///< JSON: {"gpus":["1"]}, what a warm action and its process have; empty: nothing
    std::function<void(const std::string&)> tell; ///< of progress(); of the kit

    /// Says how far the action is, from 0 to 1, and in one line what it does. From one thread; of more than ten calls a
    /// second the others are passed over.
    void progress(double fraction, const std::string& message = {}) const {
        const auto now = std::chrono::steady_clock::now();
        if (!tell || now < nextProgress_) return;
        nextProgress_ = now + std::chrono::milliseconds(100);
        std::string said = "{\"progress\":" + detail::fraction(fraction);
        if (!message.empty())
            said += ",\"message\":" + detail::quote(detail::shortened(detail::clean(message), kMaxProgress));
        tell(said + '}');
    }

    bool has(const std::string& member) const { return detail::members(args).count(member) != 0; }
    /// A member of args that is a string. Throws when it is not there, or something else.
    std::string text(const std::string& member) const { return detail::textOf(args, member); }
    double number(const std::string& member) const { return detail::numberOf(args, member); }
    /// Any member of args, as JSON text; empty when it is not there.
    std::string value(const std::string& member) const { return detail::valueOf(args, member); }

private:
    static constexpr std::size_t kMaxProgress = 200;
    mutable std::chrono::steady_clock::time_point nextProgress_{};
};

struct Answer {
    int exitCode = 0;
    std::string json;    ///< the result; empty: none
    std::string message; ///< one line about a failure

    static Answer ok() { return {}; }
    static Answer result(std::string json) { return {0, std::move(json), {}}; }
    static Answer fail(std::string message, int exitCode = 1) { return {exitCode, {}, std::move(message)}; }
};

class Worker {
public:
    virtual ~Worker() = default;

    using Body = std::function<Answer(const Job&)>;
    /// `files`: it writes to job.outputs also for actions that name no files.
    void add(const std::string& name, const std::string& version, Body body, bool files = false) {
        functions_[name] = {version, std::move(body), files};
    }

    /// Serves until the engine closes the socket, or runs the one action of YARD_ACTION. `ahead` 0 forbids the
    /// engine to send requests beyond `concurrency`. Returns what main() shall return.
    int run(int argc, char** argv, unsigned concurrency = 1, unsigned ahead = 32) {
        for (int i = 1; i < argc; ++i)
            if (std::strcmp(argv[i], "--describe") == 0) return describe();
        if (const char* fd = std::getenv("YARD_SOCKET_FD")) return serve(std::atoi(fd), concurrency, ahead);
        if (const char* path = std::getenv("YARD_ACTION")) return runOnce(path);
        std::fprintf(stderr, "This is a Yardmaster worker: register it with `yardctl workers add`, or ask it with "
                             "--describe.\n");
        return 2;
    }

protected:
    static constexpr std::size_t kMaxResult = 64 * 1024;
    static constexpr std::uint32_t kMaxFrame = 1024 * 1024;
    static constexpr std::size_t kMaxMessage = 4000;

    /// The answer to a request that is no action's; empty: it is one.
    virtual std::string look(const std::string& /*request*/) const { return {}; }
    virtual bool looks() const { return false; }

    /// `result`: JSON. The message must be clean.
    static std::string answerText(int exitCode, const std::string& result, const std::string& message) {
        std::string out = "{\"exit_code\":" + std::to_string(exitCode);
        if (!result.empty()) out += ",\"result\":" + result;
        if (!message.empty()) out += ",\"message\":" + detail::quote(detail::shortened(message, kMaxMessage));
        return out += '}';
    }
    /// Another code would be cut to 8 bits in process mode: 256 to a success.
    static Answer checked(Answer answer) {
        answer.message = detail::clean(std::move(answer.message));
        if (answer.exitCode >= 0 && answer.exitCode <= 255) return answer;
        const std::string refused = "exit code " + std::to_string(answer.exitCode) + " is no integer from 0 to 255";
        return Answer::fail(answer.message.empty() ? refused : answer.message + " (" + refused + ")");
    }

private:
    int describe() const {
        std::string out;
        for (const auto& function : functions_)
            out += (out.empty() ? "" : ",") + ("{\"name\":" + detail::quote(function.first)) +
                   ",\"version\":" + detail::quote(function.second.version) +
                   (function.second.files ? ",\"files\":true}" : "}");
        if (looks() && functions_.count("tick") == 0) // what types of objects name
            out += std::string(out.empty() ? "" : ",") + "{\"name\":\"tick\",\"version\":\"1\"}";
        std::printf("{\"functions\":[%s]}\n", out.c_str());
        return 0;
    }

    /// What a body throws is this request's failure, and not the next one's. `threw`: it was not meant so. The
    /// answer is the same in both modes.
    Answer call(const Job& job, bool& threw) const {
        Answer answer = answerOf(job, threw);
        answer.json = detail::clean(std::move(answer.json));
        if (answer.json.size() > kMaxResult)
            answer =
                Answer::fail("the result of " + job.function + " is over 64 KiB: write it into a file in outputs");
        else if (!answer.json.empty() && !detail::isJson(answer.json))
            answer = Answer::fail("the result of " + job.function + " is no JSON");
        return checked(std::move(answer));
    }

    Answer answerOf(const Job& job, bool& threw) const {
        threw = false;
        const auto at = functions_.find(job.function);
        if (at == functions_.end()) return Answer::fail("this worker has no function \"" + job.function + "\"");
        try {
            return at->second.body(job);
        } catch (const std::exception& error) {
            threw = true;
            return Answer::fail(error.what());
        } catch (...) {
            threw = true;
            return Answer::fail(job.function + " threw what is no std::exception");
        }
    }

    static Job jobFrom(const std::string& json) {
        auto all = detail::members(json);
        Job job;
        job.lsn = std::atoll(all["lsn"].c_str());
        job.function = detail::unquote(all["function"]);
        job.args = std::move(all["args"]);
        job.inputs = detail::unquote(all["inputs"]);
        job.outputs = detail::unquote(all["outputs"]);
        job.resources_given = std::move(all["resources_given"]);
        return job;
    }

    int runOnce(const char* path) const {
        std::string json;
        std::FILE* file = std::fopen(path, "rb");
        if (file == nullptr) {
            std::perror(path);
            return 1;
        }
        char buffer[65536];
        for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, file)) > 0;) json.append(buffer, got);
        std::fclose(file);
        Job job = jobFrom(json);
        job.inputs = "inputs";
        job.outputs = "outputs";
        job.tell = tellFile;
        bool threw = false;
        const Answer answer = call(job, threw);
        if (!answer.json.empty()) std::printf("%s\n", answer.json.c_str());
        if (!answer.message.empty()) std::fprintf(stderr, "%s\n", answer.message.c_str());
        return answer.exitCode;
    }

    /// Nobody hears it where there is no such file, which is no failure of the action.
    static void tellFile(const std::string& said) {
        const char* path = std::getenv("YARD_STATUS");
        std::FILE* file = path != nullptr ? std::fopen(path, "wb") : nullptr;
        if (file == nullptr) return;
        std::fprintf(file, "%s\n", said.c_str());
        std::fclose(file);
    }

    // --- warm

    bool write(std::uint64_t id, const std::string& json) {
        std::string frame(12, '\0');
        const auto length = static_cast<std::uint32_t>(json.size() + 8);
        for (int i = 0; i < 4; ++i) frame[static_cast<std::size_t>(i)] = static_cast<char>(length >> 8 * i);
        for (int i = 0; i < 8; ++i) frame[static_cast<std::size_t>(4 + i)] = static_cast<char>(id >> 8 * i);
        frame += json;
        const std::lock_guard<std::mutex> lock(writing_);
        for (std::size_t at = 0; at < frame.size();) {
            const ssize_t n = ::send(fd_, frame.data() + at, frame.size() - at, MSG_NOSIGNAL);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            at += static_cast<std::size_t>(n);
        }
        return true;
    }

    /// Under reading_. False: the engine has closed the socket.
    bool take(std::size_t count, std::string& out) {
        while (buffer_.size() - at_ < count) {
            char bytes[65536];
            // Whoever sleeps in recv() is woken as well when the engine takes an answer; in poll(), not.
            const ssize_t n = ::recv(fd_, bytes, sizeof bytes, MSG_DONTWAIT);
            if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
                struct pollfd readable = {fd_, POLLIN, 0};
                ::poll(&readable, 1, -1);
                continue;
            }
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            buffer_.erase(0, at_);
            at_ = 0;
            buffer_.append(bytes, static_cast<std::size_t>(n));
        }
        out.assign(buffer_, at_, count);
        at_ += count;
        return true;
    }

    bool read(std::uint64_t& id, std::string& json) {
        const std::lock_guard<std::mutex> lock(reading_);
        if (!take(12, json)) return false;
        const auto number = [&json](std::size_t from, std::size_t bytes) {
            std::uint64_t value = 0;
            for (std::size_t i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(json[from + i]);
            return value;
        };
        const auto length = static_cast<std::uint32_t>(number(0, 4));
        id = number(4, 8);
        return length >= 8 && length <= kMaxFrame && take(length - 8, json);
    }

    void work() {
        std::uint64_t id = 0;
        std::string json;
        while (read(id, json)) {
            std::string answer = look(json);
            if (answer.empty()) answer = act(id, json);
            std::fflush(stdout);
            if (!write(id, answer)) return;
        }
    }

    std::string act(std::uint64_t id, const std::string& request) {
        Job job = jobFrom(request);
        job.tell = [this, id](const std::string& said) { (void)write(id, said); };
        bool threw = false;
        const Answer answer = call(job, threw);
        if (threw)
            std::fprintf(stderr, "action %lld, %s: %s\n", job.lsn, job.function.c_str(), answer.message.c_str());
        return answerText(answer.exitCode, answer.json, answer.message);
    }

    int serve(int fd, unsigned concurrency, unsigned ahead) {
        fd_ = fd;
        ::fcntl(fd, F_SETFD, FD_CLOEXEC);
        if (!write(0, "{\"ready\":true,\"concurrency\":" + std::to_string(concurrency) +
                          ",\"ahead\":" + std::to_string(ahead) + "}"))
            return 1;
        std::vector<std::thread> others;
        for (unsigned i = 1; i < concurrency; ++i) others.emplace_back([this] { work(); });
        work();
        for (std::thread& thread : others) thread.join();
        return 0;
    }

    struct Function {
        std::string version;
        Body body;
        bool files = false;
    };
    std::map<std::string, Function> functions_;
    int fd_ = -1;
    std::string buffer_;
    std::size_t at_ = 0;
    std::mutex reading_;
    std::mutex writing_;
};

} // namespace yard
