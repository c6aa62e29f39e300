#include "core/engine/state/accept_parts.h"

#include <algorithm>

namespace yard::engine {

AcceptParts::AcceptParts(store::Accept whole)
    : whole_(std::move(whole))
    , all_{whole_.items.front().row.lsn, 0} {
    for (const store::AcceptItem& item : whole_.items) all_.count += item.count;
}

bool AcceptParts::isLarge(const store::Accept& accept) {
    std::int64_t rows = 0;
    std::size_t bytes = 0;
    for (const store::AcceptItem& item : accept.items) {
        rows += item.count;
        bytes += item.spec.size();
        if (rows > kRows || bytes > kBytes) return true;
    }
    return false;
}

store::Accept AcceptParts::next() {
    store::Accept part;
    part.part = store::AcceptPart{.whole = all_, .begins = rows_ == 0, .ends = false};
    part.now = whole_.now;
    part.idempotency = whole_.idempotency;
    part.effect = whole_.effect;
    if (part.part->begins) {
        part.labels = std::move(whole_.labels);
        part.classes = std::move(whole_.classes);
    }
    firstItem_ = item_;
    std::int64_t rows = 0;
    std::size_t bytes = 0;
    while (!atEnd() && rows < kRows && bytes < kBytes) {
        store::AcceptItem& from = whole_.items[item_];
        const std::int64_t count = std::min(from.count - before_, kRows - rows);
        store::AcceptItem item;
        item.row = from.row;
        item.row.lsn.value += before_;
        item.row.arrayIndex += before_;
        item.isArray = from.isArray;
        item.count = count;
        item.before = before_;
        item.total = from.isArray ? from.count : 0;
        if (before_ == 0) {
            item.spec = std::move(from.spec);
            item.chunks = std::move(from.chunks);
        }
        rows += count;
        bytes += item.spec.size();
        part.items.push_back(std::move(item));
        before_ += count;
        if (before_ < from.count) continue;
        before_ = 0;
        ++item_;
    }
    rows_ += rows;
    part.part->ends = atEnd();
    if (atEnd()) part.replaced = std::move(whole_.replaced);
    const Lsn behind{all_.first.value + rows_};
    for (; fold_ < whole_.folds.size() && whole_.folds[fold_].lsns.last() < behind; ++fold_)
        part.folds.push_back(whole_.folds[fold_]);
    return part;
}

std::vector<store::LsnRun> AcceptParts::soFar() const {
    std::vector<store::LsnRun> pieces;
    for (std::int64_t at = 0; at < rows_; at += kRows)
        pieces.push_back({Lsn{all_.first.value + at}, std::min(kRows, rows_ - at)});
    return pieces;
}

} // namespace yard::engine
