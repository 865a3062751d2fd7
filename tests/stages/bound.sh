#!/bin/sh
# bound.sh DRIVER   the bound of a row is the same whichever kernels run beside it, where all rows are computed and where
# some are.
of_nothing() { sed -n 's/^nothing .*bound \([^,]*\),.*/\1/p'; }
for how in full sampled; do
    set -- "$1" --size 200 --dtype f16 --protocol none --check "$how"
    alone=$("$@" --kernel nothing | of_nothing)
    beside=$("$@" --kernel nothing,says_half_sums | of_nothing)
    echo "$how: alone $alone, beside sums in half $beside"
    [ -n "$alone" ] && [ "$alone" = "$beside" ] || exit 1
done
