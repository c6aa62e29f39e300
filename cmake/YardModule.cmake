# Flags of every target, and the two functions that make a core module and a test.

add_library(yard_flags INTERFACE)
target_include_directories(yard_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(yard_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wimplicit-fallthrough -Wthread-safety
  $<$<CONFIG:Debug>:-g1> $<$<CONFIG:Release>:-g1>)
if(YARD_WERROR)
  target_compile_options(yard_flags INTERFACE -Werror)
endif()
if(YARD_SANITIZE)
  target_compile_options(yard_flags INTERFACE -fsanitize=${YARD_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(yard_flags INTERFACE -fsanitize=${YARD_SANITIZE})
  target_compile_definitions(yard_flags INTERFACE YARD_SANITIZED=1)
endif()

# What nearly every file includes, read once: a quarter of what compiling costs. Files still include what they use; the
# debug preset has no precompiled headers and shows where one does not.
option(YARD_PCH "Precompiled standard headers" ON)
set(YARD_PCH_HEADERS <algorithm> <array> <atomic> <cerrno> <charconv> <chrono> <condition_variable> <cstdint> <cstring>
  <deque> <expected> <functional> <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
if(YARD_PCH)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/yard_pch.cpp CONTENT "")
  add_library(yard_pch OBJECT ${CMAKE_BINARY_DIR}/yard_pch.cpp)
  target_link_libraries(yard_pch PRIVATE yard_flags fmt::fmt)
  target_precompile_headers(yard_pch PRIVATE ${YARD_PCH_HEADERS})
endif()

# With a sanitizer a test program that has all of the core in it takes 3 s to link and 130 MB, and there are 140: they
# share it.
if(YARD_SANITIZE)
  set(YARD_LIBRARY_KIND SHARED)
else()
  set(YARD_LIBRARY_KIND STATIC)
endif()

# yard_module(NAME [OWN_PCH] SOURCES a.cpp … DEPS other modules and libraries …): library yard_NAME, alias
# yard::NAME. OWN_PCH: it has precompiled headers of its own.
# DEPS may only name floors below; cmake/check_includes.py holds the include lines against cmake/include-edges.txt.
function(yard_module name)
  cmake_parse_arguments(ARG "OWN_PCH" "" "SOURCES;DEPS" ${ARGN})
  add_library(yard_${name} ${YARD_LIBRARY_KIND} ${ARG_SOURCES})
  add_library(yard::${name} ALIAS yard_${name})
  target_link_libraries(yard_${name} PUBLIC yard_flags ${ARG_DEPS})
  if(YARD_PCH AND NOT ARG_OWN_PCH)
    target_precompile_headers(yard_${name} REUSE_FROM yard_pch)
  endif()
  yard_unity(yard_${name})
endfunction()

# What unnamed namespaces of a module name is unique in it for that.
function(yard_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${YARD_UNITY} UNITY_BUILD_BATCH_SIZE 24)
endfunction()

# Test programs are not optimised and have no line tables: what they test is and has, and a third of what compiling them
# takes is saved.
set(YARD_TEST_OPTIONS $<$<CONFIG:Release>:-O0> $<$<CONFIG:Release>:-g0>)

# The same for tests, with Qt Test, half of what compiling one costs. "slots" and "signals" are words of the core's own.
if(YARD_PCH AND YARD_TESTS)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/yard_test_pch.cpp CONTENT "")
  add_library(yard_test_pch OBJECT ${CMAKE_BINARY_DIR}/yard_test_pch.cpp)
  target_link_libraries(yard_test_pch PRIVATE yard_flags fmt::fmt Boost::json Qt6::Core)
  target_include_directories(yard_test_pch SYSTEM PRIVATE
    $<TARGET_PROPERTY:Qt6::Test,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(yard_test_pch PRIVATE QT_NO_KEYWORDS)
  target_compile_options(yard_test_pch PRIVATE ${YARD_TEST_OPTIONS})
  target_precompile_headers(yard_test_pch PRIVATE ${YARD_PCH_HEADERS} <QTest> <boost/json.hpp>)
endif()

# yard_test_pch(NAME DEPS what the headers need HEADERS …): the same with what a family of tests includes. Compared by
# content, as a cache of objects may give it to another clone.
function(yard_test_pch name)
  cmake_parse_arguments(ARG "" "" "DEPS;HEADERS" ${ARGN})
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE yard_flags Qt6::Core ${ARG_DEPS})
  target_include_directories(${name} SYSTEM PRIVATE $<TARGET_PROPERTY:Qt6::Test,INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
  target_compile_options(${name} PRIVATE ${YARD_TEST_OPTIONS} "SHELL:-Xclang -fno-pch-timestamp")
  list(TRANSFORM ARG_HEADERS PREPEND ${CMAKE_SOURCE_DIR}/)
  target_precompile_headers(${name} PRIVATE ${YARD_PCH_HEADERS} <QTest> <boost/json.hpp> ${ARG_HEADERS})
endfunction()

if(YARD_PCH AND YARD_TESTS)
  # With a whole engine and what of it is asked most: two thirds of what compiling a test that drives one costs.
  set(engine_headers commands/operations.h commands/rescheduling.h reading/action_details.h reading/action_rows.h
    reading/listing.h reading/overview.h reading/reasons.h running/timeline_keeper.h state/queues.h state/settings_service.h)
  list(TRANSFORM engine_headers PREPEND core/engine/)
  yard_test_pch(yard_engine_test_pch DEPS yard::engine
    HEADERS core/launcher/launcher.h tests/engine/engine_test.h ${engine_headers})
  yard_test_pch(yard_store_test_pch DEPS yard::store SQLite::SQLite3
    HEADERS tests/store/journal_fixture.h tests/store/writer_fixture.h)
  yard_test_pch(yard_session_test_pch DEPS yard::session
    HEADERS tests/session/machine.h tests/session/parts.h)
endif()

# The precompiled headers that fit what a test includes, in `result`.
function(yard_pch_of_test source result)
  set(pch yard_test_pch)
  foreach(family IN ITEMS "yard_engine_test_pch:(engine/engine_test|http/api_test)"
      "yard_store_test_pch:store/(journal|writer)_fixture" "yard_session_test_pch:session/(machine|parts|real_machine)")
    string(REGEX MATCH "^([a-z_]+):(.*)$" matched ${family})
    file(STRINGS ${source} included REGEX "^#include \"tests/${CMAKE_MATCH_2}\\.h\"$")
    if(included)
      set(pch ${CMAKE_MATCH_1})
      break()
    endif()
  endforeach()
  set(${result} ${pch} PARENT_SCOPE)
endfunction()

# Linked into every test: settings of Qt Test and of the sanitizers.
add_library(yard_program_defaults OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/support/program_defaults.cpp)
target_link_libraries(yard_program_defaults PRIVATE yard_flags)
if(YARD_SANITIZE STREQUAL "thread")
  # Suppressions by function name need the program that turns addresses into names, where there is one.
  find_program(YARD_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer)
  set(tsan_options "suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")
  if(YARD_SYMBOLIZER)
    string(APPEND tsan_options ":external_symbolizer_path=${YARD_SYMBOLIZER}")
  endif()
  target_compile_definitions(yard_program_defaults PRIVATE YARD_TSAN_OPTIONS="${tsan_options}")
endif()

# yard_moc(TARGET SOURCE [OPTIONS]): moc of the class that a test's own file defines. AUTOMOC would run three more
# programs for each test.
function(yard_moc target source)
  cmake_path(GET source STEM stem)
  set(moc ${CMAKE_CURRENT_BINARY_DIR}/moc/${stem}.moc)
  add_custom_command(OUTPUT ${moc} COMMAND Qt6::moc ${ARGN} ${source} -o ${moc}
    DEPENDS ${source} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} VERBATIM)
  target_sources(${target} PRIVATE ${moc})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc)
endfunction()

# yard_test_library(NAME SOURCES … DEPS …): what tests share, compiled once. Programs that measure use it too: it is
# optimised.
function(yard_test_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC yard_flags Qt6::Test ${ARG_DEPS})
  target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
  if(YARD_PCH)
    target_precompile_headers(${name} REUSE_FROM yard_pch)
  endif()
endfunction()

# What the sanitized runs of .ci/run are for: ninja core_tests, or GROUP_tests of some groups.
add_custom_target(core_tests)
set(YARD_PROGRAM_GROUPS app ui torture)

# What the tests of a group of core/ need is built for them.
function(yard_core_test group)
  if(NOT TARGET ${group}_tests)
    add_custom_target(${group}_tests)
    add_dependencies(core_tests ${group}_tests)
  endif()
  add_dependencies(${group}_tests ${ARGN})
endfunction()

# yard_test(GROUP NAME [ONE_THREAD] SOURCES tst_NAME.cpp … DEPS … [TIMEOUT s] [LABELS …] [PCH_OF target]): Qt
# Test program tst_GROUP_NAME, ctest label GROUP. Without PCH_OF Qt's keywords are macros: Q_SLOTS. ONE_THREAD: what it
# tests starts no thread and no process, so the thread sanitizer has nothing to look for.
function(yard_test group name)
  cmake_parse_arguments(ARG "ONE_THREAD" "TIMEOUT;PCH_OF" "SOURCES;DEPS;LABELS" ${ARGN})
  if(ARG_ONE_THREAD AND YARD_SANITIZE STREQUAL "thread")
    return()
  endif()
  set(target tst_${group}_${name})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE yard_flags yard_program_defaults Qt6::Test ${ARG_DEPS})
  target_compile_options(${target} PRIVATE ${YARD_TEST_OPTIONS})
  list(GET ARG_SOURCES 0 source)
  if(NOT ARG_PCH_OF)
    yard_moc(${target} ${source} -DQT_NO_KEYWORDS)
    target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
    if(YARD_PCH)
      yard_pch_of_test(${source} pch)
      target_precompile_headers(${target} REUSE_FROM ${pch})
    endif()
  else()
    yard_moc(${target} ${source})
    if(YARD_PCH)
      target_precompile_headers(${target} REUSE_FROM ${ARG_PCH_OF})
    endif()
  endif()
  if(NOT group IN_LIST YARD_PROGRAM_GROUPS)
    yard_core_test(${group} ${target})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
  endif()
  # It ends what hangs. With a sanitizer all takes several times as long.
  if(YARD_SANITIZE)
    math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
  endif()
  add_test(NAME ${group}.${name} COMMAND ${target})
  set_tests_properties(${group}.${name} PROPERTIES LABELS "${group};${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
