# Two bars a stage: the article's speedup over its naive kernel, ours over 01's coalesced kernel.
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.95 noborder
set boxwidth 0.92
set key top left Left reverse samplen 1.5 spacing 1.25
set xtics scale 0 font ',12'
set bmargin 4.5
if (logarithmic) { set logscale y; set yrange [0.7:*]; set ylabel 'times the naive kernel (logarithmic)' } \
else { set yrange [0:*]; set offsets 0, 0, graph 0.08, 0; set ylabel 'times the naive kernel' }

# Bar i of 2 in cluster $0 is centred at $0 + (2 i - 3) / 6.
times(x) = sprintf(x < 9.95 ? '%.1f' : '%.3g', x)
plot data using 2:xtic(1) title "article (mid-range GPU, f16)" linecolor rgb article_grey, \
     data using 3 title "ours" linecolor rgb ours_blue, \
     data using ($0 - 1.0 / 6):2:(times($2)) with labels center offset 0,0.6 textcolor rgb '#404040' notitle, \
     data using ($0 + 1.0 / 6):3:(times($3)) with labels center offset 0,0.6 textcolor rgb '#404040' notitle
