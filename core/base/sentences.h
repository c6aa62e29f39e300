// What several modules say in the same words.
#pragma once

namespace yard {

/// To whoever asks while the engine ends, whichever part of it is there to answer.
inline constexpr const char* kEngineIsStopping = "The engine is stopping; try again when it is back.";
/// To whoever submits work before it takes some.
inline constexpr const char* kEngineIsStarting = "The engine is still starting: try again in a moment.";

} // namespace yard
