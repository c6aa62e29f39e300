#include "tests/ui/page_layout.h"

#include "tests/ui/painted.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cstdlib>

namespace yard::test {

namespace {

/// Numbers and their units come and go with what is measured.
bool isOfLetters(const QString& words) {
    return words.size() > 2 && std::ranges::any_of(words, [](QChar c) { return c.isLetter(); }) &&
           std::ranges::none_of(words, [](QChar c) { return c.isDigit(); });
}

/// The same, or as much of it as a font left room for.
bool isSame(const QString& one, const QString& other) {
    if (one == other) return true;
    if (!one.contains(u'…') && !other.contains(u'…')) return false;
    const QString head = one.section(u'…', 0, 0);
    const QString otherHead = other.section(u'…', 0, 0);
    return (one.contains(u'…') && otherHead.startsWith(head)) ||
           (other.contains(u'…') && head.startsWith(otherHead));
}

bool isNear(const PageLayout::Sign& one, const PageLayout::Sign& other) {
    return std::abs(one.at.x() - other.at.x()) <= PageLayout::kAcross &&
           std::abs(one.at.y() - other.at.y()) <= PageLayout::kDown;
}

QString placeOf(const PageLayout::Sign& sign) {
    return QStringLiteral("%1 at %2,%3")
        .arg(sign.words.isEmpty() ? QStringLiteral("an icon") : '"' + sign.words + '"')
        .arg(sign.at.x())
        .arg(sign.at.y());
}

} // namespace

PageLayout PageLayout::of(QWidget& page) {
    const Painted painted(page);
    std::vector<Sign> signs;
    for (const Piece& piece : painted.pieces())
        if (isOfLetters(piece.text))
            signs.push_back(
                {piece.text.simplified(), QPoint(qRound(piece.area.left()), qRound(piece.area.center().y()))});
    for (const QRectF& icon : painted.icons()) signs.push_back({{}, icon.center().toPoint()});
    return PageLayout(std::move(signs));
}

PageLayout PageLayout::fromText(const QString& text) {
    std::vector<Sign> signs;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
        signs.push_back(
            {line.section(' ', 2), QPoint(line.section(' ', 0, 0).toInt(), line.section(' ', 1, 1).toInt())});
    return PageLayout(std::move(signs));
}

QString PageLayout::toText() const {
    QString text;
    for (const Sign& sign : signs_)
        text += QStringLiteral("%1 %2 %3").arg(sign.at.x()).arg(sign.at.y()).arg(sign.words).trimmed() + '\n';
    return text;
}

QString PageLayout::missingIn(const PageLayout& other) const {
    std::vector<Sign> left = other.signs_;
    QStringList missing;
    for (const Sign& sign : signs_) {
        const auto isIt = [&](const Sign& each) {
            return sign.words.isEmpty() == each.words.isEmpty() && isSame(sign.words, each.words) &&
                   isNear(sign, each);
        };
        // The nearest, so that of several alike none takes the place of another's.
        auto best = left.end();
        for (auto each = left.begin(); each != left.end(); ++each)
            if (isIt(*each) && (best == left.end() ||
                                (each->at - sign.at).manhattanLength() < (best->at - sign.at).manhattanLength()))
                best = each;
        if (best == left.end())
            missing << placeOf(sign);
        else
            left.erase(best);
    }
    QStringList all;
    if (!missing.isEmpty()) all << "missing: " + missing.join(", ");
    if (!left.empty()) {
        QStringList more;
        for (const Sign& sign : left) more << placeOf(sign);
        all << "not there before: " + more.join(", ");
    }
    return all.join("; ");
}

} // namespace yard::test
