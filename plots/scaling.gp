# One line a kernel, the library's dashed in black; both axes logarithmic, so that equal factors are equal distances.
set logscale x 2
set logscale y
set xlabel 'M = N = K'
set ylabel 'TFLOP/s (logarithmic)'
set xtics ()
do for [size in sizes] { set xtics add (size size + 0) }
set ytics format '%g'
set grid xtics ytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
set autoscale xfix
set autoscale yfix
set offsets graph 0.03, graph 0.03, graph 0.06, graph 0.06
set key outside right center Left reverse samplen 2.5 spacing 1.3
array shape[5] = [7, 5, 9, 13, 11]
plot for [i = 0:kernels - 1] data index i using 1:2 with linespoints linewidth 2.2 pointsize 1 \
         pointtype shape[i % 5 + 1] linecolor rgb line_colour[i % 8 + 1] title columnheader(1), \
     for [i = kernels:kernels + baseline - 1] data index i using 1:2 with linespoints linewidth 2.2 dashtype 2 \
         pointtype 6 pointsize 1 linecolor rgb '#000000' title columnheader(1)
