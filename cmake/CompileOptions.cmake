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
    # Warns of string concatenation where nothing is wrong (GCC bug 105651).
    target_compile_options(roundelay_options INTERFACE -Wno-restrict)
  endif()
endif()
