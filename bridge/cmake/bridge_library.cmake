# bridge_warnings(TARGET), bridge_library(NAME SOURCES a.cpp ... LINK lib ... LINK_PUBLIC lib ...): target osteon_bridge_NAME,
# known as osteon_bridge::NAME.
function(bridge_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(OSTEON_BRIDGE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# bridge_unity_build(TARGET): with OSTEON_UNITY a unity build, a third of the compile time where headers dominate. Names in anonymous
# namespaces then have to be unique in the target; a clash is an error of that build. Not with a compiler cache.
function(bridge_unity_build target)
  if(OSTEON_UNITY AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    # The compiler processes a batch as one file and would warn of hidden names of other files, and of anonymous namespaces
    # in a header.
    target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

function(bridge_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LINK_PUBLIC" ${ARGN})
  set(target osteon_bridge_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(osteon_bridge::${name} ALIAS ${target})
  bridge_warnings(${target})
  bridge_unity_build(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${osteon_bridge_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${arg_LINK_PUBLIC} PRIVATE ${arg_LINK})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
endfunction()
