// The chart over time: gaps stay gaps, no more points than it draws, what it tells under the pointer.
#include "tests/support/waiting.h"
#include "ui/style/app_style.h"
#include "ui/style/theme.h"
#include "ui/widgets/chart.h"

#include <QImage>
#include <QStandardPaths>
#include <QTest>

#include <cmath>

using namespace yard::ui;

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kBegin = 1'800'000'000 * kSecond;

Chart::Data line(std::size_t points, double value) {
    Chart::Data data;
    data.from = kBegin;
    data.to = kBegin + static_cast<std::int64_t>(points) * kSecond;
    data.step = kSecond;
    data.values.resize(1);
    for (std::size_t i = 0; i < points; ++i) {
        data.t.push_back(kBegin + static_cast<std::int64_t>(i) * kSecond);
        data.values[0].push_back(value);
    }
    return data;
}

/// How many pixels of `colour` a column of the picture has, nearly.
int pixels(const QImage& picture, int x, const QColor& colour) {
    int count = 0;
    for (int y = 0; y < picture.height(); ++y) {
        const QColor pixel = picture.pixelColor(x, y);
        if (std::abs(pixel.red() - colour.red()) + std::abs(pixel.green() - colour.green()) +
                std::abs(pixel.blue() - colour.blue()) <
            12)
            ++count;
    }
    return count;
}

} // namespace

class TestChart : public QObject {
    Q_OBJECT

    std::unique_ptr<Theme> theme_;

