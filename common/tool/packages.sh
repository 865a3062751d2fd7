# Sourced by ./ladder: what is needed, what is missing, and installing it.
# POSIX sh. A function answers with its exit status, or with text on standard output; errors go through die().

have() { command -v "$1" >/dev/null 2>&1; }

compiler() {
    for candidate in "${CC:-}" cc gcc clang; do
        if [ -n "$candidate" ] && have "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

cxx_compiler() {
    for candidate in "${CXX:-}" c++ g++ clang++; do
        if [ -n "$candidate" ] && have "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# The presets need CMake 3.22.
cmake_version() { cmake --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9.]*\).*/\1/p'; }

cmake_is_new_enough() {
    version=$(cmake_version)
    major=${version%%.*}
    rest=${version#*.}
    minor=${rest%%.*}
    [ -n "$version" ] && { [ "$major" -gt 3 ] || { [ "$major" -eq 3 ] && [ "$minor" -ge 22 ]; }; }
}

have_cmocka() {
    cc=$(compiler) || return 1
    printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\nint main(void) { return 0; }\n' |
        "$cc" -x c - -lcmocka -o /dev/null 2>/dev/null
}

# The packages (Debian names) that the subcommand $1 cannot do without.
missing_packages() {
    { compiler && cxx_compiler; } >/dev/null || echo "g++"
    cmake_is_new_enough || echo "cmake"
    have make || have ninja || echo "make"
    if [ "$1" = test ]; then
        have_cmocka || echo "libcmocka-dev"
    fi
}

# Installs $@, or says in one sentence why not. Never asks when nobody can answer.
install_packages() {
    line="apt-get install -y --no-install-recommends $*"
    if [ -n "${LADDER_NO_INSTALL:-}" ]; then
        say "missing: $*; LADDER_NO_INSTALL is set, so nothing is installed."
        return 1
    fi
    if ! have apt-get; then
        say "missing: $*; install the packages of this system that provide them (there is no apt here)."
        return 1
    fi
    if [ "$(id -u)" -eq 0 ]; then
        run_apt "" "$@"
    elif have sudo && [ -t 0 ]; then
        printf 'ladder: missing: %s. Install with sudo apt-get? [y/N] ' "$*" >&2
        read -r answer || answer=
        case $answer in
        y | Y | yes) run_apt sudo "$@" ;;
        *) say "nothing was installed; the line for it is: sudo $line"; return 1 ;;
        esac
    else
        say "missing: $*; install them with: sudo $line"
        return 1
    fi
}

# run_apt PREFIX PACKAGES: package lists may be old or absent (a fresh container), so a failure is tried once more.
run_apt() {
    prefix=$1
    shift
    say "installing $* ..."
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    # Where packets just vanish, apt would wait for minutes.
    apt="apt-get -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10"
    # shellcheck disable=SC2086 # options, one word each
    if $prefix $apt install -y --no-install-recommends "$@" >/dev/null 2>&1 ||
        { $prefix $apt update >/dev/null 2>&1 &&
            $prefix $apt install -y --no-install-recommends "$@" >/dev/null 2>&1; }; then
        return 0
    fi
    say "apt-get could not install $* (no network?)."
    return 1
}

# Everything the subcommand $1 needs, or a sentence and exit 1. gnuplot is a wish: without it tables are kept.
require() {
    missing=$(missing_packages "$1" | tr '\n' ' ')
    if [ -n "$missing" ]; then
        # shellcheck disable=SC2086 # one word a package
        install_packages $missing || exit 1
        left=$(missing_packages "$1" | tr '\n' ' ')
        [ -z "$left" ] || die 1 "still missing after the installation: ${left}; cmake must be 3.22 or newer."
    fi
    case $1 in
    run | plot) have gnuplot || install_packages gnuplot-nox || say "going on without gnuplot: tables, no pictures." ;;
    esac
}
