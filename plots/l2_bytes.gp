# One bar a kernel: what blocks ask of L2. The fewer bytes, the more each is used; padded rows that cp.async copies cost more.
set style fill solid 0.95 noborder
set xlabel 'bytes asked of L2 for 1000 operations'
set logscale x 2
set xrange [4:512]
set format x '%g'
set yrange [*:*] reverse
set offsets 0, 0, 0.7, 0.7
set ytics scale 0
set grid xtics noytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
plot data using (4):0:(4):2:($0 - 0.38):($0 + 0.38):ytic(1) with boxxyerror linecolor rgb ours_blue notitle, \
     data using ($2 * 1.05):0:(sprintf('%.3g', $2)) with labels left textcolor rgb '#404040' notitle
