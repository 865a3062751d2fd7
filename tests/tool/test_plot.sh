# ladder-tool plot with the real gnuplot (where there is one), none, and fakes that refuse.
. "$(dirname "$0")/helpers.sh"

data=$here/data/two-stages.csv
out=$work/pictures
real_gnuplot=$(command -v gnuplot)
small_path

plot() { PATH=$work/path run "$tool" plot --source "$repository" "$@"; }

# --- none installed: scripts and data are kept, one sentence, no error
plot "$data" --out "$out"
expect_status 0 "no gnuplot"
expect_says "gnuplot is not installed"
[ "$(grep -c 'not installed' "$work/out")" -eq 1 ] || wrong "said more than once"
expect_file "$out/utilization.gp"
expect_file "$out/speedup.dat"
expect_file "$out/scaling.gp"
expect_no_file "$out/utilization.png"

# --- what the data files hold: the article, ours, and a gap for a stage without a record
expect_in "$out/utilization.dat" '"01 naive\ncoalesced" 3 0.525784 7.7728'
expect_in "$out/utilization.dat" '"04 bank\npadding\n(no record)" 35 ? ?'
expect_in "$out/speedup.dat" '"02 tiling\ntile64" 5.2 2.38462'
expect_in "$out/scaling.gp" "sizes = '1024 2048 4096'"
expect_in "$out/utilization.gp" "title = 'Utilization of the dense peak — NVIDIA H200, M = N = K = 4096, f16, burst'"
# tile32's failed 4096 has no point
run sed -n '/02 tile32/,/^$/p' "$out/scaling.dat"
expect_says "2048 6.885"
expect_silent_on "4096"

# a failed row takes no part even if a driver left its speed in it
sed '/tile64,f16,f32,4096/s/,pass,/,fail,/' "$data" >"$work/failed-with-speed.csv"
plot "$work/failed-with-speed.csv" --out "$work/odd"
run sed -n '/02 tile64/,/^$/p' "$work/odd/scaling.dat"
expect_says "2048 10.54"
expect_silent_on "4096"
expect_in "$work/odd/utilization.dat" '"02 tiling\n(no record)" 18 ? ?'

# --- the roofline: counts of plots/data/counts, roofs of plots/data/ceilings.csv, speeds of the record
fields() { sed -n "s/^\([^,]*,[^,]*,f16,f32,4096,.*\)$/\1/p" "$data" | sed -n '/tile64.*burst/p' | sed "$1"; }
cp "$data" "$work/seven.csv"
for kernel in 05_tensorcore,mma,308 05_tensorcore,wmma,200 06_double_buffer,stages2,321 06_double_buffer,stages3,464; do
    fields "s/^02_tiling,tile64,\(\([^,]*,\)\{14\}\)[^,]*,/${kernel%,*},\1${kernel##*,},/" >>"$work/seven.csv"
done
plot "$work/seven.csv" --out "$work/seven"
expect_status 0 "roofline"
expect_in "$work/seven/roofline.dat" ' 0.249969 15.9377 5.2 "01 coalesced"'
expect_in "$work/seven/roofline.dat" ' 308 "05 mma"'
expect_in "$work/seven/roofline.dat" ' 464 "06 stages3"'
expect_not_in "$work/seven/roofline.dat" stages2
expect_in "$work/seven/roofline.dat" '"L2: 10.14 TB/s"'
expect_in "$work/seven/roofline.dat" '"mma.sync alone, as measured: 632 TFLOP/s"'
expect_not_in "$work/seven/roofline.dat" TF32
expect_in "$work/seven/roofline.gp" "bandwidths = 3"
expect_in "$work/seven/roofline.gp" "speeds = 4"
plot "$work/seven.csv" --out "$work/float" --dtype f32
expect_not_in "$work/float/roofline.dat" "tensor cores" # they do not multiply floats
sed 's/NVIDIA H200/NVIDIA Q9/' "$work/seven.csv" >"$work/other.csv"
plot "$work/other.csv" --out "$work/other"
expect_status 0 "no ceilings"
expect_says "plot: no roofline: plots/data/ceilings.csv has no bandwidth and speed of nvidia-q9 for f16"
expect_no_file "$work/other/roofline.dat"

