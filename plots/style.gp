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
