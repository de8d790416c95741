#!/bin/sh
# A bot in POSIX sh that plays random legal actions over the line protocol (docs/line_protocol.md):
#
#     sackarmies evaluate greedy "line:command=sh examples/line_bot.sh" --games 2

number=1 # random numbers of its own, started anew from the seed of each game
while IFS= read -r line; do
    case $line in
    *'"type":"hello"'*)
        echo '{"type":"ready","words":false,"observation":false}'
        ;;
    *'"type":"new_game"'*)
        seed=${line##*'"seed":'}
        number=$((${seed%%[!0-9]*} % 2147483647))
        ;;
    *'"type":"choose"'*)
        legal=${line##*'"legal":['}
        legal=${legal%%]*}
        IFS=,
        # shellcheck disable=SC2086 # the ids become the arguments
        set -- $legal
        number=$(((number * 48271 + 11) % 2147483647))
        shift $((number % $#))
        echo "{\"action\":$1}"
        ;;
    esac
done
