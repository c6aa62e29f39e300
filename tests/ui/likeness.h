// Whether two pictures of a page are alike, for people: the same areas in the same colours with as much written on them.
// Letters of another font, and what they move by some pixels, make no difference; a panel that is missing, an empty
// table, a bar in another colour do. Values, no owner; pure.
#pragma once

#include <QImage>
#include <QRect>
#include <QString>

namespace yard::test {

struct Unlike {
    QRect where; ///< of the first picture; empty: they are alike
    QString why;
    bool isAlike() const { return where.isEmpty(); }
};

/// Looked at by cells of kCell pixels. A cell's ground is its median colour; its ink is the share of pixels that are far
/// from that. A ground has to be found within a cell's width in the other picture, each way; ink is compared in blocks of
/// cells. One cell alone is never a difference: an area of about three by three of them is.
class Likeness {
public:
    static constexpr int kCell = 12;

    /// Pictures of one size; those of two sizes are unlike all over.
    static Unlike compare(const QImage& one, const QImage& other);
};

} // namespace yard::test
