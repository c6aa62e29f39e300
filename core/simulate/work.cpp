#include "core/simulate/work.h"

#include "core/model/limits.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <tuple>
#include <utility>

namespace yard::simulate {

namespace json = boost::json;

namespace {

constexpr double kMicros = 1e6;
constexpr double kQuantile95 = 1.6448536269514722; ///< of the standard normal distribution
constexpr double kTwoPi = 6.283185307179586;

/// A kind of the model: what it is, and how it is drawn.
struct Drawn {
    Kind kind;
    double share = 0;
    double mean = 0;  ///< of the logarithm of its seconds
    double sigma = 0; ///< likewise
};

struct Model {
    std::int64_t actions = 0;
    double arrivalSeconds = 0;
    std::vector<Drawn> kinds;
};

/// Reads members of one object, keeps the first error.
class Reader {
public:
    Reader(const json::object& object, std::string at)
        : object_(object)
        , at_(std::move(at)) {}

    std::string path(std::string_view member) const { return at_ + std::string(member); }
    void refuse(std::string_view member, std::string_view what) {
        if (!error_) error_ = invalid(path(member), fmt::format("Give \"{}\" as {}.", path(member), what)).error();
    }
    double number(std::string_view member, double least, double most, std::optional<double> usual = {}) {
        const json::value* value = object_.if_contains(member);
        if (!value && usual) return *usual;
        boost::system::error_code failed;
        const double number = value && value->is_number() ? value->to_number<double>(failed) : least - 1;
        if (number >= least && number <= most) return number;
        refuse(member, fmt::format("a number from {} to {}", least, most));
        return least;
    }
    void knows(std::initializer_list<std::string_view> members) {
        for (const auto& [name, value] : object_)
            if (std::ranges::find(members, std::string_view(name)) == members.end() && !error_)
                error_ =
                    invalid(path(name), fmt::format("Remove \"{}\" or correct its spelling: a model has no such "
                                                    "member.",
                                                    path(name)))
                        .error();
    }
    const json::object& object() const { return object_; }
    const std::optional<Error>& error() const { return error_; }
    void take(const std::optional<Error>& of) {
        if (!error_) error_ = of;
    }

private:
    const json::object& object_;
    std::string at_;
    std::optional<Error> error_;
};

void readSeconds(Reader& reader, Drawn& drawn) {
    const json::value* seconds = reader.object().if_contains("seconds");
    if (!seconds || !seconds->is_object()) return reader.refuse("seconds", "an object with \"p50\" and \"p95\"");
    Reader inner(seconds->get_object(), reader.path("seconds."));
    inner.knows({"p50", "p95"});
    constexpr double kLeast = 1e-6;
    const double p50 = inner.number("p50", kLeast, kMaxSeconds);
    const double p95 = inner.number("p95", p50, kMaxSeconds);
    reader.take(inner.error());
    drawn.mean = std::log(p50);
    drawn.sigma = std::log(p95 / p50) / kQuantile95;
}

std::optional<Error> readKind(const json::value& value, std::size_t index, Model& model) {
    const std::string at = fmt::format("kinds[{}]", index);
    if (!value.is_object()) return invalid(at, fmt::format("Give \"{}\" as an object.", at)).error();
    Reader reader(value.get_object(), at + ".");
    reader.knows({"name", "share", "cores", "memory_mb", "seconds"});
    Drawn& drawn = model.kinds.emplace_back();
    const json::value* name = reader.object().if_contains("name");
    if (name && name->is_string() && !name->get_string().empty() && name->get_string().size() <= kMaxLabelBytes)
        drawn.kind.name = name->get_string();
    else
        reader.refuse("name", fmt::format("text of 1 to {} bytes", kMaxLabelBytes));
    const auto isSame = [&](const Drawn& other) { return other.kind.name == drawn.kind.name; };
    if (std::ranges::count_if(model.kinds, isSame) > 1) reader.refuse("name", "a name that no other kind has");
    constexpr double kMilli = 1'000;
    constexpr double kMostShare = 1e9;
    drawn.share = reader.number("share", 0, kMostShare, 1.0);
    drawn.kind.need.milliCores = static_cast<std::int64_t>(
        std::llround(reader.number("cores", 1 / kMilli, double(kMaxMilliCores) / kMilli, 1.0) * kMilli));
    drawn.kind.need.memoryMb =
        static_cast<std::int64_t>(reader.number("memory_mb", 0, static_cast<double>(kMaxMemoryMb), 0.0));
    readSeconds(reader, drawn);
    return reader.error();
}

Result<Model> readModel(std::string_view text) {
    boost::system::error_code failed;
    const json::value value = json::parse(text, failed);
    if (failed) return fail(ErrorKind::Malformed, fmt::format("The model is not JSON: {}.", failed.message()));
    if (!value.is_object()) return invalid("", "Give the model as a JSON object.");
    Reader reader(value.get_object(), {});
    reader.knows({"actions", "kinds", "arrival_s"});
    Model model;
    model.actions = static_cast<std::int64_t>(reader.number("actions", 1, double(kMostActions)));
    model.arrivalSeconds = reader.number("arrival_s", 0, kMaxSeconds, 0.0);
    const json::value* kinds = reader.object().if_contains("kinds");
    const json::array* list = kinds ? kinds->if_array() : nullptr;
    if (!list || list->empty() || list->size() > kMostKinds)
        reader.refuse("kinds", fmt::format("a list of 1 to {} kinds", kMostKinds));
    for (std::size_t i = 0; !reader.error() && i < list->size(); ++i) reader.take(readKind((*list)[i], i, model));
    if (!reader.error() && std::ranges::all_of(model.kinds, [](const Drawn& kind) { return kind.share <= 0; }))
        reader.refuse("kinds", "a list in which one kind at least has a share above 0");
    if (reader.error()) return std::unexpected(*reader.error());
    return model;
}

/// Numbers of the standard library's distributions differ between libraries; these do not.
class Draws {
public:
    explicit Draws(std::uint64_t seed)
        : state_(seed) {}
    /// Above 0, below 1.
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) / 9007199254740992.0; }
    double normal() {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(kTwoPi * uniform());
    }

private:
    std::uint64_t next() { // splitmix64
        std::uint64_t x = state_ += 0x9e3779b97f4a7c15ULL;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31);
    }
    std::uint64_t state_;
};

