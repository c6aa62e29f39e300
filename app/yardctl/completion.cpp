#include "app/yardctl/completion.h"

#include "core/model/annotation.h"

#include <algorithm>
#include <array>
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

/// Kinds of words that yardctl itself offers, most of them from the engine: 'completion values KIND'.
constexpr std::array<std::string_view, 20> kLiveKinds = {
    "lsns",      "active", "pending",  "startable", "held",     "failed",   "ended",
    "terminals", "queues", "workers",  "filters",   "settings", "sorts",    "columns",
    "facets",    "kinds",  "commands", "rights",    "tokens",   "schedules"};

/// Whether a word of a usage, or the value of an option, is one of those: which ones.
std::string_view liveKind(std::string_view word) {
    if (word.starts_with("LSN")) return "lsns";
    if (word.starts_with("COMMAND")) return "commands";
    if (word.starts_with("REF")) return "queues";
    if (word.starts_with("FILTER") || word == "F") return "filters";
    if (word.starts_with("NAME=VALUE")) return "settings";
    if (word == "FIELD") return "sorts";
    if (word == "COLUMNS") return "columns";
    if (word == "FACETS") return "facets";
    if (word == "KIND") return "kinds";
    if (word == "RIGHT") return "rights";
    return word == "ID" || word == "ID]" || word.starts_with("WORKER") ? "workers" : "";
}

/// Of the operands of a command, those behind a word of its own included.
std::string_view liveOperands(const Command& command) {
    if (!command.live.empty()) return command.live;
    if (command.takesFilter) return "filters"; // LSNs among them
    std::string_view usage = command.usage;
    while (!usage.empty()) {
        const std::size_t end = std::min(usage.find_first_of(" |["), usage.size());
        const std::string_view word = usage.substr(0, end);
        usage.remove_prefix(std::min(end + 1, usage.size()));
        if (word.starts_with("--")) { // its value is none of them
            const auto option = std::ranges::find(command.options, word.substr(2), &Option::name);
            if (option != command.options.end() && !option->valueName.empty())
                usage.remove_prefix(std::min(usage.find_first_of(" |["), usage.size()));
        } else if (const auto kind = liveKind(word); !kind.empty()) {
            return kind;
        }
    }
    return {};
}

