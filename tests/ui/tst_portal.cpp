// Light or dark as the desktop's portal says, on a bus of the test's own with a portal of its own.
#include "tests/support/waiting.h"
#include "ui/style/theme.h"

#include <QDBusConnection>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

using namespace yard::ui;

/// The part of the desktop portal that is asked.
class Portal final : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")

public:
    uint number = 0;
    bool wrapsTwice = true; ///< as Read of real portals does

public slots: // NOLINT(readability-redundant-access-specifiers): moc's
    QDBusVariant Read(const QString& group, const QString& key) {
        if (group != "org.freedesktop.appearance" || key != "color-scheme") return QDBusVariant(QVariant(7U));
        const QVariant plain(number);
        return wrapsTwice ? QDBusVariant(QVariant::fromValue(QDBusVariant(plain))) : QDBusVariant(plain);
    }

signals:
    void SettingChanged(const QString& group, const QString& key, const QDBusVariant& value);
};

class TestPortal : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void withoutAPortalThereIsNoWish();
    void theWishIsReadAtTheStart();
    void aChangeIsFollowed();
    void otherSettingsChangeNothing();
    void aNumberNobodyKnowsIsNoWish();
    void cleanupTestCase();

private:
    void serve(uint number, bool wrapsTwice = true);

    QProcess bus_;
    Portal portal_;
    std::optional<QDBusConnection> desktop_;
};

void TestPortal::initTestCase() {
    bus_.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
    QVERIFY2(bus_.waitForStarted(), "dbus-daemon is missing: ./dev installs it");
    QVERIFY(bus_.waitForReadyRead());
    const QString address = QString::fromLatin1(bus_.readLine()).trimmed();
    qputenv("DBUS_SESSION_BUS_ADDRESS", address.toLatin1());
    desktop_ = QDBusConnection::connectToBus(address, "desktop");
    QVERIFY(desktop_->isConnected());
}

void TestPortal::serve(uint number, bool wrapsTwice) {
    portal_.number = number;
    portal_.wrapsTwice = wrapsTwice;
    if (desktop_->objectRegisteredAt("/org/freedesktop/portal/desktop")) return;
    QVERIFY(desktop_->registerObject("/org/freedesktop/portal/desktop", &portal_,
                                     QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
    QVERIFY(desktop_->registerService("org.freedesktop.portal.Desktop"));
}

void TestPortal::withoutAPortalThereIsNoWish() {
    PortalSchemeSource source;
    QVERIFY(QTest::qWaitFor([&] { return !source.isAsking(); }, yard::kWaitMs));
    QVERIFY(!source.wish());
}

void TestPortal::theWishIsReadAtTheStart() {
    for (const bool twice : {true, false}) {
        serve(1, twice);
        PortalSchemeSource source;
        QVERIFY(QTest::qWaitFor([&] { return !source.isAsking(); }, yard::kWaitMs));
        QVERIFY(source.wish() == Scheme::Dark);
    }
}

void TestPortal::aChangeIsFollowed() {
    serve(1);
    PortalSchemeSource source;
    QVERIFY(QTest::qWaitFor([&] { return source.wish() == Scheme::Dark; }, yard::kWaitMs));
    QSignalSpy changed(&source, &SchemeSource::changed);
    emit portal_.SettingChanged("org.freedesktop.appearance", "color-scheme", QDBusVariant(QVariant(2U)));
    QVERIFY(QTest::qWaitFor([&] { return source.wish() == Scheme::Light; }, yard::kWaitMs));
    QCOMPARE(changed.size(), 1);
}

void TestPortal::otherSettingsChangeNothing() {
    serve(1);
    PortalSchemeSource source;
    QVERIFY(QTest::qWaitFor([&] { return source.wish() == Scheme::Dark; }, yard::kWaitMs));
    QSignalSpy changed(&source, &SchemeSource::changed);
    emit portal_.SettingChanged("org.freedesktop.appearance", "contrast", QDBusVariant(QVariant(2U)));
    emit portal_.SettingChanged("org.gnome.desktop.interface", "color-scheme", QDBusVariant(QVariant(2U)));
    emit portal_.SettingChanged("org.freedesktop.appearance", "color-scheme", QDBusVariant(QVariant(0U)));
    QVERIFY(QTest::qWaitFor([&] { return !source.wish(); }, yard::kWaitMs));
    QCOMPARE(changed.size(), 1);
}

void TestPortal::aNumberNobodyKnowsIsNoWish() {
    serve(9);
    PortalSchemeSource source;
    QVERIFY(QTest::qWaitFor([&] { return !source.isAsking(); }, yard::kWaitMs));
    QVERIFY(!source.wish());
}

void TestPortal::cleanupTestCase() {
    bus_.kill();
    bus_.waitForFinished();
}

QTEST_GUILESS_MAIN(TestPortal)
#include "tst_portal.moc"
