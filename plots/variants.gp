# One bar a kernel, in the order of the record, with its ratio to the library's speed in the same run.
set style fill solid 0.95 noborder
set xlabel 'TFLOP/s; behind the bar also the ratio to the library'
set xrange [0:*]
set yrange [*:*] reverse
set offsets 0, graph 0.12, 0.7, 0.7
set ytics scale 0
set grid xtics noytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
figures(speed, ratio) = valid(3) ? sprintf('%.3g (%.3f)', speed, ratio) : sprintf('%.3g', speed)
plot data using (0):0:(0):2:($0 - 0.38):($0 + 0.38):ytic(1) with boxxyerror linecolor rgb ours_blue notitle, \
     data using 2:0:(' '.figures($2, $3)) with labels left textcolor rgb '#404040' notitle
