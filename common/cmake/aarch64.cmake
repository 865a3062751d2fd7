# A toolchain file: builds for 64-bit Arm Linux on another machine, and runs what it builds under qemu's user-mode emulator.
#   cmake -S . -B build/aarch64 -DGEMM_DEVICE=cpu -DCMAKE_TOOLCHAIN_FILE=common/cmake/aarch64.cmake
# Debian: apt-get install g++-aarch64-linux-gnu qemu-user-static. Libraries for Arm, such as cmocka for the unit tests, are looked
# for below -DCMAKE_FIND_ROOT_PATH=DIRECTORY; .ci/aarch64 shows how to fill one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

# A compiler of the environment would be one for this machine.
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(APPEND CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)

# -L: where the compiler's package has its shared objects for Arm.
find_program(QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64 REQUIRED)
mark_as_advanced(QEMU_AARCH64)
set(CMAKE_CROSSCOMPILING_EMULATOR "${QEMU_AARCH64}" -L /usr/aarch64-linux-gnu)
