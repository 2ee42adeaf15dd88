# Content of the wheel in addition to the Python package: the program, the libraries that compute, and the bridge, so that it runs
# with any MPI library. All files are below osteon/program; packaging/wheel/README.md gives the reasons.
install(TARGETS osteon RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(TARGETS osteon_native LIBRARY DESTINATION ${SKBUILD_PLATLIB_DIR}/osteon COMPONENT program)
install(TARGETS osteon_trace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/osteon COMPONENT program)
install(FILES ${OSTEON_MPI_ABI}/lib/libmpi_abi.so.1 DESTINATION ${CMAKE_INSTALL_LIBDIR}/osteon COMPONENT program)
foreach(adapter IN ITEMS ompi4 mpich4 mpich)
  install(FILES ${OSTEON_MPI_ABI}/lib/osteon_mpi_${adapter}.so DESTINATION ${CMAKE_INSTALL_LIBDIR}/osteon COMPONENT program)
endforeach()
install(PROGRAMS packaging/wheel/osteon DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT program)
install(DIRECTORY ${OSTEON_LICENCES}/ DESTINATION ${SKBUILD_METADATA_DIR}/licenses COMPONENT program)
install(DIRECTORY examples DESTINATION . COMPONENT program PATTERN "*.out" EXCLUDE)
# The manual page and completions, in the search folders of man and shells below a prefix.
set(pages ${osteon_BINARY_DIR}/pages)
install(FILES ${pages}/osteon.1 DESTINATION ${SKBUILD_DATA_DIR}/share/man/man1 COMPONENT program)
install(FILES ${pages}/bash RENAME osteon DESTINATION ${SKBUILD_DATA_DIR}/share/bash-completion/completions COMPONENT program)
install(FILES ${pages}/zsh RENAME _osteon DESTINATION ${SKBUILD_DATA_DIR}/share/zsh/site-functions COMPONENT program)
install(FILES ${pages}/fish RENAME osteon.fish DESTINATION ${SKBUILD_DATA_DIR}/share/fish/vendor_completions.d COMPONENT program)
