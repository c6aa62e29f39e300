#include "core/base/thread_name.h"

#include <pthread.h>

namespace yard {

void nameThisThread(const std::string& name) {
    constexpr std::size_t kLongest = 15;
    ::pthread_setname_np(::pthread_self(), name.substr(0, kLongest).c_str());
}

} // namespace yard
