# make install: the command, both libraries, headers, pkg-config file, CMake package, man
# pages, shell completion, documentation with the proof notes.

include(CMakePackageConfigHelpers)

install(TARGETS sotto EXPORT sottoTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sotto_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(SOTTO_COMPLETION)
  install(FILES ${PROJECT_BINARY_DIR}/completion/sotto
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/_sotto
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completion/sotto.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/sotto/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sotto)

# The file follows the tree it is installed in: `cmake --install --prefix P` and a moved tree need no other one.
# A directory that was given as an absolute path stays as it was given.
set(SOTTO_PC_LIBDIR "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
set(SOTTO_PC_INCLUDEDIR "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(SOTTO_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  set(SOTTO_PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
else()
  file(RELATIVE_PATH SOTTO_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
  string(REGEX REPLACE "/$" "" SOTTO_PC_UP "${SOTTO_PC_UP}")
  set(SOTTO_PC_PREFIX "\${pcfiledir}/${SOTTO_PC_UP}")
endif()
if(IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(SOTTO_PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/sotto.pc.in ${PROJECT_BINARY_DIR}/sotto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT sottoTargets NAMESPACE sotto:: FILE sottoTargets.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
configure_package_config_file(cmake/sottoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/sottoConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake
  ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)

file(GLOB SOTTO_MAN_PAGES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.1)
install(FILES ${SOTTO_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# The headers cite pages and proof notes by their names.
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}
  FILES_MATCHING PATTERN "*.md" PATTERN "*.ipynb" PATTERN "*.svg")
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/proofs FILES_MATCHING PATTERN "*.md")
install(FILES examples/train.c examples/account.c examples/certificate.c
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