    static std::unique_ptr<Chart> make() {
        auto chart = std::make_unique<Chart>("Processor");
        chart->setSeries({{"actions", Chart::Tone::Accent}});
        chart->setAxis(10, {{0, "0"}, {5, "5"}, {10, "10"}});
        chart->resize(400, 160);
        return chart;
    }

private slots:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        theme_ = std::make_unique<Theme>(nullptr);
        dressApplication();
    }

    void anUnbrokenLineIsOnePiece() {
        const auto chart = make();
        chart->replace(line(100, 5));
        QCOMPARE(chart->pieces(0), 1);
    }

    void whereNothingIsKnownTheLineBreaks() {
        const auto chart = make();
        Chart::Data data = line(100, 5);
        for (std::size_t i = 40; i < 60; ++i) data.values[0][i] = Chart::kNone;
        chart->replace(data);
        QCOMPARE(chart->pieces(0), 2);
        QPixmap picture(chart->size());
        picture.fill(Qt::black);
        chart->render(&picture);
        const QImage image = picture.toImage();
        const QRect plot = chart->plot();
        const QColor area = mixed((*theme_)(Token::Bg1), (*theme_)(Token::Accent), 0.2);
        QVERIFY(pixels(image, plot.left() + plot.width() / 4, area) > plot.height() / 3);
        QCOMPARE(pixels(image, plot.left() + plot.width() / 2, area), 0);
    }

    void pointsFurtherApartThanTheirStepAreNotJoined() {
        const auto chart = make();
        Chart::Data data = line(100, 5);
        data.t.erase(data.t.begin() + 30, data.t.begin() + 50);
        data.values[0].resize(80);
        chart->replace(data);
        QCOMPARE(chart->pieces(0), 2);
    }

    void aGapThatCloses() {
        const auto chart = make();
        Chart::Data broken = line(100, 5);
        broken.values[0][50] = Chart::kNone;
        chart->replace(broken);
        QCOMPARE(chart->pieces(0), 2);
        chart->replace(line(100, 5)); // too soon: it comes by itself
        QTRY_COMPARE_WITH_TIMEOUT(chart->pieces(0), 1, yard::kWaitMs);
    }

    void ofManyShowingsTheNewestWins() {
        const auto chart = make();
        for (int value = 1; value <= 9; ++value) chart->replace(line(10, value));
        QCOMPARE(chart->data().values[0].front(), 1.0); // the first at once, the others wait
        QTRY_COMPARE_WITH_TIMEOUT(chart->data().values[0].front(), 9.0, yard::kWaitMs);
    }

    void morePiecesThanAreDrawnLeaveOutTheOldest() {
        const auto chart = make();
        Chart::Data data = line(400, 5);
        for (std::size_t i = 0; i < 400; i += 2) data.values[0][i] = Chart::kNone;
        chart->replace(data);
        QCOMPARE(chart->pieces(0), static_cast<int>(Chart::kMostPieces));
    }

    void ofMorePointsTheHighestOfEachStretchIsKept() {
        Chart::Data data = line(3'000, 1);
        data.values[0][1'501] = 9;
        const Chart::Data fewer = thinned(data);
        QVERIFY(fewer.t.size() <= Chart::kMostPoints);
        QCOMPARE(fewer.t.size(), fewer.values[0].size());
        QCOMPARE(std::ranges::count(fewer.values[0], 9.0), 1);
        QCOMPARE(fewer.step, 5 * kSecond);
    }

    void aStretchOfWhichNothingIsKnownStaysAGapWhenThinned() {
        Chart::Data data = line(1'200, 1);
        for (std::size_t i = 400; i < 600; ++i) data.values[0][i] = Chart::kNone;
        const Chart::Data fewer = thinned(data);
        QVERIFY(std::isnan(fewer.values[0][250]));
        QCOMPARE(fewer.values[0][100], 1.0);
    }

    void stackedSeriesStandOnEachOther() {
        Chart chart("Processor");
        chart.setSeries({{"actions", Chart::Tone::Accent}, {"others", Chart::Tone::Others}}, true);
        chart.setAxis(10, {{0, "0"}});
        chart.resize(400, 160);
        Chart::Data data = line(100, 4);
        data.values.push_back(std::vector<double>(100, 4.0));
        chart.replace(data);
        QPixmap picture(chart.size());
        picture.fill(Qt::black);
        chart.render(&picture);
        const QImage image = picture.toImage();
        const QRect plot = chart.plot();
        const int x = plot.left() + plot.width() / 2;
        const QColor lower = mixed((*theme_)(Token::Bg1), (*theme_)(Token::Accent), 0.2);
        const QColor upper = mixed((*theme_)(Token::Bg1), (*theme_)(Token::Text3), 0.35);
        QVERIFY(std::abs(pixels(image, x, lower) - plot.height() * 4 / 10) < 6);
        QVERIFY(std::abs(pixels(image, x, upper) - plot.height() * 4 / 10) < 6);
    }

    void underThePointerStandsTheValueAndInAGapNothing() {
        const auto chart = make();
        chart->setWords([](double value) { return QString::number(value) + " cores"; });
        Chart::Data data = line(100, 5);
        for (std::size_t i = 40; i < 60; ++i) data.values[0][i] = Chart::kNone;
        chart->replace(data);
        const QRect plot = chart->plot();
        QVERIFY(chart->textAt(plot.left() + plot.width() / 4).endsWith("5 cores actions"));
        QCOMPARE(chart->textAt(plot.left() + plot.width() / 2), QString());
        QCOMPARE(chart->textAt(plot.left() - 5), QString());
    }

    void aFailureIsATickInFailedFill() {
        const auto chart = make();
        Chart::Data data = line(100, 0);
        data.ticks = {kBegin + 50 * kSecond};
        chart->replace(data);
        QPixmap picture(chart->size());
        picture.fill(Qt::black);
        chart->render(&picture);
        const QRect plot = chart->plot();
        int red = 0;
        for (int x = plot.left() + plot.width() / 2 - 3; x <= plot.left() + plot.width() / 2 + 3; ++x)
            red = std::max(red, pixels(picture.toImage(), x, theme_->fillOf(DisplayState::Failed)));
        QVERIFY(red >= 8);
    }

    void theThemeRecoloursWhatIsDrawn() {
        const auto chart = make();
        chart->replace(line(100, 5));
        theme_->choose(Theme::Choice::Light);
        QPixmap picture(chart->size());
        picture.fill(Qt::white);
        chart->render(&picture);
        const QColor area = mixed((*theme_)(Token::Bg1), (*theme_)(Token::Accent), 0.2);
        QVERIFY(pixels(picture.toImage(), chart->plot().center().x(), area) > 20);
        theme_->choose(Theme::Choice::Dark);
    }

    void axesEndAtRoundNumbers() {
        QCOMPARE(niceEnd(0, 10), 10.0);
        QCOMPARE(niceEnd(23'746, 10), 30'000.0);
        QCOMPARE(niceEnd(30'000, 10), 30'000.0);
        QCOMPARE(niceEnd(61'000, 10), 100'000.0);
        QCOMPARE(niceEnd(std::nan(""), 0), 1.0);
        QCOMPARE(axisNumber(0), QString("0"));
        QCOMPARE(axisNumber(15'000), QString("15 k"));
        QCOMPARE(axisNumber(1'500'000), QString("1.5 M"));
    }
};

QTEST_MAIN(TestChart)
#include "tst_chart.moc"
