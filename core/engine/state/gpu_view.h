// A GPU as people see it: what it is, and what it did at the last look. A value.
#pragma once

#include "core/base/clock.h"
#include "core/host/gpu.h"

namespace yard::engine {

struct GpuView {
    host::Gpu gpu;
    host::GpuFigures figures;
    MonoTime at{}; ///< when that look began
};

} // namespace yard::engine
