// Lists through members of their elements (Boost.Intrusive): insert, remove and move in O(1), nothing allocated. No
// owner: an element is in one list per link, and must be out of it before it goes; with assertions that is checked.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <iterator>

namespace yard::pool {

using Link = boost::intrusive::list_member_hook<>;

/// A list of T through its member `Member`. Elements are pointers, null is none.
template<class T, Link T::* Member>
class List {
public:
    bool empty() const { return list_.empty(); }
    std::size_t size() const { return list_.size(); }
    T* front() const { return empty() ? nullptr : &list_.front(); }
    T* back() const { return empty() ? nullptr : &list_.back(); }
    T* next(const T& element) const {
        const auto after = std::next(at(element));
        return after == list_.end() ? nullptr : &*after;
    }
    T* previous(const T& element) const {
        const auto place = at(element);
        return place == list_.begin() ? nullptr : &*std::prev(place);
    }
    static bool isLinked(const T& element) { return (element.*Member).is_linked(); }

    void pushBack(T& element) { list_.push_back(element); }
    /// `where` is in this list, or null: at the end.
    void insertBefore(T& element, T* where) { list_.insert(where ? at(*where) : list_.end(), element); }
    void remove(T& element) { list_.erase(at(element)); }

private:
    using Elements = boost::intrusive::list<T, boost::intrusive::member_hook<T, Link, Member>>;
    typename Elements::iterator at(const T& element) const { return list_.iterator_to(const_cast<T&>(element)); }
    /// It owns nothing: its elements are as changeable as they are without it.
    mutable Elements list_;
};

} // namespace yard::pool
