// Two layouts are alike in another font, and unlike where a column is lost, a panel moved or an icon missing.
#include "tests/ui/page_layout.h"

#include <QLabel>
#include <QPainter>
#include <QTest>

using namespace yard::test;

namespace {

PageLayout layout(const QString& lines) {
    return PageLayout::fromText(lines);
}

const QString kPage = QStringLiteral("20 10\n40 10 Queues\n200 40 State\n320 40 Progress\n520 40 Waiting\n20 70\n");

} // namespace

class TestPageLayout : public QObject {
    Q_OBJECT
private slots:
    void whatIsTheSameIsAlike() { QCOMPARE(layout(kPage).missingIn(layout(kPage)), QString()); }

    void textIsReadAsItWasWritten() { QCOMPARE(layout(kPage).toText(), kPage); }

    void whatAFontMovesIsAlike() {
        const QString moved =
            QStringLiteral("24 12\n44 13 Queues\n212 42 State\n350 40 Progress\n575 44 Waiting\n20 72\n");
        QCOMPARE(layout(kPage).missingIn(layout(moved)), QString());
    }

    void whatAFontCutsIsAlike() {
        QCOMPARE(layout("10 10 foliage wind\n").missingIn(layout("10 10 foliage…\n")), QString());
        QCOMPARE(layout("10 10 foli…\n").missingIn(layout("10 10 foliage…\n")), QString());
        QVERIFY(!layout("10 10 brick…\n").missingIn(layout("10 10 foliage…\n")).isEmpty());
    }

    void whatIsMissingIsNamed_data() {
        QTest::addColumn<QString>("page");
        QTest::addColumn<QString>("why");
        QTest::newRow("a column") << QString(kPage).remove("320 40 Progress\n")
                                  << "missing: \"Progress\" at 320,40";
        QTest::newRow("an icon") << QString(kPage).remove("20 70\n") << "missing: an icon at 20,70";
        QTest::newRow("a panel elsewhere")
            << QString(kPage).replace("520 40", "400 40")
            << "missing: \"Waiting\" at 520,40; not there before: \"Waiting\" at 400,40";
        QTest::newRow("lower down") << QString(kPage).replace("520 40", "520 80")
                                    << "missing: \"Waiting\" at 520,40; not there before: \"Waiting\" at 520,80";
        QTest::newRow("another word") << QString(kPage).replace("State", "Kind")
                                      << "missing: \"State\" at 200,40; not there before: \"Kind\" at 200,40";
        QTest::newRow("one more") << kPage + "700 40 Failed\n" << "not there before: \"Failed\" at 700,40";
    }
    void whatIsMissingIsNamed() {
        QFETCH(QString, page);
        QFETCH(QString, why);
        QCOMPARE(layout(kPage).missingIn(layout(page)), why);
    }

    void aWidgetIsReadAsItIsPainted() {
        QWidget page;
        page.resize(300, 100);
        auto* words = new QLabel("Nothing waits", &page);
        words->move(40, 20);
        auto* number = new QLabel("1,204 s", &page);
        number->move(40, 50);
        QPixmap small(16, 16);
        small.fill(Qt::red);
        auto* icon = new QLabel(&page);
        icon->setPixmap(small);
        icon->move(10, 20);
        QPixmap large(64, 64);
        large.fill(Qt::red);
        auto* picture = new QLabel(&page);
        picture->setPixmap(large);
        picture->move(200, 20);
        page.show();
        const PageLayout found = PageLayout::of(page);
        QCOMPARE(found.signs().size(), std::size_t{2});
        QCOMPARE(found.signs()[0].words, QString("Nothing waits"));
        QVERIFY(found.signs()[1].words.isEmpty());
        QVERIFY(std::abs(found.signs()[1].at.x() - 18) < 3);
    }
};

QTEST_MAIN(TestPageLayout)
#include "tst_page_layout.moc"
