// What tests of the window share: a real engine, the window on it, questions to the engine past the window, and
// answers to the window's own questions. A test derives from it and calls start() in initTestCase(), openWindow()
// in init().
#pragma once

#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/shell/bars.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/engines.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/table_model.h"

#include <QAbstractButton>
#include <QApplication>
#include <QDialog>
#include <QFileDialog>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <memory>

namespace yard::test {

class WindowTest : public QObject {
public:
    static constexpr int kSoon = kWaitMs; ///< ms; how long anything may take

protected:
    /// The engine runs, and settings are as they come. `name`: whose settings.
    bool start(const QString& name, const QStringList& arguments = {}) {
        useOwnSettings(name);
        engine_.setArguments(arguments);
        if (!engine_.start()) return false;
        theme_ = std::make_unique<ui::Theme>(nullptr);
        ui::dressApplication();
        return true;
    }
    /// A window of its own, connected, that knows the queues. An invalid size: as it comes.
    bool openWindow(QSize size = {1'440, 900}) {
        window_ = std::make_unique<ui::MainWindow>();
        window_->engine().engines().setShell(engine_.address(), {engine_.directory(), {}});
        window_->engine().set(std::make_unique<ui::AttachedLink>(engine_.address(), engine_.token()), "embedded");
        if (size.isValid()) window_->resize(size);
        window_->show();
        window_->activateWindow();
        return QTest::qWaitFor(
            [this] { return window_->engine().state()->isLive() && !window_->engine().state()->queues().empty(); },
            kSoon);
    }
    /// The page of this name, shown; nullptr: it is none of these.
    template<class Page>
    Page* show(const QString& id) {
        window_->navigation().show(id);
        return qobject_cast<Page*>(window_->navigation().page());
    }
    /// The same, where it may be shown already and stays as it is then.
    template<class Page>
    Page* at(const QString& id) {
        if (window_->navigation().pageId() == id) return qobject_cast<Page*>(window_->navigation().page());
        return show<Page>(id);
    }
    /// Past the window; waits for the answer. `path` may have a query.
    ui::Answer ask(const QByteArray& method, const QString& path, const QJsonValue& body = {}) {
        ui::Answer got;
        bool done = false;
        ui::Request request{method, path.section('?', 0, 0), QUrlQuery(path.section('?', 1)), {}, {}};
        if (body.isObject()) request.body = QJsonDocument(body.toObject()).toJson();
        if (body.isArray()) request.body = QJsonDocument(body.toArray()).toJson();
        window_->engine().state()->link().send(request, this, [&](const ui::Answer& answer) {
            got = answer;
            done = true;
        });
        [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
        return got;
    }
    /// The actions that match, all of them or the first `most`. A page may be short, or empty, and still have a
    /// cursor: the machine was busy. `query` has no limit.
    QJsonArray jobs(const QString& query, qsizetype most = 100'000) {
        QJsonArray rows;
        QString cursor;
        do {
            QString path = QStringLiteral("jobs?limit=%1").arg(std::min<qsizetype>(most - rows.size(), 500));
            if (!query.isEmpty()) path += '&' + query;
            if (!cursor.isEmpty()) path += "&cursor=" + cursor;
            const QJsonObject page = ask("GET", path).json;
            for (const QJsonValue row : page.value("jobs").toArray()) rows.append(row);
            cursor = page.value("cursor").toString();
        } while (!cursor.isEmpty() && rows.size() < most);
        return rows;
    }
    qint64 makeQueue(const QString& tag, const QJsonObject& config = {}) {
        const QJsonObject queue{{"tag", tag}, {"config", config}};
        return ask("POST", "queues", queue).json.value("queue_id").toInteger();
    }
    /// A command for a shell; its number, of several the first one.
    qint64 submit(const QString& label, const QString& script, QJsonObject more = {}, qint64 queue = 0) {
        more.insert("worker", "exec");
        more.insert("argv", QJsonArray{"sh", "-c", script});
        more.insert("label", label);
        const QJsonObject answer = ask("POST", QStringLiteral("queues/%1/jobs").arg(queue), more).json;
        const QJsonValue lsn = answer.value("lsn");
        return lsn.isDouble() ? lsn.toInteger() : answer.value("lsns").toArray().first().toInteger();
    }
    /// The first row with this in this column; -1: none.
    static int rowWith(const ui::TableModel* rows, const QString& text, int column = 0) {
        for (int row = 0; row < rows->rowCount(); ++row)
            if (rows->cell(row, column).text == text) return row;
        return -1;
    }
    QString stateOf(qint64 lsn) {
        return ask("GET", QStringLiteral("jobs/%1").arg(lsn)).json.value("state").toString();
    }
    /// The next question of the window gets this answer: "verb" or "keep".
    void answerNext(const QString& button) {
        auto* poll = new QTimer(this);
        connect(poll, &QTimer::timeout, this, [this, poll, button] {
            auto* dialog = window_->findChild<QDialog*>("question");
            if (dialog == nullptr || !dialog->isVisible()) return;
            poll->stop();
            poll->deleteLater();
            dialog->findChild<QAbstractButton*>(button)->click();
        });
        poll->start(10);
    }
    /// The next question for a file gets this one; empty: none.
    void chooseNext(const QString& path) {
        auto* poll = new QTimer(this);
        connect(poll, &QTimer::timeout, this, [poll, path] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if (dialog == nullptr) return;
            poll->stop();
            poll->deleteLater();
            if (path.isEmpty()) return dialog->reject();
            dialog->findChild<QLineEdit*>("fileNameEdit")->setText(path);
            QTest::keyClick(dialog->findChild<QLineEdit*>("fileNameEdit"), Qt::Key_Return);
        });
        poll->start(10);
    }

    RealEngine engine_;
    std::unique_ptr<ui::Theme> theme_;
    std::unique_ptr<ui::MainWindow> window_;
};

} // namespace yard::test
