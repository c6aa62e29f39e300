// Settings while an engine lives: those of the file, what is set for this run, and those in force. A change is written
// before it counts, and whoever must do something about it is told.
//
// Owner: engine thread once open; read() before that, on the thread that opens the engine. Writing is a helper's.
// Lifetime: before everything that refers to inForce(), which stays the same object.
#pragma once

#include "core/base/error.h"
#include "core/base/owner.h"
#include "core/coro/helper_pool.h"
#include "core/coro/sync.h"
#include "core/coro/task.h"
#include "core/engine/state/options.h"
#include "core/engine/state/views.h"
#include "core/model/settings.h"

#include <functional>
#include <string>
#include <vector>

namespace yard::engine {

class SettingsService {
public:
    /// The file, then what `options` gives for this run. Blocks. Invalid: the message names file or setting.
    Result<void> read(std::string path, const Options& options);
    /// Called after each change, with what was in force before.
    void onChanged(std::function<void(const Settings& before)> listener) {
        listeners_.push_back(std::move(listener));
    }

    /// What a value of one setting alone cannot show; asked before each change, its error is that of the change.
    void addCheck(std::function<Result<void>(const Settings& asked)> check) { checks_.push_back(std::move(check)); }

    /// Write the file; there before the first change.
    void useHelpers(coro::HelperPool& helpers) { helpers_ = &helpers; }

    const Settings& inForce() const { return inForce_; }
    SettingsView view() const;
    /// What the request names changes for this run and in the file; the rest stays. Malformed, Invalid, Io, NoSpace:
    /// nothing has changed.
    coro::Task<Result<SettingsView>> change(std::string json);

private:
    std::string path_;
    GivenSettings saved_; ///< what the file has
    Settings asked_;      ///< with what is set for this run
    Settings inForce_;    ///< those of `asked_` that need no restart, or were there at the start
    std::vector<std::function<void(const Settings&)>> listeners_;
    std::vector<std::function<Result<void>(const Settings&)>> checks_;
    coro::HelperPool* helpers_ = nullptr;
    coro::Mutex mutex_; ///< one change at a time
    OwnerCheck owner_;
};

} // namespace yard::engine
