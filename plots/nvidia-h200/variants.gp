# Made by ./ladder plot. Draw it again with: gnuplot variants.gp
set terminal svg size 1100,810 noenhanced font 'sans-serif,15' background '#ffffff' dashlength 2
set output 'variants.svg'

data = 'variants.dat'
title = 'Speed of every variant — NVIDIA H200, M = N = K = 4096, f16, burst'

# What every picture of the ladder shares. The tool puts it between a figure's settings (title, data) and its plot.
# Colours are Okabe and Ito's (https://jfly.uni-koeln.de/color/), which colour-blind readers can tell apart.
set encoding utf8
set decimalsign '.'
set datafile missing '?'
set datafile commentschars '#'

article_grey = '#9a9a9a'
ours_blue    = '#0072b2'
ours_orange  = '#e69f00'
array line_colour[8] = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f6000', '#444444']

set title title offset 0,0.4
set border 3 linecolor '#606060'
set tics nomirror textcolor '#303030'
set grid ytics linecolor '#e0e0e0' linetype 1 linewidth 0.7

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

set terminal pngcairo size 1100,810 noenhanced font 'sans-serif,13' background '#ffffff'
set output 'variants.png'
replot
unset output
