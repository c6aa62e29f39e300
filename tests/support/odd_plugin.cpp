// A plugin that is wrong in the way that ODD_PLUGIN says.
#include "core/lifecycle/plugin.h"

#include <cstdlib>
#include <fcntl.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

std::string_view mode() {
    const char* said = std::getenv("ODD_PLUGIN");
    return said ? said : "";
}

int openOdd(void**) {
    return mode() == "unopened" ? 7 : 0;
}

int runOdd(void*, const char* hook, const char*, yard_plugin_answer answer, void* context) {
    if (mode() == "throws") throw std::runtime_error("it may not");
    if (mode() == "long") answer(context, std::string(100'000, 'x').c_str());
    if (mode() == "says") answer(context, hook);
    if (mode() != "gate") return YARD_PLUGIN_OK;
    const int gate = ::open(std::getenv("ODD_PLUGIN_GATE"), O_RDONLY | O_CLOEXEC); // until somebody writes to it
    if (gate >= 0) ::close(gate);
    return YARD_PLUGIN_OK;
}

const char* const kOddHooks[] = {"*_created", nullptr};
const char* const kNoHooks[] = {nullptr};
const char* const kWrongHooks[] = {"whatever", nullptr};

yard_plugin pluginOf(std::string_view how) {
    yard_plugin plugin{sizeof(yard_plugin), YARD_PLUGIN_VERSION, "odd", kOddHooks, openOdd, runOdd, nullptr};
    if (how == "small") plugin.size = 8;
    if (how == "version") plugin.version = YARD_PLUGIN_VERSION + 1;
    if (how == "nameless") plugin.name = "no name";
    if (how == "idle") plugin.run = nullptr;
    if (how == "hookless") plugin.hooks = kNoHooks;
    if (how == "hooks") plugin.hooks = kWrongHooks;
    return plugin;
}

} // namespace

extern "C" __attribute__((visibility("default"))) const yard_plugin* yard_plugin_v1() {
    static yard_plugin plugin;
    plugin = pluginOf(mode());
    return mode() == "nothing" ? nullptr : &plugin;
}
