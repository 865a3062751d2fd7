# Sourced by ./ladder: which device runs the kernels, and why. A GPU counts only when a compiled kernel really ran on it.

# nvcc is often installed and not on the PATH. CMake finds it through CUDACXX.
find_nvcc() {
    for candidate in "$(command -v nvcc 2>/dev/null)" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" \
        ${LADDER_NVCC_FALLBACK-/usr/local/cuda/bin/nvcc /opt/cuda/bin/nvcc}; do
        if [ -x "$candidate" ]; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

nvcc_version() { "$1" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'; }

# One line a GPU.
list_gpus() { have nvidia-smi && nvidia-smi -L 2>/dev/null | grep '^GPU '; }

have_libcuda() {
    { ldconfig -p 2>/dev/null || /sbin/ldconfig -p 2>/dev/null; } | grep -q 'libcuda\.so' ||
        [ -e /usr/lib/wsl/lib/libcuda.so.1 ]
}

# Compiles the probe once for each compiler and set of GPUs, and runs it every time: a GPU may go away.
# Prints the GPU's name, or the reason; the exit status says which.
probe_gpu() {
    nvcc=$1
    probe=$root/build/probe
    key="$nvcc $(nvcc_version "$nvcc") $(list_gpus) $(cksum <"$root/common/tool/probe.cu")"
    mkdir -p "$root/build" 2>/dev/null # where it cannot be, the compiler says so
    if [ ! -x "$probe" ] || [ "$(cat "$probe.key" 2>/dev/null)" != "$key" ]; then
        rm -f "$probe" "$probe.key" 2>/dev/null
        if ! { "$nvcc" -arch=native -o "$probe" "$root/common/tool/probe.cu" >"$probe.log" 2>&1; } 2>/dev/null; then
            echo "nvcc cannot compile for this machine's GPU, see $probe.log"
            return 1
        fi
        printf '%s' "$key" >"$probe.key"
    fi
    limit=
    if have timeout; then limit="timeout 60"; fi
    answer=$($limit "$probe" 2>&1) && echo "$answer" && return 0
    echo "the GPU probe failed: ${answer:-no answer within 60 s}"
    return 1
}

# gpu_state sets gpu_works (yes or no), gpu_note (GPU and compiler, or what is missing) and nvcc.
gpu_state() {
    gpu_works=no
    nvcc=$(find_nvcc) || nvcc=
    if [ -z "$nvcc" ]; then
        gpu_note="no nvcc on the PATH or in /usr/local/cuda/bin"
    elif ! list_gpus >/dev/null && ! have_libcuda; then
        gpu_note="no NVIDIA GPU: nvidia-smi lists none and there is no libcuda"
    elif gpu_note=$(probe_gpu "$nvcc"); then
        gpu_works=yes
        gpu_note="$gpu_note, nvcc $(nvcc_version "$nvcc")"
    fi
}

# choose_device auto|cpu|gpu sets device and device_note; exits when a GPU was asked for and does not work.
choose_device() {
    device=cpu
    device_note="asked for"
    [ "$1" = cpu ] && return 0
    gpu_state
    device_note=$gpu_note
    if [ "$gpu_works" = yes ]; then
        device=gpu
        CUDACXX=$nvcc
        PATH=$(dirname "$nvcc"):$PATH
        export CUDACXX PATH
    elif [ "$1" = gpu ]; then
        die 2 "--device gpu: $gpu_note; use --device cpu, or see ./ladder doctor."
    fi
}
