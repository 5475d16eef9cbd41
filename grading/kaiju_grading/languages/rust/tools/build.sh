# cargo with the arguments; its messages, less the warnings, go to the result channel.
cp -a /kaiju/env/target/. "$CARGO_TARGET_DIR"/
cargo "$@" --offline --locked --message-format=json 2>/tmp/log | grep -v -F '"level":"warning"' >&"$KAIJU_REPORT_FD"
status=${PIPESTATUS[0]}
cat /tmp/log >&2
mkdir -p "$CARGO_TARGET_DIR"/keep
find "$CARGO_TARGET_DIR"/debug/deps -maxdepth 1 -type f -perm -u+x ! -name '*.so' ! -name '*.rlib' \
    -exec mv {} "$CARGO_TARGET_DIR"/keep/ \;
exit "$status"
