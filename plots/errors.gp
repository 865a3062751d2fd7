# One bar a check: how much of its error bound the worst element used. A bar that reached 1 would have failed.
set style fill solid 0.95 noborder
set xlabel 'largest |C - reference| / its bound (fails above 1)'
set logscale x
set xrange [1e-3:2]
set format x '%g'
set yrange [*:*] reverse
set offsets 0, 0, 0.7, 0.7
set ytics scale 0
set grid xtics noytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
set arrow from first 1, graph 0 to first 1, graph 1 nohead linecolor rgb '#d55e00' linewidth 2
plot data using (1e-3):0:(1e-3):2:($0 - 0.38):($0 + 0.38):ytic(1) with boxxyerror linecolor rgb ours_blue notitle, \
     data using (1.12):0:(sprintf('%.2g', $2)) with labels left textcolor rgb '#404040' notitle
