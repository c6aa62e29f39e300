// The window: bars around pages, the way back through them, keys. One engine at a time; another one means new
// pages. Owner: ui thread.
#pragma once

#include "ui/pages/page.h"
#include "ui/shell/bars.h"
#include "ui/shell/rail.h"

#include <QAction>
#include <QMainWindow>
#include <QStackedWidget>
#include <map>
#include <memory>

namespace yard::ui {

class KeyOverlay;
class NoticeList;
class Notices;
class Palette;
class SleepGuard;
class Tray;
struct PaletteEntry;

class MainWindow final : public QMainWindow, public Navigator {
    Q_OBJECT
public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Shows this engine from now on. `kind`: "embedded", or where it is.
    void setEngine(std::unique_ptr<EngineLink> link, const QString& kind);
    /// Until there is an engine: a sentence in place of the pages.
    void setStarting(const QString& sentence);
    /// Asked before the window closes; false: it stays.
    void setMayClose(std::function<bool(MainWindow&)> mayClose) { mayClose_ = std::move(mayClose); }

    EngineState* state() const { return state_.get(); }
    Commands* commands() const { return commands_.get(); }
    Page* page() const;
    QString pageId() const { return current_; }
    StatusBar* statusLine() const { return status_; }
    TopBar* topBar() const { return top_; }
    Palette* palette() const { return palette_; }
    KeyOverlay* keyOverlay() const { return keys_; }
    Notices* notices() const { return notices_; }
    NoticeList* noticeList() const { return noticeList_; }
    Tray* tray() const { return tray_; }
    SleepGuard* sleepGuard() const { return sleep_; }
    const std::vector<PageSpec>& pages() const { return specs_; }
    /// The window's commands with their keys, by id.
    const std::map<QString, QAction*>& actionsById() const { return actions_; }

    void show(const QString& page, const QString& filter = {}) override;
    using QMainWindow::show;
    void showAction(qint64 lsn, const QString& tab = {}) override;
    void showThing(const QString& page, qint64 id) override;
    void openSubmit(const QJsonObject& action = {}, qint64 queue = 0) override;
    void openRegister(const QString& path = {}) override;
    bool ask(const QString& question, const QString& lost, const QString& verb, const QString& keep) override;
    void say(const QString& sentence, bool bad = false) override;
    std::vector<Binding> bindable() override;
    void bind(const QString& id, const QKeySequence& keys) override;
    void remake() override;
    void attach(const QUrl& address, const QByteArray& token) override;
    void attachTo(const QUrl& address) override;
    Engines* engines() override { return engines_; }
    void resetLayout() override;
    void reviewSettings() override;
    QString sleepNote() const override;

signals:
    void engineChanged();

protected:
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    struct Place {
        QString page;
        QString filter;
    };
    void build();
    void makePages();
    void makeActions();
    QAction* add(const QString& id, const QString& title, const QKeySequence& keys, std::function<void()> act);
    QSize firstSize() const;
    void makeDrainMenu();
    void makeEngineMenu();
    void fillEngineMenu();
    void makePalette();
    void fillPalette();
    std::vector<PaletteEntry> paletteCommands(bool everyPage);
    void addPageCommands(std::vector<PaletteEntry>& entries, const PageSpec& spec);
    QAction* actionOf(const QString& id) const;
    QString yardctlOf(const QString& id) const;
    void updateBlocked();
    void rerunTonight();
    void makeNotices();
    void updateNotices();
    void showKeys();
    void dropEngine();
    void dropPages();
    Page* pageOf(const QString& id);
    void activate(Page* page);
    void goBy(int steps);
    void updateLook();
    void updateWatched();
    void copyOperation(bool curl);
    void showNewestFailure();
    void focusNextPane();
    void setRailNarrow(bool narrow);

    TopBar* top_ = nullptr;
    Rail* rail_ = nullptr;
    QStackedWidget* stack_ = nullptr;
    QWidget* foot_ = nullptr;
    StatusBar* status_ = nullptr;
    Label* starting_ = nullptr;
    QWidget* startingPage_ = nullptr;
    std::vector<PageSpec> specs_;
    std::map<QString, Page*> made_;
    std::map<QString, QAction*> actions_;
    std::unique_ptr<EngineLink> link_;
    std::unique_ptr<EngineState> state_;
    std::unique_ptr<Commands> commands_;
    UndoBar* undo_ = nullptr;
    Palette* palette_ = nullptr;
    KeyOverlay* keys_ = nullptr;
    Notices* notices_ = nullptr;
    NoticeList* noticeList_ = nullptr;
    Tray* tray_ = nullptr;
    SleepGuard* sleep_ = nullptr;
    QMenu* drainMenu_ = nullptr;
    QMenu* engineMenu_ = nullptr;
    Engines* engines_ = nullptr;
    QString kind_;
    QString current_;
    std::vector<Place> places_;
    std::size_t place_ = 0;
    std::function<bool(MainWindow&)> mayClose_;
    bool narrowByHand_ = false;
};

} // namespace yard::ui
