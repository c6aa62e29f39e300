#include "core/store/spec_source.h"

#include <algorithm>

namespace yard::store {

Result<std::unique_ptr<SpecSource>> SpecSource::create(Database& database) {
    std::unique_ptr<SpecSource> source(new SpecSource(database));
    static constexpr std::string_view kColumns = "SELECT p.lsn, p.array_base, p.array_index, s.text FROM pending p "
                                                 "LEFT JOIN spec s ON s.lsn=coalesce(p.array_base, p.lsn) ";
    auto one = database.prepare(std::string(kColumns) + "WHERE p.lsn=?");
    if (!one) return std::unexpected(std::move(one.error()));
    auto following = database.prepare(std::string(kColumns) + "WHERE p.lsn>? ORDER BY p.lsn LIMIT ?");
    if (!following) return std::unexpected(std::move(following.error()));
    source->one_ = std::move(*one);
    source->following_ = std::move(*following);
    return source;
}

void SpecSource::addRow(const Statement& row, std::vector<FetchedSpec>& fetched) {
    FetchedSpec& spec = fetched.emplace_back();
    spec.lsn = Lsn(row.integer(0));
    if (row.isNull(3)) {
        spec.error = "its spec is not in the journal";
        return;
    }
    const bool isElement = !row.isNull(1);
    if (!isElement || Lsn(row.integer(1)) != arrayBase_) {
        auto parsed = parseAction(row.text(3));
        if (!parsed) {
            spec.error = std::move(parsed.error().message);
            return;
        }
        if (!isElement) {
            spec.spec = std::move(parsed->spec);
            spec.text = row.text(3);
            return;
        }
        arrayBase_ = Lsn(row.integer(1));
        array_ = std::move(*parsed);
        array_.text = row.text(3);
    }
    auto element = std::make_shared<ActionSpec>(*array_.spec);
    applyArrayIndex(*element, row.integer(2));
    spec.spec = std::move(element);
    spec.text = array_.text;
}

std::vector<FetchedSpec> SpecSource::fetch(std::vector<Lsn> lsns, int ahead) {
    std::vector<FetchedSpec> fetched;
    std::ranges::sort(lsns);
    arrayBase_ = Lsn();
    for (const Lsn lsn : lsns) {
        QueryScope row(one_, lsn);
        const int rc = row.step();
        if (rc == SQLITE_ROW)
            addRow(one_, fetched);
        else
            fetched.push_back({.lsn = lsn,
                               .spec = nullptr,
                               .text = {},
                               .error = rc == SQLITE_DONE ? "it is not pending"
                                                          : std::string(sqlite3_errmsg(database_.handle()))});
    }
    if (ahead > 0 && !lsns.empty()) {
        QueryScope rows(following_, lsns.back(), ahead);
        while (rows.step() == SQLITE_ROW) addRow(following_, fetched);
    }
    array_ = {};
    arrayBase_ = Lsn();
    return fetched;
}

} // namespace yard::store
