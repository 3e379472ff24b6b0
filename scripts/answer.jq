# Shows answers as text: each sentence with the labels it cites, and the sources
# as path#section:lines. Control characters of docs and models do not reach the
# terminal.
#
#   mr-answer … | jq -rf scripts/answer.jq
def plain: explode | map(select(. == 9 or . == 10 or . >= 32 and (. < 127 or . > 159))) | implode;
select(.type == "answer")
| ([.citations[].label]) as $cited
| "Q: \(.question.text)",
  (if .status != "scored" then "\nNo answer (\(.status)): \(.reason)"
   elif .refused then "\nThe docs do not say: \(.refusal_reason)"
   else
     "",
     (.sentences[] | .text + (if .labels == [] then "" else " [" + (.labels | join(", ")) + "]" end)),
     (if .ungrounded then "\nNo source is cited: nothing in the docs stands behind this." else "" end),
     (.passages[] | select(.label as $l | $cited | index([$l]))
      | "\(.label) \(.path)#\(.section | sub("^[^#]*#"; "")):\(.lines[0])-\(.lines[1])")
   end)
| plain
