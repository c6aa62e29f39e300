// When `map` stops before its values are used up (--halt), as GNU parallel decides it. A value; one thread.
#pragma once

#include "app/yardctl/failure.h"

#include <cstdint>
#include <optional>
#include <string>

namespace yard::ctl {

class HaltPolicy {
public:
    enum class When : unsigned char { Never, Soon, Now };

    HaltPolicy() = default;
    /// "never", "soon,fail=1", "now,fail=10%", "now,success=2", "soon,done=3"; 0, 1 and 2 as parallel has them.
    static Outcome<HaltPolicy> parse(const std::string& text);

    /// How many jobs there are; a percentage is of these, and waits until they are known.
    void setTotal(std::int64_t jobs) { total_ = jobs; }
    /// A job has ended, `code` as a shell says it. Whether it is time, for good once it was.
    When note(int code);
    /// What map exits with because of it; nothing: it did not halt.
    std::optional<int> exitCode() const { return exit_; }
    /// True when only counting failures can stop it, after so many: the engine can do so itself.
    std::optional<std::int64_t> stopsAfterFailures() const;
    bool isNever() const { return when_ == When::Never; }

private:
    enum class What : unsigned char { Fail, Success, Done };
    When when_ = When::Never;
    What what_ = What::Fail;
    bool isPercent_ = false;
    double limit_ = 0; ///< jobs, or hundredths
    std::optional<std::int64_t> total_;
    std::int64_t failed_ = 0;
    std::int64_t ended_ = 0;
    std::optional<int> exit_;
};

} // namespace yard::ctl
