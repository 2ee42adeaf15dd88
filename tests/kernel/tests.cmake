osteon_test(kernel/blend)
osteon_test(kernel/conduction THREADS 2)
osteon_test(kernel/deformation_table)
osteon_test(kernel/flow_lattice THREADS 2)
osteon_test(kernel/functors THREADS 2 LINK osteon::voxel)
osteon_test(kernel/hex8)
osteon_test(kernel/hex8_multiply LINK osteon::voxel)
osteon_test(kernel/matrix_factor)
osteon_test(kernel/plastic_points)
osteon_test(kernel/ray_march)
osteon_test(kernel/ray_surface)
osteon_test(kernel/solid_pyramid)
osteon_test(kernel/trigonometric)
osteon_test(kernel/symmetric_tensor LINK Eigen3::Eigen)
set_source_files_properties(${osteon_SOURCE_DIR}/tests/kernel/matrix_factor_test.cpp
                            ${osteon_SOURCE_DIR}/tests/kernel/plastic_points_test.cpp PROPERTIES COMPILE_OPTIONS -Wno-psabi)
if(OSTEON_CUDA_TEST AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  # Compiled everywhere, run where there is a GPU: every kernel there against the one here.
  add_test(NAME kernel/device COMMAND ${OSTEON_PYTHON} ${osteon_SOURCE_DIR}/tools/cuda_compile.py
    --output ${osteon_BINARY_DIR}/cuda/osteon_bench_device ${osteon_SOURCE_DIR}/src/osteon/bench/device.cu
    --link $<TARGET_FILE:osteon_kernel> $<TARGET_FILE:osteon_voxel> $<TARGET_FILE:osteon_base> $<TARGET_FILE:fmt::fmt>)
  set_tests_properties(kernel/device PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77)
endif()
