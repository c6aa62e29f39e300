// Libraries that are loaded while the program runs. A program that is linked statically (the bundle) has no loader and loads
// none: what it would load brings a C library of its own, of whatever version is installed. Any thread.
#pragma once

#include <dlfcn.h>
#include <sys/auxv.h>

namespace yard::host {

/// The kernel says where it has put the loader; nowhere: there is none.
inline bool mayLoadLibraries() {
    return ::getauxval(AT_BASE) != 0;
}

/// A library for as long as this lives.
class LoadedLibrary {
public:
    LoadedLibrary() = default;
    LoadedLibrary(const LoadedLibrary&) = delete;
    LoadedLibrary& operator=(const LoadedLibrary&) = delete;
    ~LoadedLibrary() {
        if (handle_ != nullptr) ::dlclose(handle_);
    }
    /// False: it is not there, or the program loads none.
    bool open(const char* name) {
        if (!mayLoadLibraries()) return false;
        handle_ = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
        return handle_ != nullptr;
    }
    /// False: it has no such function.
    template<class Function>
    bool find(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(::dlsym(handle_, name));
        return function != nullptr;
    }

private:
    void* handle_ = nullptr;
};

} // namespace yard::host
