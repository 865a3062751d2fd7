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
    for name in utilization speedup scaling; do
        expect_in "$work/real/$name.svg" "</svg>"
        expect_in "$work/real/$name.svg" "NVIDIA H200"
    done
    expect_in "$work/real/utilization.svg" "7.8" # a bar's label
fi
finish
