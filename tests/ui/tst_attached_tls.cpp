// An engine by TLS in the window: known by its key, asked about once, refused when it shows another one.
#include "core/model/known_engines.h"
#include "core/tls/identity.h"
#include "tests/ui/window_test.h"

#include <QPointer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace yard;
using namespace yard::test;
using namespace yard::ui;
using namespace std::chrono_literals;

namespace {

constexpr LinkLimits kQuickTries{.firstPause = 20ms, .longestPause = 80ms, .patience = 20s};

bool comesTo(const EngineLink& link, LinkState state) {
    return QTest::qWaitFor([&] { return link.state() == state; }, kWaitMs);
}

Answer askOver(EngineLink& link, const QString& path) {
    std::optional<Answer> answer;
    link.send({.method = "GET", .path = path, .query = {}, .body = {}}, &link,
              [&](const Answer& a) { answer = a; });
    if (!QTest::qWaitFor([&] { return answer.has_value(); }, kWaitMs)) return {};
    return *answer;
}

} // namespace

class TestAttachedTls : public WindowTest {
    Q_OBJECT

    /// Arguments for an engine that shows an identity of this directory, which is made where it is not there.
    QStringList identity(const QString& name) const {
        const QString path = directory_.filePath(name);
        if (!tls::Identity::own(path.toStdString())) qFatal("no identity was made");
        return {"--tls-cert", path + "/certificate.pem", "--tls-key", path + "/key.pem"};
    }
    void open() {
        window_ = std::make_unique<MainWindow>();
        window_->engine().set(window_->engine().linkTo(engine_.address(), engine_.token()), "elsewhere");
        window_->show();
    }
    QString connection() const { return window_->findChild<StatusBar*>("status-bar")->connectionText(); }
    std::string authority() const { return engine_.address().authority().toStdString(); }

private slots:
    void initTestCase() {
        qputenv("XDG_CONFIG_HOME", directory_.filePath("config").toLocal8Bit());
        QVERIFY(start("attached-tls", identity("tls")));
        QCOMPARE(engine_.fingerprint().size(), 64);
    }
    void init() { QFile::remove(QString::fromStdString(knownEnginesFile())); }
    void cleanup() { window_.reset(); }

    void aPinnedEngineIsSpokenTo() {
        AttachedLink link(engine_.address(), engine_.token(), kQuickTries);
        QSignalSpy batches(&link, &EngineLink::batch);
        link.setPin(engine_.fingerprint());
        QVERIFY(comesTo(link, LinkState::Connected));
        QTRY_VERIFY_WITH_TIMEOUT(!batches.isEmpty(), kSoon);
        QCOMPARE(askOver(link, "session").json.value("fingerprint").toString().toLatin1(), engine_.fingerprint());
        QVERIFY(link.shown().isEmpty());
    }

    void aStrangerIsToldNothing() {
        AttachedLink link(engine_.address(), engine_.token(), kQuickTries);
        QVERIFY(comesTo(link, LinkState::Untrusted));
        QCOMPARE(link.shown(), engine_.fingerprint());
        QVERIFY(link.pin().isEmpty());
        const Answer answer = askOver(link, "session");
        QCOMPARE(answer.status, 0);
        QVERIFY2(answer.message.contains("is not trusted"), qPrintable(answer.message));
        link.setPin(engine_.fingerprint());
        QVERIFY(comesTo(link, LinkState::Connected));
    }

    void anotherKeyThanTheKnownOneIsRefused() {
        AttachedLink link(engine_.address(), engine_.token(), kQuickTries);
        link.setPin(QByteArray(64, 'a'));
        QVERIFY(comesTo(link, LinkState::Untrusted));
        QCOMPARE(link.shown(), engine_.fingerprint());
        QCOMPARE(link.pin(), QByteArray(64, 'a'));
    }

    void aKeyThatChangesIsNoticed() {
        RealEngine engine;
        engine.setArguments(identity("before"));
        QVERIFY(engine.start());
        AttachedLink link(engine.address(), engine.token(), kQuickTries);
        link.setPin(engine.fingerprint());
        QVERIFY(comesTo(link, LinkState::Connected));
        engine.kill();
        engine.setArguments(identity("after"));
        QVERIFY(engine.start());
        QVERIFY(comesTo(link, LinkState::Untrusted));
        QCOMPARE(link.shown(), engine.fingerprint());
    }

    void theWindowAsksOnceAndKeepsTheAnswer() {
        answerNextOf("verb");
        open();
        QTRY_COMPARE_WITH_TIMEOUT(connection(), QString("Connected"), kSoon);
        QCOMPARE(QByteArray::fromStdString(knownFingerprint(knownEnginesFile(), authority()).value_or("")),
                 engine_.fingerprint());
        // Another window knows it.
        open();
        QTRY_COMPARE_WITH_TIMEOUT(connection(), QString("Connected"), kSoon);
        QVERIFY(window_->findChildren<QDialog*>("question").isEmpty());
    }

