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
expect_in "$work/en.md" "After, no newline"
expect_in "$work/zh.md" "| 阶段 | 内核 |"
expect_not_in "$work/zh.md" 01_naive
cp "$work/en.md" "$work/once.md"
table --update "$work/en.md"
cmp -s "$work/en.md" "$work/once.md" || wrong "updating twice is not updating once"

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
refuse "<!-- table:begin article nvidia-h200 colour=red --> <!-- table:end -->" "colour=red"
table --update "$work/good.md" "$source/build/gpu/results/gpu.csv"
expect_status 1 "another GPU's record"
expect_says "has no row of the GPU nvidia-h200"
finish
