# Warnings and sanitizers, as interface targets: link them, do not set flags.

add_library(kopt_warnings INTERFACE)
target_compile_options(kopt_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror
  # g++ 12 reports these falsely through absl::StatusOr and std::string.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict -Wno-stringop-overread
                           -Wno-missing-field-initializers -Wno-array-bounds -Wno-stringop-overflow>
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety -Wno-missing-field-initializers>)

add_library(kopt_sanitizers INTERFACE)
if(KOPT_SANITIZE)
  target_compile_options(kopt_sanitizers INTERFACE -fsanitize=${KOPT_SANITIZE} -fno-omit-frame-pointer
                                                   -fno-sanitize-recover=all)
  target_link_options(kopt_sanitizers INTERFACE -fsanitize=${KOPT_SANITIZE})
endif()

# kopt_library(name SOURCES... LINKS...): a static library of one room. The
# room's parent folder is the include root: #include "queue/lifecycle.h".
function(kopt_library name)
  cmake_parse_arguments(ARG "" "ROOT" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${ARG_ROOT} ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PUBLIC KOPT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE kopt_warnings)
  target_link_libraries(${name} PUBLIC kopt_sanitizers)
endfunction()

# kopt_program(name SOURCES... LINKS...)
function(kopt_program name)
  cmake_parse_arguments(ARG "" "ROOT" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${ARG_ROOT} ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE KOPT_VERSION="${PROJECT_VERSION}")
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} kopt_warnings kopt_sanitizers)
endfunction()