# --- one figure by its name
plot "$work/seven.csv" --figure variants --out "$work/variants"
expect_status 0 "variants"
expect_in "$work/variants/variants.dat" '"06 stages2" 321'
expect_no_file "$work/variants/utilization.dat"
plot "$work/seven.csv" --figure accuracy --out "$work/accuracy"
expect_status 0 "no two K"
expect_says "plot: no accuracy to draw: no kernel passed with two K of one M and N"
for k in 64 512 64; do fields "s/,4096,4096,4096,/,64,64,$k,/; s/,pass,,[^,]*,[^,]*,/,pass,,0.0$k,0.$k,/"; done >"$work/rows"
{ sed -n 1p "$data" && cat "$work/rows"; } >"$work/over-k.csv"
plot "$work/over-k.csv" --figure accuracy --out "$work/accuracy"
expect_status 0 "accuracy"
expect_in "$work/accuracy/accuracy.gp" "lines = 1"
run cat "$work/accuracy/accuracy.dat"
expect_says '"02 tile64 f16, M = 64, N = 64"'
[ "$(grep -c '^64 0.064 0.64$' "$work/out")" -eq 1 ] || wrong "K = 64 should stand there once"
expect_says "512 0.0512 0.512"
plot "$data" --figure pie
expect_status 2 "--figure pie"
expect_says "--figure pie: unknown; choose one of utilization, speedup, scaling, roofline, variants, accuracy"

