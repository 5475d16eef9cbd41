# Runs the test programs of /kaiju/run/calls. Their standard output is the result channel.
#
# `one`: a single program, which takes the place of this shell; its standard input is the table of values.
cd "$PWD" || exit 2
exec 7>&"$KAIJU_REPORT_FD"
unset KAIJU_REPORT_FD
mapfile -t calls </kaiju/run/calls
if [ "$1" = one ] && [ "$2" = together ]; then
    eval "set -- ${calls[0]}"
    exec "$@" >&7 7>&-
fi
status=0
table=$(cat; echo .)
[ "$1" = one ] || table=$(cat /kaiju/run/values; echo .)
for call in "${calls[@]}"; do
    eval "set -- $call"
    printf '%s' "${table%.}" | "$@" >/tmp/records 7>&-
    ended=${PIPESTATUS[1]}
    cat /tmp/records >&7
    [ "$ended" -eq 0 ] || status=$ended
    printf '\n--kaiju-program--\n' >&7
done
exit "$status"
