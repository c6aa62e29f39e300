// An array that grows at its end and never moves what it holds: segments of 8, 8, 16, 32, … so growing costs one
// allocation and no copy, however large it is (nothing on the engine thread reallocates). Private to
// session.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace yard::session {

template<class T>
class GrowArray {
public:
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T& operator[](std::uint32_t i) {
        const unsigned s = segmentOf(i);
        return segments_[s][i - startOf(s)];
    }
    const T& operator[](std::uint32_t i) const {
        const unsigned s = segmentOf(i);
        return segments_[s][i - startOf(s)];
    }
    T& front() { return segments_[0][0]; }
    const T& front() const { return segments_[0][0]; }
    T& back() { return (*this)[size_ - 1]; }

    void push(T value) {
        const unsigned s = segmentOf(size_);
        if (s == segments_.size()) {
            segments_.push_back(std::make_unique_for_overwrite<T[]>(s == 0 ? kFirst : startOf(s)));
        }
        segments_[s][size_ - startOf(s)] = std::move(value);
        ++size_;
    }
    /// Removes the last one. Gives a segment back when the one before it is half empty: no flutter at the border.
    void pop() {
        assert(size_ > 0);
        --size_;
        const unsigned used = size_ == 0 ? 0 : segmentOf(size_ - 1) + 1;
        if (segments_.size() > used &&
            (used == 0 ? segments_.size() > 1 : size_ <= startOf(used) - startOf(used) / 4))
            segments_.resize(used == 0 ? 1 : used);
    }
    void clear() {
        segments_.clear();
        size_ = 0;
    }
    std::size_t memoryBytes() const {
        const auto n = static_cast<unsigned>(segments_.size());
        return segments_.capacity() * sizeof(segments_[0]) + (n == 0 ? 0 : sizeof(T) * startOf(n));
    }

private:
    static constexpr std::uint32_t kFirst = 8;
    static unsigned segmentOf(std::uint32_t i) { return static_cast<unsigned>(std::bit_width(i / kFirst)); }
    static std::uint32_t startOf(unsigned segment) { return segment == 0 ? 0 : kFirst << (segment - 1); }

    std::vector<std::unique_ptr<T[]>> segments_;
    std::uint32_t size_ = 0;
};

} // namespace yard::session
