// A plugin to begin with (docs/objects.md, "Hooks"): it writes each move of each object into a file, a line of JSON each,
// and refuses objects whose fields name a word that it does not like.
//
//     c++ -std=c++17 -shared -fPIC -I core/lifecycle -o audit.so resources/samples/plugin/audit.cpp
//     AUDIT_FILE=moves.jsonl AUDIT_REFUSES=casino yardmaster --plugin ./audit.so
#include "plugin.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

int openAudit(void** self) {
    const char* path = std::getenv("AUDIT_FILE");
    std::FILE* file = std::fopen(path ? path : "audit.jsonl", "ae");
    if (!file) {
        std::perror("audit: open AUDIT_FILE");
        return 1;
    }
    *self = file;
    return 0;
}

int runAudit(void* self, const char* hook, const char* json, yard_plugin_answer answer, void* context) {
    const char* const end = std::strrchr(hook, '_');
    if (end && std::strcmp(end, "_clean") == 0) {
        const char* const word = std::getenv("AUDIT_REFUSES");
        if (!word || !std::strstr(json, word)) return YARD_PLUGIN_OK;
        answer(context, "The audit does not let this in.");
        return YARD_PLUGIN_REFUSED;
    }
    auto* const file = static_cast<std::FILE*>(self);
    const bool isWritten = std::fprintf(file, "%s\n", json) > 0 && std::fflush(file) == 0;
    return isWritten ? YARD_PLUGIN_OK : 2;
}

void closeAudit(void* self) {
    std::fclose(static_cast<std::FILE*>(self));
}

const char* const kAuditHooks[] = {"*_clean", "transition_*_from_*_to_*_end", nullptr};

const yard_plugin kAudit = {sizeof(yard_plugin), YARD_PLUGIN_VERSION, "audit", kAuditHooks, openAudit, runAudit,
                            closeAudit};

} // namespace

extern "C" __attribute__((visibility("default"))) const yard_plugin* yard_plugin_v1() {
    return &kAudit;
}
