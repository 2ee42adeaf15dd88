# osteon_fuzz(name [LINK lib ...])
#
# Builds tests/fuzz/name_fuzz.cpp, which has LLVMFuzzerTestOneInput, and registers a replay of its corpus
# (tests/fuzz/corpus/name) with some seeded mutations. With clang, -DOSTEON_FUZZ=ON builds fuzz_name for libFuzzer:
#   CXX=clang++ cmake --preset asan -DOSTEON_FUZZ=ON && cmake --build --preset asan --target fuzz_npy
#   build/asan/fuzz_npy tests/fuzz/corpus/npy
option(OSTEON_FUZZ "Build the fuzz targets for libFuzzer (clang only)" OFF)
function(osteon_fuzz name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  set(source ${CMAKE_SOURCE_DIR}/tests/fuzz/${name}_fuzz.cpp)
  add_executable(replay_${name} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cpp)
  osteon_warnings(replay_${name})
  target_link_libraries(replay_${name} PRIVATE osteon_test_support ${arg_LINK})
  add_test(NAME fuzz/${name} COMMAND replay_${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 60)
  if(OSTEON_FUZZ)
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE osteon_test_support ${arg_LINK})
    target_compile_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endif()
endfunction()

osteon_fuzz(npy LINK osteon::io)
osteon_fuzz(model_header LINK osteon::io)
osteon_fuzz(checkpoint_index LINK osteon::io)
osteon_fuzz(job_keys LINK osteon::job)
osteon_fuzz(voxfe_script LINK osteon::io)
osteon_fuzz(voxfe_model LINK osteon::io)
