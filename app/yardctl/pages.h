// A list of the engine's that comes in pages. One thread; each page blocks as its call does.
#pragma once

#include "app/yardctl/command.h"
#include "app/yardctl/engine.h"

#include <string>

namespace yard::ctl {

class Pages {
public:
    enum class Asking : unsigned char { Once, Patiently }; ///< Engine::call(), callPatiently()
    explicit Pages(Engine& engine, Asking asking = Asking::Once)
        : engine_(engine)
        , asking_(asking) {}

    /// A short page, also an empty one, may still be followed by others.
    bool atEnd() const { return atEnd_; }
    /// `path` has a query, without a cursor, made of words of the command line. Not at the end.
    Outcome<Answer> next(std::string path);

private:
    Engine& engine_;
    const Asking asking_;
    std::string cursor_;
    bool atEnd_ = false;
};

} // namespace yard::ctl
