#!/bin/sh
# exercise.sh SOURCE STAGE COMMAND...   runs COMMAND, unless somebody is at work on the stage's exercise: then it is skipped
# (status 77), because a solved exercise is no failure.
source=$1 stage=$2
shift 2
if ! git -C "$source" diff --quiet HEAD -- "$stage/exercise.cu" 2>/dev/null && git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
    echo "$stage/exercise.cu has been changed"
    exit 77
fi
exec "$@"
