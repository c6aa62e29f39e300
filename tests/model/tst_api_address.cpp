// Addresses of engines as they are written into files and by people.
#include "core/model/api_address.h"

#include <QTest>

using namespace yard;

class TestApiAddress : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aPublishedAddressIsReadAsItWasMeant();
    void peopleWhoNameNoPathMeanTheUsualOne();
};

void TestApiAddress::aPublishedAddressIsReadAsItWasMeant() {
    const std::string server = "http://127.0.0.1:8640";
    QCOMPARE(publishedAddress(server, "/compute"), server);
    QCOMPARE(publishedAddress(server, ""), server + "/");
    QCOMPARE(publishedAddress(server, "/a/b"), server + "/a/b");
    for (const std::string prefix : {"/compute", "", "/a/b"}) {
        const ApiAddress api = apiOfPublished(publishedAddress(server, prefix));
        QCOMPARE(api.server, server);
        QCOMPARE(api.prefix, prefix);
        QCOMPARE(api.url(), server + prefix);
    }
    QCOMPARE(apiOfPublished("http://[::1]:1").url(), std::string("http://[::1]:1/compute"));
}

void TestApiAddress::peopleWhoNameNoPathMeanTheUsualOne() {
    QCOMPARE(apiOfWritten("http://desk:1").url(), std::string("http://desk:1/compute"));
    QCOMPARE(apiOfWritten("http://desk:1/").url(), std::string("http://desk:1/compute"));
    QCOMPARE(apiOfWritten("http://desk:1/", "/yard").url(), std::string("http://desk:1/yard"));
    QCOMPARE(apiOfWritten("http://desk:1/", "").url(), std::string("http://desk:1"));
    QCOMPARE(apiOfWritten("http://desk:1/farm//").url(), std::string("http://desk:1/farm"));
    QCOMPARE(apiOfWritten("desk/farm").prefix, std::string("/farm"));
}

QTEST_APPLESS_MAIN(TestApiAddress)
#include "tst_api_address.moc"