Duration microsOf(double seconds) {
    return Duration(std::llround(std::clamp(seconds, 0.0, kMaxSeconds) * kMicros));
}

} // namespace

Result<Work> workFromModel(std::string_view text, std::uint64_t seed) {
    if (text.size() > kMostModelBytes)
        return fail(ErrorKind::TooLarge, fmt::format("A model has at most {} bytes.", kMostModelBytes));
    const Result<Model> model = readModel(text);
    if (!model) return std::unexpected(model.error());
    Work work;
    std::vector<double> upTo; // shares, summed
    for (const Drawn& drawn : model->kinds) {
        work.kinds.push_back(drawn.kind);
        upTo.push_back((upTo.empty() ? 0 : upTo.back()) + drawn.share);
    }
    Draws draws(seed);
    work.jobs.reserve(static_cast<std::size_t>(model->actions));
    const double apart = model->arrivalSeconds / static_cast<double>(model->actions);
    for (std::int64_t i = 0; i < model->actions; ++i) {
        const auto at = std::ranges::upper_bound(upTo, draws.uniform() * upTo.back());
        const auto kind = static_cast<std::size_t>(std::min(at, upTo.end() - 1) - upTo.begin());
        const Drawn& drawn = model->kinds[kind];
        work.jobs.push_back({.arrival = microsOf(static_cast<double>(i) * apart),
                             .took = microsOf(std::exp(drawn.mean + drawn.sigma * draws.normal())),
                             .kind = static_cast<std::uint32_t>(kind)});
    }
    return work;
}

Work workOf(std::vector<Kind> kinds, std::vector<Job> jobs) {
    std::ranges::sort(jobs, {}, [](const Job& job) { return std::tuple(job.arrival, job.kind, job.took); });
    if (!jobs.empty())
        for (const Duration first = jobs.front().arrival; Job & job : jobs) job.arrival -= first;
    return {.kinds = std::move(kinds), .jobs = std::move(jobs)};
}

} // namespace yard::simulate
