// The window: its bars and their layout, and what lies over it. It puts the parts together: the engine
// (EngineAttachment), the pages (Navigation), the commands (CommandRegistry, EngineCommands), the notices
// (WindowNotices). One engine at a time; another one means new pages. Owner: ui thread. Lifetime: its parts are its
// children; the engine and the pages go before them.
#pragma once

#include "ui/pages/window_services.h"

#include <QMainWindow>
#include <functional>

QT_BEGIN_NAMESPACE
class QStackedWidget;
QT_END_NAMESPACE

namespace yard::ui {

class CommandRegistry;
class EngineAttachment;
class EngineCommands;
class KeyOverlay;
class Label;
class Navigation;
class Palette;
class Rail;
class StatusBar;
class TopBar;
class UndoBar;
class WindowNotices;

class MainWindow final : public QMainWindow, public WindowServices {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Until there is an engine: a sentence in place of the pages.
    void setStarting(const QString& sentence);
    /// Asked before the window closes; false: it stays.
    void setMayClose(std::function<bool(MainWindow&)> mayClose) { mayClose_ = std::move(mayClose); }

    /// The engine that is shown.
    EngineAttachment& engine() { return *engine_; }
    /// Its pages.
    Navigation& navigation() { return *navigation_; }

    bool ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) override;
    void say(const QString& sentence, bool bad = false) override;
    void remake() override;
    void resetLayout() override;
    void reviewSettings() override;
    QString sleepNote() const override;
    KeyBindings& keyBindings() override;
    EngineChoice& engineChoice() override;

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void build();
    void makePages();
    void addCommands();
    void addPageCommands();
    void addWindowCommands();
    QSize firstSize() const;
    void fillPalette();
    void onDetaching();
    void onAttached();
    void showEngines();
    void askTrust();
    void dropPages();
    void updateLook();
    void updateWatched();
    void focusNextPane();
    void updateRail();

    // Made once.
    EngineAttachment* engine_;
    Navigation* navigation_;
    CommandRegistry* registry_;
    EngineCommands* engineCommands_;
    Palette* palette_;
    KeyOverlay* keys_;
    WindowNotices* notices_;
    // Made by build(), again by remake().
    TopBar* top_ = nullptr;
    Rail* rail_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    StatusBar* status_ = nullptr;
    Label* starting_ = nullptr;
    QWidget* startingPage_ = nullptr;
    UndoBar* undo_ = nullptr; ///< null: no engine
    std::function<bool(MainWindow&)> mayClose_;
    bool narrowByHand_ = false;
};

} // namespace yard::ui
