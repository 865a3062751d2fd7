# A line a kernel, and dashed in its colour the bound that a check would fail it for; both axes logarithmic.
set logscale x 2
set logscale y
set xlabel 'K'
set ylabel '|C - reference| where it is largest against its bound; dashed: that bound'
set format y '%g'
set grid xtics ytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
set autoscale xfix
set key outside right center Left reverse samplen 2.5 spacing 1.3
plot for [i = 0:lines - 1] data index i using 1:2 with linespoints linewidth 2.2 pointtype 7 pointsize 1 \
         linecolor rgb line_colour[i % 8 + 1] title columnheader(1), \
     for [i = 0:lines - 1] data index i using 1:3 with lines linewidth 1.4 dashtype 2 \
         linecolor rgb line_colour[i % 8 + 1] notitle
