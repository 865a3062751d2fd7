# Programs in the manner of CUDA tutorials are built and run; what each prints stands in its "// expect: " lines.
# usage: sh test_count_files.sh BUILD_ONE REPOSITORY BIN
. "$(dirname "$0")/helpers.sh"
bin=$3
unset CPU_DEVICE_THREADS

tried=0
for file in "$repository"/tests/cpu_device/files/*.cu; do
    tried=$((tried + 1))
    run "$tool" "$repository" "$bin" "$file"
    expect_status 0 "$file is built"
    [ "$status" -eq 0 ] || continue
    expect_silent_on "warning"
    program=$(cat "$work/out")
    sed -n 's|^// expect: ||p' "$file" >"$work/expected"
    expect_file "$work/expected"
    arguments=$(sed -n 's|^// arguments: ||p' "$file")
    for order in ascending reverse; do
        # shellcheck disable=SC2086 # words
        CPU_DEVICE_ORDER=$order "$program" $arguments >"$work/printed" 2>"$work/errors"
        status=$?
        diff "$work/expected" "$work/printed" >"$work/out" || wrong "$file prints something else ($order)"
        cat "$work/errors" >>"$work/out"
        expect_status 0 "$file, $order"
    done
done
[ "$tried" -ge 14 ] || wrong "only $tried programs were found"
finish
