// Makes a failed comparison of std::string show both texts. Include it before the first QCOMPARE of such.
#pragma once

#include <QTest>

#include <string>

template<>
inline char* QTest::toString(const std::string& text) {
    return qstrdup(text.c_str());
}
