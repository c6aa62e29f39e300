#include "app/yardctl/line_editor.h"

#include "core/base/environment.h"
#include "core/base/files.h"

#include <algorithm>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/stat.h>
#include <utility>

namespace yard::ctl {

namespace {

// Of <editline/readline.h>, Debian's libedit 3.1.
struct Libedit {
    void (*install)(const char*, void (*)(char*)) = nullptr;
    void (*remove)() = nullptr;
    void (*read)() = nullptr;
    int (*addHistory)(const char*) = nullptr;
    int (*readHistory)(const char*) = nullptr;
    int (*writeHistory)(const char*) = nullptr;
    void (*stifle)(int) = nullptr;
    char** (*matches)(const char*, char* (*)(const char*, int)) = nullptr;
    char** (**completion)(const char*, int, int) = nullptr;
    int* completionIsOver = nullptr;
    int* catchesSignals = nullptr;

    bool isWhole() const {
        return install && remove && read && addHistory && readHistory && writeHistory && stifle && matches &&
               completion && completionIsOver;
    }
};

template<class T>
void find(void* library, const char* name, T& symbol) {
    symbol = reinterpret_cast<T>(::dlsym(library, name));
}

/// Stays loaded: it leaves handlers at the end of the process.
const Libedit& libedit() {
    static const Libedit found = [] {
        Libedit it;
        void* library = ::dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
        if (!library) return it;
        find(library, "rl_callback_handler_install", it.install);
        find(library, "rl_callback_handler_remove", it.remove);
        find(library, "rl_callback_read_char", it.read);
        find(library, "add_history", it.addHistory);
        find(library, "read_history", it.readHistory);
        find(library, "write_history", it.writeHistory);
        find(library, "stifle_history", it.stifle);
        find(library, "rl_completion_matches", it.matches);
        find(library, "rl_attempted_completion_function", it.completion);
        find(library, "rl_attempted_completion_over", it.completionIsOver);
        find(library, "rl_catch_signals", it.catchesSignals);
        return it;
    }();
    return found;
}

// libedit's functions take no pointer of ours.
LineEditor* editing = nullptr;
std::vector<std::string> completed;

char* nextMatch(const char* begin, int state) {
    static std::size_t at = 0;
    if (state == 0) at = 0;
    while (at < completed.size()) {
        const std::string& word = completed[at++];
        if (word.starts_with(begin)) return ::strdup(word.c_str());
    }
    return nullptr;
}

char** complete(const char* text, int start, int) {
    *libedit().completionIsOver = 1; // no names of files
    return start == 0 ? libedit().matches(text, &nextMatch) : nullptr;
}

bool canMoveItsCursor() {
    const std::string terminal = environmentOrEmpty("TERM");
    return !terminal.empty() && terminal != "dumb";
}

} // namespace

std::unique_ptr<LineEditor> LineEditor::open(std::string history, std::vector<std::string> words) {
    if (editing || !canMoveItsCursor() || !libedit().isWhole()) return nullptr;
    std::setlocale(LC_CTYPE, ""); // NOLINT(concurrency-mt-unsafe): one thread
    std::unique_ptr<LineEditor> editor(new LineEditor);
    editor->history_ = std::move(history);
    editing = editor.get();
    completed = std::move(words);
    std::ranges::sort(completed);
    *libedit().completion = &complete;
    if (libedit().catchesSignals) *libedit().catchesSignals = 0;
    if (!editor->history_.empty()) (void)libedit().readHistory(editor->history_.c_str());
    libedit().stifle(kKeptLines);
    return editor;
}

LineEditor::~LineEditor() {
    stop();
    if (!history_.empty()) {
        const std::size_t slash = history_.rfind('/');
        const mode_t before = ::umask(077);
        if (slash == std::string::npos || makeDirectories(history_.substr(0, slash)))
            (void)libedit().writeHistory(history_.c_str());
        ::umask(before);
        (void)::chmod(history_.c_str(), 0600);
    }
    editing = nullptr;
}

void LineEditor::begin(const std::string& prompt, std::function<void(std::optional<std::string>)> done) {
    done_ = std::move(done);
    isTaken_ = false;
    isActive_ = true;
    libedit().install(prompt.c_str(), [](char* line) {
        // It is left to keysCame() to stop: libedit sets up the terminal once more after this.
        editing->isTaken_ = true;
        editing->line_ = line ? std::optional<std::string>(line) : std::nullopt;
        std::free(line);
    });
}

void LineEditor::keysCame() {
    if (!isActive_) return;
    libedit().read();
    if (!isTaken_) return;
    stop();
    const auto done = std::exchange(done_, nullptr);
    std::optional<std::string> line = std::exchange(line_, std::nullopt);
    if (line && line->find_first_not_of(" \t") != std::string::npos) (void)libedit().addHistory(line->c_str());
    done(std::move(line));
}

void LineEditor::stop() {
    if (std::exchange(isActive_, false)) libedit().remove();
}

} // namespace yard::ctl
