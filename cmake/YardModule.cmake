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

# yard_module(NAME SOURCES a.cpp … DEPS other modules and libraries …): static library yard_NAME, alias yard::NAME.
# DEPS may only name floors below; cmake/check_includes.py holds the include lines against cmake/include-edges.txt.
function(yard_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;PCH" ${ARGN})
  add_library(yard_${name} STATIC ${ARG_SOURCES})
  add_library(yard::${name} ALIAS yard_${name})
  target_link_libraries(yard_${name} PUBLIC yard_flags ${ARG_DEPS})
  if(ARG_PCH)
    target_precompile_headers(yard_${name} PRIVATE ${ARG_PCH})
  endif()
endfunction()

# Beside every test's own sources: settings of Qt Test and of the sanitizers.
set(YARD_TEST_SOURCES ${CMAKE_SOURCE_DIR}/tests/support/program_defaults.cpp)
if(YARD_SANITIZE STREQUAL "thread")
  # Suppressions by function name need the program that turns addresses into names, where there is one.
  find_program(YARD_SYMBOLIZER NAMES llvm-symbolizer-19 llvm-symbolizer)
  set(YARD_TSAN_OPTIONS "suppressions=${CMAKE_SOURCE_DIR}/cmake/tsan.supp")
  if(YARD_SYMBOLIZER)
    string(APPEND YARD_TSAN_OPTIONS ":external_symbolizer_path=${YARD_SYMBOLIZER}")
  endif()
endif()

# yard_test(GROUP NAME SOURCES … DEPS … [TIMEOUT s] [LABELS …]): Qt Test program tst_GROUP_NAME, ctest label GROUP.
function(yard_test group name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  set(target tst_${group}_${name})
  add_executable(${target} ${ARG_SOURCES} ${YARD_TEST_SOURCES})
  set_target_properties(${target} PROPERTIES AUTOMOC ON)
  target_link_libraries(${target} PRIVATE yard_flags Qt6::Test ${ARG_DEPS})
  if(YARD_TSAN_OPTIONS)
    target_compile_definitions(${target} PRIVATE YARD_TSAN_OPTIONS="${YARD_TSAN_OPTIONS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${group}.${name} COMMAND ${target})
  set_tests_properties(${group}.${name} PROPERTIES LABELS "${group};${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
