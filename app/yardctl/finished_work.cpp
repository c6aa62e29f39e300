#include "app/yardctl/finished_work.h"

#include "app/yardctl/action_view.h"
#include "app/yardctl/http_client.h"
#include "app/yardctl/pages.h"
#include "core/model/limits.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace yard::ctl {

namespace {

constexpr std::string_view kOtherKind = "others";

std::string finishedKind(const json::object& row) {
    std::string kind(textOf(row, "worker_name"));
    for (const char* member : {"function", "label"})
        if (const std::string_view part = textOf(row, member); !part.empty()) kind += fmt::format(" {}", part);
    if (textOf(row, "label").empty() && textOf(row, "function").empty())
        kind += fmt::format(" {}", textOf(row, "name"));
    return kind;
}

/// Amounts of an object with "cores" and "memory_mb"; what it does not say stays.
void takeAmounts(const json::object& from, Resources& into) {
    constexpr double kMilli = 1'000;
    if (const auto cores = numberOf(from, "cores");
        cores && *cores > 0 && *cores * kMilli <= double(kMaxMilliCores))
        into.milliCores = std::max<std::int64_t>(std::llround(*cores * kMilli), 1);
    if (const auto memory = integerOf(from, "memory_mb"); memory && *memory >= 0 && *memory <= kMaxMemoryMb)
        into.memoryMb = *memory;
}

class FinishedWork {
public:
    explicit FinishedWork(Engine& engine)
        : engine_(engine) {}

    Outcome<simulate::Work> read(std::int64_t days) {
        if (auto known = readWorkers(); !known) return std::unexpected(known.error());
        const std::string query = percentEncode(fmt::format("state:completed finished:-{}d..now", days));
        Pages pages(engine_);
        while (!pages.atEnd() && jobs_.size() < kMostFinished) {
            const auto page = pages.next("jobs?limit=1000&sort=lsn&q=" + query);
            if (!page) return std::unexpected(page.error());
            if (const json::array* rows = arrayOf(page->object, "jobs"))
                for (const json::value& row : *rows)
                    if (const json::object* action = row.if_object()) add(*action);
        }
        if (jobs_.empty())
            return failed(days == 1 ? "nothing completed here in the last day"
                                    : fmt::format("nothing completed here in the last {} days", days));
        if (jobs_.size() > kMostFinished) jobs_.resize(kMostFinished);
        return simulate::workOf(std::move(kinds_), std::move(jobs_));
    }

private:
    /// What they ask for is not in the rows of their actions.
    Outcome<void> readWorkers() {
        const auto answer = engine_.get("workers/all");
        if (!answer) return failedWith(answer.error());
        if (const json::array* workers = arrayOf(answer->object, "workers"))
            for (const json::value& value : *workers)
                if (const json::object* worker = value.if_object())
                    takeAmounts(*worker, workers_[std::string(textOf(*worker, "id"))]);
        return {};
    }

    /// As the spec of the first one says it, which stands for all of its kind.
    Resources needOf(const json::object& row) {
        Resources need;
        if (const auto at = workers_.find(std::string(textOf(row, "worker"))); at != workers_.end())
            need = at->second;
        const auto lsn = integerOf(row, "lsn");
        const auto spec = lsn ? engine_.get(fmt::format("jobs/{}/spec", *lsn)) : std::unexpected(Error{});
        if (const json::object* asked = spec ? objectOf(spec->object, "resources") : nullptr)
            takeAmounts(*asked, need);
        return need;
    }

    std::uint32_t kindNumber(const json::object& row) {
        std::string kind = finishedKind(row);
        if (const auto at = numbers_.find(kind); at != numbers_.end()) return at->second;
        const bool isOther = numbers_.size() >= kMostFinishedKinds;
        if (isOther && others_) return *others_;
        const auto number = static_cast<std::uint32_t>(kinds_.size());
        if (isOther) {
            others_ = number;
            kinds_.push_back({.name = std::string(kOtherKind), .need = {}});
        } else {
            kinds_.push_back({.name = kind, .need = needOf(row)});
            numbers_.emplace(std::move(kind), number);
        }
        return number;
    }

    void add(const json::object& row) {
        const json::object* times = objectOf(row, "timestamps");
        if (!times) return;
        const auto arrived = integerOf(*times, "new");
        const auto began = integerOf(*times, "submitting");
        const auto ended = integerOf(*times, "completed");
        if (!arrived || !began || !ended || *ended < *began) return;
        jobs_.push_back(
            {.arrival = Duration(*arrived), .took = Duration(*ended - *began), .kind = kindNumber(row)});
    }

    Engine& engine_;
    std::map<std::string, Resources> workers_; ///< by id
    std::map<std::string, std::uint32_t> numbers_;
    std::optional<std::uint32_t> others_;
    std::vector<simulate::Kind> kinds_;
    std::vector<simulate::Job> jobs_;
};

} // namespace

Outcome<simulate::Work> finishedWork(Engine& engine, std::int64_t days) {
    return FinishedWork(engine).read(days);
}

} // namespace yard::ctl
