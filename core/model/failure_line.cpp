#include "core/model/failure_line.h"

#include "core/base/hash.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace yard {

namespace {

constexpr std::size_t kIdDigits = 16;
/// Shorter ones are taken for words.
constexpr std::size_t kShortestDigest = 8;
constexpr std::size_t kLongestExtension = 8;

constexpr bool isDigitByte(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool isHexByte(char c) {
    return isDigitByte(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
constexpr bool isLetterByte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
/// Letters of other alphabets count as one: their bytes are never looked into.
constexpr bool isNameByte(char c) {
    return isDigitByte(c) || isLetterByte(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
constexpr bool isPathByte(char c) {
    return isNameByte(c) || std::string_view("/.-+~@%").contains(c);
}

std::string lowerCase(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return out;
}

/// What files are called that tools complain of. Neither libraries, which say where it was, nor what is more often a
/// member of something ("self.a").
bool isFileExtension(std::string_view extension) {
    static constexpr auto kKnown = std::to_array<std::string_view>(
        {"avi",  "avif", "bin",   "blend", "bmp",     "bz2",  "c",    "cc",   "cfg",  "comp", "conf", "cpp",
         "csv",  "cu",   "cxx",   "dat",   "db",      "dds",  "dll",  "exe",  "exr",  "f90",  "fbx",  "flac",
         "frag", "gif",  "glb",   "glsl",  "gltf",    "go",   "gz",   "h",    "h5",   "hdr",  "heic", "hh",
         "hlsl", "hpp",  "html",  "hxx",   "ini",     "ipp",  "java", "jpeg", "jpg",  "js",   "json", "jsx",
         "kt",   "ktx",  "lock",  "log",   "lua",     "m4a",  "md",   "mkv",  "mov",  "mp3",  "mp4",  "npy",
         "npz",  "o",    "obj",   "onnx",  "parquet", "pdf",  "php",  "pkl",  "pl",   "ply",  "png",  "proto",
         "psd",  "pt",   "ptx",   "py",    "rar",     "rb",   "rs",   "scss", "sh",   "spv",  "sql",  "sqlite",
         "stl",  "svg",  "swift", "tar",   "tex",     "tga",  "tgz",  "tif",  "tiff", "tmp",  "toml", "ts",
         "tsx",  "ttf",  "txt",   "usd",   "usda",    "usdc", "usdz", "vert", "wasm", "wav",  "webm", "webp",
         "woff", "xlsx", "xml",   "xz",    "yaml",    "yml",  "zip",  "zst"});
    return extension.size() <= kLongestExtension && std::ranges::find(kKnown, lowerCase(extension)) != kKnown.end();
}

bool hasFileExtension(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot != name.npos && dot > 0 && isFileExtension(name.substr(dot + 1));
}

/// "C:\" or "C:/".
bool beginsWithDrive(std::string_view text) {
    return text.size() > 3 && isLetterByte(text[0]) && text[1] == ':' && (text[2] == '\\' || text[2] == '/') &&
           text[2] != text[3];
}

bool beginsLikePath(std::string_view text) {
    if (text.starts_with("~/") || text.starts_with("./") || text.starts_with("../") || beginsWithDrive(text))
        return true;
    return text.size() > 1 && text[0] == '/' && text[1] != '/' && isPathByte(text[1]);
}

/// A word without blanks: "and/or" and "I/O" are none, "a/b/c" and "src/main.cpp" are, and so is "main.cpp".
bool isPath(std::string_view word) {
    if (beginsLikePath(word)) return true;
    if (std::ranges::none_of(word, isLetterByte)) return false; // 1/2/2026
    const auto slashes = std::ranges::count(word, '/');
    if (slashes == 0) return hasFileExtension(word);
    return slashes > 1 || word.substr(word.find('/')).contains('.');
}

std::size_t countWhile(std::string_view text, auto is) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is) - text.begin());
}

/// "9f86d081-884c-4d63-a5a1-2b1e5e0f6a11" at the start of `text`: its length, else 0.
std::size_t uuidLength(std::string_view text) {
    constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    if (text.size() < kShape.size()) return 0;
    for (std::size_t i = 0; i < kShape.size(); ++i)
        if (kShape[i] == 'x' ? !isHexByte(text[i]) : text[i] != '-') return 0;
    return text.size() == kShape.size() || !isNameByte(text[kShape.size()]) ? kShape.size() : 0;
}

/// As much of `text` as has this shape: 9 is a digit, anything else itself. 0: not all of it.
std::size_t shapeLength(std::string_view text, std::string_view shape) {
    if (text.size() < shape.size()) return 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] == '9' ? !isDigitByte(text[i]) : text[i] != shape[i]) return 0;
    return shape.size();
}

/// ".250" or ",250".
std::size_t fractionLength(std::string_view text) {
    if (text.size() < 2 || (text[0] != '.' && text[0] != ',') || !isDigitByte(text[1])) return 0;
    return 1 + countWhile(text.substr(1), isDigitByte);
}

std::size_t clockLength(std::string_view text) {
    std::size_t length = shapeLength(text, "99:99:99");
    if (length == 0) return 0;
    length += fractionLength(text.substr(length));
    return length < text.size() && isDigitByte(text[length]) ? 0 : length;
}

/// "2026-11-26", "2026-11-26T09:45:31.250Z", "09:45:31".
std::size_t timeLength(std::string_view text) {
    const std::size_t day = std::max(shapeLength(text, "9999-99-99"), shapeLength(text, "9999/99/99"));
    if (day == 0) return clockLength(text);
    if (day < text.size() && isDigitByte(text[day])) return 0;
    std::size_t length = day;
    if (length < text.size() && (text[length] == 'T' || text[length] == ' ')) {
        const std::string_view clock = text.substr(length + 1);
        const std::size_t time = std::max(clockLength(clock), shapeLength(clock, "99:99"));
        if (time > 0) length += 1 + time;
    }
    if (length == day) return day;
    const std::string_view zone = text.substr(length);
    if (zone.starts_with('Z')) return length + 1;
    for (const std::string_view shape : {"+99:99", "-99:99", "+9999", "-9999"})
        if (shapeLength(zone, shape) > 0) return length + shape.size();
    return length;
}

/// Hexadecimal, not only digits, and longer than words are.
bool isDigest(std::string_view word) {
    return word.size() >= kShortestDigest && std::ranges::all_of(word, isHexByte) &&
           std::ranges::any_of(word, isDigitByte) && !std::ranges::all_of(word, isDigitByte);
}

/// "12", "0.25", "2.4.2", "1e-5".
std::size_t numberLength(std::string_view text) {
    std::size_t length = countWhile(text, isDigitByte);
    while (length + 1 < text.size() && text[length] == '.' && isDigitByte(text[length + 1]))
        length += 1 + countWhile(text.substr(length + 1), isDigitByte);
    if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
        std::size_t end = length + 1;
        if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
        const std::size_t digits = countWhile(text.substr(end), isDigitByte);
        end += digits;
        if (digits > 0 && (end == text.size() || !isNameByte(text[end]))) length = end;
    }
    return length;
}

