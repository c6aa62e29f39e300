#include "app/yardctl/completion.h"

#include <algorithm>
#include <fmt/format.h>

namespace yard::ctl {

namespace {

/// Inside single quotes of a shell.
std::string quoted(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'')
            out += "'\\''";
        else
            out += c;
    }
    return out + "'";
}

bool takesFile(const Option& option) {
    return option.valueName == "FILE" || option.valueName == "DIR";
}

/// Whether a word of a usage, or the value of an option, is one of those that the engine has: which ones.
std::string_view liveKind(std::string_view word) {
    if (word.starts_with("LSN")) return "lsns";
    if (word.starts_with("REF")) return "queues";
    return word == "ID" || word == "ID]" || word.starts_with("WORKER") ? "workers" : "";
}

/// Of the operands of a command, those behind a word of its own included.
std::string_view liveOperands(const Command& command) {
    std::string_view usage = command.usage;
    while (!usage.empty()) {
        const std::size_t end = std::min(usage.find_first_of(" |["), usage.size());
        if (const auto kind = liveKind(usage.substr(0, end)); !kind.empty()) return kind;
        usage.remove_prefix(std::min(end + 1, usage.size()));
    }
    return {};
}

/// "--queue -q --wait -w"
std::string optionWords(const std::vector<Option>& options) {
    std::string out;
    for (const Option& option : options) {
        out += fmt::format("{}--{}", out.empty() ? "" : " ", option.name);
        if (option.letter) out += fmt::format(" -{}", option.letter);
    }
    return out;
}

/// What completes the value of an option: "files", a kind that the engine has, or nothing.
std::string_view kindOf(const Option& option) {
    return takesFile(option) ? "files" : liveKind(option.valueName);
}

/// Options of all commands that want a value of this kind.
std::string valueOptions(std::string_view kind) {
    std::string out;
    const auto add = [&](const std::vector<Option>& options) {
        for (const Option& option : options) {
            if (option.valueName.empty() || kindOf(option) != kind) continue;
            const std::string word = fmt::format("--{}", option.name);
            if (("|" + out + "|").find("|" + word + "|") != std::string::npos) continue;
            out += (out.empty() ? "" : "|") + word;
            if (option.letter) out += fmt::format("|-{}", option.letter);
        }
    };
    add(globalOptions());
    for (const Command& command : commands()) add(command.options);
    return out;
}

/// For a case of a shell: "cancel|kill".
std::string namesOf(const Command& command, std::string_view between) {
    return command.alias.empty() ? std::string(command.name)
                                 : fmt::format("{}{}{}", command.name, between, command.alias);
}

std::string bashScript() {
    std::string names;
    std::string cases;
    for (const Command& command : commands()) {
        names += fmt::format("{} ", command.name);
        cases +=
            fmt::format("        {}) options={} operands={} live={} ;;\n", namesOf(command, "|"),
                        quoted(optionWords(command.options)),
                        quoted(fmt::format("{}", fmt::join(operandWords(command), " "))), liveOperands(command));
    }
    return fmt::format(R"(# yardctl completion for bash: source it, or put it into
# ~/.local/share/bash-completion/completions/yardctl
_yardctl_live() {{ # what the engine has of a kind, before a tab
    local found
    while IFS=$'\t' read -r found _; do
        [[ $found == "$word"* ]] && COMPREPLY+=("$found")
    done < <("${{COMP_WORDS[0]}}" "${{engine[@]}}" completion values "$1" 2>/dev/null)
}}
_yardctl() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before= command= options= operands= live= at place=0
    local -a engine=()
    COMPREPLY=()
    ((COMP_CWORD > 0)) && before=${{COMP_WORDS[COMP_CWORD-1]}}
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${{COMP_WORDS[at]}} in
        --url|--data-dir|--token-file) engine+=("${{COMP_WORDS[at]}}" "${{COMP_WORDS[at+1]}}") ;;&
        {1}|{2}|{5}|{6}) ((at++)) ;;
        --) [[ $command == run ]] && return ;;
        -*) ;;
        *) [[ -n $command ]] && ((place++)); [[ -z $command ]] && command=${{COMP_WORDS[at]}} ;;
        esac
    done
    case $before in
        {2}) COMPREPLY=($(compgen -f -- "$word")); return ;;
        {5}) _yardctl_live lsns; return ;;
        {6}) _yardctl_live queues; return ;;
        {1}) return ;;
    esac
    case $command in
        '') operands={0} ;;
{3}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options {4}" -- "$word"))
    elif ((place == 0)) && [[ -n $operands ]]; then
        COMPREPLY=($(compgen -W "$operands" -- "$word"))
    elif [[ -n $live ]]; then
        _yardctl_live $live
    fi
}}
complete -o default -F _yardctl yardctl
)",
                       quoted(names), valueOptions(""), valueOptions("files"), cases, optionWords(globalOptions()),
                       valueOptions("lsns"), valueOptions("queues"));
}

