# What is installed, where, in which package. ./dev package builds the packages by CPack (preset package); `cmake --install`
# puts the same files anywhere. Components: engine (the programs without the window), window, python, doc.
#
# The version of all of it is that of project(). Where SOURCE_DATE_EPOCH is set, two builds give the same bytes.
include(GNUInstallDirs)
option(YARD_PACKAGE_FILES "Install what Debian's packages have besides: copyright, changelog, compressed manuals" OFF)
set(YARD_DEBIAN_REVISION "" CACHE STRING "What follows the version in Debian's packages: ~bpo12+1")
set(YARD_DEBIAN_VERSION ${PROJECT_VERSION}${YARD_DEBIAN_REVISION})
string(TIMESTAMP YARD_PACKAGE_DAY "%Y-%m-%d" UTC)
string(TIMESTAMP YARD_PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(installer ${CMAKE_SOURCE_DIR}/installer)
set(made ${CMAKE_BINARY_DIR}/installer)

foreach(file clients/python/pyproject.toml clients/python/src/yardmaster/__init__.py)
  file(STRINGS ${CMAKE_SOURCE_DIR}/${file} line REGEX "^(__version__|version) = \"${PROJECT_VERSION}\"$")
  if(NOT line)
    message(FATAL_ERROR "${file} has not the version of project(), ${PROJECT_VERSION}.")
  endif()
endforeach()

# --- engine -----------------------------------------------------------------------------------------------------------

install(TARGETS yardmaster yardctl COMPONENT engine)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/kits ${CMAKE_SOURCE_DIR}/resources/samples
  DESTINATION ${CMAKE_INSTALL_DATADIR}/yardmaster COMPONENT engine USE_SOURCE_PERMISSIONS
  PATTERN __pycache__ EXCLUDE)