/// What stands before a number says that it is a signal or an exit code.
bool saysHowItEnded(std::string_view before) {
    constexpr std::size_t kLookBack = 32;
    static constexpr auto kWords = std::to_array<std::string_view>(
        {"signal", "sig", "exit", "exit code", "exit status", "exit value", "exit_code", "exit_status", "exitcode",
         "exitstatus", "exited with", "exited with code", "exited with status", "return code", "return status",
         "returncode", "return_code", "rc"});
    if (before.size() > kLookBack) before.remove_prefix(before.size() - kLookBack);
    const std::size_t end = before.find_last_not_of(" :=(#");
    const std::string text = lowerCase(before.substr(0, end == before.npos ? 0 : end + 1));
    if (text.ends_with("] error")) return true; // make: *** [Makefile:12: all] Error 2
    return std::ranges::any_of(kWords, [&](std::string_view words) {
        return text.ends_with(words) &&
               (text.size() == words.size() || !isNameByte(text[text.size() - words.size() - 1]));
    });
}

class Masker {
public:
    explicit Masker(std::string_view line)
        : line_(line) {}
    MaskedLine all() {
        while (at_ < line_.size()) {
            const bool begins = at_ == 0 || !isNameByte(line_[at_ - 1]);
            if (begins && (takeQuotedPath() || takeUrl() || takePath() || takeNumberLike())) continue;
            if (isNameByte(line_[at_]))
                takeName();
            else
                keep(1);
        }
        return std::move(out_);
    }

private:
    std::string_view rest() const { return line_.substr(at_); }
    void keep(std::size_t bytes) {
        out_.line += line_.substr(at_, bytes);
        at_ += bytes;
    }
    bool mask(LineMask mask, std::size_t bytes) {
        out_.line += textOf(mask);
        out_.values.push_back({mask, std::string(line_.substr(at_, bytes))});
        at_ += bytes;
        return true;
    }

    /// Quotes keep blanks in a path. Of a name in quotes nothing but its numbers goes.
    bool takeQuotedPath() {
        static constexpr std::pair<std::string_view, std::string_view> kQuotes[] = {
            {"'", "'"}, {"\"", "\""}, {"`", "'"}, {"`", "`"}, {"\u2018", "\u2019"}, {"\u201C", "\u201D"}};
        for (const auto& [open, close] : kQuotes) {
            if (!rest().starts_with(open)) continue;
            const std::string_view behind = rest().substr(open.size());
            const std::string_view inside = behind.substr(0, behind.find(close));
            if (inside.size() == behind.size() || !isQuotedPath(inside)) continue;
            keep(open.size());
            return mask(LineMask::Path, inside.size());
        }
        return false;
    }
    static bool isQuotedPath(std::string_view text) {
        if (text.contains("://")) return false;
        return text.contains(' ') ? beginsLikePath(text) || hasFileExtension(text) : isPath(text);
    }

