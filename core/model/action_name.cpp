#include "core/model/action_name.h"

#include "core/base/replace.h"
#include "core/json/utf8.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard {

namespace {

constexpr std::string_view kCut = "…";
constexpr std::string_view kIndex = "{index}";

/// Means itself to every shell, whatever stands around it.
bool isPlain(char c) {
    const bool isWord = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return isWord || static_cast<unsigned char>(c) >= 0x80 || std::string_view("%+,-./:=@_^{}").contains(c);
}

/// Braces stand for several words only around a comma or two dots.
bool needsQuotes(std::string_view word) {
    if (word.empty() || !std::ranges::all_of(word, isPlain)) return true;
    return word.contains('{') && (word.contains(',') || word.contains(".."));
}

/// In $'…', which keeps control characters on one line.
void appendEscaped(std::string& out, std::string_view word) {
    out += "$'";
    while (!word.empty()) {
        const std::size_t length = std::max<std::size_t>(utf8SequenceLength(word), 1);
        const std::string_view one = word.substr(0, length);
        word.remove_prefix(length);
        if (one == "\n")
            out += "\\n";
        else if (one == "\t")
            out += "\\t";
        else if (one == "'" || one == "\\")
            out.append("\\").append(one);
        else if (hasControlCharacters(one))
            for (const char byte : one) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
        else
            out += one;
    }
    out += '\'';
}

void appendWord(std::string& out, std::string_view word) {
    if (hasControlCharacters(word)) return appendEscaped(out, word);
    if (!needsQuotes(word)) {
        out += word;
        return;
    }
    out += '\'';
    for (const char c : word) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    out += '\'';
}

void cutAt(std::string& name, std::size_t most) {
    if (name.size() <= most) return;
    name.resize(utf8Prefix(name, most - kCut.size()).size());
    name += kCut;
}

} // namespace

std::string commandName(std::span<const std::string> argv, std::size_t most) {
    std::string name;
    for (const std::string& word : argv) {
        if (!name.empty()) name += ' ';
        appendWord(name, wellFormed(utf8Prefix(word, most + 1))); // what is over is cut in any case
        if (name.size() > most) break;
    }
    cutAt(name, most);
    return name;
}

std::string elementName(std::string command, std::int64_t index, std::size_t most) {
    replaceAll(command, kIndex, fmt::format("{}", index));
    cutAt(command, most);
    return command;
}

std::string labelOf(const ActionResult& action) {
    std::string label = action.label;
    if (action.index) replaceAll(label, kIndex, fmt::format("{}", *action.index));
    return label;
}

std::string actionName(const ActionResult& action) {
    if (!action.label.empty()) return labelOf(action);
    if (!action.command.empty()) return action.command;
    const std::string& worker = action.workerName.empty() ? action.workerId : action.workerName;
    return action.function.empty() ? worker : worker + "." + action.function;
}

} // namespace yard
