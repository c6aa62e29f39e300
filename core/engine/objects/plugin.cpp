#include "core/engine/objects/plugin.h"

#include "core/base/log.h"
#include "core/base/thread_mutex.h"
#include "core/lifecycle/plugin.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <utility>

namespace yard::engine {

struct Plugin::Shared {
    struct Call {
        std::string hook;
        std::string json;
        coro::Promise<Answer> answer;
    };
    const yard_plugin* plugin = nullptr;
    void* self = nullptr; ///< of the plugin's thread
    ThreadMutex mutex;
    ThreadCondition changed;
    std::optional<Call> call YARD_GUARDED_BY(mutex);
    std::optional<int> opened YARD_GUARDED_BY(mutex);
    bool isClosing YARD_GUARDED_BY(mutex) = false;
    bool isGone YARD_GUARDED_BY(mutex) = false;
};

namespace {

constexpr std::size_t kMostPluginName = 64;
constexpr std::size_t kMostPluginHooks = 1'000;
constexpr int kThrew = -1;

std::unexpected<Error> unusable(const std::string& path, std::string_view why) {
    return invalid("plugin", fmt::format("--plugin {}: {}", path, why));
}

bool isPluginName(const char* name) {
    const std::string_view text = name ? name : "";
    return !text.empty() && text.size() <= kMostPluginName && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
               c == '_';
    });
}

Result<std::vector<lifecycle::HookPattern>> patternsOf(const yard_plugin& plugin) {
    std::vector<lifecycle::HookPattern> patterns;
    for (const char* const* hook = plugin.hooks; hook && *hook; ++hook) {
        auto pattern = lifecycle::HookPattern::parse(*hook);
        if (!pattern) return std::unexpected(pattern.error());
        if (patterns.size() == kMostPluginHooks) return fail(ErrorKind::AtLimit, "it names too many hooks");
        patterns.push_back(*std::move(pattern));
    }
    if (patterns.empty()) return fail(ErrorKind::Invalid, "it names no hook");
    return patterns;
}

Result<const yard_plugin*> pluginIn(const std::string& path) {
    // With a "/" it is this file, and none of the same name in a directory of libraries.
    void* library = ::dlopen((path.contains('/') ? path : "./" + path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char* why = ::dlerror(); // NOLINT(concurrency-mt-unsafe): glibc's is per thread
        return unusable(path, fmt::format("it cannot be loaded: {}", why ? why : "no reason is known"));
    }
    const auto entry = reinterpret_cast<yard_plugin_entry>(::dlsym(library, YARD_PLUGIN_ENTRY));
    if (!entry)
        return unusable(path, fmt::format("it has no function {}; core/lifecycle/plugin.h says what a plugin has",
                                          YARD_PLUGIN_ENTRY));
    const yard_plugin* plugin = entry();
    if (!plugin || plugin->size < sizeof(yard_plugin) || plugin->version != YARD_PLUGIN_VERSION)
        return unusable(path, fmt::format("it was made for another version of plugin.h than {}; build it again",
                                          YARD_PLUGIN_VERSION));
    if (!isPluginName(plugin->name) || !plugin->run)
        return unusable(path, "it needs a name of letters, digits, \".\", \"-\", \"_\", and a function run");
    return plugin;
}

/// What a plugin throws, though it may not, ends nobody else.
template<class F>
int guarded(F call) {
    try {
        return call();
    } catch (...) {
        return kThrew;
    }
}

void takeAnswer(void* context, const char* text) {
    auto& answer = *static_cast<Plugin::Answer*>(context);
    const std::string_view given = text ? text : "";
    answer.isTooLong = given.size() > Plugin::kMostAnswerBytes;
    answer.text = answer.isTooLong ? std::string_view() : given;
}

} // namespace

void Plugin::serve(const std::shared_ptr<Shared>& shared) {
    const yard_plugin& plugin = *shared->plugin;
    const int opened = plugin.open ? guarded([&] { return plugin.open(&shared->self); }) : 0;
    ThreadLock lock(shared->mutex);
    shared->opened = opened;
    shared->changed.notifyAll();
    while (opened == 0) {
        while (!shared->call && !shared->isClosing) shared->changed.wait(shared->mutex);
        if (!shared->call) break;
        Shared::Call call = std::move(*shared->call);
        shared->call.reset();
        lock.unlock();
        Answer answer;
        answer.code = guarded(
            [&] { return plugin.run(shared->self, call.hook.c_str(), call.json.c_str(), &takeAnswer, &answer); });
        call.answer.set(std::move(answer));
        lock.lock();
    }
    lock.unlock();
    if (opened == 0 && plugin.close) (void)guarded([&] { return plugin.close(shared->self), 0; });
    lock.lock();
    shared->isGone = true;
    shared->changed.notifyAll();
}

Result<std::unique_ptr<Plugin>> Plugin::load(const std::string& path, Duration limit) {
    const auto found = pluginIn(path);
    if (!found) return std::unexpected(found.error());
    auto patterns = patternsOf(**found);
    if (!patterns) return unusable(path, patterns.error().message);
    std::unique_ptr<Plugin> plugin(new Plugin());
    plugin->name_ = (*found)->name;
    plugin->patterns_ = *std::move(patterns);
    auto shared = std::make_shared<Shared>();
    shared->plugin = *found;
    plugin->shared_ = shared;
    std::thread(&Plugin::serve, shared).detach(); // close() waits for it, with a limit
    const auto until = std::chrono::steady_clock::now() + limit;
    const ThreadLock lock(shared->mutex);
    while (!shared->opened)
        if (!shared->changed.waitUntil(shared->mutex, until))
            return unusable(path, fmt::format("it has not opened within {} s",
                                              std::chrono::duration_cast<std::chrono::seconds>(limit).count()));
    if (*shared->opened != 0)
        return unusable(path,
                        fmt::format("its open() failed with {}; what it printed may say why", *shared->opened));
    return plugin;
}

Plugin::~Plugin() {
    constexpr Duration kLastWait = std::chrono::milliseconds(200); // the process may end right after
    (void)close(kLastWait);
}

void Plugin::run(std::string hook, std::string json, coro::Promise<Answer> answer) {
    YARD_ASSERT_OWNER(owner_);
    const ThreadLock lock(shared_->mutex);
    shared_->call.emplace(std::move(hook), std::move(json), std::move(answer));
    shared_->changed.notifyAll();
}

bool Plugin::close(Duration limit) {
    const auto until = std::chrono::steady_clock::now() + limit;
    const ThreadLock lock(shared_->mutex);
    shared_->isClosing = true;
    shared_->changed.notifyAll();
    while (!shared_->isGone)
        if (!shared_->changed.waitUntil(shared_->mutex, until)) return shared_->isGone;
    return true;
}

} // namespace yard::engine
