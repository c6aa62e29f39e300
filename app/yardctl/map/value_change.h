// What a replacement string of `map` makes of a value: {.} {/} and their like, and those of parallel's --plus, {..} {+/}
// {:2} {%x} {/a/b}. Immutable once made; any thread.
#pragma once

#include "app/yardctl/map/expression.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace yard::ctl {

/// White space that is taken from the ends of a value.
enum class Trim : unsigned char { None, Left, Right, Both };
std::string_view trimmedBy(Trim trim, std::string_view value);

class ValueChange {
public:
    /// The value as it is.
    ValueChange() = default;
    /// Of what stands in braces behind a position: "." of {.} and of {2.}. Nothing: it is no replacement string. With
    /// `hasPlus` also those of --plus.
    static std::optional<ValueChange> of(std::string_view written, bool hasPlus);

    std::string apply(std::string_view value) const;
    /// The expression in it cannot be read.
    bool isBroken() const { return expression_ && !expression_->isFine(); }

private:
    enum class Kind : unsigned char {
        Whole,
        Base,
        Directory,
        PathBefore,   ///< the last slash; nothing where there is none
        Extensions,   ///< the last `count_`; nothing where there are fewer
        NoExtensions, ///< without the last `count_`
        BaseNoExtensions,
        Default, ///< text_ for nothing, and for 0
        From,    ///< byte count_ on, length_ of them
        ShortPrefix,
        LongPrefix,
        ShortSuffix,
        LongSuffix,
        Replace,    ///< the first
        ReplaceAll, ///< each
        Upper,
        UpperAll,
        Lower,
        LowerAll,
    };
    static std::optional<ValueChange> exact(std::string_view written, bool hasPlus);
    static std::optional<ValueChange> part(std::string_view written);
    static std::optional<ValueChange> replacing(std::string_view written);
    static std::optional<ValueChange> matching(std::string_view written);
    std::string applyExpression(const std::string& value) const;
    std::string replaced(const std::string& value) const;

    Kind kind_ = Kind::Whole;
    std::size_t count_ = 0;
    std::size_t length_ = std::string::npos;
    std::string text_{};
    std::shared_ptr<const Expression> expression_{};
};

} // namespace yard::ctl
