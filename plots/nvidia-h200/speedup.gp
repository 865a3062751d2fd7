# Made by ./ladder plot. Draw it again with: gnuplot speedup.gp
set terminal svg size 1084,620 noenhanced font 'sans-serif,15' background '#ffffff' dashlength 2
set output 'speedup.svg'

data = 'speedup.dat'
title = 'Speedup over the naive kernel — NVIDIA H200, M = N = K = 4096, f16, burst'
logarithmic = 1

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

# Two bars a stage: the article's speedup over its naive kernel, ours over 01's coalesced kernel.
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.95 noborder
set boxwidth 0.92
set key top left Left reverse samplen 1.5 spacing 1.25
set xtics scale 0 font ',12'
set bmargin 4.5
if (logarithmic) { set logscale y; set yrange [0.7:*]; set ylabel 'times the naive kernel (logarithmic)' } \
else { set yrange [0:*]; set offsets 0, 0, graph 0.08, 0; set ylabel 'times the naive kernel' }

# Bar i of 2 in cluster $0 is centred at $0 + (2 i - 3) / 6.
times(x) = sprintf(x < 9.95 ? '%.1f' : '%.3g', x)
plot data using 2:xtic(1) title "article (mid-range GPU, f16)" linecolor rgb article_grey, \
     data using 3 title "ours" linecolor rgb ours_blue, \
     data using ($0 - 1.0 / 6):2:(times($2)) with labels center offset 0,0.6 textcolor rgb '#404040' notitle, \
     data using ($0 + 1.0 / 6):3:(times($3)) with labels center offset 0,0.6 textcolor rgb '#404040' notitle

set terminal pngcairo size 1084,620 noenhanced font 'sans-serif,13' background '#ffffff'
set output 'speedup.png'
replot
unset output
