// The object of GET session: parts of it that are there at times.
#include "core/http/view_json.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <memory>
#include <string>

using namespace yard;
using namespace yard::engine;

class TestSessionJson : public QObject {
    Q_OBJECT

    static QJsonObject jsonOf(const SessionView& view) {
        std::string text;
        http::appendJson(text, view);
        return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object();
    }
    static QJsonObject noticeOf(const SessionView& view) {
        return jsonOf(view)["cloud"].toObject()["notice"].toObject();
    }
    static SessionView session() {
        SessionView view;
        view.sandbox = std::make_shared<SessionView::Sandbox>();
        return view;
    }

private Q_SLOTS:
    void aMachineThatIsNoCloudsHasNoCloud() { QVERIFY(!jsonOf(session()).contains("cloud")); }
    void theCloudIsToldWithoutANoticeWhileThereIsNone() {
        SessionView view = session();
        view.cloud = CloudView{.provider = "aws",
                               .instance = "i-01",
                               .type = "c5.large",
                               .region = "eu-west-1",
                               .isSpot = true,
                               .notice = {}};
        const QJsonObject cloud = jsonOf(view)["cloud"].toObject();
        QCOMPARE(cloud, (QJsonObject{{"provider", "aws"},
                                     {"instance", "i-01"},
                                     {"type", "c5.large"},
                                     {"region", "eu-west-1"},
                                     {"spot", true}}));
    }
    void aNoticeHasItsTimeWhereTheCloudSaysOne() {
        SessionView view = session();
        view.cloud = CloudView{};
        view.cloud->notice = CloudView::Notice{.what = "Preempt", .isCertain = true, .at = 0};
        QCOMPARE(noticeOf(view), (QJsonObject{{"what", "Preempt"}, {"certain", true}}));
        view.cloud->notice->at = 1'505'722'920'000'000;
        QCOMPARE(noticeOf(view)["at"].toInteger(), 1'505'722'920'000'000);
    }
};

QTEST_GUILESS_MAIN(TestSessionJson)
#include "tst_session_json.moc"
