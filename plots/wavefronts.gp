# One bar a kernel: how long shared memory is busy for each multiply-add of a warp. At 1 it keeps pace with a warp of FP32 a clock.
set style fill solid 0.95 noborder
set xlabel 'wavefronts of shared memory for one multiply-add of a warp'
set logscale x 2
set xrange [0.0078125:4]
set format x '%g'
set yrange [*:*] reverse
set offsets 0, 0, 0.7, 0.7
set ytics scale 0
set grid xtics noytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
plot data using (0.0078125):0:(0.0078125):2:($0 - 0.38):($0 + 0.38):ytic(1) with boxxyerror linecolor rgb ours_blue notitle, \
     data using ($2 * 1.05):0:(sprintf('%.3g', $2)) with labels left textcolor rgb '#404040' notitle
