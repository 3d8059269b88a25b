# One helper for each kind of target.  Sources are listed, so that an unused one is seen; tests are globbed, so that
# none is forgotten.

# Most of a compilation here is the same headers again.  So the standard headers and JSON are compiled once, and the
# sources of a library several at a time.
if(ROTA_UNITY)
  add_library(rota_precompiled OBJECT cmake/precompiled.cc)
  target_link_libraries(rota_precompiled PRIVATE nlohmann_json::nlohmann_json)
  target_precompile_headers(rota_precompiled PRIVATE <algorithm> <array> <atomic> <deque> <filesystem> <functional> <map>
    <memory> <mutex> <nlohmann/json.hpp> <optional> <set> <span> <sstream> <string> <string_view> <thread> <utility>
    <variant> <vector>)
endif()

function(rota_compile_together target)
  if(ROTA_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_precompile_headers(${target} REUSE_FROM rota_precompiled)
  endif()
endfunction()

# rota_component(name SOURCES ... USES other-components ... LIBS libraries ...)
# A folder of the house.  USES is the arrow of the dependency graph: only what is named there can be included.
function(rota_component name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBS" ${ARGN})
  add_library(rota_${name} STATIC ${ARG_SOURCES})
  rota_compile_together(rota_${name})
  target_include_directories(rota_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  list(TRANSFORM ARG_USES PREPEND rota_)
  target_link_libraries(rota_${name} PUBLIC ${ARG_USES} ${ARG_LIBS})
endfunction()

# rota_program(name SOURCES ... USES ... LIBS ...): an installed program.
function(rota_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  list(TRANSFORM ARG_USES PREPEND rota_)
  target_link_libraries(${name} PRIVATE ${ARG_USES} ${ARG_LIBS})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT rota)
endfunction()

# rota_app(name [SOURCES ...] [LIBS ...]): a plugin library NAME.so from plugin.cc, over an archive rota_app_NAME of
# the other sources, if there are any, that tests link too.
function(rota_app name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  if(ARG_SOURCES)
    set(scope PUBLIC)
    add_library(rota_app_${name} STATIC ${ARG_SOURCES})
    rota_compile_together(rota_app_${name})
  else()
    set(scope INTERFACE)
    add_library(rota_app_${name} INTERFACE)
  endif()
  target_include_directories(rota_app_${name} ${scope} ${PROJECT_SOURCE_DIR})
  target_link_libraries(rota_app_${name} ${scope} rota_api rota_io ${ARG_LIBS})
  rota_plugin(${name} plugin.cc rota_app_${name})
endfunction()

# rota_plugin(name source archive): a plugin library NAME.so, which may have the archive in common with other plugins.
function(rota_plugin name source archive)
  add_library(rota_plugin_${name} MODULE ${source})
  set_target_properties(rota_plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${ROTA_PLUGIN_OUTPUT_DIRECTORY}
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(rota_plugin_${name} PRIVATE ${archive})
  # Nothing of an app's own code is seen by the host or by other apps.
  target_link_options(rota_plugin_${name} PRIVATE -Wl,--exclude-libs,ALL)
  install(TARGETS rota_plugin_${name} LIBRARY DESTINATION ${ROTA_PLUGIN_DIR} COMPONENT rota)
  set_property(GLOBAL APPEND PROPERTY ROTA_PLUGINS ${name})
endfunction()

# Test programs without processes of their own, for the sanitizers: all of them, and those that start threads.
add_custom_target(program_tests)
add_custom_target(thread_tests)

# rota_tests(room [NAMES pattern] [THREADS] [PARTS n] USES components ... LIBS libraries ...)
# One test program of all files *_test.cc of the room, which is a folder, or of those of this folder that match NAMES.
# It is named after the folder: unit.core.base.  Tests are globbed: one that is there is built.  THREADS: some tests
# start threads, so ThreadSanitizer runs them too.  PARTS: it takes long, so ctest begins with it, as n tests in parallel.
function(rota_tests room)
  cmake_parse_arguments(ARG "THREADS" "NAMES;PARTS" "USES;LIBS" ${ARGN})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR}/${room})
  string(REPLACE "/" "." name ${name})
  if(NOT ARG_NAMES)
    set(ARG_NAMES ${room}/*_test.cc)
  endif()
  file(GLOB_RECURSE ARG_FILES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_NAMES})
  add_executable(test_${name} ${ARG_FILES})
  set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
    POSITION_INDEPENDENT_CODE OFF UNITY_BUILD ${ROTA_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  list(TRANSFORM ARG_USES PREPEND rota_)
  target_link_libraries(test_${name} PRIVATE ${ARG_USES} ${ARG_LIBS} tests_source_dir GTest::gtest GTest::gtest_main)
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(test_${name} PRIVATE ${ROTA_TEST_OPTIONS})
  target_precompile_headers(test_${name} REUSE_FROM tests_precompiled)
  add_dependencies(program_tests test_${name})
  set(labels program)
  if(ARG_THREADS)
    add_dependencies(thread_tests test_${name})
    list(APPEND labels threads)
  endif()
  if(NOT ARG_PARTS)
    add_test(NAME ${name} COMMAND test_${name})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 1800)
    return()
  endif()
  math(EXPR last "${ARG_PARTS} - 1")
  foreach(part RANGE ${last})
    add_test(NAME ${name}.${part} COMMAND test_${name})
    set_tests_properties(${name}.${part} PROPERTIES LABELS "${labels}" TIMEOUT 1800 COST 100
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_PARTS};GTEST_SHARD_INDEX=${part}")
  endforeach()
endfunction()
