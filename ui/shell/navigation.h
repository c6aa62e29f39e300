// The pages of the window and the way through them: makes a page when it is first shown, remembers places (a page
// with its filter) for Alt+Left, opens the forms. Owner: ui thread, the window. Lifetime: pages live as long as the
// engine and the stack they were made for; whoever ends one of these calls dropPages() before.
#pragma once

#include "ui/pages/page.h"

#include <QStackedWidget>
#include <map>

namespace yard::ui {

class EngineAttachment;

class Navigation final : public QObject, public Navigator {
    Q_OBJECT
public:
    /// `window`: what the forms lie over.
    Navigation(EngineAttachment& engine, WindowServices& services, QWidget& window);

    /// Where the pages stand from now on. There are none when it is called.
    void setStack(QStackedWidget* stack) { stack_ = stack; }
    /// The page that was shown last, in this program or before it.
    void restore();
    void dropPages();
    /// Whether people see the window: a page that nobody sees is not active.
    void setSeen(bool seen);

    void show(const QString& page, const QString& filter = {}) override;
    void showAction(qint64 lsn, const QString& tab = {}) override;
    void showThing(const QString& page, qint64 id) override;
    void openSubmit(const QJsonObject& action = {}, qint64 queue = 0) override;
    void openSubmitList(const QJsonArray& actions, qint64 queue) override;
    void openRegister(const QString& path = {}) override;
    /// The engine's alerts and their rules; once it is open, that one.
    void openAlerts() override;
    /// -1: back.
    void goBy(int steps);

    const std::vector<PageSpec>& pages() const { return specs_; }
    /// What is shown; null and empty: nothing yet.
    Page* page() const;
    const QString& pageId() const { return current_; }
    /// Null: nothing is shown yet.
    const PageSpec* spec() const;
    /// Makes it if it must. Null: there is no such page, or no engine.
    Page* pageOf(const QString& id);
    /// A command of a page by its id among all commands. Null: its page was not made yet.
    QAction* commandOf(const QString& id) const;
    /// For what lives as long as the engine that is attached.
    Context context();

signals:
    void shown(const QString& page);

private:
    struct Place {
        QString page;
        QString filter;
    };
    void activate(const QString& id, Page* next);

    EngineAttachment& engine_;
    WindowServices& services_;
    QWidget& window_;
    QStackedWidget* stack_ = nullptr;
    std::vector<PageSpec> specs_;
    std::map<QString, Page*> made_;
    QString current_;
    std::vector<Place> places_;
    std::size_t place_ = 0;
    bool seen_ = false;
};

} // namespace yard::ui
