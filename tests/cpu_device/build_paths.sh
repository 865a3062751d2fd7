#!/bin/sh
# add_cpu_kernel in a project whose path has spaces; a changed header or source rebuilds the kernel.
# usage: build_paths.sh CMAKE SOURCE_DIR CPU_DEVICE_DIR C_COMPILER CXX_COMPILER
set -eu
cmake=$1 source=$2 device=$3 cc=$4 cxx=$5
folder=$(mktemp -d "${TMPDIR:-/tmp}/cpu kernel XXXXXX")
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/my project"
cp "$source/spaced/kernel.cu" "$source/spaced/value.cuh" "$folder/my project"
cat >"$folder/my project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.22)
project(spaced LANGUAGES C CXX ASM)
add_subdirectory("$device" cpu_device)
add_cpu_kernel(kernel kernel.cu)
add_executable(program)
target_link_libraries(program PRIVATE kernel)
set_target_properties(program PROPERTIES LINKER_LANGUAGE CXX)
END
cd "$folder"
"$cmake" -S "my project" -B "my build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Debug >log 2>&1 || { cat log; exit 1; }
"$cmake" --build "my build" >log 2>&1 || { cat log; exit 1; }
"./my build/program" || { echo "failed: the first build gives the wrong value"; exit 1; }
if grep -q "warning" log; then
    cat log
    exit 1
fi

printf '#define VALUE 42\n#define EXPECTED 43\n' >"my project/value.cuh"
"$cmake" --build "my build" >log 2>&1 || { cat log; exit 1; }
if "./my build/program"; then
    echo "failed: the kernel was not rebuilt when its header changed"
    exit 1
fi

sed 's/EXPECTED/42/' "$source/spaced/kernel.cu" >"$folder/my project/kernel.cu"
"$cmake" --build "my build" >log 2>&1 || { cat log; exit 1; }
"./my build/program" || { echo "failed: the kernel was not rebuilt when its source changed"; exit 1; }
