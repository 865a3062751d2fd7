# Sourced by ./ladder: what is here, what is not, and what each missing piece costs. Shell, because it must also work
# where nothing can be compiled.

found() { printf '  %-13s %s\n' "$1" "$2"; }
lacking() { printf '  %-13s not found: %s\n' "$1" "$2"; }

# tool NAME COMMAND COST: the first line of its --version and where it is.
tool() {
    if have "$2"; then
        found "$1" "$("$2" --version 2>/dev/null | sed -n 1p) ($(command -v "$2"))"
    else
        lacking "$1" "$3"
    fi
}

doctor_compilers() {
    cc=$(compiler) || cc=cc
    cxx=$(cxx_compiler) || cxx=c++
    tool "C compiler" "$cc" "nothing can be built; install g++"
    tool "C++ compiler" "$cxx" "the CPU device cannot be built; install g++"
    tool cmake cmake "nothing can be built; install cmake 3.22 or newer"
    if have cmake && ! cmake_is_new_enough; then
        found "" "this cmake is older than 3.22, which the presets need"
    fi
    if have ninja; then tool ninja ninja ""; else tool make make "nothing can be built; install make or ninja"; fi
}

doctor_cublas() {
    [ -n "$nvcc" ] || { lacking cuBLAS "no baseline to compare with; it comes with the CUDA Toolkit"; return; }
    toolkit=$(dirname "$(dirname "$nvcc")")
    for library in "$toolkit"/lib64/libcublas.so "$toolkit"/lib/libcublas.so "$toolkit"/targets/*/lib/libcublas.so; do
        if [ -e "$library" ]; then
            found cuBLAS "$(basename "$(readlink -f "$library")") ($library)"
            return
        fi
    done
    lacking cuBLAS "no baseline to compare with; it comes with the CUDA Toolkit"
}

doctor_gpu() {
    gpu_state
    if [ -n "$nvcc" ]; then
        found nvcc "$(nvcc_version "$nvcc") ($nvcc)"
    else
        lacking nvcc "stages run on the CPU device; no GPU speeds"
    fi
    if gpus=$(list_gpus); then
        found GPU "$(printf '%s\n' "$gpus" | sed 's/ (UUID.*//' | tr '\n' ';' | sed 's/;$//; s/;/; /g')"
        found driver "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | sed -n 1p)"
    else
        lacking GPU "stages run on the CPU device; no GPU speeds"
        lacking driver "see GPU"
    fi
    doctor_cublas
}

doctor_gnuplot() {
    if ! have gnuplot; then
        lacking gnuplot "tables, but no pictures; install gnuplot-nox"
        return
    fi
    terminals=
    for terminal in pngcairo png svg dumb; do
        if gnuplot -e "set terminal $terminal" >/dev/null 2>&1; then terminals="$terminals $terminal"; fi
    done
    found gnuplot "$(gnuplot --version) ($(command -v gnuplot)); terminals:${terminals:- none}"
}

doctor() {
    echo "What ./ladder found:"
    doctor_compilers
    doctor_gpu
    doctor_gnuplot
    if have_cmocka; then
        found cmocka "yes"
    else
        lacking cmocka "./ladder test cannot build the unit tests; install libcmocka-dev"
    fi
    tool clang-format clang-format "./ladder diff compares files as they are written"
    tool diff diff "no ./ladder diff; install diffutils"
    echo
    if [ "$gpu_works" = yes ]; then
        echo "--device auto takes the GPU: $gpu_note"
    else
        echo "--device auto takes the CPU device: $gpu_note"
    fi
}
