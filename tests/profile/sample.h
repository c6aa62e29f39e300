// A small profile: two threads, and a function that calls itself.
#pragma once

#include "core/profile/profile.h"

namespace yard::test {

/// http connection # (1 ms itself) -> serve (2 ms) -> read (4 ms), read -> read (8 ms); janitor (16 ms).
inline profile::Profile sampleProfile() {
    profile::Profile sample;
    sample.loop = "engine";
    sample.began = 1'795'794'487'000'000;
    sample.lastedMicros = 100'000;
    sample.functions = {{.name = "http connection #", .file = {}, .line = 0},
                        {.name = "yard::http::serve", .file = "core/http/server.cpp", .line = 12},
                        {.name = "yard::http::read", .file = "core/http/read.cpp", .line = 7},
                        {.name = "janitor", .file = {}, .line = 0}};
    const auto node = [](std::uint32_t function, std::uint32_t parent, std::uint64_t millis, std::uint64_t calls) {
        return profile::Node{.function = function,
                             .parent = parent,
                             .self = {.calls = calls,
                                      .wallNanos = millis * 1'000'000,
                                      .userMicros = millis * 500,
                                      .allocatedBytes = millis * 100}};
    };
    sample.nodes = {node(0, profile::kNoParent, 1, 3), node(1, 0, 2, 1), node(2, 1, 4, 5), node(2, 2, 8, 2),
                    node(3, profile::kNoParent, 16, 1)};
    sample.slices = {{.node = 0, .startMicros = 10, .ranMicros = 15'000},
                     {.node = 4, .startMicros = 20'000, .ranMicros = 16'000}};
    sample.slicesLeftOut = 2;
    sample.callsLeftOut = 1;
    return sample;
}

} // namespace yard::test
