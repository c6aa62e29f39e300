// What an attempt's end means: the runner's report as the outcome of docs/api.md, 2. Pure functions; any thread.
#pragma once

#include "core/lease/runner.h"
#include "core/lease/scratch.h"
#include "core/model/result.h"
#include "core/store/rows.h"

#include <string>
#include <vector>

namespace yard::engine {

/// State, reason, exit code, resources and note. Streams are left out: they are kept first.
AttemptOutcome outcomeOf(const runners::Ended& ended);
/// It was ended for this while its outputs were collected: none was kept.
void applyStop(AttemptOutcome& outcome, runners::StopCause cause);
/// Where the deadline was what ended it: the note says how long that is. 0: nobody knows any more.
void applyDeadline(AttemptOutcome& outcome, Duration deadline);
/// What was collected, or why it could not be: may turn Completed into Failed (missing_output, result_too_large).
void applyOutputs(AttemptOutcome& outcome, const Result<runners::GatheredOutputs>& gathered);
/// What another machine left, of which all is in the content store: may turn Completed into Failed (missing_output).
void applyLeft(AttemptOutcome& outcome, std::vector<NamedChunk> outputs, const std::vector<std::string>& expect);
/// A stream of which a part could not be written: an end that is not told as success.
void applyStreamLoss(AttemptOutcome& outcome, const runners::StreamResult& stream, std::string_view which);
/// A small stream as chunk: adds it to `chunks` unless it is empty.
ChunkRef keepSmall(const runners::StreamResult& stream, std::vector<store::SmallChunk>& chunks);
/// The note of a failure from what it printed: its first error line; of one that a signal ended which, and its last
/// line.
std::string noteFrom(const AttemptOutcome& outcome, std::string_view err, std::string_view out);
/// Of a process worker: the last line of its stdout is its result where that is JSON of up to kMaxResult bytes, as
/// the kits print it. `out`: at least one byte more of its end, or all.
void applyPrinted(AttemptOutcome& outcome, std::string_view out);

} // namespace yard::engine
