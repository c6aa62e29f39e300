// What each state of the session allows.
#include "core/session/service_state.h"

#include <QTest>

using namespace yard;
using namespace yard::session;

class TestServiceState : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void takesAndStartsWorkOnceItIsReady();
    void startsButTakesNothingWhileItDrains();
    void neitherWhileItIsPaused();
    void whatTheTableForbidsChangesNothing();
    void staysAbandonedInSunset();
};

void TestServiceState::takesAndStartsWorkOnceItIsReady() {
    ServiceState service;
    QVERIFY(!service.startsWork());
    QCOMPARE(service.acceptsWork().error().kind, ErrorKind::NotAccepting);
    QVERIFY(service.moveTo(SessionState::Ready));
    QVERIFY(service.startsWork());
    QVERIFY(service.acceptsWork());
}

void TestServiceState::startsButTakesNothingWhileItDrains() {
    ServiceState service;
    QVERIFY(service.moveTo(SessionState::Ready));
    QVERIFY(service.moveTo(SessionState::Draining));
    QVERIFY(service.startsWork());
    const auto accepted = service.acceptsWork();
    QVERIFY(!accepted);
    QVERIFY2(accepted.error().message.contains("draining"), accepted.error().message.c_str());
}

void TestServiceState::neitherWhileItIsPaused() {
    ServiceState service;
    QVERIFY(service.moveTo(SessionState::Ready));
    QVERIFY(service.moveTo(SessionState::Paused));
    QVERIFY(!service.startsWork());
    QVERIFY(!service.acceptsWork());
}

void TestServiceState::whatTheTableForbidsChangesNothing() {
    ServiceState service;
    QVERIFY(service.moveTo(SessionState::Ready));
    QVERIFY(service.moveTo(SessionState::Sunset));
    const auto moved = service.moveTo(SessionState::Ready);
    QVERIFY(!moved);
    QCOMPARE(moved.error().kind, ErrorKind::WrongState);
    QCOMPARE(service.state(), SessionState::Sunset);
    QVERIFY(!service.isAbandoned());
}

void TestServiceState::staysAbandonedInSunset() {
    ServiceState service;
    QVERIFY(service.moveTo(SessionState::Ready));
    QVERIFY(service.moveTo(SessionState::Abandoned));
    QVERIFY(service.isAbandoned());
    QVERIFY(service.moveTo(SessionState::Sunset));
    QVERIFY(service.isAbandoned());
}

QTEST_APPLESS_MAIN(TestServiceState)
#include "tst_service_state.moc"
