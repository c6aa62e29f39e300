// Attempts as JSON objects, for lists of them and for one alone: what `attempts` of a result has, and more. Values; any
// thread.
#pragma once

#include "core/json/json_writer.h"
#include "core/model/result.h"

#include <vector>

namespace yard {

/// Members of the object that is open: those of `attempts` in a result, then what the attempt left: `outputs`, `result` and
/// `denied`.
void writeAttemptMembers(JsonWriter& writer, const AttemptRecord& attempt);
/// An object: what an attempt used at one moment.
void writeSample(JsonWriter& writer, const UsageSample& sample);
/// The member `samples` of the object that is open.
void writeSamples(JsonWriter& writer, const std::vector<UsageSample>& samples);

} // namespace yard
