#include "core/engine/allocators/other_system.h"

#include <fmt/format.h>

namespace yard::engine {

namespace {

constexpr std::string_view kTooMuchSaid = "It printed over 16 MiB.";

} // namespace

host::CommandOrder OtherSystem::shell(const std::string& line) const {
    host::CommandOrder order;
    order.argv = allocators::shellCommand(line);
    order.env = {{"YARD_NAME", yardName_}, {"YARD_ALLOCATOR", fmt::format("{}-{}", definition_.name, engineId_)}};
    return order;
}

host::CommandOrder OtherSystem::start(const std::string& pilot, const std::string& secret,
                                      const PilotTickets::Place& place) const {
    host::CommandOrder order;
    if (isSlurm()) {
        const allocators::SlurmOptions options = slurmOf(definition_);
        order.argv = allocators::submitCommand(options, allocators::jobName(definition_.name, engineId_));
        order.input = allocators::pilotScript(options);
        order.env = {{"YARD_NAME", yardName_}};
    } else {
        order = shell(definition_.commands.start);
    }
    // What is an argument others on this machine can read.
    order.env.emplace_back("YARD_JOIN_URL", place.url);
    order.env.emplace_back("YARD_JOIN_TOKEN",
                           place.fingerprint.empty() ? secret : fmt::format("{}.{}", secret, place.fingerprint));
    order.env.emplace_back("YARD_PILOT", pilot);
    return order;
}

std::string OtherSystem::sentenceOf(std::string_view what, const host::CommandEnd& end) const {
    return isSlurm() ? allocators::slurmSentence(end.err, end.exitCode)
                     : allocators::commandSentence(what, end.err, end.exitCode);
}

Result<std::string> OtherSystem::started(const Result<host::CommandEnd>& end) const {
    if (!end) return std::unexpected(end.error());
    if (end->exitCode != 0) return fail(ErrorKind::Io, sentenceOf("start", *end));
    return isSlurm() ? allocators::readSubmitted(end->out) : allocators::readStarted(end->out);
}

host::CommandOrder OtherSystem::list() const {
    if (!isSlurm()) return shell(definition_.commands.list);
    host::CommandOrder order;
    order.argv = allocators::listCommand();
    return order;
}

Result<std::vector<allocators::Listed>> OtherSystem::listed(const Result<host::CommandEnd>& end) const {
    if (!end) return std::unexpected(end.error());
    if (end->exitCode != 0) return fail(ErrorKind::Io, sentenceOf("list", *end));
    if (end->isTooLong)
        return fail(ErrorKind::TooLarge, std::string(kTooMuchSaid)); // jobs that were cut off would count as gone
    if (isSlurm()) return allocators::readListed(end->out, allocators::jobName(definition_.name, engineId_));
    return allocators::readListedLines(end->out);
}

std::vector<host::CommandOrder> OtherSystem::end(const std::vector<std::string>& jobs) const {
    std::vector<host::CommandOrder> orders;
    if (isSlurm()) {
        orders.emplace_back().argv = allocators::endCommand(jobs);
        return orders;
    }
    for (const std::string& job : jobs) {
        orders.push_back(shell(definition_.commands.stop));
        orders.back().env.emplace_back("YARD_JOB", job);
    }
    return orders;
}

} // namespace yard::engine
