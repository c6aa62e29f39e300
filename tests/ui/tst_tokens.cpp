// Where tokens of engines are kept: a real keyring daemon, one that is locked, none at all, the file; and
// attaching. The keyring runs in a session bus, a home and a runtime directory of its own; this program starts
// itself in there.
#include "tests/support/waiting.h"
#include "tests/ui/own_settings.h"
#include "tests/ui/real_engine.h"
#include "ui/bridge/attached_link.h"
#include "ui/pages/settings/settings_page.h"
#include "ui/shell/engine_attachment.h"
#include "ui/shell/main_window.h"
#include "ui/shell/navigation.h"
#include "ui/state/engines.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"

#include <QComboBox>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QProcess>
#include <QSettings>
#include <QStandardPaths>
#include <QTest>
#include <cstdio>

using namespace yard;
using namespace yard::ui;

namespace {

constexpr int kSoon = kWaitMs;
using Place = TokenStore::Place;

QString probe(TokenStore& store) {
    QString problem = "no answer";
    bool done = false;
    store.probe(&store, [&](const QString& got) {
        problem = got;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
    return problem;
}

QString write(TokenStore& store, const QString& address, const QByteArray& token, Place place) {
    QString problem = "no answer";
    bool done = false;
    store.write(address, token, place, &store, [&](const QString& got) {
        problem = got;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
    return problem;
}

TokenStore::Found read(TokenStore& store, const QString& address) {
    TokenStore::Found found{{}, Place::Nowhere, "no answer"};
    bool done = false;
    store.read(address, &store, [&](const TokenStore::Found& got) {
        found = got;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
    return found;
}

QString forget(TokenStore& store, const QString& address) {
    QString problem = "no answer";
    bool done = false;
    store.forget(address, &store, [&](const QString& got) {
        problem = got;
        done = true;
    });
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return done; }, kSoon);
    return problem;
}

/// Within the session of a keyring that is waited for so long: what it does, a line each.
int inKeyring(std::chrono::seconds patience) {
    TokenStore store("/nonexistent/tokens.json", patience);
    const auto say = [](const char* what, const QString& text) { std::printf("%s=%s\n", what, qPrintable(text)); };
    say("probe", probe(store));
    say("write", write(store, "http://a:1/compute", "secret-1", Place::Keychain));
    const TokenStore::Found found = read(store, "http://a:1/compute");
    say("read", found.token);
    say("place", found.place == Place::Keychain ? "keychain" : "elsewhere");
    say("problem", found.problem);
    say("other", read(store, "http://b:1/compute").token);
    say("forget", forget(store, "http://a:1/compute"));
    say("gone", read(store, "http://a:1/compute").token);
    return 0;
}

} // namespace

class TestTokens : public QObject {
    Q_OBJECT

    QTemporaryDir directory_;
    std::unique_ptr<Theme> theme_;

    /// What inKeyring() says after `unlock`, by name. One that is locked does not answer: it is not waited for long.
    std::map<QString, QString> saidAfter(const QString& unlock, int patience) {
        QTemporaryDir home;
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"})
            environment.remove(name);
        environment.insert("HOME", home.path());
        environment.insert("XDG_RUNTIME_DIR", home.path());
        environment.insert("XDG_DATA_HOME", home.path() + "/share");
        environment.insert("XDG_CURRENT_DESKTOP", "GNOME");
        process.setProcessEnvironment(environment);
        process.setStandardErrorFile(QProcess::nullDevice());
        process.setStandardInputFile(QProcess::nullDevice());
        process.start("dbus-run-session", {"--", "sh", "-c", unlock + "; \"$0\" --in-keyring \"$1\"",
                                           QCoreApplication::applicationFilePath(), QString::number(patience)});
        if (!process.waitForFinished(2 * kSoon)) process.kill();
        std::map<QString, QString> said;
        for (const QString& line : QString::fromUtf8(process.readAllStandardOutput()).split('\n'))
            if (const auto at = line.indexOf('='); at > 0) said[line.left(at)] = line.mid(at + 1);
        return said;
    }
    static bool hasKeyring() {
        return !QStandardPaths::findExecutable("gnome-keyring-daemon").isEmpty() &&
               !QStandardPaths::findExecutable("dbus-run-session").isEmpty();
    }
    QString file() const { return directory_.filePath("config/tokens.json"); }

private slots:
    void initTestCase() {
        test::useOwnSettings("tokens");
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }
    void cleanup() { QFile::remove(file()); }

    void anUnlockedKeyringKeepsGivesBackAndForgets() {
        if (!hasKeyring()) QSKIP("gnome-keyring is not installed");
        const auto said = saidAfter(
            "printf pw | gnome-keyring-daemon --unlock --components=secrets --daemonize >/dev/null 2>&1", 30);
        QCOMPARE(said.at("probe"), QString());
        QCOMPARE(said.at("write"), QString());
        QCOMPARE(said.at("read"), QString("secret-1"));
        QCOMPARE(said.at("place"), QString("keychain"));
        QCOMPARE(said.at("other"), QString());
        QCOMPARE(said.at("forget"), QString());
        QCOMPARE(said.at("gone"), QString());
    }

    void aLockedKeyringIsNotTakenForAnEmptyOne() {
        if (!hasKeyring()) QSKIP("gnome-keyring is not installed");
        const auto said = saidAfter("gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1", 3);
        QVERIFY2(said.at("probe").contains("keychain cannot be used"), qPrintable(said.at("probe")));
        QVERIFY(!said.at("write").isEmpty());
        QCOMPARE(said.at("read"), QString());
        QVERIFY(!said.at("problem").isEmpty());
    }

    void withoutASessionBusTheKeychainIsToldToBeMissing() {
        qunsetenv("DISPLAY");
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus");
        TokenStore store(file(), std::chrono::seconds(3));
        QVERIFY(probe(store).contains("keychain cannot be used"));
        QVERIFY(!write(store, "http://a:1/compute", "t", Place::Keychain).isEmpty());
        QVERIFY(!QFileInfo::exists(file())); // nothing was written elsewhere instead
        QVERIFY(!read(store, "http://a:1/compute").problem.isEmpty());
    }

    void theFileIsForItsOwnerAlone() {
        TokenStore store(file(), std::chrono::seconds(3));
        QCOMPARE(write(store, "http://a:1/compute", "secret-2", Place::File), QString());
        QCOMPARE(QFileInfo(file()).permissions() & (QFile::ReadGroup | QFile::WriteGroup | QFile::ReadOther |
                                                    QFile::WriteOther | QFile::ExeOwner),
                 QFile::Permissions());
        QCOMPARE(read(store, "http://a:1/compute").token, QByteArray("secret-2"));
        QCOMPARE(read(store, "http://a:1/compute").place, Place::File);
        QCOMPARE(write(store, "http://b:1/compute", "secret-3", Place::File), QString());
        QCOMPARE(forget(store, "http://a:1/compute"), QString());
        QCOMPARE(read(store, "http://b:1/compute").token, QByteArray("secret-3"));
        QVERIFY(read(store, "http://a:1/compute").token.isEmpty());
    }

    void aFileThatOthersCouldHaveReadOrMadeIsRefused() {
        TokenStore store(file(), std::chrono::seconds(3));
        QCOMPARE(write(store, "http://a:1/compute", "secret", Place::File), QString());
        QFile::setPermissions(file(), QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther);
        QVERIFY(read(store, "http://a:1/compute").problem.contains("chmod 600"));
        QVERIFY(write(store, "http://b:1/compute", "secret", Place::File).contains("chmod 600"));
        QFile::remove(file());
        const QString target = directory_.filePath("target");
        QFile other(target);
        QVERIFY(other.open(QIODevice::WriteOnly));
        QVERIFY(QFile::link(target, file()));
        QVERIFY(!write(store, "http://b:1/compute", "secret", Place::File).isEmpty());
        QCOMPARE(QFileInfo(target).size(), 0);
        QFile::remove(file());
        QFile odd(file());
        QVERIFY(odd.open(QIODevice::WriteOnly));
        odd.write("no json");
        odd.close();
        odd.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
        QVERIFY(write(store, "http://b:1/compute", "secret", Place::File).contains("is not a token file"));
    }

    void aFileThatCannotBeWrittenSaysSo() {
        TokenStore store("/proc/nowhere/tokens.json", std::chrono::seconds(3));
        QVERIFY(write(store, "http://a:1/compute", "secret", Place::File).contains("cannot be written"));
    }

    void addressesAreCompleted() {
        QCOMPARE(Engines::addressOf("forge-07").toString(), QString("http://forge-07:8640/compute"));
        QCOMPARE(Engines::addressOf("https://x.org/").toString(), QString("https://x.org/compute"));
        QCOMPARE(Engines::addressOf("http://127.0.0.1:1/p").toString(), QString("http://127.0.0.1:1/p"));
        QVERIFY(!Engines::addressOf("ftp://x").isValid());
        QVERIFY(!Engines::addressOf("http://u:secret@x").isValid());
        QVERIFY(!Engines::addressOf("").isValid());
    }

    void attachingTriesAndKeepsTheTokenWhereItWasChosenTo() {
        test::RealEngine here;
        test::RealEngine there;
        QVERIFY(here.start());
        QVERIFY(there.start());
        MainWindow window;
        window.engine().engines().setPlace(Place::File);
        window.engine().engines().setEmbedded(here.address(), here.token());
        window.engine().set(std::make_unique<AttachedLink>(here.address(), here.token()), "embedded");
        window.show();
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive(), kSoon);
        window.navigation().show("settings", "engines");
        auto* page = qobject_cast<SettingsPage*>(window.navigation().page());
        const auto section = [&] {
            return qobject_cast<SettingsPage*>(window.navigation().page())->section("engines");
        };
        const auto attach = [&](const QString& address, const QString& token) {
            qobject_cast<QLineEdit*>(section()->row("attach-address")->control())->setText(address);
            qobject_cast<QLineEdit*>(section()->row("attach-token")->control())->setText(token);
            section()->findChild<QAbstractButton*>("attach-now")->click();
        };
        attach("not an address", "x");
        QVERIFY(!section()->row("attach-address")->problem().isEmpty());
        attach("http://127.0.0.1:1", "x");
        QTRY_VERIFY_WITH_TIMEOUT(section()->row("attach-token")->problem().contains("does not answer"), kSoon);
        attach(there.address().toString(), "wrong");
        QTRY_VERIFY_WITH_TIMEOUT(section()->row("attach-token")->problem().contains("refuses"), kSoon);
        attach(there.address().toString(), there.token());
        QTRY_COMPARE_WITH_TIMEOUT(window.engine().state()->link().address(), there.address(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive(), kSoon);
        Q_UNUSED(page);
        // Back by the menu, and to the known one with the token that was kept.
        window.engine().attachTo(here.address());
        QTRY_COMPARE_WITH_TIMEOUT(window.engine().state()->link().address(), here.address(), kSoon);
        window.engine().attachTo(there.address());
        QTRY_COMPARE_WITH_TIMEOUT(window.engine().state()->link().address(), there.address(), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(window.engine().state()->isLive(), kSoon);
        // The secret is in the file and nowhere in the settings.
        QSettings settings;
        settings.sync();
        for (const QString& key : settings.allKeys())
            QVERIFY2(!settings.value(key).toString().contains(there.token()), qPrintable(key));
        QFile kept(window.engine().engines().tokens().file());
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QVERIFY(kept.readAll().contains(there.token()));
        window.engine().engines().forget(there.address());
        QVERIFY(window.engine().engines().known().empty());
        kept.remove();
    }

    void withoutATokenTheWindowAsksForIt() {
        test::RealEngine engine;
        QVERIFY(engine.start());
        MainWindow window;
        window.engine().engines().setPlace(Place::Nowhere);
        window.show();
        window.engine().attachTo(engine.address());
        QTRY_COMPARE_WITH_TIMEOUT(window.navigation().pageId(), QString("settings"), kSoon);
        auto* page = qobject_cast<SettingsPage*>(window.navigation().page());
        QCOMPARE(page->current(), QString("engines"));
        auto* address = qobject_cast<QLineEdit*>(page->section("engines")->row("attach-address")->control());
        QCOMPARE(address->text(), engine.address().toString());
    }

    void theEngineMenuNamesWhoIsReachable() {
        test::RealEngine engine;
        QVERIFY(engine.start());
        MainWindow window;
        window.engine().engines().remember(QUrl("http://127.0.0.1:1/compute"));
        window.engine().engines().remember(engine.address());
        window.engine().engines().look();
        QTRY_COMPARE_WITH_TIMEOUT(window.engine().engines().reach(engine.address()), Engines::Reachability::Yes,
                                  kSoon);
        QTRY_COMPARE_WITH_TIMEOUT(window.engine().engines().reach(QUrl("http://127.0.0.1:1/compute")),
                                  Engines::Reachability::No, kSoon);
        window.engine().engines().forget(engine.address());
        window.engine().engines().forget(QUrl("http://127.0.0.1:1/compute"));
    }
};

int main(int argc, char** argv) {
    if (argc == 3 && qstrcmp(argv[1], "--in-keyring") == 0) {
        const QCoreApplication application(argc, argv);
        return inKeyring(std::chrono::seconds(QByteArray(argv[2]).toInt()));
    }
    QApplication application(argc, argv);
    TestTokens test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_tokens.moc"