# Not CMAKE_INSTALL_LIBDIR: systemd looks in lib alone.
install(FILES ${installer}/linux/yardmaster.service DESTINATION lib/systemd/user COMPONENT engine)
install(FILES ${installer}/linux/yardmaster@.service DESTINATION lib/systemd/system COMPONENT engine)
install(FILES ${installer}/linux/yardmaster.sysusers DESTINATION lib/sysusers.d RENAME yardmaster.conf COMPONENT engine)
install(FILES ${installer}/linux/yardmaster.tmpfiles DESTINATION lib/tmpfiles.d RENAME yardmaster.conf COMPONENT engine)
# Manuals and completions are made by the programs, from their own tables.
install(CODE "set(gzip ${YARD_PACKAGE_FILES})\nset(programs [[${CMAKE_BINARY_DIR}/bin]])" COMPONENT engine)
install(CODE [[
  set(share "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share")
  function(made_by program path)
    get_filename_component(directory "${share}/${path}" DIRECTORY)
    file(MAKE_DIRECTORY "${directory}")
    execute_process(COMMAND "${programs}/${program}" ${ARGN} OUTPUT_FILE "${share}/${path}" COMMAND_ERROR_IS_FATAL ANY)
  endfunction()
  made_by(yardmaster man/man1/yardmaster.1 --manual)
  execute_process(COMMAND "${programs}/yardctl" manual --into "${share}/man/man1" COMMAND_ERROR_IS_FATAL ANY)
  made_by(yardctl bash-completion/completions/yardctl completion bash)
  made_by(yardctl zsh/vendor-completions/_yardctl completion zsh)
  made_by(yardctl fish/vendor_completions.d/yardctl.fish completion fish)
  if(gzip)
    file(GLOB pages "${share}/man/man1/*.1")
    execute_process(COMMAND gzip -9nf ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
]] COMPONENT engine)

# What 'yardctl machines add --install' copies to other machines (core/engine/machines/ssh_link.cpp): one static program, of a
# build of its own (preset bundle). A package of its own: it is as large as all of the engine.
set(YARD_BUNDLE_PROGRAM "" CACHE FILEPATH "The stripped program of the preset bundle, for the package yardmaster-bundle")
if(YARD_BUNDLE_PROGRAM)
  install(PROGRAMS ${YARD_BUNDLE_PROGRAM} DESTINATION lib/yardmaster RENAME yardmaster-bundle COMPONENT bundle)
endif()

# --- window -----------------------------------------------------------------------------------------------------------

if(YARD_WINDOW)
  # yardmaster looks for it beside itself, then here (app/yardmaster/windowed.cpp).
  install(TARGETS yardmaster_window LIBRARY DESTINATION lib/yardmaster COMPONENT window)
  set(name org.yardmaster.Yardmaster)
  configure_file(${installer}/linux/${name}.metainfo.xml.in ${made}/${name}.metainfo.xml @ONLY)
  install(FILES ${installer}/linux/${name}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT window)
  install(FILES ${made}/${name}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT window)
  install(FILES ${installer}/linux/${name}.mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    RENAME ${name}.xml COMPONENT window)
  install(FILES ${installer}/linux/${name}.autostart.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/yardmaster/autostart
    RENAME ${name}.desktop COMPONENT window)
  install(FILES ${installer}/linux/${name}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps
    COMPONENT window)
  # The others are drawn from that one where it can be drawn; every desktop of today takes it as it is.
  find_program(YARD_RSVG rsvg-convert)
  mark_as_advanced(YARD_RSVG)
  if(YARD_RSVG)
    install(CODE "set(rsvg [[${YARD_RSVG}]])\nset(icon [[${installer}/linux/${name}.svg]])" COMPONENT window)
    install(CODE [[
      foreach(size 16 32 48 128 256)
        set(directory "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/icons/hicolor/${size}x${size}/apps")
        file(MAKE_DIRECTORY "${directory}")
        execute_process(COMMAND "${rsvg}" -w ${size} -h ${size} -o "${directory}/org.yardmaster.Yardmaster.png" "${icon}"
                        COMMAND_ERROR_IS_FATAL ANY)
      endforeach()
    ]] COMPONENT window)
  endif()
endif()

# --- Python's package, documents --------------------------------------------------------------------------------------

if(YARD_PACKAGE_FILES)
  set(dist lib/python3/dist-packages)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/clients/python/src/yardmaster DESTINATION ${dist} COMPONENT python
    FILES_MATCHING PATTERN *.py PATTERN py.typed)
  file(WRITE ${made}/METADATA "Metadata-Version: 2.1\nName: yardmaster\nVersion: ${PROJECT_VERSION}\n"
    "Summary: Client of the Yardmaster engine: actions, queues, events, and an Executor over warm processes\n"
    "License: GPL-3.0-or-later\nRequires-Python: >=3.9\n")
  file(WRITE ${made}/INSTALLER "debian\n")
  install(FILES ${made}/METADATA ${made}/INSTALLER DESTINATION ${dist}/yardmaster-${PROJECT_VERSION}.dist-info
    COMPONENT python)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/clients/python/examples DESTINATION share/doc/python3-yardmaster
    COMPONENT python FILES_MATCHING PATTERN *.py)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION share/doc/yardmaster-doc COMPONENT doc)
  install(FILES ${CMAKE_SOURCE_DIR}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/yardmaster-doc
    COMPONENT doc)
  configure_file(${installer}/debian/changelog.in ${made}/changelog @ONLY)
  execute_process(COMMAND gzip -9nf ${made}/changelog COMMAND_ERROR_IS_FATAL ANY)
  foreach(pair "engine yardmaster-engine" "window yardmaster" "python python3-yardmaster" "doc yardmaster-doc"
      "bundle yardmaster-bundle")
    separate_arguments(pair)
    list(GET pair 0 component)
    list(GET pair 1 package)
    if(component STREQUAL "bundle" AND NOT YARD_BUNDLE_PROGRAM)
      continue()
    endif()
    install(FILES ${installer}/debian/copyright ${made}/changelog.gz DESTINATION share/doc/${package}
      COMPONENT ${component})
    if(EXISTS ${installer}/debian/${component}.overrides)
      install(FILES ${installer}/debian/${component}.overrides DESTINATION share/lintian/overrides RENAME ${package}
        COMPONENT ${component})
    endif()
  endforeach()
endif()

