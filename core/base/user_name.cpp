#include "core/base/user_name.h"

#include <pwd.h>
#include <unistd.h>
#include <vector>

namespace yard {

std::string userName() {
    passwd entry{};
    passwd* found = nullptr;
    std::vector<char> buffer(16u << 10);
    if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found && *found->pw_name)
        return found->pw_name;
    return std::to_string(::geteuid());
}

} // namespace yard
