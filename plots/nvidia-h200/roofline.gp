# Made by ./ladder plot. Draw it again with: gnuplot roofline.gp
set terminal svg size 1300,760 noenhanced font 'sans-serif,15' background '#ffffff' dashlength 2
set output 'roofline.svg'

data = 'roofline.dat'
title = 'Roofline — NVIDIA H200, M = N = K = 4096, f16, burst'
bandwidths = 3
speeds = 4
lowest = 2.79886

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

# Two points a kernel, at one height: filled over what passes L1 and shared memory, open over what is asked of L2. Each lies
# under the roof of its memory and under the ceiling of its unit.
set logscale xy
set xlabel 'operations for a byte, as counted (logarithmic)'
set ylabel 'TFLOP/s (logarithmic)'
set xrange [0.125:1024]
set yrange [lowest:*]
set autoscale yfixmax
set xtics ('1/8' 0.125, '1/4' 0.25, '1/2' 0.5, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
set ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
set grid xtics ytics linecolor '#e0e0e0' linetype 1 linewidth 0.7
set key outside right center Left reverse samplen 2.5 spacing 1.4
array dash[4] = [1, 2, 4, 5]
array ceiling_colour[4] = ['#000000', '#d55e00', '#7f6000', '#cc79a7']

plot for [i = 1:bandwidths] data index i using 1:2 with lines linewidth 1.6 dashtype dash[(i - 1) % 4 + 1] \
         linecolor rgb article_grey title columnheader(1), \
     for [i = bandwidths + 1:bandwidths + speeds] data index i using 1:2 with lines linewidth 1.6 dashtype dash[(i - bandwidths - 1) % 2 + 1] \
         linecolor rgb ceiling_colour[(i - bandwidths - 1) % 4 + 1] title columnheader(1), \
     data index 0 using 1:3:($2 - $1):(0) with vectors nohead linewidth 0.8 linecolor rgb article_grey notitle, \
     data index 0 using 1:3 with points pointtype 7 pointsize 1.2 linecolor rgb ours_blue \
         title 'for a byte of L1 and shared memory', \
     data index 0 using 2:3 with points pointtype 6 pointsize 1.2 linewidth 1.6 linecolor rgb ours_blue \
         title 'the same kernel: for a byte asked of L2', \
     data index 0 every 2::0 using 2:3:4 with labels left offset 0.9,0 textcolor rgb '#404040' notitle, \
     data index 0 every 2::1 using 1:3:4 with labels right offset -0.9,0 textcolor rgb '#404040' notitle

set terminal pngcairo size 1300,760 noenhanced font 'sans-serif,13' background '#ffffff'
set output 'roofline.png'
replot
unset output
