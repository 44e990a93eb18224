# What is installed where, and the Debian package (cpack -G DEB; deploy/package.sh).
include(GNUInstallDirs)
set(lib lib/kernelopt)

# Programs lie side by side: the worker finds its runner beside itself.
install(TARGETS kernelopt-d kernelopt-worker kopt-runner kernelopt-metrics RUNTIME DESTINATION ${lib})
install(TARGETS kopt_wire LIBRARY DESTINATION ${lib})
file(GLOB scripts CONFIGURE_DEPENDS worker/runner/kopt_*.py)
install(FILES ${scripts} DESTINATION ${lib})
install(TARGETS koptctl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(DIRECTORY deploy/systemd/ DESTINATION lib/systemd/system
  FILES_MATCHING PATTERN "*.service" PATTERN "*.socket")
install(FILES deploy/systemd/kernelopt.sysusers DESTINATION lib/sysusers.d RENAME kernelopt.conf)
install(FILES deploy/systemd/kernelopt.tmpfiles DESTINATION lib/tmpfiles.d RENAME kernelopt.conf)
install(FILES deploy/etc/kernelopt-d.toml deploy/etc/worker.toml DESTINATION /etc/kernelopt)
install(DIRECTORY deploy/grafana deploy/prometheus client/examples schemas/json proto/kernelopt
  DESTINATION share/kernelopt PATTERN "README.md" EXCLUDE)
install(FILES README.md LICENSE DESTINATION share/doc/kernelopt)

# Completions and manual pages are written by the programs themselves.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share\")
  set(ctl \"$<TARGET_FILE:koptctl>\")
  file(MAKE_DIRECTORY \"\${share}/man/man1\" \"\${share}/man/man8\" \"\${share}/bash-completion/completions\"
    \"\${share}/zsh/vendor-completions\" \"\${share}/fish/vendor_completions.d\")
  execute_process(COMMAND \${ctl} man \${share}/man/man1 COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \${ctl} completions bash OUTPUT_FILE \${share}/bash-completion/completions/koptctl COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \${ctl} completions zsh OUTPUT_FILE \${share}/zsh/vendor-completions/_koptctl COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \${ctl} completions fish OUTPUT_FILE \${share}/fish/vendor_completions.d/koptctl.fish COMMAND_ERROR_IS_FATAL ANY)
  foreach(program $<TARGET_FILE:kernelopt-d> $<TARGET_FILE:kernelopt-worker> $<TARGET_FILE:kernelopt-metrics>)
    get_filename_component(name \${program} NAME)
    execute_process(COMMAND help2man --section=8 --no-info --no-discard-stderr
      --include=${CMAKE_SOURCE_DIR}/deploy/man/\${name}.h2m --output=\${share}/man/man8/\${name}.8 \${program}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kernelopt)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
if(DEFINED ENV{PACKAGE_VERSION})  # the test of upgrades packs the same tree twice
  set(CPACK_PACKAGE_VERSION $ENV{PACKAGE_VERSION})
endif()
set(CPACK_PACKAGE_CONTACT "kernelopt developers <root@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "queue and judge for GPU and CPU kernels")
set(CPACK_PACKAGE_DESCRIPTION "kernelopt-d owns the GPUs of a box that people and coding agents share: it queues
 benchmark jobs, runs each on the worker of one device, and its judge says
 whether a kernel is right and whether it is really faster.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/bin)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "bubblewrap, g++, python3, python3-numpy, systemd, util-linux")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-torch")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${CMAKE_BINARY_DIR}/conffiles "/etc/kernelopt/kernelopt-d.toml\n/etc/kernelopt/worker.toml\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
  ${CMAKE_SOURCE_DIR}/deploy/debian/postinst ${CMAKE_SOURCE_DIR}/deploy/debian/prerm
  ${CMAKE_SOURCE_DIR}/deploy/debian/postrm ${CMAKE_BINARY_DIR}/conffiles)
include(CPack)
