# The script ./ladder itself, in a copy of the repository's parts at a path with spaces, with a fake cmake.
. "$(dirname "$0")/helpers.sh"

root="$work/my gemm ladder"
mkdir -p "$root/common/tool" "$root/plots" "$work/elsewhere"
cp "$repository/ladder" "$root/ladder"
cp "$repository"/common/tool/*.sh "$repository/common/tool/probe.cu" "$root/common/tool"
cp "$repository"/plots/*.gp "$root/plots"
small_path
for command in cc c++; do fake "$command" 'exit 0'; done
fake make 'exit 0'
# "Builds" by copying the real tool to where the preset puts it.
fake cmake "echo \"cmake \$*\" >>'$work/calls'
case \$1 in
--version) echo 'cmake version 3.25.1' ;;
--build) [ -z \"\$FAKE_BREAK\" ] || { echo 'error: broken kernel'; exit 1; }
    mkdir -p \"build/\$3/bin\" && cp '$tool' \"build/\$3/bin/ladder-tool\" ;;
esac"
fake ctest "echo ctest \"\$*\" >>'$work/calls'; exit 7"
LADDER_NO_INSTALL=1 LADDER_NVCC_FALLBACK='' CUDA_HOME='' CUDA_PATH=''
export LADDER_NO_INSTALL LADDER_NVCC_FALLBACK CUDA_HOME CUDA_PATH
ladder() { PATH=$work/path run sh "$root/ladder" "$@"; }

# --- help and bad input
ladder help
expect_status 0 "help"
expect_says "./ladder run [STAGE...]"
ladder --help
expect_status 0 "--help"
ladder
expect_status 2 "nothing"
ladder fly
expect_status 2 "unknown subcommand"
expect_says "unknown subcommand 'fly'; choose from run, table"
ladder --device tpu run
expect_status 2 "unknown device"
expect_says "choose auto, cpu or gpu"
ladder run --device
expect_status 2 "no device"

# --- the device is always said, and never replaced in silence
ladder run
expect_says "device: cpu (no nvcc on the PATH"
expect_says "no stage driver in" # the fake build has none: the tool was reached
expect_in "$work/calls" "cmake --preset cpu"
expect_file "$root/build/cpu/bin/ladder-tool"
ladder run --device gpu
expect_status 2 "no GPU"
expect_says "--device gpu: no nvcc on the PATH"
ladder run --device=cpu
expect_says "device: cpu (asked for)"

# --- nvcc without a GPU, with a GPU that the compiler does not know, with one that works
fake nvcc 'case $* in *--version*) echo "Cuda compilation tools, release 13.0, V13.0.1" ;; *) exit 1 ;; esac'
ladder run
expect_says "device: cpu (no NVIDIA GPU"
fake nvidia-smi 'echo "GPU 0: FAKE GPU (UUID: x)"'
ladder run
expect_says "device: cpu (nvcc cannot compile for this machine's GPU"
probe() {
    fake nvcc "case \$* in *--version*) echo 'release $1, V$1' ;;
*) while [ \"\$1\" != -o ]; do shift; done; printf '#!/bin/sh\n$2\n' >\"\$2\"; chmod +x \"\$2\" ;; esac"
}
probe 13.0 'echo no usable GPU; exit 1'
ladder run
expect_says "device: cpu (the GPU probe failed: no usable GPU)"
probe 13.1 'echo FAKE GPU'
ladder run
expect_says "device: gpu (FAKE GPU, nvcc 13.1)"
expect_in "$work/calls" "cmake --preset gpu"
ladder run --device cpu
expect_says "device: cpu (asked for)"

# --- from another directory, through a link, with relative paths
ln -s "$root/ladder" "$work/elsewhere/l"
cp "$here/data/two-stages.csv" "$work/elsewhere/mine.csv"
cd "$work/elsewhere" || exit 1
PATH=$work/path run ./l table mine.csv
expect_status 0 "through a link"
expect_says "record: mine.csv"
cd "$work" || exit 1

# --- a build that fails shows why
FAKE_BREAK=1
export FAKE_BREAK
ladder table
expect_status 1 "broken build"
expect_says "error: broken kernel"
expect_says "ladder-build.log"
FAKE_BREAK=

# --- test hands its arguments and its exit status through
fake cc 'exit 0'
ladder test -R tool_record
expect_status 7 "ctest's status"
expect_in "$work/calls" "ctest --preset cpu --output-on-failure -R tool_record"

# --- what is missing is named, and not installed when that is forbidden
rm "$work/path/cmake"
ladder table
expect_status 1 "no cmake"
expect_says "missing: cmake; LADDER_NO_INSTALL is set, so nothing is installed."
fake cmake 'echo "cmake version 3.18.4"'
ladder table
expect_status 1 "old cmake"
expect_says "missing: cmake"

# --- doctor needs nothing
rm "$work/path/cc" "$work/path/c++" "$work/path/cmake" "$work/path/make"
CC='' CXX='' ladder doctor
expect_status 0 "doctor"
expect_says "nothing can be built; install g++"
expect_says "tables, but no pictures"
expect_says "--device auto takes the GPU: FAKE GPU"
rm "$work/path/nvcc"
ladder doctor
expect_says "stages run on the CPU device; no GPU speeds"
expect_says "--device auto takes the CPU device: no nvcc"

# --- installing: as root with apt, offline, and without apt
unset LADDER_NO_INSTALL
fake id 'echo 0'
fake apt-get "echo \"apt-get \$*\" >>'$work/calls'; exit 100"
ladder table
expect_status 1 "apt fails"
expect_says "apt-get could not install g++ cmake make"
expect_in "$work/calls" "apt-get install -y --no-install-recommends g++ cmake make"
fake id 'echo 1000'
ladder table
expect_status 1 "not root, nobody to ask"
expect_says "install them with: sudo apt-get install -y --no-install-recommends g++ cmake make"
rm "$work/path/apt-get"
ladder table
expect_status 1 "no apt"
expect_says "there is no apt here"
finish
