# ladder-tool profile with a fake Nsight Compute and fake drivers: which column is which counter, and that a profile that
# went wrong writes nothing.
. "$(dirname "$0")/helpers.sh"

bin=$work/bin
source=$work/repository
out=$source/plots/data/counts/fake-gpu.csv
mkdir -p "$bin" "$source/plots" "$source/01_naive" "$source/02_tiling" "$work/profiles"
cp -r "$repository/common" "$source/common" # what a repository is known by
: >"$source/01_naive/kernel.cu"
: >"$source/02_tiling/kernel.cu"
record=$(sed -n 1p "$here/data/two-stages.csv")

# driver NAME BODY: `row KERNEL STATUS SMEM` appends to the record.
driver() {
    cat >"$bin/$1" <<SCRIPT
#!/bin/sh
echo "$1 \$*" >>"$work/calls"
stage=$1
record='$record'
SCRIPT
    cat >>"$bin/$1" <<'SCRIPT'
while [ $# -gt 0 ]; do
    [ "$1" = --csv ] && csv=$2
    shift
done
row() {
    [ -e "$csv" ] || echo "$record" >"$csv"
    echo "$stage,$1,f32,f32,512,512,512,1,0,normal,hot,none,10,,,,,,,,,,,,,$2,wrong result,0.001,0.01,32,$3,,,,,FAKE GPU,580.1,13.0,13.0,abc123,2026-01-01" >>"$csv"
}
SCRIPT
    printf '%s\n' "$2" >>"$bin/$1"
    chmod +x "$bin/$1"
}

# The fake ncu answers --version, else puts the profile of the driver's name into the log and runs the driver.
cat >"$work/ncu" <<SCRIPT
#!/bin/sh
profiles=$work/profiles
SCRIPT
cat >>"$work/ncu" <<'SCRIPT'
if [ "$1" = --version ]; then
    echo "NVIDIA (R) Nsight Compute Command Line Profiler"
    echo "Version 2025.3.1.0 (build 1)"
    exit
fi
echo " $* " | tr , ' ' >"$profiles/../metrics"
while [ "$1" != --log-file ]; do shift; done
log=$2
shift 2
[ ! -e "$profiles/$(basename "$1")" ] || cat "$profiles/$(basename "$1")" >"$log"
"$@"
status=$?
[ ! -e "$profiles/status" ] || exit "$(cat "$profiles/status")"
exit $status
SCRIPT
chmod +x "$work/ncu"

profile() { run "$tool" profile --source "$source" --bin "$bin" --device gpu --ncu "$work/ncu" "$@"; }

# first is as Nsight Compute writes it; second has other columns first, separators, and lacks most metrics.
first() {
    cat <<'CSV'
==PROF== Connected to process 4711 (/bin/01_naive)
==PROF== Profiling "gemm" - 0: 0%....50%....100% - 9 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","smsp__inst_executed_op_shared_ld_pred_on_any.sum","smsp__sass_thread_inst_executed_op_ffma_pred_on.sum","smsp__sass_thread_inst_executed_op_fadd_pred_on.sum","smsp__sass_thread_inst_executed_op_fmul_pred_on.sum","launch__registers_per_thread","dram__bytes.sum","smsp__inst_executed_op_ldsm_pred_on_any.sum","sm__ops_path_tensor_src_fp16.sum","sm__ops_path_tensor_src_bf16_dst_fp32.sum"
"","","","","","","","","","","inst","inst","inst","inst","register/thread","byte","inst","",""
"0","4711","01_naive","host","_Z4gemmPf, int","1","7","(256, 1, 1)","(4, 1, 1)","0","1,234,567","1,000","10","1","40","4096.5","33","4,096","8"
CSV
}
second() {
    cat <<'CSV'
"dram__bytes.sum","ID","Process ID","Process Name","Host Name","Context","Stream","Block Size","Grid Size","Device","n/a metric","Kernel Name","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","smsp__inst_executed_op_shared_ld_pred_on_any.sum"
"byte","","","","","","","","","","","","sector","",""
"8","0","4711","02_tiling","host","1","7","(256, 1, 1)","(4, 1, 1)","0","9","_Z5tilesPf","2,000","500","n/a"
"16","1","4711","02_tiling","host","1","7","(256, 1, 1)","(4, 1, 1)","0","9","_Z5otherPf","3,000","600","7"
CSV
}
good_drivers() {
    first >"$work/profiles/01_naive"
    second >"$work/profiles/02_tiling"
    driver 01_naive 'row coalesced pass 0; row cpu_loop pass ""; row big skip 0'
    driver 02_tiling 'row tile32 pass 4096; row tile64 pass 8192'
}

# ---- A good profile ----
good_drivers
: >"$work/calls"
profile
expect_status 0 "all stages"
expect_file "$out"
expect_in "$work/calls" "01_naive --m=512 --n=512 --k=512 --dtype=f32,f16 --config=first --protocol=none --csv"
expect_in "$work/calls" "02_tiling --m=129 --n=257 --k=65"
expect_says "counters: $out"
[ "$(grep -o ' smsp__inst_executed_op_ldsm_pred_on_any.sum ' "$work/metrics" | wc -l)" -eq 1 ] || wrong "a metric is not asked for once"
[ "$(sed -n 1p "$out")" = "# FAKE GPU, driver 580.1, CUDA 13.0, Nsight Compute 2025.3.1.0, commit abc123, 2026-01-01" ] ||
    { cp "$out" "$work/out"; wrong "the first line"; }
[ "$(sed -n 2p "$out")" = "stage,kernel,dtype,m,n,k,source,line,counter,value" ] || wrong "the second line"
expect_in "$out" '01_naive,coalesced,f32,512,512,512,"_Z4gemmPf, int",0,shared_load_requests,1234600'
expect_in "$out" ',0,ldmatrix_requests,33'
expect_in "$out" ',0,tensor_flops,4104' # of the types that there are
expect_in "$out" ',0,flops,2011'
expect_in "$out" ',0,dram_bytes,4096.5'
expect_in "$out" ',0,registers_per_thread,40'
expect_in "$out" '02_tiling,tile32,f32,512,512,512,_Z5tilesPf,0,global_load_sectors,2000'
expect_in "$out" '02_tiling,tile64,f32,512,512,512,_Z5otherPf,0,global_load_requests,600'
expect_in "$out" '02_tiling,tile64,f32,512,512,512,_Z5otherPf,0,shared_load_requests,7'
expect_not_in "$out" '02_tiling,tile32,f32,512,512,512,_Z5tilesPf,0,shared_load_requests'
expect_not_in "$out" '_Z5tilesPf,0,flops'
expect_not_in "$out" cpu_loop
expect_not_in "$out" n/a
expect_not_in "$out" '_Z5tilesPf,0,tensor_flops'
expect_not_in "$out" '_Z5tilesPf,0,ldmatrix_requests'
expect_silent_on "Nsight Compute has no sm__ops_path_tensor_src_tf32_dst_fp32.sum"
expect_says "Nsight Compute has no smsp__inst_executed_op_ldgsts_pred_on_any.sum here; shared_async_requests is left out"
expect_says "Nsight Compute has no lts__t_sectors_srcunit_tex.sum here; l2_sectors is left out"
expect_silent_on "Nsight Compute has no dram__bytes.sum"
[ "$(grep -c "no lts__t_sectors" "$work/out")" -eq 1 ] || wrong "a missing metric is told more than once"
cp "$out" "$work/before"
profile 2
expect_status 0 "one stage"
expect_file "$source/build/gpu/results/counts.csv"
cmp -s "$out" "$work/before" || wrong "a profile of one stage changed the record"

# --- other types: a stage that has none of them is left out, and the record of f32 and f16 stays
driver 01_naive 'row coalesced skip ""'
: >"$work/profiles/01_naive"
rm "$source/build/gpu/results/counts.csv"
: >"$work/calls"
profile --dtype bf16,tf32
expect_status 0 "--dtype"
expect_in "$work/calls" "02_tiling --m=512 --n=512 --k=512 --dtype=bf16,tf32 --config=first"
expect_says "01_naive: left out: no kernel on the GPU has such a type"
[ "$(grep -c "01_naive: left out" "$work/out")" -eq 1 ] || wrong "a stage that is left out is told more than once"
expect_in "$source/build/gpu/results/counts.csv" "02_tiling,tile64"
cmp -s "$out" "$work/before" || wrong "a profile of other types changed the record"
profile 1 --dtype bf16
expect_status 1 "no kernel of the type"
expect_says "no kernel of these stages has such a type; choose others with --dtype"
good_drivers

profile 1 --out "$work/mine.csv"
expect_status 0 "--out"
expect_in "$work/mine.csv" "01_naive,coalesced"
profile 1 --out "$work/mine.csv"
expect_status 0 "--out over a file of counts"

# ---- Profiles that went wrong: a sentence, and everything is as it was ----
# failed WHY SENTENCE [STATUS]
failed() {
    profile
    expect_status "${3:-1}" "$1"
    expect_says "$2"
    cmp -s "$out" "$work/before" || wrong "the record was changed: $1"
    rm -f "$work/profiles/status"
    good_drivers
}
printf '==PROF== Connected to process 1\n==ERROR== ERR_NVGPUCTRPERM - The user does not have permission\n' \
    >"$work/profiles/02_tiling"
echo 1 >"$work/profiles/status"
cp "$work/profiles/02_tiling" "$work/profiles/01_naive"
failed "no permission" "01_naive: Nsight Compute profiled no launch; its words are above. May you read counters? Try as root"
expect_says "==ERROR== ERR_NVGPUCTRPERM"
driver 02_tiling 'row tile32 pass 4096; row tile64 fail 8192; exit 1'
failed "a failing row" "02_tiling tile64 f32: FAIL: wrong result; a kernel that is wrong is not profiled"
driver 02_tiling 'row tile32 pass 4096; row tile64 pass 4096; row third pass 0'
failed "fewer launches" "02_tiling: 2 launches were profiled for 3 rows that passed; which is which cannot be told"
driver 02_tiling 'row tile32 pass 4096'
failed "more launches" "02_tiling: 2 launches were profiled for 1 row that passed"
driver 02_tiling 'row tile32 pass 4096; row tile64 pass 8192; kill -SEGV $$'
failed "a crash" "02_tiling: the driver or Nsight Compute ended with an error; its words are above"
echo 9 >"$work/profiles/status"
failed "an error of ncu" "01_naive: the driver or Nsight Compute ended with an error"
driver 02_tiling 'exit 0'
failed "no record" "02_tiling: Nsight Compute ended without a profile; its words are above"
rm "$work/profiles/02_tiling"
failed "no log" "02_tiling: Nsight Compute ended without a profile"
: >"$work/profiles/02_tiling"
failed "an empty log" "02_tiling: Nsight Compute profiled no launch"
second | sed 's/[a-z0-9]*__[a-z0-9_]*\.sum/other.sum/g' >"$work/profiles/02_tiling"
failed "no metric of ours" "02_tiling: Nsight Compute has none of the metrics"
driver 02_tiling 'echo "stage,kernel" >"$csv"'
failed "a damaged record" "rows.csv"

# ---- The command line ----
: >"$work/calls"
refused() { # SENTENCE ARGUMENT...
    sentence=$1
    shift
    profile "$@"
    expect_status 2 "$*"
    expect_says "$sentence"
    expect_not_in "$work/calls" _
    cmp -s "$out" "$work/before" || wrong "the record was changed: $*"
}
refused "9: no such stage; choose from 01_naive, 02_tiling" 9
echo "a thesis" >"$work/thesis.csv"
refused "--out would replace $work/thesis.csv, which is no file of counts; give a new name" --out "$work/thesis.csv"
[ "$(cat "$work/thesis.csv")" = "a thesis" ] || wrong "the thesis was changed"
refused "it is not a plain file" --out "$work"
refused "--dtype f17: unknown; choose one of f32, f16, bf16, tf32" --dtype f16,f17
refused "--dtype e4m3: unknown; choose one of f32, f16, bf16, tf32" --dtype e4m3
for list in "" "," "f16," ",f16" "f16,,bf16"; do
    refused "--dtype : unknown; choose one of" "--dtype=$list"
done
refused "--out: cannot write /proc/nowhere/x.csv" --out /proc/nowhere/x.csv
refused "" --no-such-option
run "$tool" profile --source "$source" --bin "$bin" --device cpu
expect_status 2 "--device cpu"
expect_says "profile needs a GPU"
profile --targets 2
expect_status 0 "--targets"
[ "$(cat "$work/out")" = 02_tiling ] || wrong "--targets"
profile --ncu "$work/no-such-ncu"
expect_status 1 "no ncu"
expect_says "$work/no-such-ncu could not be started"
rm "$bin"/0*
profile
expect_status 1 "no drivers"
finish
