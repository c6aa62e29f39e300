// What `map` was asked for, read from its options and from the words behind them. Reads the command line and $PATH alone.
#pragma once

#include "app/yardctl/command.h"
#include "app/yardctl/map/command_template.h"
#include "app/yardctl/map/halt_policy.h"
#include "app/yardctl/map/values.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yard::ctl {

struct MapOptions {
    std::vector<std::string> words{};   ///< of the command
    std::vector<ValueSource> sources{}; ///< at least one, but with a block
    char separator = '\n';
    std::string columns{};
    bool hasHeader = false;     ///< --header: the first value of each source names its columns
    std::size_t headLines = 0;  ///< the same of --pipe: so many lines stand before each piece
    std::optional<Trim> trim{}; ///< nothing: of columns at both ends, else not at all
    bool hasPlus = false;
    bool isQuoted = false; ///< -q
    double delaySeconds = 0;
    std::size_t records = 1; ///< -n
    bool leavesOut = false;  ///< -n 0: each value is a job, and stands nowhere in its command
    std::string whole{"{}"}; ///< -I
    bool isContext = false;  ///< -X
    bool shuffles = false;
    bool skipsBlank = false;
    bool keepsOrder = false;
    bool tags = false;
    bool byLine = false;
    bool isUngrouped = false; ///< by line, and nothing of it is counted
    bool showsBar = false;
    bool isDry = false;
    bool detaches = false;
    std::optional<std::string> jobs{}; ///< -j, as written
    std::optional<std::string> jobLog{};
    bool resumes = false;
    bool resumesFailed = false;
    HaltPolicy halt{};
    std::optional<double> timeoutSeconds{};
    std::optional<double> timeoutPercent{};
    std::optional<std::string> results{};
    std::optional<std::size_t> block{}; ///< bytes; --pipe
};

/// Usage where options do not go together, or one is none.
Outcome<MapOptions> mapOptionsOf(const Arguments& arguments);
std::vector<Option> mapOptions();
/// The words behind the command: `::: A B :::+ C D :::: FILE`. What comes before them is left in `words`.
/// `marks`: what stands for ::: and ::::.
struct SourceMarks {
    std::string values{":::"};
    std::string files{"::::"};
};
Outcome<void> readSources(const std::vector<std::string>& operands, MapOptions& out, const SourceMarks& marks = {});
/// -j of a machine with so many cores: 4, 50%, +2, -1; 0 is as many as there are, to the limit of a queue.
Outcome<std::int64_t> jobsAtOnce(const std::string& text, std::int64_t cores);
/// Bytes of --block: 10M (of 1024), 10m (of 1000), 4096.
Outcome<std::size_t> blockSize(const std::string& text);
/// It is a program on $PATH here: needs no shell to be found.
bool isProgramHere(const std::string& name);

} // namespace yard::ctl
