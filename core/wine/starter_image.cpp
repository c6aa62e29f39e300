#include "core/wine/starter_image.h"

#include "core/base/embedded.h"

#include <cstddef>

#ifdef YARD_STARTER_IMAGE
YARD_EMBED(yard_starter, YARD_STARTER_IMAGE);
#endif

namespace yard::wine {

std::string_view starterImage() {
#ifdef YARD_STARTER_IMAGE
    return {yard_starter_begin, static_cast<std::size_t>(yard_starter_end - yard_starter_begin)};
#else
    return {};
#endif
}

} // namespace yard::wine
