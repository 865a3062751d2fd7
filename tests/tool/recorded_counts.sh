# recorded_counts.sh DRIVERS REPOSITORY   what plots/data/counts/cpu-device.csv holds of the last stages, with whose
# kernels a change is likeliest, is what is counted today: wavefronts, lines and sectors, summed over the lines of a launch.
bin=$1 recorded=$2/plots/data/counts/cpu-device.csv
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

sums() { # FILE STAGE: "stage,kernel,dtype,counter sum", sorted
    awk -F, -v stage="$2" '$1 == stage && $3 == "f16" && $9 ~ /(wavefronts|cache_lines|sectors)$/ { sum[$1 "," $2 "," $3 "," $9] += $10 }
        END { for (name in sum) printf "%s %.0f\n", name, sum[name] }' "$1" | sort
}

status=0
for kernel in 05_tensorcore:mma 06_double_buffer:stages3 07_swizzle_layout:swizzle; do
    stage=${kernel%:*}
    "$bin/$stage" --kernel "${kernel#*:}" --dtype f16 --size 512x512x4096 --check none --counts "$work/counts.csv" \
        >"$work/out" || { cat "$work/out"; exit 1; }
    sums "$work/counts.csv" "$stage" >"$work/now"
    sums "$recorded" "$stage" | grep "^$stage,${kernel#*:}," >"$work/then"
    [ -s "$work/now" ] || { echo "$stage: nothing was counted"; status=1; }
    diff "$work/then" "$work/now" || status=1
    rm "$work/counts.csv"
done
[ "$status" -eq 0 ] || {
    echo "The roofline shows old counts. Make them anew, as the first line of the file says, and copy build/cpu/results/counts.csv"
    echo "behind that line."
}
exit "$status"