# --- CPack ------------------------------------------------------------------------------------------------------------

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME yardmaster)
set(CPACK_PACKAGE_VENDOR "The Yardmaster developers")
set(CPACK_PACKAGE_CONTACT "The Yardmaster developers <developers@yardmaster.org>")
set(CPACK_PACKAGE_VERSION ${YARD_DEBIAN_VERSION})
set(CPACK_PACKAGE_HOMEPAGE_URL https://yardmaster.org)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_SOURCE_DIR}/build/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
# Programs are stripped where what was in them goes into the packages -dbgsym.
set(CPACK_STRIP_FILES OFF)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL engine python doc)
if(YARD_WINDOW)
  list(APPEND CPACK_COMPONENTS_ALL window)
endif()
if(YARD_BUNDLE_PROGRAM)
  list(APPEND CPACK_COMPONENTS_ALL bundle)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SOURCE yardmaster)

set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME yardmaster-engine)
set(CPACK_DEBIAN_ENGINE_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ENGINE_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "systemd | systemd-standalone-sysusers, systemd | systemd-standalone-tmpfiles")
set(CPACK_DEBIAN_ENGINE_PACKAGE_RECOMMENDS "yardmaster-bundle")
set(CPACK_DEBIAN_ENGINE_PACKAGE_SUGGESTS "yardmaster, yardmaster-doc, python3-yardmaster, wine64")
set(CPACK_DEBIAN_ENGINE_PACKAGE_CONTROL_EXTRA
  "${made}/engine/postinst;${made}/engine/prerm;${made}/engine/postrm")
set(CPACK_COMPONENT_ENGINE_DESCRIPTION "queue, run and keep compute work: engine and command line
Tools and people hand Yardmaster commands, or functions of programs that
they registered. It queues them, runs them, tries again what failed, and
keeps every result.

This package has the engine, which needs no display, its command line
yardctl, and what workers in C++, Python and Node.js are written with.")

set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME yardmaster)
set(CPACK_DEBIAN_WINDOW_PACKAGE_SECTION x11)
set(CPACK_DEBIAN_WINDOW_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_WINDOW_DEBUGINFO_PACKAGE ON)
# The module is of one build with the engine's program.
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "yardmaster-engine (= ${YARD_DEBIAN_VERSION}), qt6-qpa-plugins")
set(CPACK_DEBIAN_WINDOW_PACKAGE_RECOMMENDS "fonts-inter, fonts-jetbrains-mono, qt6-wayland, qt6-translations-l10n")
set(CPACK_COMPONENT_WINDOW_DESCRIPTION "queue, run and keep compute work: the window
Tools and people hand Yardmaster commands, or functions of programs that
they registered. It queues them, runs them, tries again what failed, and
keeps every result.

This package has the window: queues, actions, workers, timelines and
failures, live, of an engine here or on another machine.")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-yardmaster)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), python3:any")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "yardmaster-engine, python3-cloudpickle, python3-joblib")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${made}/python/postinst;${made}/python/prerm")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "queue, run and keep compute work: client for Python
Submits actions to a Yardmaster engine, waits for them, follows its events,
and runs functions of a program in its processes, as an Executor of
concurrent.futures or as a backend of joblib.")

set(CPACK_DEBIAN_BUNDLE_PACKAGE_NAME yardmaster-bundle)
set(CPACK_DEBIAN_BUNDLE_PACKAGE_DEPENDS "")
set(CPACK_COMPONENT_BUNDLE_DESCRIPTION "queue, run and keep compute work: the engine for other machines
Tools and people hand Yardmaster commands, or functions of programs that
they registered. It queues them, runs them, tries again what failed, and
keeps every result.

This package has the engine as one program that needs no library. It is
what 'yardctl machines add --install' copies to machines by ssh.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME yardmaster-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOC_PACKAGE_DEPENDS "")
set(CPACK_COMPONENT_DOC_DESCRIPTION "queue, run and keep compute work: documents
What each part of Yardmaster promises: the HTTP interface, queues,
scheduling, workers and their sandbox, settings, tokens and TLS.")

foreach(component engine python)
  foreach(script postinst prerm postrm)
    if(EXISTS ${installer}/debian/${component}.${script})
      configure_file(${installer}/debian/${component}.${script} ${made}/${component}/${script} COPYONLY)
    endif()
  endforeach()
endforeach()
include(CPack)
