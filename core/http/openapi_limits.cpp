// The bounds that schemas and parameters name as #word#, from the constants that the readers hold.
#include "core/http/openapi.h"

#include "core/engine/engine.h"
#include "core/engine/recordings/recording_view.h"
#include "core/engine/recordings/replays.h"
#include "core/engine/state/failures_view.h"
#include "core/engine/state/graph_view.h"
#include "core/engine/state/kinds_view.h"
#include "core/http/request_limits.h"
#include "core/http/search_producer.h"
#include "core/http/tokens.h"
#include "core/json/json_writer.h"
#include "core/model/action_spec.h"
#include "core/model/filter.h"
#include "core/model/limits.h"
#include "core/model/queue.h"
#include "core/model/settings.h"
#include "core/model/terminal_size.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace yard::http {

namespace {

struct Limit {
    std::string_view word;
    double value; ///< whole numbers are exact up to 2^53
};

constexpr double number(auto value) {
    return static_cast<double>(value);
}

/// `latest` is written apart: it is no exact double. A variable: its value, beside a name of one byte.
constexpr std::array kLimits{
    Limit{"amount", number(kMaxNamedAmount) / 1'000},
    Limit{"argument", number(kMaxArgumentBytes)},
    Limit{"arguments", number(kMaxArguments)},
    Limit{"attempt", number(kMaxAttempt)},
    Limit{"author", number(kMostAuthorCharacters)},
    Limit{"bulk", number(kMaxBulk)},
    Limit{"comment", number(kMostCommentCharacters)},
    Limit{"comments", number(kMostComments)},
    Limit{"cores", number(kMaxMilliCores) / 1'000},
    Limit{"cwd", number(kMaxCwdBytes)},
    Limit{"dependencies", number(kMaxDependencies)},
    Limit{"differences", number(engine::kReplayDifferencesOfPage)},
    Limit{"elements", number(kMaxArrayCount)},
    Limit{"exact", number(kMaxExactInteger)},
    Limit{"exit_codes", number(kMaxExitCodes)},
    Limit{"facet_values", number(engine::kMaxFacetValues)},
    Limit{"failure_groups", number(engine::kMostFailureGroups)},
    Limit{"failure_hours", number(engine::kFailureHours)},
    Limit{"failure_values", number(engine::kMostFailureValues)},
    Limit{"failures", number(engine::kMostFailures)},
    Limit{"files", number(kMaxFiles)},
    Limit{"filter", number(kMaxFilterBytes)},
    Limit{"function", number(kMaxFunctionBytes)},
    Limit{"functions", number(kMaxFunctions)},
    Limit{"graph_nodes", number(engine::kMostGraphNodes)},
    Limit{"graph_usual", number(engine::kGraphNodes)},
    Limit{"id", number(kMaxIdBytes)},
    Limit{"inputs", number(kMaxInputs)},
    Limit{"key", number(kMaxKey)},
    Limit{"kinds", number(engine::kMostKindsShown)},
    Limit{"kinds_usual", number(engine::KindQuery{}.limit)},
    Limit{"label", number(kMaxLabelBytes)},
    Limit{"label_limits", number(kMaxLabelLimits)},
    Limit{"last", number(kMostBytes)},
    Limit{"least_weight", kLeastWeight},
    Limit{"locks", number(kMaxLocks)},
    Limit{"lsn", number(kMostLsn)},
    Limit{"machine_words", number(kMaxMachineWords)},
    Limit{"memory_mb", number(kMaxMemoryMb)},
    Limit{"most_s", kMaxSeconds},
    Limit{"most_weight", kMostWeight},
    Limit{"page", number(kMaxPage)},
    Limit{"part", number(engine::kMostLsnsInPart)},
    Limit{"path", number(kMaxPathBytes)},
    Limit{"platform", number(kMaxPlatformBytes)},
    Limit{"priority", number(kMaxPriority)},
    Limit{"processes", number(kMaxProcesses)},
    Limit{"recording_bytes", number(engine::kMostRecordingBytes)},
    Limit{"recording_bytes_usual", number(engine::kUsualRecordingBytes)},
    Limit{"recording_name", number(engine::kMostRecordingName)},
    Limit{"recording_note", number(engine::kMostRecordingNote)},
    Limit{"recordings", number(engine::kMostRecordings)},
    Limit{"regressions", number(engine::kMostRegressionsShown)},
    Limit{"resources", number(kMaxNamedResources + 3)},
    Limit{"retries", number(kMaxRetryLimit)},
    Limit{"rules", number(kMaxRules)},
    Limit{"running", number(kMaxRunning)},
    Limit{"search_lines", number(SearchProducer::kMostLines)},
    Limit{"search_text", number(LineSearch::kMaxText)},
    Limit{"search_usual", number(SearchProducer::kUsualLines)},
    Limit{"seat", number(kMaxSeat)},
    Limit{"side", number(kMaxTerminalSide)},
    Limit{"stdin", number(kMaxStdinText)},
    Limit{"step", number(kLongestStep)},
    Limit{"tag", number(kMaxTag)},
    Limit{"token_name", number(kMostTokenName)},
    Limit{"token_queues", number(kMostTokenQueues)},
    Limit{"token_seconds", number(kLongestToken)},
    Limit{"tokens", number(kMostTokens)},
    Limit{"variable", number(kMaxVariableBytes - 1)},
    Limit{"variables", number(kMaxVariables)},
    Limit{"wait", number(kMaxWaitSeconds)},
    Limit{"word", number(kMaxWordBytes)},
};

std::string valueOf(std::string_view word) {
    if (word == "latest") return std::to_string(kLatest);
    std::string text;
    if (const auto found = std::ranges::find(kLimits, word, &Limit::word); found != kLimits.end()) {
        appendJsonNumber(text, found->value);
        return text;
    }
    // "pool_max", …: a setting that a route takes as well.
    const auto table = settingsTable();
    const auto setting = std::ranges::find(table, word, &SettingInfo::name);
    assert(setting != table.end());
    appendJsonNumber(text, setting->most);
    return text;
}

} // namespace

std::string withLimits(std::string_view text) {
    constexpr std::string_view kOfWord = "abcdefghijklmnopqrstuvwxyz_";
    std::string out;
    out.reserve(text.size());
    for (std::size_t mark = text.find('#'); mark != text.npos; mark = text.find('#')) {
        out += text.substr(0, mark);
        const std::size_t end = text.find_first_not_of(kOfWord, mark + 1);
        const bool isWord = end != text.npos && end > mark + 1 && text[end] == '#';
        if (isWord)
            out += valueOf(text.substr(mark + 1, end - mark - 1));
        else
            out += '#';
        text.remove_prefix(isWord ? end + 1 : mark + 1);
    }
    return out += text;
}

} // namespace yard::http
