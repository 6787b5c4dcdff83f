# make install: the command, both libraries, headers, pkg-config file, CMake package, man
# pages, shell completion.

include(CMakePackageConfigHelpers)

install(TARGETS sotto EXPORT sottoTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sotto_static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sotto_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(SOTTO_COMPLETION)
  install(FILES ${SOTTO_COMPLETION}
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()
install(DIRECTORY include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/sotto/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sotto)

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
