// The files of the example's worker as text: resources/kits/python, as they were when this was built. Any thread.
#pragma once

#include <string_view>

namespace yard::example {

std::string_view postcardFile();
std::string_view kitFile();

} // namespace yard::example