# --- where pictures go: those of a record deeper in plots/data do not replace the campaign's
mkdir -p "$work/source/plots/data/sizes"
cp "$repository"/plots/*.gp "$work/source/plots"
cp "$data" "$work/source/plots/data/nvidia-h200.csv"
cp "$data" "$work/source/plots/data/sizes/nvidia-h200.csv"
PATH=$work/path run "$tool" plot --source "$work/source" "$work/source/plots/data/sizes/nvidia-h200.csv" --figure scaling
expect_status 0 "a record that lies deeper"
expect_file "$work/source/plots/nvidia-h200/sizes/scaling.gp"
expect_no_file "$work/source/plots/nvidia-h200/scaling.gp"
PATH=$work/path run "$tool" plot --source "$work/source" "$work/source/plots/data/nvidia-h200.csv"
expect_file "$work/source/plots/nvidia-h200/scaling.gp"
expect_says "no roofline: it needs plots/data/counts/cpu-device.csv"

# --- a gnuplot without pngcairo takes png; each picture is asked for by name
fake gnuplot 'case $* in
*pngcairo*) exit 1 ;;
-e*) exit 0 ;;
*) sed -n "s/^set output .\(.*\).$/\1/p" "$1" | while read -r name; do echo picture >"$name"; done ;;
esac'
plot "$data" --out "$out"
expect_status 0 "no pngcairo"
expect_says "plot: $out/utilization.png"
expect_says "plot: $out/scaling.svg"
expect_in "$out/utilization.gp" "set terminal png size"
expect_not_in "$out/utilization.gp" pngcairo

# --- no PNG at all
fake gnuplot 'case $* in *png*) exit 1 ;; -e*) exit 0 ;; *) echo picture >utilization.svg ;; esac'
plot "$data" --out "$out"
expect_status 0 "no png"
expect_says "this gnuplot cannot write PNG."
expect_says "plot: gnuplot left no $out/speedup.svg"
expect_file "$out/utilization.png" # drawn before: not this run's, and not this run's to delete
expect_says "plot: $out/utilization.png is of an earlier run"
expect_in "$out/utilization.gp" "set terminal pngcairo size" # the script that is kept can do what others can

# --- only text
fake gnuplot 'case $* in *png*|*svg*) exit 1 ;; -e*) exit 0 ;; *) echo picture >"${1%.gp}.txt" ;; esac'
plot "$data" --out "$out"
expect_status 0 "dumb"
expect_says "drawn as text"
expect_says "plot: $out/utilization.txt"
expect_not_in "$out/utilization.gp" "set terminal dumb"
expect_in "$out/utilization.gp" "set terminal svg"

# --- nothing works, or it breaks halfway: what was drawn before stays, and is not passed off as new
for extension in svg png txt; do echo old >"$out/utilization.$extension"; done
cp "$out/utilization.gp" "$work/kept.gp"
old_pictures_stay() {
    for extension in svg png txt; do
        expect_in "$out/utilization.$extension" old
        expect_says "plot: $out/utilization.$extension is of an earlier run"
    done
    cmp -s "$work/kept.gp" "$out/utilization.gp" || wrong "the script got worse"
    [ -z "$(ls -d "$out"/.drawing* 2>/dev/null)" ] || wrong "a directory was left behind"
}
rm "$work/path/gnuplot"
plot "$data" --out "$out"
old_pictures_stay
fake gnuplot 'exit 1'
plot "$data" --out "$out"
expect_status 0 "no terminal"
expect_says "gnuplot has no terminal that works here"
old_pictures_stay
fake gnuplot 'case $* in -e*) exit 0 ;; *) echo half >utilization.svg; exit 3 ;; esac'
plot "$data" --out "$out"
expect_status 0 "broken gnuplot"
expect_says "gnuplot failed on $out/utilization.gp"
old_pictures_stay
fake gnuplot 'case $* in -e*) exit 0 ;; *) kill -INT $PPID; exec sleep 60 ;; esac'
plot "$data" --out "$out"
expect_status 130 "interrupted"
rm "$work/path/gnuplot"
cmp -s "$work/kept.gp" "$out/utilization.gp" || wrong "the script got worse"
expect_in "$out/utilization.svg" old
[ -z "$(ls -d "$out"/.drawing* 2>/dev/null)" ] || wrong "a directory was left behind"

# --- nothing to draw
sed 's/,pass,/,fail,/' "$data" >"$work/failed.csv"
plot "$work/failed.csv" --out "$work/none"
expect_status 0 "only FAIL rows"
expect_says "no speeds to draw"
expect_no_file "$work/none/utilization.gp"
sed -n 1p "$data" >"$work/empty.csv"
plot "$work/empty.csv" --out "$work/none"
expect_status 0 "no rows"
expect_says "no speeds to draw"
plot "$data" --size 77 --out "$work/none"
expect_status 0 "no such size"
grep -v ',2048,\|,4096,' "$data" >"$work/one-size.csv"
plot "$work/one-size.csv" --out "$work/one"
expect_status 0 "one size"
expect_says "no speed over size"
expect_file "$work/one/utilization.gp"

# --- bad input
plot --size 0
expect_status 2 "--size 0"
expect_says "--size 0: it must be a whole number, 1 or more"
plot --dtype f17
expect_status 2 "--dtype f17"
expect_says "choose one of f16"
plot "$work/nothing.csv"
expect_status 2 "no file"
expect_says "cannot read"
plot "$data" --out ''
expect_status 2 "--out ''"
expect_says "--out needs the name of a directory"
plot a.csv b.csv
expect_status 2 "two files"
echo in the way >"$work/file"
plot "$data" --out "$work/file/x"
expect_status 1 "no directory"
expect_says "in the way"

# --- the real one draws real files
if [ -n "$real_gnuplot" ] && "$real_gnuplot" -e 'set terminal svg' >/dev/null 2>&1; then
    rm -f "$work/path/gnuplot"
    ln -s "$real_gnuplot" "$work/path/gnuplot"
    plot "$data" --out "$work/real"
    expect_status 0 "real gnuplot"
    expect_silent_on warning
    plot "$work/seven.csv" --figure variants --out "$work/real"
    expect_status 0 "real variants"
    expect_silent_on "gnuplot failed"
    plot "$work/over-k.csv" --figure accuracy --out "$work/real"
    expect_silent_on "gnuplot failed"
    for name in utilization speedup scaling roofline variants accuracy; do
        expect_in "$work/real/$name.svg" "</svg>"
        expect_in "$work/real/$name.svg" "NVIDIA H200"
    done
    expect_in "$work/real/utilization.svg" "7.8" # a bar's label
fi
finish