    void whoIsNotTrustedMayBeLater() {
        answerNextOf("keep");
        open();
        QTRY_COMPARE_WITH_TIMEOUT(connection(), QString("Not trusted"), kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(answered_, kSoon);
        QCOMPARE(connection(), QString("Not trusted"));
        QVERIFY(knownFingerprint(knownEnginesFile(), authority()).value_or("?").empty());
        answerNextOf("verb");
        emit window_->findChild<StatusBar*>("status-bar")->untrustedClicked();
        QTRY_COMPARE_WITH_TIMEOUT(connection(), QString("Connected"), kSoon);
    }

    void whatWasAskedAboutIsTrustedAndNoOtherEngine() {
        RealEngine other;
        other.setArguments(identity("other"));
        QVERIFY(other.start());
        open();
        // While the question stands the window goes to another engine, which is asked about as well; the first question is
        // answered with yes, the second one with no.
        answered_ = false;
        QPointer<QDialog> first;
        auto* poll = new QTimer(window_.get());
        connect(poll, &QTimer::timeout, poll, [&, poll] {
            QList<QDialog*> open;
            for (auto* each : window_->findChildren<QDialog*>("question"))
                if (each->isVisible()) open << each;
            if (open.isEmpty()) return;
            if (first.isNull()) {
                first = open.front();
                return window_->engine().set(window_->engine().linkTo(other.address(), other.token()), "other");
            }
            if (open.size() < 2) return;
            poll->stop();
            poll->deleteLater();
            for (QDialog* each : open) each->findChild<QAbstractButton*>(each == first ? "verb" : "keep")->click();
            answered_ = true;
        });
        poll->start(10);
        QTRY_VERIFY_WITH_TIMEOUT(answered_, kSoon);
        QTRY_VERIFY_WITH_TIMEOUT(first.isNull(), kSoon);
        QVERIFY(knownFingerprint(knownEnginesFile(), authority()).value_or("?").empty());
        const std::string there = other.address().authority().toStdString();
        QVERIFY(knownFingerprint(knownEnginesFile(), there).value_or("?").empty());
    }

    void anotherKeyIsNoQuestion() {
        QVERIFY(rememberFingerprint(knownEnginesFile(), authority(), std::string(64, 'b')).has_value());
        open();
        QTRY_COMPARE_WITH_TIMEOUT(connection(), QString("Not trusted"), kSoon);
        QCOMPARE(window_->engine().stranger().known, QByteArray(64, 'b'));
        QCOMPARE(window_->engine().stranger().shown, engine_.fingerprint());
        emit window_->findChild<StatusBar*>("status-bar")->untrustedClicked();
        QVERIFY(window_->findChildren<QDialog*>("question").isEmpty());
    }

    void tokensAreTriedAtTrustedEnginesAlone() {
        Engines engines(directory_.filePath("tokens.json"));
        const auto problem = [&](const QByteArray& token) {
            std::optional<QString> got;
            engines.tryOut(engine_.address(), token, &engines, [&](const QString& text) { got = text; });
            if (!QTest::qWaitFor([&] { return got.has_value(); }, kWaitMs)) return QString("no answer");
            return *got;
        };
        QCOMPARE(problem("wrong"), QString()); // it was not told
        engines.setPin(engine_.address(), engine_.fingerprint());
        QVERIFY(problem("wrong").contains("refuses this token"));
        QCOMPARE(problem(engine_.token()), QString());
        engines.setPin(engine_.address(), QByteArray(64, 'c'));
        QCOMPARE(problem("wrong"), QString());
        engines.remember(engine_.address());
        engines.look();
        QTRY_COMPARE_WITH_TIMEOUT(engines.reach(engine_.address()), Engines::Reachability::Yes, kSoon);
        engines.forget(engine_.address());
    }

private:
    /// As answerNext(), for a window that is opened after it.
    void answerNextOf(const QString& button) {
        answered_ = false;
        auto* poll = new QTimer(this);
        connect(poll, &QTimer::timeout, this, [this, poll, button] {
            auto* dialog = window_ ? window_->findChild<QDialog*>("question") : nullptr;
            if (dialog == nullptr || !dialog->isVisible()) return;
            poll->stop();
            poll->deleteLater();
            answered_ = true;
            dialog->findChild<QAbstractButton*>(button)->click();
        });
        poll->start(10);
    }

    QTemporaryDir directory_;
    bool answered_ = false;
};

QTEST_MAIN(TestAttachedTls)
#include "tst_attached_tls.moc"
