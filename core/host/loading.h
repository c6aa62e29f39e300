// Whether libraries can be loaded while the program runs. A program that is linked statically (the bundle) has no loader:
// what it would load brings a C library of its own, of whatever version is installed. Any thread.
#pragma once

#include <sys/auxv.h>

namespace yard::host {

/// The kernel says where it has put the loader; nowhere: there is none.
inline bool mayLoadLibraries() {
    return ::getauxval(AT_BASE) != 0;
}

} // namespace yard::host
