# Made by ./ladder plot. Draw it again with: gnuplot scaling.gp
set terminal svg size 1200,680 noenhanced font 'sans-serif,15' background '#ffffff' dashlength 2
set output 'scaling.svg'

data = 'scaling.dat'
title = 'Speed over size (M = N = K) — NVIDIA H200, f16, burst'
kernels = 7
baseline = 1
sizes = '1024 2048 4096'

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

set terminal pngcairo size 1200,680 noenhanced font 'sans-serif,13' background '#ffffff'
set output 'scaling.png'
replot
unset output
