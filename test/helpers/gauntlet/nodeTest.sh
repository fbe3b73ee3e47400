# Prints what `node --test` prints, without the start of Node: sh nodeTest.sh [PATTERN [FILE...]]
# Runs the tests whose names match the pattern, of these files or of all files `*.test`. Each line of a file is a name, a
# colon, and the command that passes, or prints an error and fails.
number=0 pass=0 fail=0 skipped=0 todo=0
echo 'TAP version 13'
pattern=${1:-*}
if [ $# -gt 1 ]; then shift; else set -- *.test; fi
for file; do
  while IFS=: read -r name command; do
    case $name in $pattern) ;; *) continue ;; esac
    number=$((number + 1)) outcome=ok mark='' output=''
    case $name in
      'skip '*) name=${name#* } mark=' # SKIP' skipped=$((skipped + 1)) ;;
      'todo '*) name=${name#* } mark=' # TODO' todo=$((todo + 1)) ;;
    esac
    [ "$mark" = ' # SKIP' ] || output=$(eval "$command") || outcome='not ok'
    case $mark$outcome in ok) pass=$((pass + 1)) ;; 'not ok') fail=$((fail + 1)) ;; esac
    echo "# Subtest: $name"
    echo "$outcome $number - $name$mark"
    printf '  ---\n  duration_ms: 1.5\n'
    [ "$outcome" = ok ] ||
      printf "  %s: '%s'\n" location "$PWD/$file:1:1" failureType testCodeFailure error "$output"
    echo '  ...'
  done <"$file"
done
printf '# %s\n' "tests $number" 'suites 0' "pass $pass" "fail $fail" 'cancelled 0' \
  "skipped $skipped" "todo $todo" 'duration_ms 9.5'
[ $fail = 0 ]
