// Where the values of `map` come from: words of the command line, files and stdin, read as they are needed. Several sources
// are combined as GNU parallel does: each value of one with each of the others, the last source changing fastest; linked
// sources (:::+) side by side, to the end of the shortest.
//
// One thread. Bounds: a value has kMaxValue bytes, what is held in memory kMaxHeldValues values and kMaxHeldBytes bytes; more
// is a failure. Only the first source is read as it goes, the others are held.
#pragma once

#include "app/yardctl/failure.h"
#include "core/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yard::ctl {

inline constexpr std::size_t kMaxValue = 131'071; ///< bytes: the system takes no longer word
inline constexpr std::size_t kMaxHeldValues = 1'000'000;
inline constexpr std::size_t kMaxHeldBytes = 256u << 20;

/// A source as it was written.
struct ValueSource {
    bool isFile = false;
    bool isLinked = false;             ///< to the one before
    std::vector<std::string> values{}; ///< of one that is no file
    std::string path{};                ///< "-": stdin
};

/// Values of a file, one after the other. Waits for it, or for the descriptor that ends the wait.
class ValueReader {
public:
    /// `stop`: when it can be read, the file has ended; -1: nothing ends a wait. Borrowed.
    static Outcome<ValueReader> open(const std::string& path, char separator, int stop);
    /// Nothing: the end.
    Outcome<std::optional<std::string>> next();
    /// next() would not wait.
    bool isReady();

private:
    ValueReader(UniqueFd file, int fd, std::string name, char separator, int stop);
    Outcome<bool> fill();

    UniqueFd file_; ///< none where it is stdin
    int fd_;
    std::string name_;
    char separator_;
    int stop_;
    std::string buffer_;
    std::size_t at_ = 0; ///< of buffer_, what was given
    std::int64_t count_ = 0;
    bool isAtEnd_ = false;
};

/// The values of one job where it takes one of each source.
using Record = std::vector<std::string>;

class RecordSource {
public:
    struct How {
        char separator = '\n';
        bool skipsBlank = false; ///< records of white space alone are passed over
        bool hasHeader = false;  ///< the first value of each source names its columns
        std::string columns{};   ///< --colsep, an extended regular expression; empty: values are not split
        int stop = -1;           ///< as of ValueReader::open()
    };
    /// Reads all sources but the first, of which it reads what names its columns.
    static Outcome<RecordSource> open(std::vector<ValueSource> sources, How how);
    Outcome<std::optional<Record>> next();
    /// next() would not wait.
    bool isReady();
    /// How many there are, where that is known without reading on.
    std::optional<std::int64_t> total() const;
    /// By --header, in the order of the columns.
    const std::vector<std::string>& names() const { return names_; }

private:
    /// Linked sources are one column group; each of its rows has a value of each.
    struct Group {
        std::vector<Record> rows{};
    };
    explicit RecordSource(How how)
        : how_(std::move(how)) {}
    Outcome<Record> held(const ValueSource& source);
    void addNames(std::string line);
    Outcome<void> addGroup(std::span<const ValueSource> linked);
    Outcome<bool> advanceFirst();
    Outcome<std::optional<Record>> following();
    Outcome<Record> joined() const;

    How how_;
    std::optional<ValueReader> first_; ///< of a first source that is a file by itself
    std::vector<Group> groups_;        ///< without the one that is read as it goes
    std::vector<std::size_t> at_;      ///< the row of each group
    std::vector<std::string> names_;
    std::string firstValue_;
    bool hasBegun_ = false;
    std::size_t heldValues_ = 0;
    std::size_t heldBytes_ = 0;
};

/// A value in its columns. Invalid expressions were refused by checkColumns().
Record splitColumns(const std::string& value, const std::string& expression);
/// Usage: it is no extended regular expression.
Outcome<void> checkColumns(const std::string& expression);

} // namespace yard::ctl
