# Manual pages, completion, and Debian packages: `cpack` in the build folder makes rota (programs, apps), librota-dev
# (what plugins are built with) and python3-rota.  python/build_wheel.py makes a wheel.

# The programs write their pages themselves, from the declarations of their options.
set(manuals ${CMAKE_BINARY_DIR}/share)
get_property(plugins GLOBAL PROPERTY ROTA_PLUGINS)
list(TRANSFORM plugins PREPEND rota_plugin_ OUTPUT_VARIABLE plugin_targets)
add_custom_command(OUTPUT ${manuals}/manuals.stamp
  COMMAND ${CMAKE_COMMAND} -D ROTA=$<TARGET_FILE:rota> -D OUT=${manuals} -D "APPS=${plugins}"
    -P ${PROJECT_SOURCE_DIR}/cmake/write_manuals.cmake
  DEPENDS rota rota-coordinator rota-scheduler rota-worker rota-kvstore ${plugin_targets}
    ${PROJECT_SOURCE_DIR}/cmake/write_manuals.cmake
  VERBATIM)
add_custom_target(manuals ALL DEPENDS ${manuals}/manuals.stamp)
install(DIRECTORY ${manuals}/man ${manuals}/bash-completion ${manuals}/zsh
  DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT rota)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/deploy/monitoring DESTINATION ${CMAKE_INSTALL_DATADIR}/rota COMPONENT rota)
set(packages rota librota-dev)
if(TARGET rota_python_module)
  list(APPEND packages python3-rota)
  install(TARGETS rota_python_module rota_plugin_python LIBRARY
    DESTINATION lib/python3/dist-packages/rota COMPONENT python3-rota)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/rota DESTINATION lib/python3/dist-packages COMPONENT python3-rota
    FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN __pycache__ EXCLUDE)
endif()
foreach(package IN LISTS packages)
  install(FILES ${PROJECT_SOURCE_DIR}/deploy/debian/copyright ${manuals}/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS  # whatever the umask
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${packages})
set(ROTA_MAINTAINER "Rota developers <rota@lists.invalid>" CACHE STRING "Who made the packages")
set(CPACK_PACKAGE_CONTACT ${ROTA_MAINTAINER})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)  # a third of gzip's: what apps have in common is far apart
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_ROTA_PACKAGE_NAME rota)
set(CPACK_DEBIAN_ROTA_PACKAGE_SECTION science)
set(CPACK_DEBIAN_ROTA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_ROTA_PACKAGE_RECOMMENDS "libcurl4, ca-certificates")  # for inputs behind URLs
set(CPACK_DEBIAN_ROTA_PACKAGE_SUGGESTS "librota-dev, openssh-client")  # ssh: for --hosts
set(CPACK_COMPONENT_ROTA_DESCRIPTION "trains models by scheduling the updates of their parameters
Rota trains models that are too big or too slow for one machine: topic models,
matrix factorisation, sparse linear models, clusters, graphs.  The model is the
same, bit for bit, on any number of workers and after any crash.")
set(CPACK_DEBIAN_LIBROTA-DEV_PACKAGE_NAME librota-dev)
set(CPACK_DEBIAN_LIBROTA-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBROTA-DEV_PACKAGE_DEPENDS
  "rota (= ${PROJECT_VERSION}), libbz2-dev, liblzma-dev, libzip-dev, libzstd-dev, zlib1g-dev, pkg-config")
set(CPACK_DEBIAN_LIBROTA-DEV_PACKAGE_RECOMMENDS "g++ (>= 4:12), cmake (>= 3.25), make")
set(CPACK_COMPONENT_LIBROTA-DEV_DESCRIPTION "headers and archives to build apps of Rota with
An app is a plugin of three steps, schedule, push and pull.  This package has
the headers, the readers of data, a serial host for tests, a CMake package, and
a template that the command `rota new` builds and tries.")
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_NAME python3-rota)
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_DEPENDS
  "rota (= ${PROJECT_VERSION}), python3 (>= 3.11), python3 (<< 3.12), python3-numpy, python3-scipy")
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_SUGGESTS "python3-matplotlib, python3-pandas, python3-sklearn")
set(CPACK_DEBIAN_PYTHON3-ROTA_PACKAGE_CONTROL_EXTRA
  ${PROJECT_SOURCE_DIR}/deploy/debian/python3-rota/postinst ${PROJECT_SOURCE_DIR}/deploy/debian/python3-rota/prerm)
set(CPACK_COMPONENT_PYTHON3-ROTA_DESCRIPTION "estimators that train models with Rota
Topic models, matrix factorisation, sparse linear models and clusters in the
shape of scikit-learn's estimators, over arrays and sparse matrices in memory
or data on disk; with the same model, bit for bit, on any number of workers.")
include(CPack)
