// The other system of an allocator: Slurm, or a person's commands. What is run for a start, a list and an end, and what
// the answers mean.
//
// Values; nothing is run here. Every answer is hostile: what of it is read has a limit.
#pragma once

#include "core/engine/allocators/definition.h"
#include "core/engine/state/pilot_tickets.h"
#include "core/host/command_run.h"

#include <string>
#include <string_view>
#include <vector>

namespace yard::engine {

class OtherSystem {
public:
    /// `engineId`: of the data directory: two yards of one user do not end each other's jobs.
    OtherSystem(const AllocatorDefinition& definition, std::string engineId, std::string yardName)
        : definition_(definition)
        , engineId_(std::move(engineId))
        , yardName_(std::move(yardName)) {}

    /// `pilot`: as the machine calls itself.
    host::CommandOrder start(const std::string& pilot, const std::string& secret,
                             const PilotTickets::Place& place) const;
    /// The job. Io or Malformed, with the other system's sentence.
    Result<std::string> started(const Result<host::CommandEnd>& end) const;
    host::CommandOrder list() const;
    Result<std::vector<allocators::Listed>> listed(const Result<host::CommandEnd>& end) const;
    /// One or several orders, for all of them. `jobs` is not empty.
    std::vector<host::CommandOrder> end(const std::vector<std::string>& jobs) const;
    /// All jobs that a list names are this allocator's: those that nobody here knows are left over from a start whose
    /// answer was lost.
    bool namesOwnJobsOnly() const { return definition_.kind == AllocatorKind::Slurm; }

private:
    bool isSlurm() const { return definition_.kind == AllocatorKind::Slurm; }
    std::string sentenceOf(std::string_view what, const host::CommandEnd& end) const;
    host::CommandOrder shell(const std::string& line) const;

    AllocatorDefinition definition_;
    std::string engineId_;
    std::string yardName_;
};

} // namespace yard::engine
