# The script ./ladder itself, in a copy of the repository's parts at a path with spaces, with a fake cmake.
. "$(dirname "$0")/helpers.sh"

root="$work/my gemm ladder"
mkdir -p "$root/common/tool" "$root/plots" "$root/01_naive" "$root/02_tiling" "$work/elsewhere"
: >"$root/01_naive/kernel.cu" && : >"$root/02_tiling/kernel.cu"
cp "$repository/ladder" "$root/ladder"
cp "$repository"/common/tool/*.sh "$repository/common/tool/probe.cu" "$root/common/tool"
cp "$repository"/plots/*.gp "$root/plots"
small_path
for command in cc c++; do fake "$command" 'exit 0'; done
fake make 'exit 0'
# "Builds" by copying the real tool to where the preset puts it, and drivers that do nothing. $FAKE_BREAK names targets
# that do not compile; $FAKE_SLOW makes every build last that long, and fail when another one is at work.
fake cmake "echo \"cmake \$*\" >>'$work/calls'
case \$1 in
--version) echo 'cmake version 3.25.1' ;;
--build) preset=\$3
    mkdir -p \"build/\$preset/bin\"
    [ -z \"\$FAKE_SLOW\" ] || { mkdir '$work/building' || { echo two builds >>'$work/calls'; exit 1; }; sleep \$FAKE_SLOW; }
    [ -z \"\$FAKE_SLOW\" ] || rmdir '$work/building'
    eval \"\$FAKE_STOP\"
    [ -z \"\$FAKE_BUILDS\" ] || echo \"[ 50%] Building C object x.c.o\"
    while [ \$# -gt 0 ] && [ \"\$1\" != --target ]; do shift; done
    for target in \"\$@\"; do
        case \" \$FAKE_BREAK \" in *\" \$target \"*) echo \"error: broken \$target\"; exit 1 ;; esac
        [ -z \"\$FAKE_WARNING\" ] || echo \"01_naive/kernel.cu:9:5: warning: \$FAKE_WARNING\"
        case \$target in
        --target) ;;
        ladder-tool) cp '$tool' \"build/\$preset/bin/.new\" && mv \"build/\$preset/bin/.new\" \"build/\$preset/bin/ladder-tool\" ;;
        *) printf '#!/bin/sh\\nexit 0\\n' >\"build/\$preset/bin/\$target\"; chmod +x \"build/\$preset/bin/\$target\" ;;
        esac
    done ;;
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
for spelling in '-D gpu' -Dgpu '--dev gpu' --devic=gpu; do
    # shellcheck disable=SC2086 # two words
    ladder run $spelling
    expect_status 2 "$spelling without a GPU"
    expect_says "--device gpu: no nvcc on the PATH"
done
for command in doctor help test; do
    ladder $command --help
    expect_status 0 "$command --help"
    expect_says "./ladder run [STAGE...]"
done
for command in doctor help; do
    ladder $command extra
    expect_status 2 "$command extra"
    expect_says "extra"
done
ladder --device cpu
expect_status 2 "a device and nothing to do"

# --- what the compiler says of a kernel that compiles all the same
FAKE_WARNING="array subscript 32 is above array bounds"
export FAKE_WARNING
ladder run 1
expect_status 1 "a warning" # the drivers here write no rows
expect_says "warnings about kernels, see build/cpu/ladder-build.log"
FAKE_WARNING=

# --- how long a build took is told where something was built
FAKE_SLOW=1
export FAKE_SLOW
ladder run 1
expect_silent_on "built build/cpu in"
FAKE_BUILDS=yes ladder run 1
expect_says "built build/cpu in"
FAKE_SLOW=

# --- the device is always said, and never replaced in silence
ladder run
expect_says "device: cpu (no nvcc on the PATH"
expect_says "02_tiling: FAIL: the driver wrote no rows" # the fake drivers do nothing: the tool was reached
expect_in "$work/calls" "cmake --preset cpu"
expect_in "$work/calls" "--target 01_naive 02_tiling"
expect_file "$root/build/cpu/bin/ladder-tool"
ladder run --device gpu
expect_status 2 "no GPU"
expect_says "--device gpu: no nvcc on the PATH"
ladder run --device=cpu
expect_says "device: cpu (asked for)"
ladder profile
expect_status 2 "profile without a GPU"
expect_says "profile needs a GPU and nvcc (no nvcc on the PATH"
expect_says "; ./ladder count counts the same without them."
expect_silent_on "use --device cpu"
ladder profile --device cpu
expect_status 2 "profile --device cpu"
expect_says "profile needs a GPU and nvcc; ./ladder count counts the same without them."

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

# --- -D is --device, but for a constant of banks
for spelling in '-D PAD=0' -DPAD=0 '--define PAD=0'; do
    # shellcheck disable=SC2086 # two words
    ladder banks 04 store_A $spelling --device cpu
    expect_status 0 "banks $spelling"
    expect_says "2-way bank conflict"
done
ladder banks 04 store_A -D PAD
expect_status 2 "banks -D PAD"
expect_says "a constant of banks is -D NAME=value"

# --- a build that fails shows why; a stage that does not compile costs only itself, and what is not run is not built
FAKE_BREAK=ladder-tool
export FAKE_BREAK
ladder table
expect_status 1 "broken build"
expect_says "error: broken ladder-tool"
expect_says "ladder-build.log"
FAKE_BREAK=01_naive
: >"$work/calls"
ladder run --device cpu --quick 02
expect_says "02_tiling: FAIL: the driver wrote no rows"
expect_silent_on "broken 01_naive"
expect_not_in "$work/calls" "01_naive"
ladder run --device cpu --quick
expect_status 1 "broken stage"
expect_says "error: broken 01_naive"
expect_says "01_naive: FAIL: does not compile, see build/cpu/01_naive.log"
expect_says "02_tiling: FAIL: the driver wrote no rows"
expect_in "$root/build/cpu/01_naive.log" "error: broken 01_naive"
ladder run --device cpu --quick 1
expect_status 1 "the only stage is broken"
expect_says "the build failed"
FAKE_BREAK=
: >"$work/calls"
ladder run --hel
expect_status 0 "run --hel"
expect_says "Usage: ladder run"
expect_not_in "$work/calls" "--target 0"
ladder run 9
expect_status 2 "no such stage"
expect_says "9: no such stage; choose from 01_naive, 02_tiling"
expect_not_in "$work/calls" "--target 0"

# --- an interrupt while it builds is no failed build
export FAKE_STOP
for FAKE_STOP in 'kill -INT $PPID; exit 1' 'kill -INT $$' 'echo "gmake: *** [all] Interrupt"; exit 2' \
    'echo "ninja: build stopped: interrupted by user."; exit 2'; do
    ladder table
    expect_status 130 "interrupted build: $FAKE_STOP"
    expect_silent_on "build failed"
done
FAKE_STOP=

# --- two at once build one after the other, with flock and without; the lock of the dead is taken over
two_at_once() {
    FAKE_SLOW=1
    export FAKE_SLOW
    : >"$work/calls"
    PATH=$work/path sh "$root/ladder" table >"$work/first" 2>&1 &
    first=$!
    ladder table
    expect_status 0 "the second of two, $1"
    wait "$first" || { cp "$work/first" "$work/out"; wrong "the first of two, $1"; }
    expect_not_in "$work/calls" "two builds"
    cat "$work/first" >>"$work/out"
    expect_says "another ./ladder is building here"
    FAKE_SLOW=
}
two_at_once "mkdir"
[ ! -e "$root/build/cpu/ladder.lock.d" ] || wrong "the lock was left behind"
mkdir "$root/build/cpu/ladder.lock.d"
sh -c 'echo $$' >"$root/build/cpu/ladder.lock.d/owner"
ladder table
expect_status 0 "a dead owner's lock"
if found=$(command -v flock); then
    ln -s "$found" "$work/path/flock"
    two_at_once "flock"
fi

# --- where nothing can be written, one sentence; what is built still shows tables
rm "$root/build/cpu/ladder-build.log"
mkdir "$root/build/cpu/ladder-build.log" # not even root can write that
ladder run --device cpu
expect_status 1 "read-only run"
expect_says "cannot write into $root/build/cpu"
expect_silent_on "create" # the shell's own words
ladder table "$work/elsewhere/mine.csv"
expect_status 0 "read-only table"
expect_says "02_tiling          tile64"
mv "$root/build/cpu/bin" "$work/bin"
ladder table
expect_status 1 "read-only and nothing built"
expect_says "cannot write into $root/build/cpu"
mv "$work/bin" "$root/build/cpu/bin"
rmdir "$root/build/cpu/ladder-build.log"

# --- test hands its arguments and its exit status through
fake cc 'exit 0'
ladder test -R tool_record
expect_status 7 "ctest's status"
expect_in "$work/calls" "ctest --preset cpu --output-on-failure --no-tests=error -R tool_record"

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
expect_in "$work/calls" "install -y --no-install-recommends g++ cmake make"
fake id 'echo 1000'
ladder table
expect_status 1 "not root, nobody to ask"
expect_says "install them with: sudo apt-get install -y --no-install-recommends g++ cmake make"
rm "$work/path/apt-get"
ladder table
expect_status 1 "no apt"
expect_says "there is no apt here"
finish
