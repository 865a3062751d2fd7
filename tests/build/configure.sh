#!/bin/sh
# configure.sh CMAKE SOURCE   configures a few times with stand-ins for nvcc and nvidia-smi, and looks at what is said.
cmake=$1 source=$2
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failures=0
unset CUDACXX CUDA_HOME CUDA_PATH # the machine's own settings must not decide

# stand_in NAME COMMANDS
stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"$scratch/$1"
    chmod +x "$scratch/$1"
}
stand_in old-nvcc 'echo "Cuda compilation tools, release 11.8, V11.8.89"'
stand_in small-nvcc 'case $1 in --version) echo "release 13.0, V13.0.1" ;; --list-gpu-arch) echo compute_75; echo compute_80 ;; esac'
stand_in broken-nvcc 'exit 1'
stand_in no-gpu 'exit 9'
stand_in hopper 'echo 9.0'

# expect NAME ok|stop PATTERN CMAKE-OPTIONS...
expect() {
    name=$1 want=$2 pattern=$3
    shift 3
    if "$cmake" -S "$source" -B "$scratch/$name" -DBUILD_TESTING=OFF "$@" >"$scratch/$name.log" 2>&1; then got=ok; else got=stop; fi
    # CMake wraps its messages: compare them as one line.
    if [ "$got" != "$want" ] || ! tr -s ' \n' ' ' <"$scratch/$name.log" | grep -Eq -- "$pattern"; then
        echo "FAILED: $name: configuration gave '$got' (wanted $want, and: $pattern)"
        cat "$scratch/$name.log"
        failures=$((failures + 1))
    fi
}

no_gpu="-DGEMM_NVIDIA_SMI=$scratch/no-gpu"
hopper="-DGEMM_NVIDIA_SMI=$scratch/hopper"
expect auto-broken ok 'Building for the CPU device: .*broken-nvcc does not run' "-DGEMM_NVCC=$scratch/broken-nvcc" "$no_gpu"
expect auto-no-gpu ok 'Building for the CPU device: nvidia-smi shows no GPU' "-DGEMM_NVCC=$scratch/small-nvcc" "$no_gpu"
expect gpu-broken stop 'GEMM_DEVICE=gpu: .*does not run.*cmake --preset cpu' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/broken-nvcc"
expect gpu-old stop 'is CUDA 11.8, too old: 12.0 or newer' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/old-nvcc"
expect gpu-unknown-own stop 'nvcc 13.0 knows no architecture 90 .it knows 75 80.' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/small-nvcc" "$hopper"
expect gpu-unknown-given stop 'knows no architecture 90' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/small-nvcc" "$no_gpu" '-DCMAKE_CUDA_ARCHITECTURES=80;90a'
expect gpu-native-without stop 'native: nvidia-smi shows no GPU here' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/small-nvcc" "$no_gpu" -DCMAKE_CUDA_ARCHITECTURES=native
expect gpu-nonsense stop 'give numbers such as' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$scratch/small-nvcc" "$no_gpu" -DCMAKE_CUDA_ARCHITECTURES=hopper
# Whose nvcc: CUDACXX, or the first on the PATH, before the usual place.
mkdir "$scratch/path"
cp "$scratch/old-nvcc" "$scratch/path/nvcc"
CUDACXX=$scratch/old-nvcc expect whose-cudacxx stop 'old-nvcc is CUDA 11.8' -DGEMM_DEVICE=gpu
PATH=$scratch/path:$PATH expect whose-path stop 'path/nvcc is CUDA 11.8' -DGEMM_DEVICE=gpu
expect whose-option stop 'old-nvcc is CUDA 11.8' -DGEMM_DEVICE=gpu "-DCMAKE_CUDA_COMPILER=$scratch/old-nvcc"
expect device-nonsense stop 'choose auto, cpu or gpu' -DGEMM_DEVICE=tpu

# With a real nvcc: an empty list means the default one, and the user's own is respected.
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -n "$nvcc" ]; then
    expect real-empty ok 'architectures: 75-real;80-real' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$nvcc" "$no_gpu" -DCMAKE_CUDA_ARCHITECTURES=
    expect real-given ok 'architectures: 80;90a' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$nvcc" "$no_gpu" '-DCMAKE_CUDA_ARCHITECTURES=80;90a'
    expect real-own ok 'architectures: 90a-real' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$nvcc" "$hopper"
    expect real-off ok 'architectures: OFF' -DGEMM_DEVICE=gpu "-DGEMM_NVCC=$nvcc" "$no_gpu" -DCMAKE_CUDA_ARCHITECTURES=OFF
fi
[ "$failures" -eq 0 ]
