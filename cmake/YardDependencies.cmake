# What the product is built on (ARCHITECTURE.md says what for and why). Debian names are in ./dev.
find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(fmt REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Test)

# The event loop and its users: epoll, no separate compilation, plain system executor types only.
add_library(yard_asio INTERFACE)
target_link_libraries(yard_asio INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(yard_asio INTERFACE BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_ARRAY
  BOOST_ASIO_DISABLE_BOOST_REGEX BOOST_ASIO_DISABLE_BOOST_DATE_TIME)
