// Menus, dialogs and questions that run a loop of their own. While it spins, what asked may go: another engine is
// chosen, and the pages of the one before go with it. Owner: ui thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace yard::ui {

/// A QMenu or QDialog for the length of a function. It is a child like any other, so it goes with its parent, also
/// in the middle of its loop.
template<class Widget>
class Transient {
public:
    explicit Transient(QWidget* parent)
        : widget_(new Widget(parent)) {}
    ~Transient() { delete widget_.data(); }
    Transient(const Transient&) = delete;
    Transient& operator=(const Transient&) = delete;

    /// Not after run() has returned false.
    Widget* operator->() const { return widget_.data(); }
    Widget& operator*() const { return *widget_; }

    /// exec(), until it is closed. False: it went with its parent, nothing of which may be touched then.
    template<class... Args>
    [[nodiscard]] bool run(Args&&... args) {
        (void)widget_->exec(std::forward<Args>(args)...);
        return !widget_.isNull();
    }

private:
    QPointer<Widget> widget_;
};

/// The parent for dialogs that Qt makes by itself: the outermost window. A form, or an action in a window of its own,
/// is a window too, but goes with its engine, and would delete the dialog that is still used.
inline QWidget* lastingWindow(QWidget* of) {
    while (of->parentWidget() != nullptr) of = of->parentWidget();
    return of;
}

/// What `ask` returns, which runs a loop of its own. Nothing: `owner` has gone meanwhile, and nothing of it may be
/// touched. The parent of what `ask` shows is lastingWindow(), which stays.
template<class Ask>
std::optional<std::invoke_result_t<Ask>> answered(QObject* owner, Ask&& ask) {
    const QPointer<QObject> here(owner);
    auto answer = std::invoke(std::forward<Ask>(ask));
    if (here.isNull()) return std::nullopt;
    return answer;
}

} // namespace yard::ui
