# add_cpu_kernel(<target> <source.cu>...)
#
# Makes an object library of CUDA sources for the CPU device. Each source goes through cu2cpp, which rewrites its launches and
# keeps its line numbers, and is then compiled as C++17. Headers are tracked by the compiler, as for any C++ source; a header
# must not contain launches. Includes in quotes are looked up next to the .cu file, then in common/.

include(CheckCSourceRuns)
include(CheckCXXCompilerFlag)

# FMA and half conversions in hardware, when the machine that builds has them. A cross build cannot know.
function(_cpu_device_find_machine_flags)
    if(DEFINED CPU_DEVICE_MACHINE_FLAGS OR CMAKE_CROSSCOMPILING)
        return()
    endif()
    set(flags "")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        set(CMAKE_REQUIRED_FLAGS "-mfma -mf16c")
        check_c_source_runs([=[
            #include <immintrin.h>
            int main(int argc, char **argv) {
                (void)argv;
                __m128 x = _mm_set1_ps((float)argc);
                x = _mm_fmadd_ps(x, x, _mm_cvtph_ps(_mm_cvtps_ph(x, 0)));
                return _mm_cvtss_f32(x) == (float)(argc * argc + argc) ? 0 : 1;
            }]=] CPU_DEVICE_HAS_FMA_AND_F16C)
        if(CPU_DEVICE_HAS_FMA_AND_F16C)
            set(flags -mfma -mf16c)
        endif()
    endif()
    set(CPU_DEVICE_MACHINE_FLAGS "${flags}" CACHE STRING "Processor flags for kernels on the CPU device")
    mark_as_advanced(CPU_DEVICE_MACHINE_FLAGS)
endfunction()
_cpu_device_find_machine_flags()

# Every access that is not to a register, and every basic block, calls the runtime (hooks.c), which counts while it is told to.
# Only the compiler's half of these sanitizers is used: their libraries are not linked. The debug information names the lines.
set(gnu_hooks -fsanitize=thread "SHELL:--param tsan-instrument-func-entry-exit=0" -fsanitize-coverage=trace-pc)
set(clang_hooks -gdwarf-4 -fsanitize=thread "SHELL:-mllvm -tsan-instrument-func-entry-exit=0"
    "SHELL:-mllvm -tsan-instrument-read-before-write=1" -fsanitize-coverage=trace-pc,bb,no-prune)

# Register tiles must become registers, so loops over them must unroll completely; vectorised code would merge the accesses of
# a thread, which are to be seen one by one.
set(gnu_optimisation -O3 "SHELL:--param max-completely-peel-times=256"
    "SHELL:--param max-completely-peeled-insns=100000" -fno-tree-vectorize
    # These copy code for lanes that differ, and what is one request of a warp would become two.
    -fno-thread-jumps -fno-unswitch-loops -fno-split-loops -fno-split-paths "SHELL:--param max-grow-copy-bb-insns=0")
set(clang_optimisation -O2 -fno-vectorize -fno-slp-vectorize -Wno-pass-failed)
set(optimised "$<NOT:$<CONFIG:Debug>>")

# A local variable that nobody initialised holds a pattern, at every level of optimisation: in a float -1.69e38 (0xfefefefe)
# with g++ and a NaN (0xffffffff) with clang. g++ knows the flag since version 12.
check_cxx_compiler_flag(-ftrivial-auto-var-init=pattern CPU_DEVICE_HAS_AUTO_VAR_INIT)
set(local_pattern "")
if(CPU_DEVICE_HAS_AUTO_VAR_INIT)
    set(local_pattern -ftrivial-auto-var-init=pattern)
endif()

# A frame larger than a thread's guard page must still fault in it. g++ for AArch64 takes the guard to have 64 KiB.
set(stack_probes -fstack-clash-protection)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    list(APPEND stack_probes "SHELL:--param stack-clash-protection-guard-size=12") # 2^12 bytes
endif()

add_library(cpu_device_kernel_flags INTERFACE)
target_compile_features(cpu_device_kernel_flags INTERFACE cxx_std_17)
target_compile_options(cpu_device_kernel_flags INTERFACE
    -Wall -Wextra -Wno-unknown-pragmas -ffp-contract=fast ${CPU_DEVICE_MACHINE_FLAGS}
    -fno-optimize-sibling-calls # a jump to a hook at the end of a function would give it the caller's place
    -fno-math-errno # square roots are instructions, as on a GPU
    # Without it, g++ looks for an initialiser of the dynamic shared array at every use.
    "$<$<CXX_COMPILER_ID:GNU>:-fno-extern-tls-init>"
    -fno-strict-aliasing # kernels read four floats as a float4, two halves as an unsigned; nvcc takes no offence
    ${stack_probes}
    ${local_pattern}
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,${optimised}>:${gnu_optimisation}>"
    "$<$<AND:$<CXX_COMPILER_ID:Clang,AppleClang>,${optimised}>:${clang_optimisation}>"
    "$<$<CXX_COMPILER_ID:GNU>:${gnu_hooks}>"
    "$<$<CXX_COMPILER_ID:Clang,AppleClang>:${clang_hooks}>"
    -g
    "$<$<CONFIG:Debug>:-O0>")

# An index past a row of an array calls bounds.c. In kernels it does not return: code that goes on behind the call costs a
# tiled kernel up to 25 % of its time with g++ and 80 % with clang, which then counts other loads too; this costs at most 9 %.
# A whole program (CMakeLists.txt) is compiled to go on, and only when it is to be checked. clang's "bounds" would add traps.
add_library(cpu_device_bounds_flags INTERFACE)
target_compile_options(cpu_device_bounds_flags INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-fsanitize=bounds;-fno-sanitize-recover=bounds>"
    "$<$<CXX_COMPILER_ID:Clang,AppleClang>:-fsanitize=array-bounds;-fno-sanitize-recover=array-bounds>")
add_library(cpu_device_program_bounds_flags INTERFACE)
target_compile_options(cpu_device_program_bounds_flags INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-fsanitize=bounds>"
    "$<$<CXX_COMPILER_ID:Clang,AppleClang>:-fsanitize=array-bounds>")

function(add_cpu_kernel target)
    if(NOT ARGN)
        message(FATAL_ERROR "add_cpu_kernel(${target}) needs at least one .cu file.")
    endif()
    set(generated "")
    set(directories "")
    foreach(source IN LISTS ARGN)
        get_filename_component(source "${source}" ABSOLUTE)
        get_filename_component(name "${source}" NAME)
        get_filename_component(directory "${source}" DIRECTORY)
        # Two kernel.cu of one target must not meet in one file.
        string(MD5 hash "${source}")
        string(SUBSTRING "${hash}" 0 8 hash)
        set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpu/${hash}/${name}.cpp")
        get_filename_component(output_directory "${output}" DIRECTORY)
        file(MAKE_DIRECTORY "${output_directory}")
        add_custom_command(
            OUTPUT "${output}"
            COMMAND cu2cpp "${source}" "${output}"
            DEPENDS cu2cpp "${source}"
            COMMENT "Rewriting launches of ${name} for the CPU device"
            VERBATIM)
        list(APPEND generated "${output}")
        list(APPEND directories "${directory}")
    endforeach()
    list(REMOVE_DUPLICATES directories)

    set(device "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
    add_library(${target} OBJECT ${generated})
    target_include_directories(${target} BEFORE PRIVATE "${device}/include")
    target_include_directories(${target} PRIVATE ${directories} "${device}/..")
    target_link_libraries(${target} PRIVATE cpu_device_kernel_flags cpu_device_bounds_flags PUBLIC cpu_device)
endfunction()