    /// The host stays: who did not answer is what such a line is about.
    bool takeUrl() {
        if (!isLetterByte(line_[at_])) return false;
        const std::size_t scheme =
            countWhile(rest(), [](char c) { return isLetterByte(c) || isDigitByte(c) || c == '+'; });
        if (!rest().substr(scheme).starts_with("://")) return false;
        keep(scheme + 3);
        const std::string_view host = rest().substr(0, rest().find_first_of("/ \t'\")>,"));
        for (const std::size_t end = at_ + host.size(); at_ < end;)
            if (isNameByte(line_[at_])) {
                if (!isDigitByte(line_[at_]) || !takeNumberLike()) takeName();
            } else {
                keep(1);
            }
        std::string_view path = rest().substr(0, rest().find_first_of(" \t'\")>"));
        while (!path.empty() && std::string_view(".,:;").contains(path.back())) path.remove_suffix(1);
        if (path.size() > 1) mask(LineMask::Path, path.size());
        return true;
    }

    bool takePath() {
        if (!isPathByte(line_[at_])) return false;
        std::string_view word;
        if (beginsWithDrive(rest())) {
            word = rest().substr(
                0, 2 + countWhile(rest().substr(2), [](char c) { return isPathByte(c) || c == '\\'; }));
        } else {
            word = rest().substr(0, countWhile(rest(), isPathByte));
        }
        while (word.ends_with('.') && word.size() > 1) word.remove_suffix(1); // of the sentence
        const bool isBehindName = at_ > 0 && line_[at_ - 1] == '.';
        if (isBehindName || timeLength(word) > 0 || !isPath(word)) return false;
        return mask(LineMask::Path, word.size());
    }

    bool takeNumberLike() {
        if (const std::size_t uuid = uuidLength(rest()); uuid > 0) return mask(LineMask::Number, uuid);
        if (!isDigitByte(line_[at_])) return false;
        if (saysHowItEnded(line_.substr(0, at_))) {
            keep(countWhile(rest(), isDigitByte));
            return true;
        }
        if (const std::size_t time = timeLength(rest()); time > 0) return mask(LineMask::Number, time);
        if (rest().starts_with("0x") || rest().starts_with("0X"))
            if (const std::size_t digits = countWhile(rest().substr(2), isHexByte); digits > 0)
                return mask(LineMask::Number, 2 + digits);
        const std::size_t word = countWhile(rest(), [](char c) { return isDigitByte(c) || isLetterByte(c); });
        if (isDigest(rest().substr(0, word))) return mask(LineMask::Number, word);
        return mask(LineMask::Number, numberLength(rest()));
    }

    /// A name, part by part: of frame_0412 the number goes, of int32_t nothing.
    void takeName() {
        if (rest().starts_with("x86_64")) return keep(std::string_view("x86_64").size());
        const bool beginsPart = at_ == 0 || line_[at_ - 1] == '_' || !isNameByte(line_[at_ - 1]);
        const std::string_view part =
            rest().substr(0, countWhile(rest(), [](char c) { return isNameByte(c) && c != '_'; }));
        if (part.empty()) return keep(1);
        if (beginsPart && isDigest(part)) return void(mask(LineMask::Number, part.size()));
        if (beginsPart && isDigitByte(part.front())) return void(takeNumberLike());
        keep(part.size());
        // python3.11
        while (at_ + 1 < line_.size() && isDigitByte(line_[at_ - 1]) && line_[at_] == '.' &&
               isDigitByte(line_[at_ + 1]))
            keep(1 + countWhile(rest().substr(1), isDigitByte));
    }

    std::string_view line_;
    std::size_t at_ = 0;
    MaskedLine out_;
};

} // namespace

MaskedLine maskedLine(std::string_view line) {
    return Masker(utf8Prefix(line, kMostMaskedBytes)).all();
}

bool isFailure(const ActionResult& action) {
    return action.state == ActionState::Failed || action.state == ActionState::Abandoned;
}

std::string failureLine(const ActionResult& failure) {
    if (!failure.note.empty()) return failure.note;
    if (!failure.outcome) return std::string(name(failure.state));
    const AttemptOutcome& outcome = *failure.outcome;
    if (outcome.reason == Reason::ExitCode && outcome.exitCode)
        return fmt::format("exit code {}", *outcome.exitCode);
    if (outcome.reason == Reason::Signal && outcome.signal) return fmt::format("signal {}", *outcome.signal);
    std::string words(outcome.reason == Reason::None ? name(failure.state) : name(outcome.reason));
    std::ranges::replace(words, '_', ' ');
    return words;
}

std::string failureId(Reason reason, std::string_view masked) {
    return Sha256::of(fmt::format("{}\n{}", name(reason), masked)).hex().substr(0, kIdDigits);
}

std::optional<std::string> failureIdOf(const ActionResult& action) {
    if (!isFailure(action)) return std::nullopt;
    const Reason reason = action.outcome ? action.outcome->reason : Reason::None;
    return failureId(reason, maskedLine(failureLine(action)).line);
}

bool isFailureId(std::string_view text) {
    return text.size() == kIdDigits &&
           std::ranges::all_of(text, [](char c) { return isDigitByte(c) || (c >= 'a' && c <= 'f'); });
}

} // namespace yard
