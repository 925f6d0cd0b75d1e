# SPDX-License-Identifier: Apache-2.0
# roundelay_options: what every target of ours is compiled with.
add_library(roundelay_options INTERFACE)
target_compile_options(roundelay_options INTERFACE -Wall -Wextra -Wpedantic)
if(ROUNDELAY_WERROR)
  target_compile_options(roundelay_options INTERFACE -Werror)
endif()
if(ROUNDELAY_SANITIZE)
  target_compile_options(roundelay_options INTERFACE -fsanitize=${ROUNDELAY_SANITIZE}
                                                     -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(roundelay_options INTERFACE -fsanitize=${ROUNDELAY_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A unique symbol would be shared with whatever else the program has loaded.
  target_compile_options(roundelay_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-gnu-unique>)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # Warns of string concatenation where nothing is wrong (GCC bug 105651), in three ways.
    target_compile_options(roundelay_options INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endif()

# roundelay_build_fast(<target> <files> <header>..): with ROUNDELAY_FAST_BUILD the headers are compiled once, and
# the target's C++ files as so many. Most of the time of a small file goes to the templates of its headers.
function(roundelay_build_fast target files)
  if(NOT ROUNDELAY_FAST_BUILD)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN})
  # Files of the same name, bcast/hier.cpp and reduce/hier.cpp, have local names in common: they never meet.
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources COMPARE FILE_BASENAME)
  set(next 0)
  foreach(source IN LISTS sources)
    # Of a file in several targets the first one decides.
    get_source_file_property(group ${source} UNITY_GROUP)
    if(NOT group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP group_${next})
      math(EXPR next "(${next} + 1) % ${files}")
    endif()
  endforeach()
  # GCC takes what such a file keeps to itself for part of a header.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  # Each algorithm registers itself as `entry`.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_UNIQUE_ID ROUNDELAY_FILE
                        UNITY_BUILD_CODE_BEFORE_INCLUDE
                        "#undef entry\n#define entry ROUNDELAY_FILE\n// NOLINTNEXTLINE(bugprone-suspicious-include)")
endfunction()