/// Of the operands of a command: some of them are files.
bool takesFiles(const Command& command) {
    return command.usage.find("FILE") != command.usage.npos || command.usage.find("PATH") != command.usage.npos;
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

/// For a case of a shell: "cancel|kill".
std::string namesOf(const Command& command, std::string_view between) {
    return command.alias.empty() ? std::string(command.name)
                                 : fmt::format("{}{}{}", command.name, between, command.alias);
}

/// Options that want a value of this kind, as patterns of "COMMAND OPTION": one letter means another thing elsewhere.
std::string valueOptions(std::string_view kind) {
    std::string out;
    const auto add = [&](std::string_view command, const std::vector<Option>& options) {
        for (const Option& option : options) {
            if (option.valueName.empty() || kindOf(option) != kind) continue;
            out += fmt::format("{}{}\\ --{}", out.empty() ? "" : "|", command, option.name);
            if (option.letter) out += fmt::format("|{}\\ -{}", command, option.letter);
        }
    };
    add("*", globalOptions());
    for (const Command& command : commands()) {
        add(command.name, command.options);
        if (!command.alias.empty()) add(command.alias, command.options);
    }
    return out;
}

/// What stands in COMP_WORDS is cut at colons and the like, also within a word. $1 is the command typed.
constexpr std::string_view kBashHelpers = R"sh(# yardctl completion for bash: source it, or put it into
# ~/.local/share/bash-completion/completions/yardctl
_yardctl_live() { # what there is of a kind, before a tab
    local found open=
    compopt -o nosort 2>/dev/null # what comes first was put there; bash 4.4
    while IFS=$'\t' read -r found _; do
        [[ $found == "$word"* ]] || continue
        [[ $found == *[:=] ]] && open=1
        found=${found#"$cut"}
        [[ -z $quote && $found == *[\ \"\'\<\>\&\;\(\)\$]* ]] && printf -v found %q "$found"
        COMPREPLY+=("$found")
    done < <("${words[0]}" "${engine[@]}" completion values "$1" -- "$word" 2>/dev/null)
    [[ -n $open || $1 == columns ]] && compopt -o nospace 2>/dev/null
}
_yardctl_program() { # the program at $1 of the words, or what that one takes: files
    local found
    if (($1 < last)) || [[ $word == */* || $word == \~* ]]; then
        compopt -o default 2>/dev/null
        return
    fi
    while read -r found; do
        type -P -- "$found" >/dev/null && COMPREPLY+=("$found") # functions and aliases are of this shell alone
    done < <(compgen -c -- "$word" | sort -u)
}
_yardctl_words() { # the words up to the cursor as they were typed; cut: what of the last one stays as it is
    local rest=$COMP_LINE piece gap at breaks=${COMP_WORDBREAKS//[!:=<>]/}
    for ((at = 0; at <= COMP_CWORD; at++)); do
        piece=${COMP_WORDS[at]}
        gap=${rest%%[![:blank:]]*}
        rest=${rest#"$gap"}
        rest=${rest#"$piece"}
        cut=
        if ((at == 0)) || [[ -z $COMP_LINE || -n $gap || -z $piece ]]; then
            words+=("$piece")
        else
            words[${#words[@]}-1]+=$piece
            piece=${words[${#words[@]}-1]}
            [[ -n $breaks ]] && cut=${piece%"${piece##*["$breaks"]}"}
        fi
    done
}
)sh";

// NOLINTNEXTLINE(readability-function-size): a script
std::string bashScript() {
    std::string names;
    std::string cases;
    for (const Command& command : commands()) {
        names += fmt::format("{} ", command.name);
        cases += fmt::format("        {}) options={} operands={} files={} live={} ;;\n", namesOf(command, "|"),
                             quoted(optionWords(command.options)),
                             quoted(fmt::format("{}", fmt::join(operandWords(command), " "))),
                             takesFiles(command) ? "1" : "", liveOperands(command));
    }
    std::string values;
    std::string live;
    for (const std::string_view kind : kLiveKinds)
        if (const std::string options = valueOptions(kind); !options.empty()) {
            values += "|" + options;
            live += fmt::format("        {}) _yardctl_live {}; return ;;\n", options, kind);
        }
    return std::string(kBashHelpers) + fmt::format(R"(_yardctl() {{
    local word cut= quote= before= command= options= operands= files= live= at last place=0
    local -a words=() engine=()
    COMPREPLY=()
    _yardctl_words
    last=$((${{#words[@]}} - 1))
    word=${{words[last]}}
    for ((at = 1; at < last; at++)); do
        case ${{words[at]}} in
        --url|--data-dir|--token-file) engine+=("${{words[at]}}" "${{words[at+1]}}") ;;
        --url=*|--data-dir=*|--token-file=*) engine+=("${{words[at]}}") ;;
        esac
        case "$command ${{words[at]}}" in
        {1}|{2}{5}) ((at++)) ;;
        run\ --|map\ --) _yardctl_program $((at + 1)); return ;;
        *\ -*) ;;
        run\ *|map\ *) _yardctl_program $at; return ;;
        *) [[ -n $command ]] && ((place++)); [[ -z $command ]] && command=${{words[at]}} ;;
        esac
    done
    ((last > 0)) && before=${{words[last-1]}}
    if [[ $word == --*=* ]]; then
        before=${{word%%=*}} word=${{word#*=}} cut=${{cut#"$before="}}
    fi
    if [[ $word == [\'\"]* ]]; then
        quote=${{word:0:1}} word=${{word:1}} cut=
    fi
    case "$command $before" in
        {2}) compopt -o filenames 2>/dev/null # a directory is gone on in
            mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
{6}        {1}) return ;;
    esac
    case $command in
        '') operands={0} ;;
{3}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options {4}" -- "$word"))
        [[ $live == filters && $word != --* ]] && _yardctl_live filters
    elif ((place == 0)) && [[ -n $operands ]]; then
        COMPREPLY=($(compgen -W "$operands" -- "$word"))
    elif [[ $command == run || $command == map ]]; then
        _yardctl_program $last
    elif [[ -n $live ]]; then
        _yardctl_live $live
    fi
    [[ -n $files && ${{#COMPREPLY[@]}} == 0 ]] && compopt -o default 2>/dev/null
    return 0
}}
complete -F _yardctl yardctl
)",
                                                   quoted(names), valueOptions(""), valueOptions("files"), cases,
                                                   optionWords(globalOptions()), values, live);
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
        const std::string rest = live.empty() && takesFiles(command) ? "_files" : zshAction(live);
        if (command.firstOperandEndsOptions) {
            cases += fmt::format(
                "        {}) _arguments -S{}{} '(-)1:program:_command_names -e' '*::argument:_normal' ;;\n",
                command.name, global, words);
            continue;
        }
        const std::string first = operands.empty() ? rest : fmt::format("({})", fmt::join(operands, " "));
        cases += fmt::format("        {}) _arguments{}{} {} {} ;;\n", namesOf(command, "|"), global, words,
                             quoted(fmt::format("1::{}:{}", operands.empty() ? "operand" : "word", first)),
                             quoted(fmt::format("*:{}:{}", live.empty() ? "file" : live, rest)));
    }
    return fmt::format(R"sh(#compdef yardctl
# yardctl completion for zsh: put it as _yardctl into a directory of $fpath
_yardctl_live() {{ # what there is of a kind, with a description behind a tab; typed: yardctl and its engine
    local -a found more
    found=(${{(f)"$($typed completion values $1 -- "${{(Q)PREFIX}}" 2>/dev/null)"}})
    found=(${{found//:/\\:}})
    more=(${{(M)found:#*(\\:|=)$'\t'*}}) # a value follows
    found=(${{found:#*(\\:|=)$'\t'*}})
    found=(${{found/$'\t'/:}})
    more=(${{more/$'\t'/:}})
    _describe -V -t $1 $1 found -- more -S ''
}}
_yardctl() {{
    local curcontext=$curcontext state line at
    local -a known typed # zsh has a "commands" of its own
    typed=("${{(Q)words[1]}}")
    for ((at = 2; at < CURRENT; at++)); do
        case $words[at] in
        --url|--data-dir|--token-file) typed+=($words[at] "${{(Q)words[at+1]}}") ;;
        --url=*|--data-dir=*|--token-file=*) typed+=("${{(Q)words[at]}}") ;;
        esac
    done
    known=(
{0}    )
    _arguments -C{1} '1:command:->command' '*::argument:->argument'
    case $state in
    command) _describe -t commands command known ;;
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
    set -l word (commandline -ct | string trim -l -c '\'"' | string replace -r -- '^--[a-z-]+=' '')
    $words[1] $engine completion values $argv -- "$word" 2>/dev/null
end
)fish";

/// The words behind `run` or `map` and its options are a command line of their own. {0}: options that have a value; {1}: the
/// command.
constexpr std::string_view kFishProgram = R"fish(function __yardctl_program_of_{1}
    set -l words (commandline -opc)
    set -l at (contains -i -- {1} $words); or return
    set -e words[1..$at]
    while set -q words[1]
        switch $words[1]
            case --
                set -e words[1]
                break
            case {0}
                set -e words[1]
                set -q words[1]; and set -e words[1]
            case '-*'
                set -e words[1]
            case '*'
                break
        end
    end
    complete -C (string join ' ' -- (string escape -- $words) (commandline -ct))
end
)fish";

/// "--queue -q"
std::string optionsWithValue(const Command& command) {
    std::string out;
    for (const std::vector<Option>* options : {&command.options, &globalOptions()})
        for (const Option& option : *options) {
            if (option.valueName.empty()) continue;
            out += fmt::format("{}--{}", out.empty() ? "" : " ", option.name);
            if (option.letter) out += fmt::format(" -{}", option.letter);
        }
    return out;
}

/// Words of the engine's in its order, each with a description behind a tab.
std::string fishLive(std::string_view kind) {
    return fmt::format(" -k -a \"(__yardctl_live {})\"", kind);
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
        if (command.firstOperandEndsOptions) {
            out += fmt::format(kFishProgram, optionsWithValue(command), command.name);
            out +=
                fmt::format("complete -c yardctl -f{} -a \"(__yardctl_program_of_{})\"\n", condition, command.name);
        } else if (!takesFiles(command)) {
            out += fmt::format("complete -c yardctl -f{}\n", condition);
        }
    }
    return out;
}

} // namespace

std::vector<std::string> operandWords(const Command& command) {
    std::vector<std::string> words;
    if (command.firstOperandEndsOptions) return words; // they are another program's
    if (command.usage.starts_with("COLOUR"))
        for (std::size_t i = 1; i < kMarks; ++i) words.emplace_back(name(static_cast<Mark>(i)));
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
