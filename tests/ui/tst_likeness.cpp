// Two pictures of a page are alike in another font and unlike where something else is on them.
#include "tests/ui/likeness.h"

#include <QPainter>
#include <QTest>
#include <functional>

using namespace yard::test;

namespace {

struct Look {
    QColor page{"#1A1E23"};
    QColor panel{"#20252B"};
    QColor text{"#E4E8EC"};
    QColor bar{"#2F7F63"};
    int letter = 4; ///< pixels across
    int moved = 0;  ///< the panel, to the right
    int rows = 18;
    bool hasBar = true;
    int chosen = 4; ///< the row that is selected
};

/// A table beside a panel: words as dashes, as letters are in small.
QImage page(const Look& look) {
    QImage image(640, 400, QImage::Format_RGB32);
    image.fill(look.page);
    QPainter painter(&image);
    painter.fillRect(430 + look.moved, 24, 210, 376, look.panel);
    painter.fillRect(0, 24 + 16 * look.chosen, 430 + look.moved, 16, QColor("#2A3459"));
    for (int row = 0; row < look.rows; ++row)
        for (int x = 12; x < 400; x += look.letter + 2)
            if (x % 60 > 12) painter.fillRect(x, 29 + 16 * row, look.letter - 2, 5, look.text);
    if (look.hasBar) painter.fillRect(450 + look.moved, 60, 170, 40, look.bar);
    return image;
}

QImage with(const std::function<void(Look&)>& change) {
    Look look;
    change(look);
    return page(look);
}

} // namespace

class TestLikeness : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsTheSameIsAlike() { QVERIFY(Likeness::compare(page({}), page({})).isAlike()); }

    void lettersOfAnotherFontAreAlike() {
        for (const int letter : {3, 5, 6}) {
            const Unlike found = Likeness::compare(page({}), with([&](Look& l) { l.letter = letter; }));
            QVERIFY2(found.isAlike(), qPrintable(found.why));
        }
    }

    void whatWiderWordsMoveBySomePixelsIsAlike() {
        for (const int moved : {-8, 5, 10})
            QVERIFY(Likeness::compare(page({}), with([&](Look& l) { l.moved = moved; })).isAlike());
    }

    void anotherPictureIsFoundWhereItDiffers_data() {
        QTest::addColumn<QImage>("other");
        QTest::addColumn<QRect>("where");
        const auto row = [](const char* name, const std::function<void(Look&)>& change, const QRect& where) {
            QTest::newRow(name) << with(change) << where;
        };
        const QRect bar(450, 60, 170, 40);
        row("a bar in another colour", [](Look& l) { l.bar = QColor("#EA5530"); }, bar);
        row("no bar", [](Look& l) { l.hasBar = false; }, bar);
        row("no rows", [](Look& l) { l.rows = 0; }, QRect(0, 24, 400, 300));
        row("half of the rows", [](Look& l) { l.rows = 9; }, QRect(0, 150, 400, 200));
        row("a panel elsewhere", [](Look& l) { l.moved = 120; }, QRect(430, 24, 210, 376));
        row("another row chosen", [](Look& l) { l.chosen = 12; }, QRect(0, 70, 430, 190));
        row("no panel", [](Look& l) { l.panel = l.page.lighter(300); }, QRect(430, 24, 210, 376));
    }

    void anotherPictureIsFoundWhereItDiffers() {
        QFETCH(QImage, other);
        QFETCH(QRect, where);
        const Unlike found = Likeness::compare(page({}), other);
        QVERIFY(!found.isAlike());
        QVERIFY2(found.where.intersects(where), qPrintable(found.why));
        QVERIFY(!found.why.isEmpty());
        QVERIFY2(!Likeness::compare(other, page({})).isAlike(), "alike the other way");
    }

    void anotherThemeIsUnlike() {
        QVERIFY(!Likeness::compare(page({}), with([](Look& l) {
                                       l.page = Qt::white;
                                       l.text = Qt::black;
                                   }))
                     .isAlike());
    }

    void picturesOfTwoSizesAreUnlike() {
        QVERIFY(!Likeness::compare(page({}), page({}).scaled(320, 200)).isAlike());
        QVERIFY(!Likeness::compare({}, {}).isAlike());
    }

    void oneCellAloneIsNoDifference() {
        QImage other = page({});
        QPainter(&other).fillRect(QRect(500, 200, Likeness::kCell, Likeness::kCell), Qt::red);
        QVERIFY(Likeness::compare(page({}), other).isAlike());
        QPainter(&other).fillRect(QRect(500, 200, 5 * Likeness::kCell, 5 * Likeness::kCell), Qt::red);
        QVERIFY(!Likeness::compare(page({}), other).isAlike());
    }
};

QTEST_GUILESS_MAIN(TestLikeness)
#include "tst_likeness.moc"
