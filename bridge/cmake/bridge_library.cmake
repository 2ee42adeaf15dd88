# bridge_warnings(TARGET), bridge_library(NAME SOURCES a.cpp ... LINK lib ... LINK_PUBLIC lib ...): target osteon_bridge_NAME,
# known as osteon_bridge::NAME.
function(bridge_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor)
  if(OSTEON_BRIDGE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

function(bridge_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK;LINK_PUBLIC" ${ARGN})
  set(target osteon_bridge_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(osteon_bridge::${name} ALIAS ${target})
  bridge_warnings(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${osteon_bridge_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC ${arg_LINK_PUBLIC} PRIVATE ${arg_LINK})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
endfunction()
