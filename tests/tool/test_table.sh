# ladder-tool table: what is printed, and the tables inside documents.
. "$(dirname "$0")/helpers.sh"

data=$here/data/two-stages.csv
source=$work/source
mkdir -p "$source/plots"

table() { run "$tool" table --source "$source" "$@"; }

# --- no record at all: the article alone
table
expect_status 0 "no record"
expect_says "No record yet"
expect_says "81 %"

# --- a file, and the newest record without one
table "$data"
expect_status 0 "file"
expect_says "02_tiling          tile64"
expect_says 'FAIL: "wrong" at row 3, column 7'
mkdir -p "$source/plots/data" "$source/build/gpu/results"
cp "$data" "$source/plots/data/nvidia-h200.csv"
sed 's/NVIDIA H200/OTHER/' "$data" >"$source/build/gpu/results/gpu.csv"
touch -t 202001010000 "$source/plots/data/nvidia-h200.csv"
table
expect_says "record: $source/build/gpu/results/gpu.csv"
touch -t 201901010000 "$source/build/gpu/results/gpu.csv"
cp "$repository/plots/data/ceilings.csv" "$source/plots/data/ceilings.csv" # newer than both, and no record
table
expect_says "record: $source/plots/data/nvidia-h200.csv"

# --- choosing rows
table "$data" --dtype f32 --size 1024 --protocol sustained --markdown
expect_says "| 02_tiling | tile64 | 18 % | 5.2 | 6.23 | 9.3 % | 9.3 % | 2.38 |"
expect_silent_on "4096³ | burst"
table "$data" --dtype bf16
expect_status 0 "nothing of that type"
expect_says "02_tiling          –"

# --- bad input
table --size x "$data"
expect_status 2 "--size x"
table notes.txt
expect_status 2 "not a record"
expect_says "--update notes.txt"
echo nonsense >"$work/bad.csv"
table "$work/bad.csv"
expect_status 1 "nonsense"
expect_says "is this a record file"
: >"$work/bad.csv"
table "$work/bad.csv"
expect_status 1 "empty"
expect_says "bad.csv is empty"
mkdir "$work/directory.csv"
table "$work/directory.csv"
expect_status 1 "directory"
expect_says "directory.csv is a directory"
table "$work/nothing.csv"
expect_status 2 "no such record"
expect_says "cannot read"
table --update "$work/nothing.md"
expect_status 2 "no such document"
expect_says "cannot read"
if [ -w /dev/full ]; then
    "$tool" table --source "$source" "$data" >/dev/full 2>"$work/out"
    status=$?
    expect_status 1 "full standard output"
    expect_says "the output could not be written completely"
fi
"$tool" table --source "$source" "$data" >&- 2>"$work/out"
status=$?
expect_status 1 "closed standard output"

# --- values that nobody measured keep their columns narrow, text cannot tear a table
sed '/tile64,f16,f32,4096/s/,pass,[^,]*/,fail,"a|b <!-- table:end -->"/' "$data" >"$work/odd.csv"
table "$work/odd.csv" --markdown
expect_says 'a\|b &lt;!-- table:end -->'
sed '/coalesced,f16,f32,4096/s/burst,\([0-9]*\),[0-9.]*,/burst,\1,1e300,/' "$data" >"$work/odd.csv"
table "$work/odd.csv"
expect_says "1.00e+300"

# --- documents: everything outside the markers stays, byte for byte
document() {
    printf 'Before | text\n\n<!-- table:begin %s -->\nold\n<!-- table:end -->\nAfter, no newline' "$1"
}
document "article nvidia-h200 f16 4096 burst" >"$work/en.md"
document "stage 02_tiling nvidia-h200 lang=zh" >"$work/zh.md"
table --update "$work/en.md" "$work/zh.md"
expect_status 0 "--update"
expect_in "$work/en.md" "| 02_tiling | tile64 | 18 % |"
expect_not_in "$work/en.md" old
expect_says "$work/en.md: updated"
expect_in "$work/en.md" "After, no newline"
expect_in "$work/zh.md" "| 内核 | 类型 |" # one stage: no column for it
expect_not_in "$work/zh.md" 01_naive
cp "$work/en.md" "$work/once.md"
table --update "$work/en.md"
cmp -s "$work/en.md" "$work/once.md" || wrong "updating twice is not updating once"
expect_says "$work/en.md: up to date"
sed 's/$/\r/' "$work/once.md" >"$work/crlf.md"
sed 's/f16/f32/' "$work/crlf.md" >"$work/en.md"
table --update "$work/en.md"
expect_status 0 "CRLF"
[ "$(grep -c '' "$work/en.md")" -eq "$(grep -c "$(printf '\r')$" "$work/en.md")" ] || wrong "lines of two kinds"

# A record deeper in plots/data.
mkdir "$source/plots/data/large"
sed '3,$d' "$data" >"$source/plots/data/large/nvidia-h200.csv"
document "all large/nvidia-h200" >"$work/large.md"
table --update "$work/large.md"
expect_status 0 "large/nvidia-h200"
expect_in "$work/large.md" "| uncoalesced |"
expect_not_in "$work/large.md" tile64

# refuse BODY SENTENCE: the good document before it must stay untouched too.
refuse() {
    document "article nvidia-h200" >"$work/good.md"
    cp "$work/good.md" "$work/good.before"
    printf '%s\n' "$1" >"$work/bad.md"
    cp "$work/bad.md" "$work/bad.before"
    table --update "$work/good.md" "$work/bad.md"
    expect_status 1 "$1"
    expect_says "$2"
    cmp -s "$work/bad.md" "$work/bad.before" || wrong "a refused document was changed: $1"
    cmp -s "$work/good.md" "$work/good.before" || wrong "a document beside a refused one was changed: $1"
}
refuse "no markers" "put both"
refuse "<!-- table:begin article nvidia-h200 -->" "has no <!-- table:end -->"
refuse "<!-- table:end --> <!-- table:begin article nvidia-h200 -->" "has no <!-- table:end -->"
refuse "<!-- table:begin article nvidia-h200 --> <!-- table:begin article nvidia-h200 --> <!-- table:end -->" "has no"
refuse "<!-- table:begin --> <!-- table:end -->" "needs \`article GPU\`"
refuse "<!-- table:begin stage nvidia-h200 --> <!-- table:end -->" "needs"
refuse "<!-- table:begin article nvidia-b200 --> <!-- table:end -->" "nvidia-b200.csv"
refuse "<!-- table:begin stage 05_none nvidia-h200 --> <!-- table:end -->" "an empty table says nothing"
refuse "<!-- table:begin article nvidia-h200 bf16 --> <!-- table:end -->" "an empty table says nothing"
refuse "<!-- table:begin article nvidia-h200 colour=red --> <!-- table:end -->" "colour=red"
table --update "$work/good.md" "$source/build/gpu/results/gpu.csv"
expect_status 1 "another GPU's record"
expect_says "has no row of the GPU nvidia-h200"

# --- a document that may not be written is found before another is
document "article nvidia-h200" >"$work/good.md"
document "article nvidia-h200" >"$work/locked.md"
chmod 0444 "$work/locked.md"
table --update "$work/good.md" "$work/locked.md"
expect_status 1 "read-only document"
expect_says "locked.md: Permission denied; nothing was written"
expect_in "$work/good.md" old
expect_in "$work/locked.md" old
finish