/// With a backslash before each of these characters.
std::string escaped(std::string_view text, std::string_view characters) {
    std::string out;
    for (const char c : text) {
        if (characters.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string zshAction(std::string_view kind) {
    if (kind.empty()) return {};
    return kind == "files" ? "_files" : fmt::format("{{_yardctl_live {}}}", kind);
}

/// For zsh's _arguments: "'(-q --queue)'{-q,--queue}'[help]:REF:'" as one word each.
std::string zshOption(const Option& option) {
    std::string tail = fmt::format("[{}]", escaped(option.help, "[]"));
    if (!option.valueName.empty())
        tail += fmt::format(":{}:{}", escaped(option.valueName, ":"), zshAction(kindOf(option)));
    std::string out = quoted(fmt::format("*--{}{}", option.name, tail));
    if (option.letter) out += " " + quoted(fmt::format("*-{}{}", option.letter, tail));
    return out;
}

std::string zshScript() {
    std::string names;
    std::string cases;
    std::string global;
    for (const Option& option : globalOptions()) global += " " + zshOption(option);
    for (const Command& command : commands()) {
        names += fmt::format("        {}\n", quoted(fmt::format("{}:{}", command.name, command.summary)));
        std::string words;
        for (const Option& option : command.options) words += " " + zshOption(option);
        const auto operands = operandWords(command);
        const std::string_view live = liveOperands(command);
        const std::string rest = live.empty() ? "_files" : zshAction(live);
        const std::string first = operands.empty() ? rest : fmt::format("({})", fmt::join(operands, " "));
        cases += fmt::format("        {}) _arguments{}{} {} {} ;;\n", namesOf(command, "|"), global, words,
                             quoted(fmt::format("1::{}:{}", operands.empty() ? "operand" : "word", first)),
                             quoted(fmt::format("*:{}:{}", live.empty() ? "file" : live, rest)));
    }
    return fmt::format(R"sh(#compdef yardctl
# yardctl completion for zsh: put it as _yardctl into a directory of $fpath
_yardctl_live() {{ # what the engine has of a kind, with a description behind a tab
    local -a found
    found=(${{(f)"$(yardctl completion values $1 2>/dev/null)"}})
    found=(${{found//:/\\:}})
    found=(${{found/$'\t'/:}})
    _describe -t $1 $1 found
}}
_yardctl() {{
    local curcontext=$curcontext state line
    local -a commands
    commands=(
{0}    )
    _arguments -C{1} '1:command:->command' '*::argument:->argument'
    case $state in
    command) _describe -t commands command commands ;;
    argument)
        case $words[1] in
{2}        esac ;;
    esac
}}
if [[ $funcstack[1] == _yardctl ]]; then _yardctl "$@"; else compdef _yardctl yardctl; fi
)sh",
                       names, global, cases);
}

/// What the engine has of a kind, asked by the yardctl that was typed, of the engine that was typed. A yardctl that is
/// not found offers nothing: fish prints an unknown command even with stderr closed.
constexpr std::string_view kFishLive = R"fish(function __yardctl_live
    set -l words (commandline -opc)
    command -q -- $words[1]; or return
    set -l engine
    for at in (seq (count $words))
        contains -- $words[$at] --url --data-dir --token-file; and set -a engine $words[$at..(math $at + 1)]
    end
    $words[1] $engine completion values $argv 2>/dev/null
end
)fish";

/// Words of the engine's, each with a description behind a tab.
std::string fishLive(std::string_view kind) {
    return fmt::format(" -a \"(__yardctl_live {})\"", kind);
}

std::string fishOption(std::string_view condition, const Option& option) {
    std::string out = fmt::format("complete -c yardctl{} -l {}", condition, option.name);
    if (option.letter) out += fmt::format(" -s {}", option.letter);
    const std::string_view kind = kindOf(option);
    if (!option.valueName.empty()) out += kind == "files" ? " -r -F" : " -x";
    if (!kind.empty() && kind != "files") out += fishLive(kind);
    return fmt::format("{} -d {}\n", out, quoted(option.help));
}

std::string fishScript() {
    std::string out = "# yardctl completion for fish: put it into ~/.config/fish/completions/yardctl.fish\n";
    out += kFishLive;
    std::string names;
    for (const Command& command : commands()) names += fmt::format(" {}", command.name);
    out += fmt::format("set -l commands{}\n", names);
    for (const Option& option : globalOptions()) out += fishOption("", option);
    for (const Command& command : commands()) {
        out += fmt::format("complete -c yardctl -f -n \"not __fish_seen_subcommand_from $commands\" -a {} -d {}\n",
                           command.name, quoted(command.summary));
        const std::string condition = fmt::format(" -n \"__fish_seen_subcommand_from {}\"", namesOf(command, " "));
        for (const Option& option : command.options) out += fishOption(condition, option);
        if (const auto words = operandWords(command); !words.empty())
            out += fmt::format("complete -c yardctl -f{} -a {}\n", condition,
                               quoted(fmt::format("{}", fmt::join(words, " "))));
        if (const std::string_view live = liveOperands(command); !live.empty())
            out += fmt::format("complete -c yardctl -f{}{}\n", condition, fishLive(live));
    }
    return out;
}

} // namespace

std::vector<std::string> operandWords(const Command& command) {
    std::vector<std::string> words;
    std::string word;
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    for (const char c : std::string(command.usage) + " ") {
        if (c != ' ' && c != '|' && c != '[' && c != ']') {
            word += c;
            continue;
        }
        if (word.size() > 1 && word != "options" && std::ranges::all_of(word, isLower)) words.push_back(word);
        word.clear();
    }
    return words;
}

std::optional<std::string> completionScript(std::string_view shell) {
    if (shell == "bash") return bashScript();
    if (shell == "zsh") return zshScript();
    if (shell == "fish") return fishScript();
    return std::nullopt;
}

} // namespace yard::ctl
