# One bar a kernel: sectors of 32 bytes that a load from global memory touches.
set style fill solid 0.95 noborder
set xlabel 'sectors of 32 bytes for one load of a warp from global memory'
set xrange [0:34]
set yrange [*:*] reverse
set offsets 0, 0, 0.7, 0.7
set ytics scale 0
set grid xtics noytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
plot data using (0):0:(0):2:($0 - 0.38):($0 + 0.38):ytic(1) with boxxyerror linecolor rgb ours_blue notitle, \
     data using ($2 + 0.4):0:(sprintf('%.3g', $2)) with labels left textcolor rgb '#404040' notitle
