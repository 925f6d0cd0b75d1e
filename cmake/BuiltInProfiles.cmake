# SPDX-License-Identifier: Apache-2.0
# profiles/*.json, as text in the library: a preloaded library has no other files to rely on.
file(GLOB profiles CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/profiles/*.json)
set(built_in_profiles "")
foreach(profile IN LISTS profiles)
  cmake_path(GET profile STEM name)
  file(READ ${profile} text)
  string(APPEND built_in_profiles "      BuiltInProfile{\"${name}\", \"profiles/${name}.json\", R\"json(${text})json\"},\n")
endforeach()
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profiles})
set(built_in_profiles_source ${CMAKE_BINARY_DIR}/built_in_profiles.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/built_in_profiles.cpp.in ${built_in_profiles_source} @ONLY)
