# SPDX-License-Identifier: Apache-2.0
# profiles/*.json and machines/*.json, as text in the library: a preloaded library has no other files to rely on.
foreach(folder profiles machines)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.json)
  set(built_in_${folder} "")
  foreach(file IN LISTS files)
    cmake_path(GET file STEM name)
    file(READ ${file} text)
    string(APPEND built_in_${folder} "      BuiltInFile{\"${name}\", \"${folder}/${name}.json\", R\"json(${text})json\"},\n")
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
endforeach()
set(built_in_files_source ${CMAKE_BINARY_DIR}/built_in_files.cpp)
configure_file(${PROJECT_SOURCE_DIR}/cmake/built_in_files.cpp.in ${built_in_files_source} @ONLY)
