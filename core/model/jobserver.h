// Whether the processes of an action get tokens for more work at once, and how they reach them (docs/builds.md): the pipe of
// make's jobserver. Values.
#pragma once

#include <string_view>

namespace yard {

class JsonView;
class JsonWriter;
class JsonFields;

enum class Jobserver : unsigned char {
    None,
    Descriptors, ///< of a pipe, which they inherit: what make 4.3 and everything since then knows
    Fifo         ///< the path of a named pipe, which make from 4.4 on and ninja from 1.13 on know
};

/// Of a member: false, true or "fifo". False: refused.
bool readJobserver(JsonFields& fields, JsonView v, Jobserver& out);
/// Left out where it is None.
void writeJobserver(JsonWriter& writer, Jobserver jobserver);

} // namespace yard
