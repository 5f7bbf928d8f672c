# A module is a folder under src/, one static library and one namespace. What a module may include is what it lists
# here: DEPS may appear in its public headers, PRIVATE in its sources only; everything else is "No such file".

function(adit_module name)
  cmake_parse_arguments(arg "" "" "DEPS;PRIVATE;SYSTEM_PRIVATE" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  file(GLOB headers CONFIGURE_DEPENDS ${folder}/include/adit/${name}/*.h)

  add_library(adit_${name} STATIC ${sources})
  target_sources(adit_${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${folder}/include FILES ${headers})
  target_include_directories(adit_${name} PRIVATE ${folder})
  target_link_libraries(adit_${name} PRIVATE adit_flags ${arg_SYSTEM_PRIVATE})
  foreach(dep ${arg_DEPS})
    target_link_libraries(adit_${name} PUBLIC adit_${dep})
  endforeach()
  foreach(dep ${arg_PRIVATE})
    # Through a link-only interface the objects are linked, and the headers do not travel further.
    target_link_libraries(adit_${name} PRIVATE adit_${dep})
  endforeach()
  if(NOT name STREQUAL "base")
    target_precompile_headers(adit_${name} REUSE_FROM adit_base)
  endif()
  set_target_properties(adit_${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()

# A program: src/<module>/main.cpp linked with its modules.
function(adit_program program module)
  add_executable(${program} ${CMAKE_SOURCE_DIR}/src/${module}/main.cpp)
  target_include_directories(${program} PRIVATE ${CMAKE_SOURCE_DIR}/src/${module})
  target_link_libraries(${program} PRIVATE adit_flags adit_${module} ${ARGN})
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
endfunction()

# The tests of a module: tests/<module>/*_test.cpp as one program. They may see the module's private headers.
function(adit_module_tests module)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${module}/*_test.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${module}_tests ${sources})
  target_include_directories(${module}_tests PRIVATE ${CMAKE_SOURCE_DIR}/src/${module} ${CMAKE_SOURCE_DIR}/tests)
  target_link_libraries(${module}_tests PRIVATE adit_flags adit_${module} ${arg_LINK} GTest::gtest_main)
  target_precompile_headers(${module}_tests REUSE_FROM adit_test_support)
  target_compile_definitions(${module}_tests PRIVATE ${ADIT_TEST_DEFINITIONS})
  set_target_properties(${module}_tests PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${module}_tests TEST_PREFIX "${module}/" DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS ${module})
endfunction()
